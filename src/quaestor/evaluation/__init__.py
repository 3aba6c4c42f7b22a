"""How well a corpus is searched: questions with known answers, metrics, comparisons, reports.

The package does not know how search works: it asks an index like anybody else and scores what comes back.
Begin with ``run``, which asks every question of every configuration; ``metrics`` scores the answers.
"""
