"""Access control, used by every route. What belongs to another user is reported as not found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from quaestor.accounts.users import User
from quaestor.assemble import Index
from quaestor.chat.added_files import mentions
from quaestor.core.config import Settings
from quaestor.core.errors import NotFoundError
from quaestor.corpus.joint_corpus import JointCorpus, roots_of, split_path
from quaestor.corpus.several_corpora import SeveralCorpora
from quaestor.llm.models import Model
from quaestor.server.http.served_state import Served
from quaestor.server.open_corpora import State
from quaestor.server.uploads import Documents
from quaestor.sessions.named_sessions import Sessions
from quaestor.sessions.session_tables import SessionUnusableError
from quaestor.sessions.transcript import Transcript

MY_DOCUMENTS = "my-documents"
"""The name of the corpus of a user's uploads."""


def corpora_of(served: Served, user: User) -> tuple[State, ...]:
    """Return the state of each corpus that a user may see: the shared ones and the user's own."""
    serve_documents(served, user)
    return served.corpora.states(user.id)


def corpus_of(served: Served, user: User, name: str) -> Index:
    """Return a corpus that a user may see; an empty name means the only shared one.

    Raises:
        NotFoundError: this user sees no corpus of this name.
        StillIndexingError: its first index is not complete.
    """
    serve_documents(served, user)
    return served.corpora.get(name, user=user.id)


def several_of(served: Served, user: User, names: Sequence[str]) -> tuple[SeveralCorpora, Mapping[str, Exception]]:
    """Return corpora that are searched as one, and the errors of those that cannot be searched.

    Args:
        served: the served state.
        user: the user.
        names: the corpora's names; empty, or with ``ALL`` in it, for all that the user may see.

    Raises:
        NotFoundError: this user sees no corpus of one of these names.
        QuaestorError: none of them can be searched.
    """
    serve_documents(served, user)
    return served.corpora.several(names, user=user.id)


def corpus_settings(served: Served, user: User, name: str) -> Settings:
    """Return the settings of a corpus that a user may see.

    Raises:
        NotFoundError: this user sees no corpus of this name.
    """
    serve_documents(served, user)
    return served.corpora.settings(name, user=user.id)


def corpora_named(served: Served, user: User, source: str) -> tuple[str, ...]:
    """Return the names of those corpora of a session that are served to this user now.

    Args:
        served: the served state.
        user: the user.
        source: the session's source as recorded: the path of its corpus, or the paths of several.
    """
    names_by_root = {state.root: state.name for state in corpora_of(served, user)}
    return tuple(names_by_root[root] for root in roots_of(source) if root in names_by_root)


def corpus_for(served: Served, user: User, source: str, question: str) -> tuple[Index | JointCorpus, Settings]:
    """Return the corpus that answers a session's question, and its settings.

    The settings are those of the session's only corpus; with several corpora, those of the server. The user's own
    documents are included if the question names any.

    Args:
        served: the served state.
        user: the user.
        source: the session's source as recorded; see ``corpora_named``.
        question: may name documents by ``@my-documents/NAME``.

    Raises:
        NotFoundError: a corpus of the session is not served to this user now.
        StillIndexingError: a corpus cannot be searched yet.
    """
    names = corpora_named(served, user, source)
    roots = roots_of(source)
    if not names:
        raise NotFoundError("The corpus of this conversation is no longer served here. Begin another conversation.")
    if len(names) < len(roots):
        # An answer from the other corpora alone would look like an answer from all.
        served_now = {state.root for state in corpora_of(served, user)}
        gone = ", ".join(repr(Path(root).name) for root in roots if root not in served_now)
        raise NotFoundError(
            f"This conversation is also about {gone}, which is not served now. Serve it again, or begin another one."
        )
    alone = len(roots) == 1
    settings = corpus_settings(served, user, names[0]) if alone else served.settings
    corpora = {"" if alone else name: corpus_of(served, user, name) for name in names}
    aside = _own_documents(served, user) if _names_documents(question) else {}
    return (corpora[""] if alone and not aside else JointCorpus(corpora, aside)), settings


def _names_documents(question: str) -> bool:
    return any(name.startswith(f"{MY_DOCUMENTS}/") for name in mentions(question))


