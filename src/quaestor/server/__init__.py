"""The doors through which people and programs use a corpus."""
