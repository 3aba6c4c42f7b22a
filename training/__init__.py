"""How the bundled embedder was made, and how `tune` adapts it: gather pairs, train, quantise, export.

Nothing here runs during a search. Training itself needs numpy only; distilling the first table from a
transformer needs torch and says so.
"""
