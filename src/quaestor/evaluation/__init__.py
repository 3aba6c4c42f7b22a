"""How well a corpus is searched: questions with known answers, metrics, comparisons, reports.

The package does not know how search works: it asks an index as any caller does, and scores the hits.
Begin with ``run``, which asks every question of every configuration; ``metrics`` scores the answers.
"""
