"""Our own API under ``/api``, for the page and for programs.

It does not know HTML, nor how a corpus was opened. Begin with ``turn_routes``, which streams an answer; ``access``
says who may see what.
"""
