"""Holding indexes in PostgreSQL with pgvector, for teams: one database, any number of corpora and servers."""
