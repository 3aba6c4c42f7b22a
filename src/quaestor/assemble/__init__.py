"""From configuration to concrete objects: the only place that names them.

The names are loaded when they are first used: a search needs an index, and nothing of endpoints or conversations.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaestor.assemble.conversation_from_settings import answering as answering
    from quaestor.assemble.conversation_from_settings import conversation_settings as conversation_settings
    from quaestor.assemble.conversation_from_settings import make_sessions as make_sessions
    from quaestor.assemble.conversation_from_settings import make_subroutines as make_subroutines
    from quaestor.assemble.embedders_by_name import make_embedder as make_embedder
    from quaestor.assemble.index_by_path import Index as Index
    from quaestor.assemble.index_by_path import is_remote as is_remote
    from quaestor.assemble.index_by_path import make_store as make_store
    from quaestor.assemble.indexes_by_path import Indexes as Indexes
    from quaestor.assemble.models_from_settings import check_endpoint as check_endpoint
    from quaestor.assemble.models_from_settings import make_endpoint as make_endpoint
    from quaestor.assemble.models_from_settings import make_ledger as make_ledger
    from quaestor.assemble.models_from_settings import make_model as make_model
    from quaestor.assemble.models_from_settings import make_users as make_users
    from quaestor.assemble.source_paths import index_folder as index_folder
    from quaestor.assemble.source_paths import ingest_settings as ingest_settings
    from quaestor.assemble.source_paths import locate as locate
    from quaestor.assemble.source_paths import make_journal as make_journal
    from quaestor.assemble.source_paths import make_objection as make_objection
    from quaestor.assemble.trial_index import TUNED as TUNED
    from quaestor.assemble.trial_index import Trial as Trial
    from quaestor.assemble.trial_index import erase_apart as erase_apart
    from quaestor.assemble.trial_index import index_apart as index_apart
    from quaestor.assemble.trial_index import trial_of as trial_of

_HOMES = {
    "Index": "index",
    "Indexes": "several",
    "TUNED": "apart",
    "Trial": "apart",
    "answering": "conversations",
    "check_endpoint": "endpoints",
    "conversation_settings": "conversations",
    "erase_apart": "apart",
    "index_apart": "apart",
    "index_folder": "places",
    "ingest_settings": "places",
    "is_remote": "index",
    "locate": "places",
    "make_embedder": "embedders",
    "make_endpoint": "endpoints",
    "make_journal": "places",
    "make_ledger": "endpoints",
    "make_model": "endpoints",
    "make_objection": "places",
    "make_sessions": "conversations",
    "make_store": "index",
    "make_subroutines": "conversations",
    "make_users": "endpoints",
    "trial_of": "apart",
}

__all__ = [
    "TUNED",
    "Index",
    "Indexes",
    "Trial",
    "answering",
    "check_endpoint",
    "conversation_settings",
    "erase_apart",
    "index_apart",
    "index_folder",
    "ingest_settings",
    "is_remote",
    "locate",
    "make_embedder",
    "make_endpoint",
    "make_journal",
    "make_ledger",
    "make_model",
    "make_objection",
    "make_sessions",
    "make_store",
    "make_subroutines",
    "make_users",
    "trial_of",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
