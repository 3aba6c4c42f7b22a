"""Who may see what. Every route asks here; what belongs to somebody else is not found, exactly as what there is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from quaestor.accounts.users import User
from quaestor.assemble import Index
from quaestor.core.config import Settings
from quaestor.core.errors import NotFoundError
from quaestor.corpus.several_corpora import SeveralCorpora
from quaestor.server.http.served_state import Served
from quaestor.server.open_corpora import State
from quaestor.server.uploads import Documents
from quaestor.sessions.named_sessions import Sessions
from quaestor.sessions.session_place import SessionUnusableError
from quaestor.sessions.transcript import Transcript

MY_DOCUMENTS = "my-documents"
"""The name of the corpus that holds what a user uploaded."""


def corpora_of(served: Served, user: User) -> tuple[State, ...]:
    """Return the corpora that a user may see: everybody's, and the user's own."""
    serve_documents(served, user)
    return served.corpora.states(user.id)


def corpus_of(served: Served, user: User, name: str) -> Index:
    """Return a corpus that a user may see; an empty name means the only one of everybody's.

    Raises:
        NotFoundError: there is none of this name for this user.
        StillIndexingError: its first index is not there yet.
    """
    serve_documents(served, user)
    return served.corpora.get(name, user=user.id)


def several_of(served: Served, user: User, names: Sequence[str]) -> tuple[SeveralCorpora, Mapping[str, Exception]]:
    """Return corpora that a user may see, to be searched as one, and why others of them cannot be searched.

    Args:
        served: what is served.
        user: who asks.
        names: which; none, or ``ALL`` among them, means all that the user may see.

    Raises:
        NotFoundError: there is none of one of these names for this user.
        QuaestorError: none of them can be searched.
    """
    serve_documents(served, user)
    return served.corpora.several(names, user=user.id)


def corpus_settings(served: Served, user: User, name: str) -> Settings:
    """Return the settings of a corpus that a user may see.

    Raises:
        NotFoundError: there is none of this name for this user.
    """
    serve_documents(served, user)
    return served.corpora.settings(name, user=user.id)


def corpus_named(served: Served, user: User, root: str) -> str:
    """Return the name of the corpus that a session is about; empty if it is served no longer, or not to this user."""
    return next((state.name for state in corpora_of(served, user) if state.root == root), "")


def documents_of(served: Served, user: User) -> Documents:
    """Return the documents that a user uploaded."""
    return Documents(served.settings, user.id)


def sessions_of(served: Served, user: User) -> Sessions:
    """Return a user's sessions, among whose names there is nobody else's."""
    return served.sessions.of(user.id)


def session_of(served: Served, user: User, name: str) -> Transcript:
    """Open one of a user's sessions by its whole name.

    Raises:
        NotFoundError: the user has none of this name.
        SessionUnusableError: its file is damaged.
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
    """Remove one of a user's sessions, damaged or not.

    Raises:
        NotFoundError: the user has none of this name.
    """
    # A damaged one is the user's as well, for it lies in the user's folder.
    with suppress(SessionUnusableError):
        session_of(served, user, name).close()
    sessions_of(served, user).delete(name)


def unknown_session(name: str) -> NotFoundError:
    """Return the error for a session that is not there, or not this user's."""
    return NotFoundError(f"There is no conversation {name!r} of yours; it may have been deleted.")


def serve_documents(served: Served, user: User) -> None:
    """Begin to serve what a user uploaded, if there is anything and that is not done yet."""
    documents = documents_of(served, user)
    documents.bring()
    if documents.folder.is_dir():
        served.corpora.add(MY_DOCUMENTS, documents.folder, owner=user.id)
