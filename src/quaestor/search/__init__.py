"""Finding chunks: reading the query, retrieving by words and by meaning, fusing, ranking."""
