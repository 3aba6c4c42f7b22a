"""Finders of definitions, a file for each family of languages."""
