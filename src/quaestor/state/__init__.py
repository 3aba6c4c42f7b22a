"""Data that outlives a request and is not the index, in statements that both SQLite and PostgreSQL understand.

The package does not know what is stored: sessions, users, the ledger and claims bring their own tables.
Begin with ``rows``, the protocol; ``postgres`` follows it.
"""
