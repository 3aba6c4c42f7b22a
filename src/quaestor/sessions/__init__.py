"""The record of conversations on disk: the transcripts of sessions, which are read back, exported and counted."""
