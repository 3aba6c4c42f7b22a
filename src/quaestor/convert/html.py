"""Pages as Markdown: the author's text with its structure, without navigation and other boilerplate."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quaestor.convert.converted_document import ConvertedDocument
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import Element, StartTag, decode_page, parse, tokens
from quaestor.convert.page_metadata import PageMetadata, base_of, read_metadata

_TEMPLATE = re.compile(
    rb"\{\{|\{%|<%|<\?(?:php|=)|\$\{|\bng-\w+=|\bv-(?:if|for|bind|model)\b|\bx-data=|@(?:if|foreach)\b"
)
_LEAST_WORDS = 40
_WORDS_PER_MARK = 50
"""The fewest words for each template mark in a finished page; a template has fewer."""
_LOOKED_AT = 200_000

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
_CONTENT = re.compile(
    r"""^(?:main|content|main-?content|page-?content|post-?content|entry-?(?:content|inner|body|text)|article-?(?:body|content|inner|entry|text)|
    markdown-?(?:body|section)|rst-content|document|documentwrapper|body-?content|post-?body|mw-content-text|
    md-content|theme-doc-markdown|readme|book-?content|bd-article)$""",
    re.IGNORECASE | re.VERBOSE,
)
_SHOWN = frozenset({"img", "math", "code"})
_HEADER_SHARE = 0.3
_LINK_SHARE = 0.7
_MOST = 0.6
_LINKS_DISCOUNT = 0.8


def reads_as_page(data: bytes) -> bool:
    """Return whether an HTML file is a page to read, not a template or an application's shell."""
    looked_at = data[:_LOOKED_AT]
    words = sum(len(text.split()) for text in _texts(decode_page(looked_at)))
    marks = len(_TEMPLATE.findall(looked_at))
    return words >= (_WORDS_PER_MARK * (marks + 1) if marks else _LEAST_WORDS)


def _texts(page: str) -> Iterator[str]:
    """Yield the visible text of a page."""
    shown = True
    for token in tokens(page):
        if isinstance(token, str):
            if shown:
                yield token
        else:
            shown = not (isinstance(token, StartTag) and token.name in ("script", "style"))


def from_html(data: bytes) -> ConvertedDocument:
    """Return an HTML file as Markdown.

    Raises:
        ConversionError: it has more elements than any readable page.
    """
    return page_text(parse(decode_page(data)), "")


def page_text(page: Element, address: str, metadata: PageMetadata | None = None) -> ConvertedDocument:
    """Return a page's text as Markdown, with its metadata. The tree is changed.

    Args:
        page: the whole page.
        address: its address, which makes links absolute; empty leaves them as they are.
        metadata: its metadata, if already read.
    """
    metadata = metadata or read_metadata(page, address)
    base = base_of(page, address) if address else ""
    root = main_text(page)
    text = render(root, base)
    if metadata.title and text and not any(one.name == "h1" for one in root.elements()):
        text = f"# {metadata.title}\n\n{text}"
    return ConvertedDocument(text, metadata.title, metadata.author, metadata.date)


@dataclass(slots=True)  # mutable: adds up during the walk over a tree
class Measure:
    """Measures of an element and everything below it.

    Attributes:
        length: characters of text, without white space.
        linked: how many of them are within links.
        has_text_part: whether an element within it has a common name for the page's text.
        has_heading: whether it contains a heading of the first two levels.
        has_shown: whether it contains a picture, a formula or code.
    """

    length: int = 0
    linked: int = 0
    has_text_part: bool = False
    has_heading: bool = False
    has_shown: bool = False

    @property
    def link_share(self) -> float:
        """The share of the text that is within links."""
        return self.linked / max(self.length, 1)

    @property
    def weight(self) -> float:
        """The likely amount of the page's own text; text in links counts little."""
        return self.length - _LINKS_DISCOUNT * self.linked


class Measures:
    """The measures of every element of a page, in one pass.

    Args:
        page: the page, or a part of it.
    """

    def __init__(self, page: Element) -> None:
        self._by_element: dict[int, Measure] = {}
        self._measure(page)

    def __getitem__(self, element: Element) -> Measure:
        """Return the measure of an element as it was when the page was measured."""
        return self._by_element[id(element)]

    def _measure(self, element: Element) -> Measure:
        measure = Measure(has_text_part=is_text_part(element))
        for child in element.children:
            if isinstance(child, str):
                measure.length += sum(map(len, child.split()))
                continue
            below = self._measure(child)
            measure.length += below.length
            measure.linked += below.linked
            measure.has_text_part |= below.has_text_part
            measure.has_heading |= below.has_heading or child.name in ("h1", "h2")
            measure.has_shown |= below.has_shown or child.name in _SHOWN
        if element.name == "a":
            measure.linked = measure.length
        self._by_element[id(element)] = measure
        return measure


