"""Parses a page: bytes to characters, to tags and text, to a tree, with errors corrected as in browsers.

The encoding is detected first, because servers and authors often state a wrong one. Everything takes linear time in the
page's size.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape as unescape_html

from quaestor.convert.converted_document import ConversionError

_META = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})""")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SNIFFED = 4096
_SOUND_PER_BROKEN = 5
# As in browsers: latin-1 and ASCII mean Windows-1252, their superset.
_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949"}
# Python counts them among text encodings. The first two are for host names; one supports no replacement, and the other
# takes quadratic time. No page uses any of them.
_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "oem"})

RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
"""Elements whose content is text without tags."""

_DECODED = frozenset({"textarea", "title"})
_NAME = re.compile(r"[A-Za-z][^\s/>]{0,60}")
_ATTRIBUTE = re.compile(r"""[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?""")
_TAG_END = re.compile(r"[\s/=]*>")
_TOO_MANY_DIGITS = re.compile(r"&#[0-9]{9,};?")
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW}


def decode_page(data: bytes, declared: str | None = None) -> str:
    """Return a page's text.

    Args:
        data: its bytes.
        declared: the character set that the server stated, if any.

    A byte order mark decides. Otherwise valid UTF-8 beyond ASCII is UTF-8, whatever is declared, because no other
    encoding looks like that by chance. Then come the server's declaration, the page's own, and Windows-1252.
    """
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(codec, "replace")
    head = data[:_SNIFFED]
    candidates = [declared, *(match[1].decode("ascii") for match in (_XML.search(head), _META.search(head)) if match)]
    codecs_said = [one for name in candidates if name and (one := character_set(name))]
    wide = [codec for codec in codecs_said if codec.startswith(("utf-16", "utf-32"))]
    seven_bit = [codec for codec in codecs_said if codec.startswith(("iso2022", "hz", "utf-7"))]
    for codec in (*(wide if b"\0" in head else ()), *seven_bit, "utf-8", *codecs_said):
        try:
            return data.decode(codec)
        except UnicodeDecodeError:
            if codec == "utf-8" and (mended := _nearly_utf_8(data)):
                return mended
    fallback = next((codec for codec in codecs_said if codec != "utf-8"), "cp1252")
    return data.decode(fallback, "replace")


def _nearly_utf_8(data: bytes) -> str | None:
    """Return the text of UTF-8 with a few broken characters, or None if it is another encoding."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return text if sum(character > "\x7f" for character in text) > _SOUND_PER_BROKEN * broken else None


def character_set(name: str) -> str | None:
    """Return the codec of a character set that a document declares; None if there is none, or reading it takes long."""
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # Python's registry also has codecs that are not character sets, such as base64.
    is_charset = getattr(codec, "_is_text_encoding", True) and codec.name.replace("-", "_") not in _NO_CHARSETS
    return _MEANT.get(codec.name, codec.name) if is_charset else None


@dataclass(frozen=True, slots=True)
class StartTag:
    """A start tag, with names in lower case and decoded values; the first of two equal attributes counts."""

    name: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EndTag:
    """An end tag."""

    name: str


Token = StartTag | EndTag | str


def tokens(text: str) -> Iterator[Token]:
    """Yield the tags and the decoded text of a page; comments and declarations are left out."""
    at, size = 0, len(text)
    while at < size:
        opened = text.find("<", at)
        if opened < 0:
            yield _decode(text[at:])
            return
        if opened > at:
            yield _decode(text[at:opened])
        after = text[opened + 1 : opened + 2]
        if after.isalpha() and after.isascii():
            at, start = _start_tag(text, opened + 1)
            if start is None:
                return
            yield start
            if start.name in RAW:
                end = _RAW_ENDS[start.name].search(text, at)
                raw = text[at : end.start() if end else size]
                yield _decode(raw) if start.name in _DECODED else raw
                at = end.start() if end else size
        elif after == "/" and (name := _NAME.match(text, opened + 2)):
            yield EndTag(name[0].lower())
            at = _after(text, ">", name.end())
        elif after in ("!", "?", "/"):
            at = _after_comment(text, opened)
        else:
            yield "<"
            at = opened + 1


def _decode(text: str) -> str:
    """Return text with decoded character references; one to no character becomes U+FFFD, as in the standard."""
    return unescape_html(_TOO_MANY_DIGITS.sub("\ufffd", text) if "&#" in text else text)


def _start_tag(text: str, at: int) -> tuple[int, StartTag | None]:
    """Return the offset after a start tag, and the tag or None if the page ends within it."""
    name = _NAME.match(text, at)
    assert name is not None  # the caller saw a letter there
    at = name.end()
    attributes: dict[str, str] = {}
    while True:
        if end := _TAG_END.match(text, at):
            return end.end(), StartTag(name[0].lower(), attributes)
        match = _ATTRIBUTE.match(text, at)
        if match is None:
            return len(text), None
        value = next((one for one in match.groups()[1:] if one is not None), "")
        attributes.setdefault(match[1].lower(), _decode(value))
        at = match.end()


def _after_comment(text: str, opened: int) -> int:
    if not text.startswith("<!--", opened):
        return _after(text, ">", opened)
    if text.startswith((">", "->"), opened + 4):
        return _after(text, ">", opened + 4)
    return _after(text, "-->", opened + 4)


def _after(text: str, mark: str, at: int) -> int:
    index = text.find(mark, at)
    return len(text) if index < 0 else index + len(mark)


DEEPEST = 80
"""Deeper elements are dissolved in their parent, so that every walk can recurse."""

MOST_ELEMENTS = 300_000

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
BLOCKS = frozenset(
    """address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2
    h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul""".split()
)
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_ROWS = frozenset({"tbody", "thead", "tfoot"})
# A start tag of the key closes the nearest open element of the first set, unless one of the second comes between.
_CLOSES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu", "table"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl", "table"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl", "table"})),
    "tr": (frozenset({"tr", "caption"}), frozenset({"table"})),
    "td": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "th": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "option": (frozenset({"option"}), frozenset({"select"})),
    "a": (frozenset({"a"}), frozenset({"table", "td", "th"})),
    **dict.fromkeys(_ROWS, (_ROWS | {"caption"}, frozenset({"table"}))),
    **dict.fromkeys(HEADINGS, (HEADINGS, BLOCKS - HEADINGS)),
}
_P = frozenset({"p"})
_P_BARRIERS = frozenset({"td", "th", "table", "caption", "button", "object"})
_END_BARRIERS = frozenset({"td", "th", "table"})
_IN_TABLES = frozenset({"table", "tr"}) | _ROWS
_CELLS = frozenset({"td", "th"})
_TABLE_PARTS = frozenset("caption colgroup col thead tbody tfoot tr script style template".split())
_TABLE_ENDS = frozenset({"table", "tr", "td", "th", "body", "html"}) | _ROWS


@dataclass(slots=True, eq=False)  # mutable: grows during parsing
class Element:
    """An element with its content, in order."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    def get(self, name: str) -> str:
        """Return an attribute's value, or ""."""
        return self.attributes.get(name, "")

    def elements(self) -> Iterator[Element]:
        """Yield every element below this one, in order."""
        pending = [child for child in reversed(self.children) if isinstance(child, Element)]
        while pending:
            one = pending.pop()
            yield one
            if one.children:
                pending += [child for child in reversed(one.children) if isinstance(child, Element)]

    def find(self, *names: str) -> Element | None:
        """Return the first element below with one of these names, or None."""
        return next((one for one in self.elements() if one.name in names), None)

    def text(self) -> str:
        """Return all text below the element, unchanged."""
        parts: list[str] = []
        _gather(self, parts)
        return "".join(parts)


