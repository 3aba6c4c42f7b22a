"""A page's elements as Markdown: headings, paragraphs, lists, tables, code, quotations.

Layout tables are not rendered as tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from quaestor.convert.html_tree import BLOCKS, HEADINGS, Element
from quaestor.convert.running_text import Inline, code_span

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s*|sourceCode\s+)([\w+#.-]{1,30})"
)
_WORD = re.compile(r"[\w+#.-]{1,30}")
_NO_LANGUAGE = frozenset({"default", "none", "text", "plaintext", "notranslate", "plain", "output", "source"})
_STRUCTURED = BLOCKS | {"li", "dt", "dd", "td", "th", "tr", "tbody", "thead", "tfoot", "caption", "table"}
_CARRIERS = HEADINGS | {"p"}
_INLINE_BLOCKS = frozenset({"summary", "legend", "figcaption", "caption", "address"})

_MOST_COLUMNS = 60
_LAYOUT = HEADINGS | {"table", "pre", "hr", "blockquote"}


def render(root: Element, base: str = "") -> str:
    """Return an element's content as Markdown, ending with a line end, or "".

    Args:
        root: the element.
        base: the page's address, which links are relative to; empty leaves them as they are.
    """
    holding: set[int] = set()
    _note_holders(root, holding)
    blocks = list(_Blocks(Inline(base), holding).blocks(root.children))
    return "\n\n".join(blocks) + "\n" if blocks else ""


class _Blocks:
    """Renders blocks as texts without blank lines around them."""

    def __init__(self, inline: Inline, holding: set[int]) -> None:
        self._inline = inline
        self._holding = holding
        self._by_name: dict[str, Callable[[Element], Iterator[str]]] = {
            **dict.fromkeys(HEADINGS, self._heading),
            **dict.fromkeys(("ul", "ol", "menu", "dir"), self._list),
            **dict.fromkeys(("pre", "listing", "xmp"), self._code),
            **dict.fromkeys(_INLINE_BLOCKS, self._paragraph),
            "p": self._paragraph,
            "blockquote": self._quotation,
            "table": self._table,
            "dl": self._definitions,
            "hr": lambda _element: iter(["* * *"]),
            "summary": self._summary,
            "a": self._render_link,
        }

    def blocks(self, nodes: list[Element | str]) -> Iterator[str]:
        """Yield the blocks of nodes; running text between them becomes a paragraph."""
        running: list[Element | str] = []
        for node in nodes:
            if isinstance(node, str) or id(node) not in self._holding:
                running.append(node)
                continue
            yield from self._running(running)
            running = []
            render = self._by_name.get(node.name)
            yield from render(node) if render else self.blocks(node.children)
        yield from self._running(running)

    def _running(self, nodes: list[Element | str]) -> Iterator[str]:
        if text := self._inline.render(nodes):
            yield text

    def _heading(self, element: Element) -> Iterator[str]:
        if text := self._inline.one_line(element.children):
            yield f"{'#' * int(element.name[1])} {text}"

    def _paragraph(self, element: Element) -> Iterator[str]:
        if any(isinstance(child, Element) and id(child) in self._holding for child in element.children):
            yield from self.blocks(element.children)
        else:
            yield from self._running(element.children)

    def _render_link(self, element: Element) -> Iterator[str]:
        """Render a link around blocks, such as a card: its first block with text becomes the link."""
        texts = [one for one in element.elements() if one.name in _CARRIERS and one.text().strip()]
        if carrier := next((one for one in texts if one.name in HEADINGS), texts[0] if texts else None):
            carrier.children = [Element("a", element.attributes, carrier.children)]
        yield from self.blocks(element.children)

    def _summary(self, element: Element) -> Iterator[str]:
        if element.find(*HEADINGS):
            yield from self.blocks(element.children)
        elif text := self._inline.one_line(element.children):
            yield f"**{text.strip('*')}**"

    def _quotation(self, element: Element) -> Iterator[str]:
        if text := "\n\n".join(self.blocks(element.children)):
            yield "\n".join(f"> {line}".rstrip() for line in text.split("\n"))

    def _code(self, element: Element) -> Iterator[str]:
        text = _code_text(element).strip("\n").replace("\r\n", "\n")
        if not text.strip():
            return
        longest = max((len(run) for run in re.findall(r"^[ \t]*(`{3,})", text, re.MULTILINE)), default=2)
        fence = "`" * (longest + 1)
        yield f"{fence}{_language(element)}\n{text.rstrip()}\n{fence}"

    def _list(self, element: Element) -> Iterator[str]:
        number = _number(element.get("start")) if element.name == "ol" else None
        items: list[str] = []
        for child in element.children:
            if isinstance(child, str):
                if child.strip():
                    items.append(_item("- ", self._inline.render([child])))
                continue
            if child.name not in ("li", "ul", "ol", "menu"):
                items.extend(_item("- ", block) for block in self.blocks([child]))
                continue
            marker = "- " if number is None else f"{number}. "
            inside = list(self.blocks(child.children)) if child.name == "li" else list(self._list(child))
            if child.name != "li" and items:
                items.append("\n".join(f"{' ' * len(marker)}{line}" for line in "\n".join(inside).split("\n")))
                continue
            if inside:
                items.append(_item(marker, _join_blocks(inside)))
                number = None if number is None else number + 1
        if items:
            yield "\n".join(items)

    def _definitions(self, element: Element) -> Iterator[str]:
        """Render a definition list: terms are list items, with definitions and other content below them."""
        items: list[list[str]] = []
        for child in _terms_and_meanings(element):
            if isinstance(child, str):
                inside = list(self._running([child]))
            elif child.name not in ("dt", "dd"):
                inside = list(self.blocks([child]))
            else:
                inside = list(self.blocks(child.children))
            if not isinstance(child, str) and child.name == "dt":
                signature = "sig" in child.get("class").split()
                shown = code_span(_signature(child)) if signature else self._inline.one_line(child.children)
                if shown:
                    items.append([shown if signature or "*" in shown or "`" in shown else f"**{shown}**"])
            elif items:
                items[-1].extend(inside)
            else:
                items.append(inside)
        texts = [_item("- ", "\n\n".join(parts)) for parts in items if parts]
        if texts:
            yield "\n".join(texts)

    def _table(self, element: Element) -> Iterator[str]:
        for one in element.children:
            if isinstance(one, Element) and one.name == "caption":
                yield from self.blocks(one.children)
        if _is_data(element):
            yield _as_table(element, self._inline)
        else:
            for row in _rows(element):
                for cell in _cells(row):
                    yield from self.blocks(cell.children)


def _note_holders(element: Element, holding: set[int]) -> bool:
    """Collect every element that is a block or contains one, in one pass."""
    holds = element.name in _STRUCTURED
    for child in element.children:
        if isinstance(child, Element) and _note_holders(child, holding):
            holds = holds or element.name not in ("math", "svg")
    if holds:
        holding.add(id(element))
    return holds


def _join_blocks(blocks: list[str]) -> str:
    """Join an item's blocks: its list follows its first line directly, anything else after a blank line."""
    text = blocks[0]
    for block in blocks[1:]:
        text += ("\n" if re.match(r"(?:- |\d+\. )", block) else "\n\n") + block
    return text


