"""HTML as tags and text, in time that grows with the page and not faster, whatever is in it.

Python's own parser takes minutes over 200 kB of begun comments (before 3.11.14), and a page is whatever a stranger
wrote. This follows the standard's tokeniser where pages differ from one another: comments, raw text, attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape as unescape_html

RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
"""Elements in which there are no tags."""

_DECODED = frozenset({"textarea", "title"})
_NAME = re.compile(r"[A-Za-z][^\s/>]{0,60}")
_ATTRIBUTE = re.compile(r"""[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?""")
_TAG_END = re.compile(r"[\s/=]*>")
_TOO_MANY_DIGITS = re.compile(r"&#[0-9]{9,};?")
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW}


@dataclass(frozen=True, slots=True)
class Start:
    """A start tag; names are in lower case, values decoded, and of attributes given twice the first counts."""

    name: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class End:
    """An end tag."""

    name: str


Token = Start | End | str


def tokens(text: str) -> Iterator[Token]:
    """Yield the tags and the decoded text of a page; comments and declarations are left out."""
    at, size = 0, len(text)
    while at < size:
        opened = text.find("<", at)
        if opened < 0:
            yield _decoded(text[at:])
            return
        if opened > at:
            yield _decoded(text[at:opened])
        after = text[opened + 1 : opened + 2]
        if after.isalpha() and after.isascii():
            at, start = _start_tag(text, opened + 1)
            if start is None:
                return
            yield start
            if start.name in RAW:
                end = _RAW_ENDS[start.name].search(text, at)
                raw = text[at : end.start() if end else size]
                yield _decoded(raw) if start.name in _DECODED else raw
                at = end.start() if end else size
        elif after == "/" and (name := _NAME.match(text, opened + 2)):
            yield End(name[0].lower())
            at = _after(text, ">", name.end())
        elif after in ("!", "?", "/"):
            at = _after_comment(text, opened)
        else:
            yield "<"
            at = opened + 1


def _decoded(text: str) -> str:
    """Return text with its character references decoded; one of no character is U+FFFD, as the standard has it."""
    return unescape_html(_TOO_MANY_DIGITS.sub("\ufffd", text) if "&#" in text else text)


def _start_tag(text: str, at: int) -> tuple[int, Start | None]:
    """Return the offset after a start tag with the tag; None if the page ends in it."""
    name = _NAME.match(text, at)
    assert name is not None  # the caller saw a letter
    at = name.end()
    attributes: dict[str, str] = {}
    while True:
        if end := _TAG_END.match(text, at):
            return end.end(), Start(name[0].lower(), attributes)
        found = _ATTRIBUTE.match(text, at)
        if found is None:
            return len(text), None
        value = next((one for one in found.groups()[1:] if one is not None), "")
        attributes.setdefault(found[1].lower(), _decoded(value))
        at = found.end()


def _after_comment(text: str, opened: int) -> int:
    if not text.startswith("<!--", opened):
        return _after(text, ">", opened)
    if text.startswith((">", "->"), opened + 4):
        return _after(text, ">", opened + 4)
    return _after(text, "-->", opened + 4)


def _after(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return len(text) if found < 0 else found + len(mark)
