"""Tuning the bundled embedder to one corpus, on questions that the corpus makes of itself.

The figures that it reports are cross-fitted: documents are dealt into parts, and the questions about each part are put
to an embedder that was tuned on the other parts alone.
The package does not know the command line, nor prices. Begin with ``tune_embedder``.
"""
