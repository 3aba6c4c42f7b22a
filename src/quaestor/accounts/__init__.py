"""Users and what they spend: users with tokens, the ledger of requests to models, prices, limits, rates.

This package knows neither HTTP nor the command line. Users and ledger share one SQLite file, ``accounts.sqlite`` in the
data folder, which several processes use at once. Begin with ``metered_model``.
"""

FILE = "accounts.sqlite"
"""The file's name in the data folder."""
