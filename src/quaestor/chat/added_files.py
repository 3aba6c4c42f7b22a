"""Files that a person adds to a conversation: by ``@path`` in a question, or for all later questions.

Added files come before hits, so that an answer relies on them first; the window decides how much of them fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from quaestor.core.passages import Hit
from quaestor.corpus.conversation_corpus import ConversationCorpus

# Names with blanks stand in quotation marks.
_MENTION = re.compile(r"(?<![\w@/.:])@(?:([\w./+-]*\w)|\"([^\"\n]{1,400})\")")
_MOST_CHUNKS = 40
_MOST_NAMED = 10


def mentions(question: str) -> tuple[str, ...]:
    """Return the paths that a question names by ``@``, each once, at most ten; e-mail addresses are ignored."""
    named = (plain or quoted for plain, quoted in _MENTION.findall(question))
    return tuple(dict.fromkeys(named))[:_MOST_NAMED]


def mention(path: str) -> str:
    """Return the mention of a document as a question writes it."""
    found = _MENTION.fullmatch(f"@{path}")
    return f"@{path}" if found and found[1] else f'@"{path}"'


def mentioned_paths(question: str, corpus: ConversationCorpus) -> tuple[str, ...]:
    """Return the documents that a question names by ``@``; ``@property`` is a word like any other."""
    found = (path for name in mentions(question) if (path := path_of(name, corpus)) is not None)
    return tuple(dict.fromkeys(found))


def path_of(name: str, corpus: ConversationCorpus) -> str | None:
    """Return the path of the document of this path, or of the only one whose path ends so; None otherwise."""
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


def placed_first(added: Sequence[Hit], found: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the added hits, followed by hits in other documents."""
    paths = {hit.path for hit in added}
    return (*added, *(hit for hit in found if hit.path not in paths))
