"""The record of conversations, in files or in PostgreSQL: transcripts that are written, read back, exported and listed.

The package does not know how an answer is made, nor who shows it. Begin with ``transcript``, which is appended to, and
``session_reader``, which reads it back; ``records`` holds their values.
"""
