"""Conversations over a corpus: one turn at a time, as a stream of events.

Begin with ``engine``: it retrieves, answers, verifies and records.
"""
