"""Files that a person adds to a conversation: by ``@path`` in a question, or for all later questions.

Added files come before hits, so that an answer relies on them first; the window decides how much of them fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from quaestor.core.documents import Hit
from quaestor.core.errors import NotFoundError
from quaestor.corpus.conversation_corpus import ConversationCorpus

# Names with blanks stand in quotation marks.
_MENTION = re.compile(r"(?<![\w@/.:])@(?:([\w./+-]*\w)|\"([^\"\n]{1,400})\")")
_MOST_CHUNKS = 40
_MOST_NAMED = 10


def mentions(question: str) -> tuple[str, ...]:
    """Return the paths that a question names by ``@``, each once, at most ten; e-mail addresses are ignored."""
    paths = (plain or quoted for plain, quoted in _MENTION.findall(question))
    return tuple(dict.fromkeys(paths))[:_MOST_NAMED]


def mention(path: str) -> str:
    """Return the mention of a document as a question writes it."""
    match = _MENTION.fullmatch(f"@{path}")
    return f"@{path}" if match and match[1] else f'@"{path}"'


def mentioned_paths(question: str, corpus: ConversationCorpus) -> tuple[str, ...]:
    """Return the documents that a question names by ``@``; ``@property`` is a word like any other."""
    paths = (path for name in mentions(question) if (path := path_of(name, corpus)) is not None)
    return tuple(dict.fromkeys(paths))


def path_of(name: str, corpus: ConversationCorpus) -> str | None:
    """Return the path of the document of this path, or of the only one whose path ends with it; None otherwise."""
    if corpus.store.document(name) is not None:
        return name
    ending = corpus.store.paths_ending(name.removeprefix("./"), 2)
    return ending[0] if len(ending) == 1 else None


def hits_of(paths: Iterable[str], corpus: ConversationCorpus) -> tuple[Hit, ...]:
    """Return the chunks of documents, in their order; a document that is gone has none."""
    return tuple(
        Hit(stored.document, stored.chunk, 0.0, chunk_id=stored.id)
        for path in paths
        for stored in corpus.store.chunks_of(path)[:_MOST_CHUNKS]
    )


class AddedFiles:
    """The documents that every later question of a conversation is also about.

    Args:
        corpus: holds them.
    """

    def __init__(self, corpus: ConversationCorpus) -> None:
        self._corpus = corpus
        self._paths: dict[str, None] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """Their paths, in the order in which they were added."""
        return tuple(self._paths)

    def add(self, name: str) -> str:
        """Add a document, by its path or a unique end of it, and return its path.

        Raises:
            NotFoundError: there is no such document; the message suggests others.
        """
        path = path_of(name, self._corpus) or self._corpus.document(name).path
        self._paths[path] = None
        return path

    def drop(self, name: str) -> str:
        """Take back what ``add`` did, and return the document's path.

        Raises:
            NotFoundError: it was not added.
        """
        path = path_of(name, self._corpus) or name
        if path not in self._paths:
            names = ", ".join(map(repr, self._paths)) or "none is"
            raise NotFoundError(f"{name!r} is not among the added files: {names}.")
        del self._paths[path]
        return path

    def hits(self, question: str) -> tuple[Hit, ...]:
        """Return the chunks of documents that a question names by ``@``, and of those added before."""
        return hits_of(dict.fromkeys((*mentioned_paths(question, self._corpus), *self._paths)), self._corpus)


def with_added_first(added: Sequence[Hit], hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the added hits, followed by hits in other documents."""
    paths = {hit.path for hit in added}
    return (*added, *(hit for hit in hits if hit.path not in paths))