class Boilerplate:
    """Finds the boilerplate in a part of a page.

    Args:
        part: the part.
        measures: those of the part and its elements.
    """

    def __init__(self, part: Element, measures: Measures) -> None:
        self._measures = measures
        self._much = _MOST * measures[part].length

    def __call__(self, element: Element) -> bool:
        """Return whether an element is boilerplate.

        Names alone do not decide, because some elements wrap a whole page: "wrap has-sidebar", "entry share".
        """
        measure = self._measures[element]
        if not _is_named_boilerplate(element, measure):
            return False
        if element.name in _FURNITURE_ELEMENTS or _REMARKS.search(_names(element)):
            return True
        return not measure.has_text_part and (measure.length <= self._much or measure.link_share > _LINK_SHARE)


def is_text_part(element: Element) -> bool:
    """Return whether an element has one of the names that sites give to a page's text."""
    if element.get("role") == "main" or element.get("itemprop") == "articleBody":
        return True
    names = (element.get("id"), *element.get("class").split())
    return element.name in ("div", "section", "td") and any(_CONTENT.match(name) for name in names)


def _is_named_boilerplate(element: Element, measure: Measure) -> bool:
    if element.name in _FURNITURE_ELEMENTS or element.get("role").lower() in _FURNITURE_ROLES:
        return True
    if element.name in _NEVER_FURNITURE or "section" in element.get("class").split():
        return False
    if element.name == "header":
        return not measure.has_heading and measure.link_share > _HEADER_SHARE
    if element.name == "aside":
        return measure.link_share > _LINK_SHARE
    if element.get("aria-hidden").lower() == "true" and not measure.has_shown:
        return True
    return bool(_FURNITURE.search(_names(element)))


def _names(element: Element) -> str:
    # A section's name comes from its heading, which may be about cookies or comments.
    return element.get("class") if element.name == "section" else f"{element.get('class')} {element.get('id')}"


# These contain no text to read.
_UNREAD = frozenset(
    """script style template noscript iframe object embed canvas button select textarea datalist dialog audio video
    head title map""".split()
)
# In code, other elements with names of boilerplate come from highlighters: "hljs-comment", "nav".
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
    """Return the element that holds a page's text, without the boilerplate in it. The tree is changed.

    That is a ``main``, an ``article`` or an element with a common name for content, if it contains a fair part of the
    text that is not boilerplate; else the body.
    """
    body = page.find("body") or page
    _drop(body, _is_unread)
    measures = Measures(body)
    root = _content(body, measures)
    is_boilerplate = Boilerplate(root, measures)
    boilerplate = sum(measures[one].length for one in _outermost(root, is_boilerplate))
    if measures[root].length - boilerplate >= min(_LEAST, boilerplate):
        _drop(root, is_boilerplate)
    return root


def _content(body: Element, measures: Measures) -> Element:
    """Return the innermost likely element that still contains most of the largest one's text.

    Text in links counts little, because navigation consists of it.
    """
    likely = [one for one in body.elements() if _is_content(one)]
    most = max((measures[one].length for one in likely), default=0)
    boilerplate = sum(measures[one].length for one in _outermost(body, Boilerplate(body, measures)))
    if most < _LEAST or most < _LEAST_SHARE * (measures[body].length - boilerplate):
        return body
    heaviest = max(measures[one].weight for one in likely)
    return [one for one in likely if measures[one].weight >= _MOST_OF_IT * heaviest][-1]


def _is_content(element: Element) -> bool:
    return element.name in ("main", "article") or is_text_part(element)


def _outermost(element: Element, is_boilerplate: Callable[[Element], bool]) -> Iterator[Element]:
    """Yield the boilerplate that is not within other boilerplate."""
    for child in element.children:
        if isinstance(child, Element):
            if is_boilerplate(child):
                yield child
            elif child.name not in _CODE:
                yield from _outermost(child, is_boilerplate)


def _drop(element: Element, is_unwanted: Callable[[Element], bool]) -> None:
    """Remove the unwanted elements below an element."""
    kept: list[Element | str] = []
    for child in element.children:
        if isinstance(child, Element):
            if is_unwanted(child):
                continue
            _drop(child, _is_no_code if child.name in _CODE else is_unwanted)
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
