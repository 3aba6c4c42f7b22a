"""Finding chunks: reading the query, retrieving by words and by meaning, fusing, ranking.

A query and a store go in, ranked hits come out. The package does not know files on disk or when an index is brought up
to date. Begin with ``retriever``, which takes a query through ``query``, ``certain_hits``, ``features`` and ``ranker``.
"""
