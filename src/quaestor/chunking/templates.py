"""Cuts templates of pages and mails along named blocks, headings, and the elements that divide a page.

Templates of ERB, EJS, Handlebars, Liquid, Jinja, Twig, Blade, Razor and Go are read by lines and their indentation: a
more indented line belongs to the part above it. A comment belongs to the part below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quaestor.chunking.chunk_settings import ChunkSettings
from quaestor.chunking.decode import DecodedFile
from quaestor.chunking.keys import LARGEST, Comment, Node, cut_outline
from quaestor.core.documents import Chunk

_NAMED = re.compile(
    rb"""^(?P<indent>[ \t]*)(?:
    (?P<opened>\{\#|\{%-?[ ]*comment|\{\{-?[ ]*/\*|\{\{!|\{\{--|<!--|@\*|<%\#|<%[ ]*\#)
    |\{%-?[ ]*(?:block|macro|form|section|schema|style|javascript|capture|embed|call|filter)\b[ ]*(?P<tag>[^%\n]{0,80})
    |\{\{-?[ ]*(?:define|block|\#\*inline|\#contentFor|\#block|<)[ ]*(?P<curly>[^}\n]{0,80})
    |@(?:section|push|prepend|component|slot|fragment|functions|code)\b[ ]*\(?(?P<at>[^)\n]{0,80})
    |<%[=-]?[ ]*(?:content_for|provide|block|layout)\b[ ]*\(?(?P<erb>[^%\n]{0,80})
    |<h[1-6]\b[^>\n]{0,200}>(?P<heading>[^\n]{0,160})
    |<(?P<element>header|nav|main|footer|aside|form|section|table|dialog|head|body|template|fieldset|article)\b(?P<attributes>[^\n]{0,300})
    |<\w+(?=[^>\n]{0,200}\bid=["'](?P<id>[A-Za-z][\w-]{0,60})["'])
    |(?P<text>[^\s][^\n]*)
    )?""",
    re.MULTILINE | re.VERBOSE,
)
_CLOSED = re.compile(rb"\#\}|\{%-?[ ]*endcomment|\*/|\}\}|-->|\*@|%>")
_WORD = re.compile(r"\w[\w.:/-]*")
_MARKUP = re.compile(r"<[^<>]{0,200}>|\{[{%].{0,100}?[%}]\}|<%.{0,100}?%>|@\w+\b")
_CALLED = re.compile(r"\b(?:id|name|aria-label)=[\"']([A-Za-z][\w -]{0,60})[\"']")
_TAB = 4
_LONGEST_NAME = 60
_MOST_WORDS = 8
# Elements that say what they are; a plain section says nothing unless it has a name.
_TELLING = frozenset({"header", "nav", "main", "footer", "aside", "form", "table", "dialog", "head"})
_BLOCKS = ("tag", "curly", "at", "erb")


def cut_template(file: DecodedFile, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Return a template cut along its parts; an empty tuple if none has a name."""
    if len(file.data) > LARGEST:
        return ()
    return cut_outline(file, [*_nodes(file.data, file.start)], settings)


def _nodes(data: bytes, start: int) -> Iterator[Node]:
    """Yield the named parts of a template; of two with the same indentation, neither belongs to the other."""
    comment, inside = Comment(), False
    for line in _NAMED.finditer(data, start):
        column = len(line["indent"].expandtabs(_TAB))
        if inside or line["opened"]:
            comment.read_line(line.start(), column)
            inside = _CLOSED.search(data, line.end() if line["opened"] else line.start(), _end(data, line)) is None
        elif (name := _name(line)) is not None:
            yield comment.node(line.start(), column, name, column)
        else:
            comment.end()


def _end(data: bytes, line: re.Match[bytes]) -> int:
    """Return the end of a line."""
    line_end = data.find(b"\n", line.end())
    return len(data) if line_end < 0 else line_end


def _name(line: re.Match[bytes]) -> str | None:
    """Return the name of the part that a line begins, "" if the part has none, and None if the line begins no part."""
    kind = line.lastgroup
    name = (line[kind] if kind else b"").decode("utf-8", "replace")
    if kind in _BLOCKS:
        word = _WORD.search(name)
        return word[0][:_LONGEST_NAME] if word else ""
    if kind == "heading":
        return " ".join(_WORD.findall(_MARKUP.sub(" ", name))[:_MOST_WORDS])[:_LONGEST_NAME]
    if kind == "attributes":
        element, called = line["element"].decode(), _CALLED.search(name)
        return f"{element} {called[1]}" if called else element if element in _TELLING else ""
    return name if kind == "id" else None
