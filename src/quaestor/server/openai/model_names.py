"""Corpora and embedders under the names that clients give as ``model``."""

from __future__ import annotations

from fastapi import APIRouter

from quaestor.accounts.users import User
from quaestor.assemble import Index
from quaestor.core.config import Settings
from quaestor.corpus.joint_corpus import JointCorpus
from quaestor.server.api.access import corpora_of
from quaestor.server.http.caller import Who
from quaestor.server.http.error_responses import RequestRefusedError
from quaestor.server.http.served_state import Served, ServedHere
from quaestor.server.openai.openai_schemas import Models, ModelShown

ALL = "quaestor"
"""The name of all corpora that a user may see, asked as one; where there is one, it goes by its own name as well."""

router = APIRouter()


@router.get("/models")
async def list_models(served: ServedHere, who: Who) -> Models:
    """List everything that can be given as ``model``: corpora to chat with, and what embeds their texts."""
    return Models(data=[ModelShown(id=name) for name in (*_chat_models(served, who), *_embedding_models(served, who))])


@router.get("/models/{name:path}")
async def show_model(name: str, served: ServedHere, who: Who) -> ModelShown:
    """Show one of them."""
    if name not in (*_chat_models(served, who), *_embedding_models(served, who)):
        corpus_named(name, served, who)  # or there is none
    return ModelShown(id=name)


def corpus_named(name: str, served: Served, who: User) -> str:
    """Return the corpus that a model's name means.

    Raises:
        RequestRefusedError: it means none that the user may see.
    """
    everybodys = served.corpora.names
    if name == ALL and len(everybodys) == 1:
        return everybodys[0]
    if name not in (state.name for state in corpora_of(served, who)):
        raise unknown(name, served, who)
    return name


def asked_by(name: str, served: Served, who: User) -> tuple[Index | JointCorpus, Settings]:
    """Return the corpus and settings of a model's name: one with its own, or all as one with the server's.

    Raises:
        RequestRefusedError: the user sees no corpus of this name.
        StillIndexingError: it cannot be searched yet; for all corpora, those that can are searched.
    """
    if not _is_all(name, served):
        corpus = corpus_named(name, served, who)
        return served.corpora.get(corpus, user=who.id), served.corpora.settings(corpus, user=who.id)
    states = corpora_of(served, who)
    names = [state.name for state in states if state.ready] or [state.name for state in states]
    return JointCorpus({one: served.corpora.get(one, user=who.id) for one in names}), served.settings


def _is_all(name: str, served: Served) -> bool:
    return name == ALL and len(served.corpora.names) > 1


def index_to_embed_with(name: str, served: Served, who: User) -> Index:
    """Return an index whose embedder a model's name means: the embedder's own, or a corpus's.

    Raises:
        RequestRefusedError: it means none.
        StillIndexingError: the corpus cannot be used yet.
    """
    for index in _ready(served, who):
        if index.embedder.name == name:
            return index
    return served.corpora.get(corpus_named(name, served, who), user=who.id)


def unknown(name: str, served: Served, who: User) -> RequestRefusedError:
    """Return the error for a name that means nothing here."""
    known = ", ".join(map(repr, _chat_models(served, who)))
    return RequestRefusedError(
        f"There is no model {name[:80]!r} here. Use one of {known}.",
        status=404,
        code="model_not_found",
        param="model",
    )


def _chat_models(served: Served, who: User) -> list[str]:
    everybodys = served.corpora.names
    names = [state.name for state in corpora_of(served, who)]
    if len(everybodys) == 1:
        return [ALL if name == everybodys[0] else name for name in names]
    return [ALL, *names] if names else []


def _embedding_models(served: Served, who: User) -> list[str]:
    return list(dict.fromkeys(index.embedder.name for index in _ready(served, who)))


def _ready(served: Served, who: User) -> list[Index]:
    states = corpora_of(served, who)
    return [served.corpora.get(state.name, user=who.id) for state in states if state.ready]