def _item(marker: str, text: str) -> str:
    indent = " " * len(marker)
    lines = text.split("\n")
    return "\n".join([marker + lines[0], *(f"{indent}{line}" if line else "" for line in lines[1:])])


def _terms_and_meanings(element: Element) -> Iterator[Element | str]:
    for child in element.children:
        if isinstance(child, Element) and child.name == "div":
            yield from _terms_and_meanings(child)  # allowed around each pair
        else:
            yield child


def _signature(term: Element) -> str:
    return re.sub(r"\s*(?:\[source\]|¶)\s*$", "", " ".join(_code_text(term).split()))


def _code_text(element: Element) -> str:
    """Return the text of code, with line breaks that are elements and without line numbers."""
    parts: list[str] = []
    for child in element.children:
        if isinstance(child, str):
            parts.append(child)
        elif child.name == "br":
            parts.append("\n")
        elif not {"lineno", "linenos", "line-number", "headerlink"}.intersection(child.get("class").split()):
            parts.append(_code_text(child))
            if child.name in ("div", "li", "tr") and not parts[-1].endswith("\n"):
                parts.append("\n")
    return "".join(parts)


def _language(element: Element) -> str:
    for one in (element, *element.elements()):
        match = _LANGUAGE.search(one.get("class"))
        language = match[1] if match else one.get("data-lang") or one.get("data-language")
        if language and language.lower() not in _NO_LANGUAGE and _WORD.fullmatch(language):
            return language.lower()
    return ""


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 1


