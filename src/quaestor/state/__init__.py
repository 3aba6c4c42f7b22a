"""What outlives a request and is not the index, in one wording of SQL that SQLite and PostgreSQL both understand.

The package does not know what is stored: sessions, users, the ledger and claims bring their own tables.
Begin with ``rows``, the protocol; ``postgres`` follows it.
"""
