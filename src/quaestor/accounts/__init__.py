"""Users and their spending: access tokens, the ledger of requests to models, prices, spending limits, rate limits.

Users and ledger share one SQLite file, ``accounts.sqlite`` in the data folder, which several processes use at once;
with PostgreSQL, they are in that database.
The package does not know HTTP or the command line. Begin with ``metered_model``, through which every request to a
model goes.
"""

FILE = "accounts.sqlite"
"""The file's name in the data folder."""
