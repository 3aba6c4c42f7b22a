"""How the bundled embedder was made: gather pairs, train, quantise, export. ``quaestor.tuning`` adapts it to a corpus.

Nothing here runs during a search. Training itself needs numpy only; distilling the first table from a
transformer needs torch and says so.
"""
