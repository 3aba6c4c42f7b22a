"""Indexes in PostgreSQL with pgvector, for teams: one database, any number of corpora and servers.

It does not know queries or files. Begin with ``postgres_store``; ``migrations`` holds the tables.
"""
