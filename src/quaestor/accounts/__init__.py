"""Who asks, and how much it takes: users with tokens, the ledger of requests to models, prices, limits, rates.

Nothing here knows HTTP or the command line. Users and ledger share one SQLite file, ``accounts.sqlite`` in the data
folder, that several processes use at once.
"""

FILE = "accounts.sqlite"
"""The file's name in the data folder."""
