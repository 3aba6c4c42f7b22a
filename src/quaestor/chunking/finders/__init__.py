"""Finders of definitions, with a file for each family of languages.

A finder reads name, kind and body of one definition from its syntax node; it does not know chunks or files.
Begin with ``scripting``, which has Python's and JavaScript's.
"""