def _own_documents(served: Served, user: User) -> dict[str, Index]:
    """Return the up-to-date corpus of a user's own documents by its name; empty if there are none."""
    if all(state.name != MY_DOCUMENTS for state in corpora_of(served, user)):
        return {}
    corpus = corpus_of(served, user, MY_DOCUMENTS)
    corpus.try_refresh()
    return {MY_DOCUMENTS: corpus}


def locate_corpus(served: Served, user: User, source: str, path: str) -> tuple[str, Index, str]:
    """Return the name of the corpus that a session's path lies in, the corpus, and the path within it.

    Raises:
        NotFoundError: the corpus is not served to this user now.
        StillIndexingError: the corpus cannot be read yet.
    """
    names = corpora_named(served, user, source)
    if not names:
        raise NotFoundError(f"{Path(source).name!r} is not served now, so its passages cannot be shown.")
    if len(roots_of(source)) == 1:
        corpus = corpus_of(served, user, names[0])
        if not path.startswith(f"{MY_DOCUMENTS}/") or corpus.store.document(path) is not None:
            return names[0], corpus, path
    name, inner = split_path(path, (*names, MY_DOCUMENTS))
    return name, corpus_of(served, user, name), inner


def model_of(served: Served, user: User, request: str, name: str) -> Model | None:
    """Return the model for a user's request: the server's default, or a selectable one by its name.

    Raises:
        NotFoundError: no model of this name can be selected.
    """
    if not name or name == served.settings.model:
        return served.make_model(user, request)
    if name not in served.further_models:
        known = ", ".join(map(repr, (served.settings.model, *served.further_models)))
        raise NotFoundError(f"There is no model {name!r} to choose here. Choose one of {known}.")
    return served.further_models[name](user, request)


def documents_of(served: Served, user: User) -> Documents:
    """Return the documents that a user uploaded."""
    return Documents(served.settings, user.id)


def sessions_of(served: Served, user: User) -> Sessions:
    """Return the sessions of a user, without those of others."""
    return served.sessions.of(user.id)


def session_of(served: Served, user: User, name: str) -> Transcript:
    """Open one of a user's sessions by its full name.

    Raises:
        NotFoundError: the user has no session of this name.
        SessionUnusableError: the session's file is damaged.
    """
    sessions = sessions_of(served, user)
    if name not in sessions.names():
        raise unknown_session(name)
    transcript = sessions.open(name)
    if transcript.owner != user.id:
        transcript.close()
        raise unknown_session(name)
    return transcript


def delete_session(served: Served, user: User, name: str) -> None:
    """Remove one of a user's sessions, even if it is damaged.

    Raises:
        NotFoundError: the user has no session of this name.
    """
    # A damaged session does not name its owner, but it lies in the user's folder.
    with suppress(SessionUnusableError):
        session_of(served, user, name).close()
    sessions_of(served, user).delete(name)


def unknown_session(name: str) -> NotFoundError:
    """Return the error for a session that does not exist or is another user's."""
    return NotFoundError(f"You have no conversation {name!r}; it may have been deleted.")


def serve_documents(served: Served, user: User) -> None:
    """Begin to serve a user's uploads and added sources, unless they are served already."""
    serve_added(served, user)
    documents = documents_of(served, user)
    documents.sync()
    if documents.folder.is_dir():
        served.corpora.add(MY_DOCUMENTS, documents.folder, owner=user.id)


def may_add_folders(served: Served, user: User) -> bool:
    """Return whether a user may add folders: only on a server without users, if the settings allow any folder."""
    return bool(served.folders.allowed) and served.open_to_local and not user.id


def may_add_sites(served: Served, user: User) -> bool:
    """Return whether a user may add sites and repositories: only on a server without users, if any host is allowed."""
    return bool(served.sites.allowed) and served.open_to_local and not user.id


def serve_added(served: Served, user: User) -> None:
    """Begin to serve the folders and sites that a user added, unless they are served already."""
    if may_add_folders(served, user):
        for root in served.folders.list():
            served.corpora.add_folder(root, owner=user.id)
    if may_add_sites(served, user):
        for site in served.sites.list():
            # The fetched files may have been deleted since.
            with suppress(NotFoundError):
                if site.added:
                    served.corpora.add_folder(served.sites.root(site.address), owner=user.id)


def may_edit(served: Served, user: User) -> bool:
    """Return whether a user may apply proposed changes: only on a server without users, if the settings allow it."""
    return served.settings.page_edits == "on" and served.open_to_local and not user.id
