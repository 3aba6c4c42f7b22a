"""The part that all requests share: the application, its guard, errors, logs, streams, and the processes that serve.

It does not know what any single route does. Begin with ``app``.
"""
