"""From settings to objects: the only place that names concrete stores, embedders and models.

It does not know how its objects are used: the command line, the server and MCP ask it for an index, a conversation or
a model. The names below are loaded when they are first used, because a search needs an index but no endpoint.
Begin with ``index_by_path``, which opens and makes the index of a folder.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaestor.assemble.conversation_from_settings import answer_steps as answer_steps
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
    from quaestor.assemble.models_from_settings import shared_tables as shared_tables
    from quaestor.assemble.source_paths import index_folder as index_folder
    from quaestor.assemble.source_paths import ingest_settings as ingest_settings
    from quaestor.assemble.source_paths import locate as locate
    from quaestor.assemble.source_paths import make_journal as make_journal
    from quaestor.assemble.source_paths import make_objection as make_objection
    from quaestor.assemble.trial_index import TUNED as TUNED
    from quaestor.assemble.trial_index import TrialVectors as TrialVectors
    from quaestor.assemble.trial_index import erase_trial_index as erase_trial_index
    from quaestor.assemble.trial_index import open_trial_index as open_trial_index
    from quaestor.assemble.trial_index import trial_of as trial_of

_HOMES = {
    "Index": "index_by_path",
    "Indexes": "indexes_by_path",
    "TUNED": "trial_index",
    "TrialVectors": "trial_index",
    "answer_steps": "conversation_from_settings",
    "check_endpoint": "models_from_settings",
    "conversation_settings": "conversation_from_settings",
    "erase_trial_index": "trial_index",
    "open_trial_index": "trial_index",
    "index_folder": "source_paths",
    "ingest_settings": "source_paths",
    "is_remote": "index_by_path",
    "locate": "source_paths",
    "make_embedder": "embedders_by_name",
    "make_endpoint": "models_from_settings",
    "make_journal": "source_paths",
    "make_ledger": "models_from_settings",
    "make_model": "models_from_settings",
    "make_objection": "source_paths",
    "make_sessions": "conversation_from_settings",
    "make_store": "index_by_path",
    "make_subroutines": "conversation_from_settings",
    "make_users": "models_from_settings",
    "shared_tables": "models_from_settings",
    "trial_of": "trial_index",
}

__all__ = [
    "TUNED",
    "Index",
    "Indexes",
    "TrialVectors",
    "answer_steps",
    "check_endpoint",
    "conversation_settings",
    "erase_trial_index",
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
    "open_trial_index",
    "shared_tables",
    "trial_of",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