def _is_data(table: Element) -> bool:
    """Return whether a table contains data: rows of cells without headings, code or tables in them."""
    if table.get("role") in ("presentation", "none"):
        return False
    rows = list(_rows(table))
    if not rows or any(inner.name in _LAYOUT for inner in table.elements()):
        return False
    return max(len(list(_cells(row))) for row in rows) > 1 or table.find("th") is not None


def _as_table(table: Element, inline: Inline) -> str:
    """Return a data table; its head is the first row if that is marked as one, else empty."""
    grid = _grid(table, inline)
    width = min(max(map(len, grid)), _MOST_COLUMNS)
    lines = [[*row, *[""] * (width - len(row))][:width] for row in grid]
    first = next(_rows(table))
    if not (all(cell.name == "th" for cell in _cells(first)) or _in_head(table, first)):
        lines.insert(0, [""] * width)
    lines.insert(1, ["---"] * width)
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _grid(table: Element, inline: Inline) -> list[list[str]]:
    """Return the cells' texts: blank cells after one that spans columns, repetitions of one that spans rows."""
    grid: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    for row in _rows(table):
        texts: list[str] = []
        started: dict[int, tuple[int, str]] = {}
        for cell in _cells(row):
            _fill(texts, below)
            if len(texts) >= _MOST_COLUMNS:
                break  # a column that is not shown must not be repeated in a thousand rows
            text = inline.one_line(cell.children).replace("|", r"\|")
            height = _span(cell.get("rowspan"))
            if height > 1:
                started[len(texts)] = (height - 1, text)
            texts.append(text)
            texts.extend([""] * (min(_span(cell.get("colspan")), _MOST_COLUMNS) - 1))
        _fill(texts, below)
        below.update(started)
        grid.append(texts)
    return grid


def _fill(texts: list[str], below: dict[int, tuple[int, str]]) -> None:
    """Add the cells that reach down from rows above, from the next column on."""
    while len(texts) in below and len(texts) < _MOST_COLUMNS:
        place = len(texts)
        count, text = below.pop(place)
        texts.append(text)
        if count > 1:
            below[place] = (count - 1, text)


def _rows(table: Element) -> Iterator[Element]:
    """Yield a table's own rows."""
    for child in table.children:
        if isinstance(child, Element):
            if child.name == "tr":
                yield child
            elif child.name in ("thead", "tbody", "tfoot"):
                yield from _rows(child)


def _cells(row: Element) -> Iterator[Element]:
    """Yield a row's cells."""
    return (one for one in row.children if isinstance(one, Element) and one.name in ("td", "th"))


def _in_head(table: Element, row: Element) -> bool:
    return any(isinstance(one, Element) and one.name == "thead" and row in one.children for one in table.children)


def _span(text: str) -> int:
    return min(int(text), 1000) if text.isascii() and text.isdigit() and 0 < len(text) < 6 else 1
