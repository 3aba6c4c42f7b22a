"""Which part of a page is what its author wrote, and not the site's furniture."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from quaestor.ingest.convert.html_tree import Element

# Nothing in these is text to read.
_UNREAD = frozenset(
    """script style template noscript iframe object embed canvas button select textarea datalist dialog audio video
    head title map""".split()
)
_FURNITURE_ELEMENTS = frozenset({"nav", "footer"})
_NEVER_FURNITURE = frozenset("main article body html pre code dt h1 h2 h3 h4 h5 h6".split())
_FURNITURE_ROLES = frozenset(
    "navigation banner contentinfo search complementary menu menubar dialog alertdialog".split()
)
_FURNITURE = re.compile(
    r"""(?:^|[\s_-])(?:sidebar|side-?nav|navbar|nav-?menu|navigation|breadcrumbs?|pagination|pager|prev-?next|prevnext|
    author-?(?:bio|box|info|card|profile)|(?:about|post)-?(?:the-?)?author|toc|table-of-contents|contents-?list|skip-?link|skip-?to-?\w+|share|sharing|social|newsletter|subscribe|cookies?|
    consent|banner|advert\w*|ads?|sponsor\w*|promo|related(?:-?(?:posts?|articles?|links?))?|comments?|respond|
    footer|site-?header|masthead|headerlink|anchor-?link|permalink|hash-?link|copy-?button|copybtn|edit-?(?:this-?)?page|
    edit-?link|page-?tools|toolbar|tags?-?list|meta-?nav|sphinxsidebar|popup|modal|lightbox|screen-reader-text|
    sr-only|visually-?hidden|linenos|lineno|linenodiv|gutter|line-?numbers?(?:-rows)?|no-?print|noprint|feedback|
    page-?nav|post-?nav|(?:in|out)put_prompt|jp-(?:In|Out)put\w*prompt|md-(?:source|sidebar|header|footer|tabs|clipboard|search)\w*)(?:$|[\s_-])""",
    re.IGNORECASE | re.VERBOSE,
)
_REMARKS = re.compile(r"(?:^|[\s_-])(?:comments?|respond|disqus)(?:$|[\s_-])", re.IGNORECASE)
# What else bears the name of furniture in code is a part of it, as colourers name it: "hljs-comment", "nav".
_IN_CODE = re.compile(
    r"(?:^|[\s_-])(?:linenos?|linenodiv|gutter|line-?numbers?(?:-rows)?|copy-?button|copybtn|headerlink)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CODE = frozenset({"pre", "code", "samp", "kbd"})
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CONTENT = re.compile(
    r"""^(?:main|content|main-?content|page-?content|post-?content|entry-?(?:content|inner|body|text)|article-?(?:body|content|inner|entry|text)|
    markdown-?(?:body|section)|rst-content|document|documentwrapper|body-?content|post-?body|mw-content-text|
    md-content|theme-doc-markdown|readme|book-?content|bd-article)$""",
    re.IGNORECASE | re.VERBOSE,
)
_LEAST = 8
_LEAST_SHARE = 0.5
_MOST_OF_IT = 0.8
_HEADER_SHARE = 0.3
_LINK_SHARE = 0.7
_MOST_FURNITURE = 0.6


class _Furniture:
    """Tells what is furniture in a part of a page.

    Args:
        part: the part.
    """

    def __init__(self, part: Element) -> None:
        self._much = _MOST_FURNITURE * _length(part)

    def __call__(self, element: Element) -> bool:
        """Return whether an element is furniture.

        Some wrap a whole page and say in their name what stands beside its text: "wrap has-sidebar", "entry share".
        """
        if not _is_furniture(element):
            return False
        if element.name in _FURNITURE_ELEMENTS or _REMARKS.search(_names(element)):
            return True
        holds_text = _is_named_content(element) or any(_is_named_content(one) for one in element.elements())
        return not holds_text and (_length(element) <= self._much or _link_share(element) > _LINK_SHARE)


def main_text(page: Element) -> Element:
    """Return the element that holds the text of a page, without the furniture in it. The tree is changed.

    A ``main``, an ``article`` or what sites commonly name their content is taken; else the body. What it holds must be
    a fair part of what is no furniture, or the body is taken after all.
    """
    body = page.find("body") or page
    _drop(body, _is_unread)
    root = _content(body)
    is_furniture = _Furniture(root)
    furniture = sum(_length(one) for one in _outermost(root, is_furniture))
    if _length(root) - furniture >= min(_LEAST, furniture):
        _drop(root, is_furniture)
    return root


def _content(body: Element) -> Element:
    """Return the innermost of the likely elements that still holds most of what the largest of them holds."""
    sizes = [(one, _length(one)) for one in body.elements() if _is_content(one)]
    most = max((size for _, size in sizes), default=0)
    furniture = sum(_length(one) for one in _outermost(body, _Furniture(body)))
    if most < _LEAST or most < _LEAST_SHARE * (_length(body) - furniture):
        return body
    return [one for one, size in sizes if size >= _MOST_OF_IT * most][-1]


def _is_content(element: Element) -> bool:
    return element.name in ("main", "article") or _is_named_content(element)


def _is_named_content(element: Element) -> bool:
    if element.get("role") == "main" or element.get("itemprop") == "articleBody":
        return True
    names = (element.get("id"), *element.get("class").split())
    return element.name in ("div", "section", "td") and any(_CONTENT.match(name) for name in names)


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


def _is_furniture(element: Element) -> bool:
    if element.name in _FURNITURE_ELEMENTS or element.get("role").lower() in _FURNITURE_ROLES:
        return True
    if element.name in _NEVER_FURNITURE or "section" in element.get("class").split():
        return False
    if element.name == "header":
        return element.find("h1", "h2") is None and _link_share(element) > _HEADER_SHARE
    if element.name == "aside":
        return _link_share(element) > _LINK_SHARE
    if element.get("aria-hidden").lower() == "true" and element.find("img", "math", "code") is None:
        return True
    return bool(_FURNITURE.search(_names(element)))


def _names(element: Element) -> str:
    # A section is named after its heading, which may well be about cookies or comments.
    return element.get("class") if element.name == "section" else f"{element.get('class')} {element.get('id')}"


def _length(element: Element) -> int:
    """Return how much text there is, in characters that are no blanks."""
    return sum(len(part) for part in element.text().split())


def _link_share(element: Element) -> float:
    linked = sum(_length(one) for one in element.elements() if one.name == "a")
    return linked / max(_length(element), 1)
