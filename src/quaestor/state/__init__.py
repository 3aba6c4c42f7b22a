"""What outlives a request and is not the index: said once in SQL that two engines understand, SQLite and PostgreSQL."""
