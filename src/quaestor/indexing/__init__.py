"""From files to an index: read, cut, embed, write, and update what has changed.

The package does not know which store or embedder it works with, nor how an index is searched.
Begin with ``indexer``, which keeps a store in step with a folder; ``prepare`` does the work for one file.
"""