def _gather(element: Element, parts: list[str]) -> None:
    for child in element.children:
        if isinstance(child, str):
            parts.append(child)
        elif child.name not in ("script", "style", "template"):
            _gather(child, parts)


def parse(text: str) -> Element:
    """Return a page as one element that contains everything.

    Raises:
        ConversionError: it has more elements than any readable page.
    """
    builder = _Builder()
    # The standard drops NULs, and running text uses them for something else here.
    for token in tokens(text.replace("\0", "")):
        if isinstance(token, str):
            builder.text(token)
        elif isinstance(token, StartTag):
            builder.start(token)
        elif isinstance(token, EndTag):
            builder.end(token.name)
    return builder.root


class _Builder:
    def __init__(self) -> None:
        self.root = Element("#root")
        self._open = [self.root]
        self._count = 0

    def text(self, text: str) -> None:
        if self._open[-1].name in _IN_TABLES and text.strip():
            self._open_cell("")
        self._open[-1].children.append(text)

    def start(self, token: StartTag) -> None:
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise ConversionError("too large", f"more than {MOST_ELEMENTS:,} elements")
        if token.name in BLOCKS:
            self._close(_P, _P_BARRIERS)
        if token.name in _CLOSES:
            self._close(*_CLOSES[token.name])
        if self._open[-1].name in _IN_TABLES and token.name not in _TABLE_PARTS:
            self._open_cell(token.name)
        element = Element(token.name, token.attributes)
        self._open[-1].children.append(element)
        if token.name not in VOID and len(self._open) < DEEPEST:
            self._open.append(element)

    def end(self, name: str) -> None:
        if name not in VOID:
            self._close(frozenset({name}), frozenset() if name in _TABLE_ENDS else _END_BARRIERS)

    def _open_cell(self, wanted: str) -> None:
        """Open the row or cell that a table's content lacks: a row around a cell, a cell around anything else."""
        if self._open[-1].name != "tr":
            self.start(StartTag("tr", {}))
        if wanted not in _CELLS and self._open[-1].name == "tr":
            self.start(StartTag("td", {}))

    def _close(self, names: frozenset[str], barriers: frozenset[str]) -> None:
        """Close the nearest open element of these names, and everything open within it, up to a barrier."""
        for place in range(len(self._open) - 1, 0, -1):
            name = self._open[place].name
            if name in names:
                del self._open[place:]
                return
            if name in barriers:
                return
