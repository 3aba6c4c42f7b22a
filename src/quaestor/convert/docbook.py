"""DocBook as Markdown: its elements are renamed to HTML's, and the result is rendered like any page.

``<sect1><title>Use</title><para>Call <function>run</function>.</para></sect1>`` becomes a heading and a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from quaestor.chunking.headings import plain_title
from quaestor.convert.converted_document import ConvertedDocument
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import DEEPEST, StartTag, decode_page, parse, tokens

_SNIFFED = 4096
_MARK = re.compile(
    rb"http://docbook\.org/ns/docbook|//DTD DocBook|/docbook(?:x|xml)?/[\d.]+/docbookx?\.dtd", re.IGNORECASE
)

_SECTIONS = frozenset(
    """appendix article bibliography book chapter colophon dedication glossary part preface qandadiv qandaset refentry
    reference refsect1 refsect2 refsect3 refsection refsynopsisdiv sect1 sect2 sect3 sect4 sect5 section set simplesect
    topic""".split()
)
# Elements that are not shown, or are about the document; of those only its title is kept.
_LEFT_OUT = frozenset(
    """indexterm remark refmeta refclass titleabbrev subjectset keywordset refentryinfo authorgroup author editor
    copyright legalnotice revhistory releaseinfo pubdate edition biblioid date areaspec""".split()
)
_NAMES: dict[str, str] = {
    **dict.fromkeys(_SECTIONS, "section"),
    **dict.fromkeys("para simpara formalpara bridgehead attribution subtitle".split(), "p"),
    **dict.fromkeys("programlisting screen literallayout synopsis fragment".split(), "pre"),
    **dict.fromkeys(
        """classname code command computeroutput constant envar filename function guibutton keycap literal option
        parameter property prompt replaceable sgmltag symbol systemitem tag token type userinput varname""".split(),
        "code",
    ),
    **dict.fromkeys("caution important note tip warning blockquote epigraph sidebar".split(), "blockquote"),
    **dict.fromkeys("orderedlist procedure substeps".split(), "ol"),
    **dict.fromkeys("itemizedlist simplelist".split(), "ul"),
    **dict.fromkeys("listitem member step".split(), "li"),
    **dict.fromkeys("variablelist glosslist".split(), "dl"),
    **dict.fromkeys("term glossterm question".split(), "dt"),
    **dict.fromkeys("glossdef answer".split(), "dd"),
    **dict.fromkeys("table informaltable".split(), "table"),
    **dict.fromkeys("link ulink".split(), "a"),
    "emphasis": "em",
    "firstterm": "em",
    "quote": "q",
    "row": "tr",
    "entry": "td",
    "thead": "thead",
    "tbody": "tbody",
}
_TERMS_ONLY_IN = frozenset({"varlistentry", "glossentry", "qandaentry"})
_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]{0,60})")
_REMARK = re.compile(r"<!--.*?-->", re.DOTALL)
_EMPTY = re.compile(r"<([A-Za-z][\w:.-]{0,60})([^<>]*)/>")
_TITLE = re.compile(r"(</?)title\b")
"""The title of an HTML page contains no elements; a section's may."""
_FIRST_HEADING = re.compile(r"#{1,6} (.+)")


def reads_as_docbook(data: bytes) -> bool:
    """Return whether an XML file is a document in DocBook, by its first bytes."""
    head = data[:_SNIFFED]
    return _MARK.search(head) is not None and _root(decode_page(head)) is not None


def _root(head: str) -> int | None:
    """Return the offset of the first element if it is one of DocBook's, or None."""
    match = _ELEMENT.search(_REMARK.sub(lambda remark: " " * len(remark[0]), head))
    return match.start() if match and _local(match[1]) in _SECTIONS else None


def from_docbook(data: bytes) -> ConvertedDocument:
    """Return a document in DocBook as Markdown.

    Raises:
        ConversionError: it has more elements than any readable document.
    """
    text = decode_page(data)
    text = _without_sections(text[_root(text[:_SNIFFED]) or 0 :])
    text = _TITLE.sub(r"\1caption-of", _EMPTY.sub(r"<\1\2></\1>", text))
    page = _Page()
    for token in tokens(text):
        if isinstance(token, str):
            page.say(escape(token, quote=False))
        elif isinstance(token, StartTag):
            page.begin(_local(token.name), token.attributes)
        else:
            page.end(_local(token.name))
    shown = render(parse("".join(page.parts)))
    heading = _FIRST_HEADING.match(shown)
    return ConvertedDocument(shown, plain_title(heading[1].encode()) if heading else None)


def _local(name: str) -> str:
    """Return an element's name without its namespace."""
    return name.rpartition(":")[2].lower()


def _without_sections(text: str) -> str:
    """Return a text with its CDATA sections as plain text."""
    first, *rest = text.split("<![CDATA[")
    parts = [first]
    for one in rest:
        inside, _, after = one.partition("]]>")
        parts += [escape(inside, quote=False), after]
    return "".join(parts)


class _Page:
    """Renames a document's elements one after the other.

    Attributes:
        parts: the tags and texts of the page.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._open: list[tuple[str, str]] = []  # each with its name in HTML
        self._left_out = 0

    def say(self, text: str) -> None:
        """Add text, or a tag of the page."""
        if not self._left_out:
            self.parts.append(text)

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        if any(one == "fragment" for one, _ in self._open):  # an element of another language, shown as it is
            stated = "".join(f' {key}="{value}"' for key, value in attributes.items())
            self.say(escape(f"<{name}{stated}>", quote=False))
            return
        if len(self._open) == DEEPEST:
            return
        shown = self._html_name(name)
        self._open.append((name, shown))
        self._left_out += name in _LEFT_OUT
        target = next((attributes[key] for key in ("xlink:href", "url", "href") if key in attributes), "")
        if shown:
            self.say(f'<a href="{escape(target)}">' if shown == "a" else f"<{shown}>")
        elif name == "refpurpose":
            self.say(" – ")

    def end(self, name: str) -> None:
        """Close an element and everything open within it."""
        if not any(one == name for one, _ in self._open):
            return
        while self._open:
            last, shown = self._open.pop()
            if shown:
                self.say(f"</{shown}>")
            self._left_out -= last in _LEFT_OUT
            if last == name:
                return

    def _html_name(self, name: str) -> str:
        """Return an element's name in HTML; empty for one that only contains others."""
        around = [one for one, _ in self._open if not one.endswith("info")]
        parent = around[-1] if around else ""
        if name == "caption-of" and parent == "table":
            return "caption"
        if name in ("caption-of", "refnamediv"):
            depth = sum(one in _SECTIONS for one in around)
            heads = name == "refnamediv" or parent in _SECTIONS
            return f"h{min(max(depth, 1), 6)}" if heads else "p"
        if name == "listitem" and parent in _TERMS_ONLY_IN:
            return "dd"
        if name in ("term", "glossterm", "question") and parent not in _TERMS_ONLY_IN:
            return "em"
        return _NAMES.get(name, "")
