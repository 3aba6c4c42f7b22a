"""Bringing sources into a store: which files, in what shape, and what changed since."""
