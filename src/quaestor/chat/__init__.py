"""Holding a conversation over a corpus: one turn at a time, as a stream of events."""
