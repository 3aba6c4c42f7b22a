"""What to search for in a turn of a conversation, and the search itself.

``query_of_turn`` reads the messages and makes a ``TurnQuery`` by one of the policies; ``search_turn`` gives it to a
retriever. Replies of a model are read as text in which words are found, and never as anything else.
The package does not know windows or models. Begin with ``query_policies``.
"""

from __future__ import annotations

from quaestor.search.turns.continuity import continuity
from quaestor.search.turns.query_policies import POLICIES, Policy, TurnQuery, query_of_turn
from quaestor.search.turns.turn_search import search_turn

__all__ = ["POLICIES", "Policy", "TurnQuery", "continuity", "query_of_turn", "search_turn"]
