"""The record of conversations on disk: each session's transcript, read back, exported and counted."""
