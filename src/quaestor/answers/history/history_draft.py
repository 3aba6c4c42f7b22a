"""Builds an answer about history: text, and the commits, tags and changelog sections that it cites, as hits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.answers.quotes.readable_markup import as_shown
from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.corpus.documents_on_disk import LANGUAGE, object_document
from quaestor.history.git import Git
from quaestor.history.history_json import CommitText, commit_path
from quaestor.history.log import Commit
from quaestor.history.versions import Tag, Version, first_release, tag_text

_MARK = re.compile(r"[\[【]\s*(?:\^\s*)?(?:(?:passages?|sources?|p|no)\b\.?\s*)?#?\d", re.IGNORECASE)
_LINKED = re.compile(r"\]\s*\(|no[ _-]answer", re.IGNORECASE)
_LONGEST_SUBJECT = 160
_MOST_HEAD_LINES = 60
_MOST_MESSAGE = 24
_TRAILER = re.compile(r"^(?:[A-Z][\w-]*-by|Change-Id|Bug|Cc|git-svn-id|Tested|updated-dependencies):", re.IGNORECASE)


class Draft:
    """An unfinished answer.

    Attributes:
        pieces: text, and numbers of hits, as ``WayAnswer`` has them.
        heads: the paragraphs without quotes and lists.
        hits: what is cited.
    """

    def __init__(self) -> None:
        self.pieces: list[str | int] = []
        self.heads: list[str] = []
        self.hits: list[Hit] = []

    def say(self, text: str) -> None:
        """Begin a new paragraph."""
        self.heads.append(text.strip())
        self._begin(text)

    def _begin(self, text: str) -> None:
        self.pieces.append(f"\n\n{text}" if self.pieces else text)

    def add(self, text: str) -> None:
        """Append to the present paragraph."""
        self.pieces.append(text)

    def cite(self, hit: Hit) -> None:
        """Add a citation mark; a place that is cited again keeps its number."""
        places = [(one.path, one.start_line, one.end_line) for one in self.hits]
        place = (hit.path, hit.start_line, hit.end_line)
        if place not in places:
            self.hits.append(hit)
            places.append(place)
        self.pieces.append(places.index(place))

    def item(self, text: str, hit: Hit) -> None:
        """Add an item of a list with its citation."""
        self.pieces.append(f"\n- {text} ")
        self.cite(hit)

    def quote(self, hit: Hit, lines: Sequence[str], language: str = "text") -> None:
        """Quote lines of a hit verbatim, in a fenced block that no line of them can close."""
        runs = re.findall(r"`+", "\n".join(lines))
        fence = "`" * max(3, 1 + max(map(len, runs), default=0))
        self._begin("\n".join([fence + language, *lines, fence, ""]))
        self.cite(hit)

    def quote_prose(self, hit: Hit, lines: Sequence[str]) -> None:
        """Quote lines of prose as they are shown; as they are, in a fenced block, if a part reads like a citation."""
        shown = as_shown("\n".join(lines), hit.text, hit.document.language).split("\n")
        if any(map(_MARK.search, [*lines, *shown])):
            self.quote(hit, lines, "markdown")
            return
        self._begin("\n".join([*(f"> {line}" for line in shown), "", ""]))
        self.cite(hit)


def commit_hit(text: CommitText) -> Hit:
    """Return the head of a commit, its message and its list of files, as a hit."""
    return lines_hit(text, 0, min(text.head_lines, _MOST_HEAD_LINES) - 1)


def lines_hit(text: CommitText, first: int, last: int) -> Hit:
    """Return lines of a commit's text (indices from 0, the last inclusive) as a hit."""
    commit = text.commit
    document = object_document(commit_path(commit.id), text.text, commit.subject, commit.author, commit.date)
    return _hit(document, text.text, first, last)


def tag_hit(tag: Tag) -> Hit:
    """Return a tag as a hit."""
    text = tag_text(tag)
    document = object_document(f"tag {tag.name}", text, tag.name, tag.tagger, tag.date)
    return _hit(document, text, 0, min(text.count("\n"), 20) - 1)


def document_hit(document: Document, text: str, first: int, last: int, symbol: str) -> Hit:
    """Return lines of a document (indices from 0, the last inclusive) as a hit."""
    return _hit(document, text, first, last, symbol)


def _hit(document: Document, text: str, first: int, last: int, symbol: str | None = None) -> Hit:
    lines = text.split("\n")
    start = sum(len(line.encode()) + 1 for line in lines[:first])
    shown = "\n".join(lines[first : last + 1])
    span = Span(start, start + len(shown.encode()), first + 1, last + 1)
    kind = "block" if document.language == LANGUAGE else "section"
    return Hit(document, Chunk(span, shown, symbol, kind), 1.0)


def one_line(text: str) -> str:
    """Return a subject as a list item's text, changed so that no part reads like a citation mark or unclosed code."""
    text = text if len(text) <= _LONGEST_SUBJECT else f"{text[:_LONGEST_SUBJECT].rstrip()}…"
    # A sentence that ends before the number of a pull request would leave that alone with its citation.
    text = re.sub(r"\.(?=\s+\()", "", text)
    if _MARK.search(text) or _LINKED.search(text):
        text = text.translate(str.maketrans("[]【】", "()()"))
    return text if text.count("`") % 2 == 0 else text.replace("`", "'")


def code(text: str) -> str:
    """Return a name between so many backticks that none in the name closes them."""
    return f"`{' '.join(text.replace('`', chr(39)).split())}`"


def commit_line(commit: Commit) -> str:
    """Return a commit as a list item's text."""
    return f"{commit.date}, {one_line(commit.author)}: {one_line(commit.subject)}"


def quote_message(text: CommitText, draft: Draft) -> None:
    """Quote a commit's message in one piece, without the trailing lines that say who signed it off."""
    lines = text.text.split("\n")[4 : text.head_lines]
    end = next((at for at, line in enumerate(lines) if line == "Files:"), len(lines))
    while end and (not lines[end - 1].strip() or _TRAILER.match(lines[end - 1])):
        end -= 1
    shown = "\n".join(lines[: min(end, _MOST_MESSAGE)]).strip("\n").split("\n")
    draft.quote(commit_hit(text), shown)


def describe_release_of(commit: Commit, git: Git, draft: Draft) -> Version | None:
    """Write which release was the first with a commit, and return it; None if that is not known."""
    tag = first_release(git, commit.id)
    if tag is not None:
        draft.say(f"The first tag that holds it is {code(tag.name)}: “Date: {tag.date}” ")
        draft.cite(tag_hit(tag))
    return tag.version if tag is not None else None
