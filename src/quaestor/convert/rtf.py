r"""Rich text (``.rtf``) as Markdown. Runs in a process of its own.

Every control word is read once, from the first to the last. A group with an unknown control word is left out if it is
marked as optional (``\*``); otherwise its text is read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import Element
from quaestor.convert.page_metadata import LONGEST_FIELD

_TOKEN = re.compile(
    rb"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})?[ ]?|\\'(?P<byte>[0-9A-Fa-f]{2})|\\(?P<symbol>[^A-Za-z])"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\"
)
_DEEPEST = 1_000
MOST_COLUMNS = 60
"""Most cells of a row that are read: each row is written as wide as the widest."""
_LEFT_OUT = frozenset(
    b"""colortbl fonttbl pict object objdata themedata colorschememapping latentstyles datastore xmlnstbl listtable
    listoverridetable rsidtbl generator header headerl headerr headerf footer footerl footerr footerf fldinst filetbl
    revtbl pgptbl mmathPr userprops bkmkstart bkmkend annotation atnid atnauthor""".split()
)
_INFORMATION = {b"title": "title", b"author": "author"}
_CHARACTERS = {
    b"tab": " ", b"line": "\n", b"emdash": "\u2014", b"endash": "\u2013", b"lquote": "\u2018", b"rquote": "\u2019",
    b"ldblquote": "\u201c", b"rdblquote": "\u201d", b"bullet": "\u2022", b"emspace": " ", b"enspace": " ",
}  # fmt: skip
_SYMBOLS = {b"~": " ", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}"}
_CODE_PAGES = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}
_HEADING = re.compile(r"heading ([1-9])\b|title\b", re.IGNORECASE)


class _State(NamedTuple):
    """The state of a group, which ends with it.

    Attributes:
        into: the part to which text is added: ``body``, ``styles``, ``title``, ``author``; empty to discard it.
        skip: the number of bytes after a character's number that repeat it in another form.
        hidden: whether text is not shown.
    """

    into: str = "body"
    skip: int = 1
    hidden: bool = False


def from_rtf(data: bytes) -> ConvertedDocument:
    """Return rich text as Markdown; pictures, headers and footers are left out.

    Raises:
        ConversionError: it is no rich text, or holds no text.
    """
    if not data.lstrip().startswith(b"{\\rtf"):
        raise ConversionError("unreadable", "the file is damaged: it is no rich text")
    reader = _Reader()
    at = 0
    while match := _TOKEN.match(data, at):
        at = match.end() + reader.read_token(match)
    text = render(Element("div", {}, [*reader.finish()]))
    if not text.strip():
        raise ConversionError("unreadable", "it holds no text")
    properties = {name: " ".join("".join(parts).split())[:LONGEST_FIELD] for name, parts in reader.properties.items()}
    return ConvertedDocument(text, properties.get("title") or None, properties.get("author") or None, reader.date())


class _Reader:
    """Reads control words, and gathers paragraphs and the rows of tables.

    Attributes:
        properties: the parts of the file's title, author and style names, by property.
    """

    def __init__(self) -> None:
        self.properties: dict[str, list[str]] = {"title": [], "author": [], "styles": []}
        self._stack: list[_State] = []
        self._beyond = 0
        self._state = _State()
        self._blocks: list[Element | str] = []
        self._line: list[str] = []
        self._bytes = bytearray()
        self._cells: list[str] = []
        self._rows: list[list[str]] = []
        self._code_page = "cp1252"
        self._to_skip = 0
        self._starred = False
        self._style, self._level = 0, 0
        self._high = 0
        self._in_table = False
        self._headings: dict[int, int] = {}
        self._day: dict[bytes, int] = {}

    def read_token(self, match: re.Match[bytes]) -> int:
        """Read a token; return the number of bytes after it that are no text."""
        if match["byte"]:
            self._read_encoded(bytes.fromhex(match["byte"].decode()))
        elif match["text"]:
            self._read_encoded(match["text"])
        elif match["brace"]:
            self._group(opens=match["brace"] == b"{")
        elif match["symbol"]:
            self._symbol(match["symbol"])
        elif match["word"]:
            return self._word(match["word"], int(match["number"] or 1), numbered=match["number"] is not None)
        return 0

    def finish(self) -> list[Element | str]:
        """Return all blocks."""
        self._in_table = False
        self._end_row()
        self._paragraph()
        self._table()
        return self._blocks

    def date(self) -> str | None:
        """Return the date of writing."""
        year, month, day = (self._day.get(name, 0) for name in (b"yr", b"mo", b"dy"))
        return f"{year:04}-{month:02}-{day:02}" if 1900 < year < 9999 and 0 < month < 13 and 0 < day < 32 else None

    def _group(self, *, opens: bool) -> None:
        self._flush()
        self._to_skip, self._starred = 0, False
        if opens and len(self._stack) < _DEEPEST:
            self._stack.append(self._state)
        elif opens:
            self._beyond += 1
        elif self._beyond:
            self._beyond -= 1
        elif self._stack:
            if self._state.into == "styles":
                self._end_style()
            self._state = self._stack.pop()

    def _end_style(self) -> None:
        """Record whether the style that ends here is a heading's."""
        name = "".join(self.properties["styles"])
        self.properties["styles"].clear()
        if match := _HEADING.match(name.strip()):
            self._headings[self._style] = int(match[1] or 1)
        self._style = 0

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
        elif symbol in b"\r\n":
            self._paragraph()
        elif symbol in _SYMBOLS:
            self._add(_SYMBOLS[symbol])

    def _word(self, word: bytes, number: int, *, numbered: bool) -> int:
        starred, self._starred = self._starred, False
        if word == b"bin":
            return max(number, 0) if numbered else 0
        if word == b"u" and numbered:
            self._character(number % 0x10000)
            self._to_skip = self._state.skip
        elif word in _LEFT_OUT or word in _INFORMATION or word in (b"stylesheet", b"info"):
            self._set_destination(word)
        elif starred:
            self._state = self._state._replace(into="")
        elif word in _CHARACTERS:
            self._add(_CHARACTERS[word])
        else:
            self._apply_format(word, number, numbered=numbered)
        return 0

    def _character(self, number: int) -> None:
        """Read a character by its number; a character beyond 65,535 is written as two numbers."""
        if 0xD800 <= number < 0xDC00:
            self._high = number
        elif 0xDC00 <= number < 0xE000:
            pair = self._high.to_bytes(2, "big") + number.to_bytes(2, "big")
            self._add(pair.decode("utf-16-be", "replace"))
            self._high = 0
        else:
            self._add(chr(number))

    def _set_destination(self, word: bytes) -> None:
        into = "styles" if word == b"stylesheet" else _INFORMATION.get(word, "")
        if into not in ("title", "author") or self._state.into != "body":
            self._state = self._state._replace(into=into)

    def _apply_format(self, word: bytes, number: int, *, numbered: bool) -> None:
        if word in (b"par", b"sect", b"page"):
            self._paragraph()
        elif word in (b"cell", b"nestcell"):
            self._end_cell()
        elif word in (b"row", b"nestrow"):
            self._end_row()
        elif word == b"pard":
            self._style = self._level = 0
            self._in_table = False
        elif word == b"intbl":
            self._in_table = True
        elif word == b"s":
            self._style = number
        elif word == b"outlinelevel":
            self._level = number + 1
        elif word == b"v":
            self._flush()
            self._state = self._state._replace(hidden=not numbered or number > 0)
        elif word == b"uc":
            self._state = self._state._replace(skip=min(max(number, 0), 8))
        elif word in (b"yr", b"mo", b"dy"):
            self._day.setdefault(word, number)
        elif word == b"ansicpg":
            self._code_page = f"cp{number}"
        elif word in _CODE_PAGES:
            self._code_page = _CODE_PAGES[word]

    def _read_encoded(self, data: bytes) -> None:
        """Read text in the file's code page, without the replacement of a character that was read by its number."""
        skipped = min(self._to_skip, len(data))
        self._to_skip -= skipped
        self._bytes += data[skipped:]

    def _flush(self) -> None:
        if self._bytes:
            data = bytes(self._bytes)
            self._bytes.clear()
            try:
                self._put_text(data.decode(self._code_page, "replace"))
            except LookupError:
                self._put_text(data.decode("cp1252", "replace"))

    def _add(self, text: str) -> None:
        self._flush()
        self._put_text(text)

    def _put_text(self, text: str) -> None:
        into = self._state.into
        if into in self.properties:
            self.properties[into].append(text)
        elif into and not self._state.hidden:
            self._line.append(text)

    def _take_line(self) -> str:
        """Return the text since the last paragraph, and begin a new one."""
        self._flush()
        text = "".join(self._line).strip()
        self._line.clear()
        return text

    def _paragraph(self) -> None:
        if self._cells or self._in_table:
            self._add(" ")
            return
        text = self._take_line()
        if not text:
            return
        self._table()
        level = min(self._headings.get(self._style, self._level), 6)
        parts: list[Element | str] = []
        for line in text.split("\n"):
            parts += [line, Element("br")]
        self._blocks.append(Element(f"h{level}" if level > 0 else "p", {}, parts[:-1]))

    def _end_cell(self) -> None:
        text = " ".join(self._take_line().split())
        if len(self._cells) < MOST_COLUMNS:
            self._cells.append(text)

    def _end_row(self) -> None:
        if any(self._cells):
            self._rows.append(self._cells)
        self._cells = []

    def _table(self) -> None:
        """Add the table whose rows were gathered."""
        if not self._rows:
            return
        width = max(map(len, self._rows))
        lines: list[Element | str] = []
        for place, row in enumerate(self._rows):
            kind = "td" if place else "th"
            lines.append(Element("tr", {}, [Element(kind, {}, [cell]) for cell in [*row, *[""] * (width - len(row))]]))
        self._blocks.append(Element("table", {}, lines))
        self._rows = []
