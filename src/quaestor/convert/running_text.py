"""Running text of a page as Markdown: links, emphasis, code, images."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

from quaestor.convert.html_tree import Element

_BLANKS = re.compile(r"[ \t\r\n\f\x0b]+")
# Text that would be read as a tag or as code; other marks stay, because people and searches read them too.
_SYNTAX = re.compile(r"<(?=[A-Za-z/!?])|`")
_LINE_ENDS = re.compile(r"[\t\r\n]+")
_LINE_MARK = re.compile(r"^(\s*)(#{1,6}|[>+*-]|=+$|\d{1,9}[.)])(?=\s|$)|^(\s*)(~~~|---)")
_PERMALINK = frozenset({"¶", "#", "§", "🔗", "link", "permalink", "anchor", ""})
_MARKS = {
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "*"),
    **dict.fromkeys(("strong", "b"), "**"),
    **dict.fromkeys(("del", "s", "strike"), "~~"),
}
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_SCHEMES = frozenset({"http", "https", "mailto", "tel", ""})
LINE_BREAK = "\x00"
"""Marks the author's line break until lines are laid out."""


class Inline:
    """Renders running text.

    Args:
        base: the base address of links; empty leaves them unchanged.
    """

    def __init__(self, base: str = "") -> None:
        self._base = base
        self._renderers: dict[str, Callable[[Element], str]] = {
            **dict.fromkeys(
                _MARKS, lambda element: _put_marks_around(self._nodes(element.children), _MARKS[element.name])
            ),
            **dict.fromkeys(_CODE, lambda element: code_span(element.text())),
            "a": self._link,
            "img": self._image,
            "math": _math,
            "q": lambda element: f'"{self._nodes(element.children)}"',
            "br": lambda _element: LINE_BREAK,
            "input": lambda element: "[x] " if "checked" in element.attributes else "[ ] ",
        }

    def render(self, nodes: list[Element | str]) -> str:
        """Return nodes as one line of Markdown, trimmed."""
        text = self._nodes(nodes)
        lines = (_BLANKS.sub(" ", line).strip() for line in text.split(LINE_BREAK))
        return "  \n".join(_plain_start(line) for line in lines).strip(" \n")

    def one_line(self, nodes: list[Element | str]) -> str:
        """Return nodes as Markdown without any line break."""
        return _BLANKS.sub(" ", self._nodes(nodes).replace(LINE_BREAK, " ")).strip()

    def _nodes(self, nodes: list[Element | str]) -> str:
        return "".join(self._node(node) for node in nodes)

    def _node(self, node: Element | str) -> str:
        if isinstance(node, str):
            return _SYNTAX.sub(r"\\\g<0>", _BLANKS.sub(" ", node.replace(LINE_BREAK, "")))
        if render := self._renderers.get(node.name):
            return render(node)
        inside = self._nodes(node.children)
        return f" {inside} " if node.name in _APART else inside

    def _link(self, element: Element) -> str:
        target = self.url(element.get("href"))
        if element.get("href").startswith("#") and element.text().strip().lower() in _PERMALINK:
            return ""
        inside = self._nodes(element.children)
        label = inside.strip()
        if not target or not label or ("](" in label and not label.startswith("![")):
            return inside
        before, after = inside[: len(inside) - len(inside.lstrip())], inside[len(inside.rstrip()) :]
        label = label.replace(LINE_BREAK, " ").replace("[", r"\[").replace("]", r"\]") if "![" not in label else label
        return f"{before}[{label}]({target}){after}"

    def _image(self, element: Element) -> str:
        alt = " ".join(element.get("alt").split())
        source = self.url(element.get("src") or element.get("data-src"))
        if not alt:
            return ""
        return f"![{alt.replace('[', '').replace(']', '')}]({source})" if source else alt

    def url(self, href: str) -> str:
        """Return a link's target, absolute if the base is known, or "" if it is not a page (a script, for example)."""
        href = _LINE_ENDS.sub("", href.strip()).replace(" ", "%20")
        try:
            whole = urljoin(self._base, href) if self._base else href
            scheme = urlsplit(whole).scheme.lower()
        except ValueError:
            return ""
        if scheme not in _SCHEMES:
            return ""
        return whole.replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")


_APART = frozenset("td th div p li dd dt h1 h2 h3 h4 h5 h6 section article summary figcaption tr ul ol dl".split())


def code_span(text: str) -> str:
    """Return code within running text, fenced so that no backtick in it ends it."""
    text = _BLANKS.sub(" ", text.replace(LINE_BREAK, " ")).strip()
    if not text:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{gap}{text}{gap}{fence}"


def _put_marks_around(text: str, mark: str) -> str:
    """Put marks around a text, within the blanks at its ends."""
    inner = text.strip().strip(LINE_BREAK)
    if not inner or inner.startswith(mark):
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}{mark}{inner}{mark}{after}"


def _math(element: Element) -> str:
    source = next((one for one in element.elements() if one.name == "annotation"), None)
    text = source.text() if source is not None and "tex" in source.get("encoding") else element.get("alttext")
    return code_span(text or element.text())


def _plain_start(line: str) -> str:
    """Escape the beginning of a line that would be read as a heading, a list or a fence."""
    match = _LINE_MARK.match(line)
    if not match:
        return line
    if match[4]:
        return f"{match[3]}\\{line[len(match[3]) :]}"
    mark = match[2]
    if mark[0].isdigit():
        return f"{match[1]}{mark[:-1]}\\{line[len(match[1]) + len(mark) - 1 :]}"
    return f"{match[1]}\\{line[len(match[1]) :]}"
