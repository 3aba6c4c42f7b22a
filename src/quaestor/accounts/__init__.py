"""Users and their spending: users' tokens, the ledger of requests to models, prices, limits, rates.

Users and ledger share one SQLite file, ``accounts.sqlite`` in the data folder, which several processes use at once; a
server with PostgreSQL keeps them there.
The package does not know HTTP or the command line. Begin with ``metered_model``, through which every request to a
model goes.
"""

FILE = "accounts.sqlite"
"""The file's name in the data folder."""
