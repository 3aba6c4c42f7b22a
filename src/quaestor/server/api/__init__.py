"""Our own API under ``/api``, for the page and for programs.

It does not know HTML, nor how a corpus is opened. Begin with ``turn_routes``, which streams an answer; ``access``
decides what a user may see.
"""
