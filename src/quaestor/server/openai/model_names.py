"""The names that clients give as ``model``, and the corpora and embedders that they mean."""

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
"""The name of all corpora that a user may see, asked as one; a single shared corpus also has its own name."""

router = APIRouter()


@router.get("/models")
async def list_models(served: ServedHere, who: Who) -> Models:
    """List everything that can be given as ``model``: corpora to ask, and embedders."""
    return Models(data=[ModelShown(id=name) for name in (*_chat_models(served, who), *_embedding_models(served, who))])


@router.get("/models/{name:path}")
async def show_model(name: str, served: ServedHere, who: Who) -> ModelShown:
    """Show one model."""
    if name not in (*_chat_models(served, who), *_embedding_models(served, who)):
        corpus_named(name, served, who)  # raises if there is none
    return ModelShown(id=name)


def corpus_named(name: str, served: Served, who: User) -> str:
    """Return the name of the corpus that a model's name means.

    Raises:
        RequestRefusedError: the user sees no such corpus.
    """
    everybodys = served.corpora.names
    if name == ALL and len(everybodys) == 1:
        return everybodys[0]
    if name not in (state.name for state in corpora_of(served, who)):
        raise unknown_model_error(name, served, who)
    return name


def corpus_of_model(name: str, served: Served, who: User) -> tuple[Index | JointCorpus, Settings]:
    """Return the corpus that a model's name means, and its settings; for all corpora, the server's settings.

    All corpora means those that can be searched already, if there are any.

    Raises:
        RequestRefusedError: the user sees no corpus of this name.
        StillIndexingError: the corpus cannot be searched yet.
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
    """Return an index that uses the embedder which a model's name means: by the embedder's name, or a corpus's.

    Raises:
        RequestRefusedError: the user sees no such embedder or corpus.
        StillIndexingError: the corpus cannot be used yet.
    """
    for index in _ready(served, who):
        if index.embedder.name == name:
            return index
    return served.corpora.get(corpus_named(name, served, who), user=who.id)


def unknown_model_error(name: str, served: Served, who: User) -> RequestRefusedError:
    """Return the error for an unknown model's name."""
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
