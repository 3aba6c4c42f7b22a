"""From configuration to concrete objects: the only place that names them."""

from quaestor.assemble.apart import TUNED, Trial, erase_apart, index_apart, trial_of
from quaestor.assemble.conversations import answering, conversation_settings, make_sessions, make_subroutines
from quaestor.assemble.embedders import make_embedder
from quaestor.assemble.endpoints import make_endpoint, make_ledger, make_model, make_users
from quaestor.assemble.index import Index, is_remote, make_store
from quaestor.assemble.places import index_folder, ingest_settings, locate, make_journal, make_objection

__all__ = [
    "TUNED",
    "Index",
    "Trial",
    "answering",
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
