"""Conversations over a corpus: one turn at a time, as a stream of events.

The package retrieves, answers, checks citations and records. It does not know HTTP, terminals or which model it talks
to; events are all that its callers see. Begin with ``engine``, then ``loop`` (one turn with a model) and ``events``.
"""
