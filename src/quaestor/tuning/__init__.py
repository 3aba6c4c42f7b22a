"""Tuning the bundled embedder to one corpus, on questions that the corpus makes of itself.

What is reported is of documents that were not trained on: they are dealt into parts, and the questions about each part
are put to an embedder that was tuned on the other parts alone (cross-fitting).
"""
