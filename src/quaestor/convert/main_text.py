"""Which part of a page is what its author wrote, and not the site's furniture."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from quaestor.convert.boilerplate import Furniture, Measures, is_text_part
from quaestor.convert.html_tree import Element

# Nothing in these is text to read.
_UNREAD = frozenset(
    """script style template noscript iframe object embed canvas button select textarea datalist dialog audio video
    head title map""".split()
)
# What else bears the name of furniture in code is a part of it, as colourers name it: "hljs-comment", "nav".
_IN_CODE = re.compile(
    r"(?:^|[\s_-])(?:linenos?|linenodiv|gutter|line-?numbers?(?:-rows)?|copy-?button|copybtn|headerlink)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CODE = frozenset({"pre", "code", "samp", "kbd"})
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LEAST = 8
_LEAST_SHARE = 0.5
_MOST_OF_IT = 0.8


def main_text(page: Element) -> Element:
    """Return the element that holds the text of a page, without the furniture in it. The tree is changed.

    A ``main``, an ``article`` or what sites commonly name their content is taken; else the body. What it holds must be
    a fair part of what is no furniture, or the body is taken after all.
    """
    body = page.find("body") or page
    _drop(body, _is_unread)
    measures = Measures(body)
    root = _content(body, measures)
    is_furniture = Furniture(root, measures)
    furniture = sum(measures[one].length for one in _outermost(root, is_furniture))
    if measures[root].length - furniture >= min(_LEAST, furniture):
        _drop(root, is_furniture)
    return root


def _content(body: Element, measures: Measures) -> Element:
    """Return the innermost of the likely elements that still holds most of what the largest of them holds.

    Links count little: what stands beside a text is mostly made of them.
    """
    likely = [one for one in body.elements() if _is_content(one)]
    most = max((measures[one].length for one in likely), default=0)
    furniture = sum(measures[one].length for one in _outermost(body, Furniture(body, measures)))
    if most < _LEAST or most < _LEAST_SHARE * (measures[body].length - furniture):
        return body
    heaviest = max(measures[one].weight for one in likely)
    return [one for one in likely if measures[one].weight >= _MOST_OF_IT * heaviest][-1]


def _is_content(element: Element) -> bool:
    return element.name in ("main", "article") or is_text_part(element)


def _outermost(element: Element, is_furniture: Callable[[Element], bool]) -> Iterator[Element]:
    """Yield the pieces of furniture that lie in no other."""
    for child in element.children:
        if isinstance(child, Element):
            if is_furniture(child):
                yield child
            elif child.name not in _CODE:
                yield from _outermost(child, is_furniture)


def _drop(element: Element, unwanted: Callable[[Element], bool]) -> None:
    """Remove the elements below that are not wanted."""
    kept: list[Element | str] = []
    for child in element.children:
        if isinstance(child, Element):
            if unwanted(child):
                continue
            _drop(child, _is_no_code if child.name in _CODE else unwanted)
        kept.append(child)
    element.children = kept


def _is_no_code(element: Element) -> bool:
    return element.name in _UNREAD or bool(_IN_CODE.search(element.get("class")))


def _is_unread(element: Element) -> bool:
    if element.name in _UNREAD or "hidden" in element.attributes:
        return True
    if element.name == "input":
        return element.get("type").lower() != "checkbox"
    return bool(_HIDDEN_STYLE.search(element.get("style")))
