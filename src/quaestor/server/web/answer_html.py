"""Renders an answer's Markdown as safe HTML: no raw HTML, no images, no styles, and links to the web only.

Citation marks become links to their passages, and unsupported sentences are marked. There are two layers of defence:
markdown-it escapes HTML in the answer, and nh3 keeps only the elements, attributes and classes listed here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup, escape

from quaestor.answers.citations.citation_marks import Mark, parse
from quaestor.answers.citations.sentences import sentences
from quaestor.core.documents import STANDING
from quaestor.server.web.formulas import ATTRIBUTES, TAGS, formula
from quaestor.server.web.safe_text import plain, plain_line
from quaestor.server.web.source_lines import COLOURS, highlight

# Placeholders for a citation and for both ends of a sentence while markdown-it runs; an answer's own are replaced.
_CITED, _CITED_END, _WEAK, _WEAK_END = "\ue000", "\ue001", "\ue002", "\ue003"
_RESERVED = re.compile("[\ue000-\ue003]")
_PLACE = re.compile(f"{_CITED}(\\d+){_CITED_END}|[{_WEAK}{_WEAK_END}]")
_ORDINARY = re.compile("[^\n!#$%&*+\\-:<=>@\\[\\\\\\]^_`{}~\ue000-\ue003]+")
_BOX = re.compile(r"\[([ xX])\]\s+")
# Formulas as models write them; two dollar amounts in a sentence are not one.
_FORMULA = re.compile(
    r"\$\$(?!\s*\$)([^$]{1,4000}?)\$\$|\\\[([^\[\]]{1,4000}?)\\\]|\\\(((?:(?!\\\().){1,1000}?)\\\)"
    r"|\$(?![\s$])([^$\n]{0,500}?[^$\n\s\\])\$(?![\w$])"
)
_PICTURE = re.compile(r"!\[([^\[\]\n]{0,300})\]\([^\s()]{1,500}\)")
_WITHIN_DOCUMENTS = re.compile(r"\[([^\[\]\n]{1,300})\]\((#?[\w./#%-]{1,300})\)")
"""A link that leads to another place of the documents, and nowhere from this page."""
_LONGEST_WITHIN = 50
_LONGEST = 400_000
_MOST_BRACKETS = 3_000
"""An answer with a paragraph of more opening brackets is shown as it is, because the parser takes quadratic time."""
_KEPT, _KEPT_LONGEST = 512, 20_000

UNCHECKED = "unchecked"
"""The status of a citation in an unfinished answer."""

_TAGS = (
    set("a blockquote br code del em h3 h4 h5 h6 hr li ol p pre s span strong table tbody td th thead tr ul".split())
    | TAGS
)
_ATTRIBUTES = {
    **ATTRIBUTES,
    "a": {"href", "target", "data-cite", "data-panel", "data-place", "aria-label"},
    "ol": {"start"},
    "span": {"title"},
    "pre": {"tabindex"},
    "table": {"tabindex"},
    "th": {"scope"},
}


@dataclass(frozen=True, slots=True)
class LinkedCitation:
    """A citation with the link to its passage.

    Attributes:
        n: its number in the answer.
        place: the passage's place: ``src/a.py:10-24``.
        quote: the words that were found.
        status: verified, repaired or unverified; ``UNCHECKED`` if it was not checked.
        href: the address of the page that shows the passage.
    """

    n: int
    place: str
    quote: str
    status: str
    href: str


def render(
    answer: str,
    cited: Sequence[LinkedCitation] = (),
    unsupported: Sequence[str] = (),
    found: Sequence[tuple[str, str]] = (),
) -> Markup:
    """Return an answer as HTML.

    Args:
        answer: Markdown as a model wrote it, with its citation marks.
        cited: its citations.
        unsupported: its unsupported sentences, word for word.
        found: places that were found for it, each with the address of the page that shows it.
    """
    # Cached: a conversation of many turns is shown again and again. Most answers are short.
    make = _kept if len(answer) <= _KEPT_LONGEST else _render_once
    return make(answer, tuple(cited), tuple(unsupported), tuple(found))


def _render_once(
    answer: str, cited: tuple[LinkedCitation, ...], unsupported: tuple[str, ...], found: tuple[tuple[str, str], ...]
) -> Markup:
    text = _RESERVED.sub("\ufffd", plain(answer[:_LONGEST]))
    if any(paragraph.count("[") > _MOST_BRACKETS for paragraph in text.split("\n\n")):
        return Markup("<pre>{}</pre>").format(text)
    marks = _marks_by_position(parse(text))
    placed = _with_placeholders(
        text, list(marks), [_RESERVED.sub("\ufffd", plain(sentence)) for sentence in unsupported]
    )
    environment = {
        "marks": list(marks.values()),
        "sources": [text[a:b] for a, b in marks],
        "cited": _CitationChooser(cited),
        "found": dict(found),
    }
    return _without_harm(_PARSER.render(placed, environment))


def render_sentence(sentence: str) -> Markup:
    """Return one sentence of an answer, without citation marks, as inline HTML."""
    environment: dict[str, object] = {"marks": [], "sources": [], "cited": _CitationChooser(()), "found": {}}
    return _without_harm(_PARSER.renderInline(_RESERVED.sub("\ufffd", plain(sentence)), environment))


def _without_harm(html: str) -> Markup:
    return Markup(
        nh3.clean(
            html,
            tags=_TAGS,
            attributes=_ATTRIBUTES,
            allowed_classes=_CLASSES,
            url_schemes={"http", "https", "mailto"},
            link_rel="noopener noreferrer nofollow",
        )
    )


_kept = lru_cache(maxsize=_KEPT)(_render_once)


def render_part(text: str) -> Markup:
    """Return paragraphs of an answer that is still being written; its citations are numbers without links."""
    numbers = {mark.n for mark in parse(text)}
    return render(text, [LinkedCitation(number, "", "", _PENDING, "") for number in numbers])


class _CitationChooser:
    """Finds a mark's citation: the one with the same quote, else the first with the same number."""

    def __init__(self, cited: Sequence[LinkedCitation]) -> None:
        self._by_number: dict[int, list[LinkedCitation]] = {}
        for one in cited:
            self._by_number.setdefault(one.n, []).append(one)

    def choose(self, mark: Mark) -> LinkedCitation | None:
        citations = self._by_number.get(mark.n, [])
        same = (one for one in citations if mark.quote is not None and one.quote == mark.quote)
        return next(same, citations[0] if citations else None)


def _marks_by_position(marks: Sequence[Mark]) -> dict[tuple[int, int], list[Mark]]:
    """Return the marks by position; one position may cite several passages."""
    groups: dict[tuple[int, int], list[Mark]] = {}
    for mark in marks:
        groups.setdefault((mark.start, mark.end), []).append(mark)
    return groups


def _with_placeholders(text: str, marks: Sequence[tuple[int, int]], unsupported: Sequence[str]) -> str:
    """Return the text with its marks replaced by placeholders, and with placeholders around unsupported sentences."""
    edits = [(start, end, f"{_CITED}{number}{_CITED_END}") for number, (start, end) in enumerate(marks)]
    weak = {" ".join(sentence.split()) for sentence in unsupported}
    for one in sentences(text) if weak else ():
        if " ".join(one.text.split()) in weak:
            edits += [(one.start, one.start, _WEAK), (one.end, one.end, _WEAK_END)]
    pieces, at = [], 0
    for start, end, place in sorted(edits, key=lambda edit: (edit[0], edit[1])):
        pieces += [text[at:start], place]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


def _place(state: StateInline, silent: bool) -> bool:
    """Parse a placeholder within a paragraph."""
    match = _PLACE.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("place", "", 0)
        token.content = match[0]
    state.pos = match.end()
    return True


def _text(state: StateInline, silent: bool) -> bool:
    """Parse text up to the next character that may begin markup; markdown-it's own rule would skip a placeholder."""
    match = _ORDINARY.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        state.pending += match[0]
    state.pos = match.end()
    return True


def _math(state: StateInline, silent: bool) -> bool:
    """Parse a formula, whose characters must not be parsed as Markdown."""
    match = _FORMULA.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content = " ".join(next(filter(None, match.groups())).split())
        token.markup = match[0][:2]
    state.pos = match.end()
    return True


class _Renderer(RendererHTML):
    """Overrides of markdown-it's rendering; methods are named after tokens."""

    def link_open(self, tokens: Sequence[Token], index: int, options: object, environment: object) -> str:
        # An empty link, "[a]()", would lead to the page itself.
        href = str(tokens[index].attrGet("href") or "")
        return str(Markup('<a href="{}" target="_blank">').format(href)) if href else "<a>"

    def link_close(self, tokens: Sequence[Token], index: int, options: object, environment: object) -> str:
        """Close a link, and show its host unless the text names it: a hostile document may make a model hide it."""
        begin = next(at for at in range(index, -1, -1) if tokens[at].type == "link_open")
        host = _host(str(tokens[begin].attrGet("href")))
        if _host("".join(token.content for token in tokens[begin:index])) == host:
            return "</a>"
        return str(Markup('</a> <span class="leads-to">({})</span>').format(plain_line(host)))

    def place(self, tokens: Sequence[Token], index: int, options: object, environment: Mapping[str, object]) -> str:
        content = tokens[index].content
        if content == _WEAK:
            return '<span class="unsupported" title="No passage supports this sentence">'
        return "</span>" if content == _WEAK_END else str(_links(content, environment))

    def text(self, tokens: Sequence[Token], index: int, options: object, environment: object) -> str:
        """Render text; an image in quoted words, which are escaped, is named like any other, and so is a link there."""
        named = _PICTURE.sub(r'<span class="no-image">[picture: \1]</span>', str(escape(tokens[index].content)))
        return _WITHIN_DOCUMENTS.sub(r'<span title="\2">\1</span>', named)

    def image(self, tokens: Sequence[Token], index: int, options: object, environment: Mapping[str, object]) -> str:
        return f'<span class="no-image">[picture: {escape(_with_marks(tokens[index].content, environment))}]</span>'

    def code_inline(
        self, tokens: Sequence[Token], index: int, options: object, environment: Mapping[str, object]
    ) -> str:
        text = _with_marks(tokens[index].content, environment)
        found: Mapping[str, str] = environment["found"]  # type: ignore[assignment]
        code = Markup("<code>{}</code>").format(text)
        return str(Markup('<a href="{}" data-panel="">{}</a>').format(found[text], code) if text in found else code)

    def formula(self, tokens: Sequence[Token], index: int, options: object, environment: Mapping[str, object]) -> str:
        tex = _with_marks(tokens[index].content, environment)
        # Browsers do not break lines within a formula, so a long one gets a line of its own.
        alone = tokens[index].markup in ("$$", "\\[") or len(tex) > _LONGEST_WITHIN
        return formula(tex, display=alone) or f"<code>{escape(tex)}</code>"

    def fence(self, tokens: Sequence[Token], index: int, options: object, environment: Mapping[str, object]) -> str:
        language = plain_line(tokens[index].info).split(" ")[0].lower()
        return _code(_with_marks(tokens[index].content, environment), language)

    def code_block(
        self, tokens: Sequence[Token], index: int, options: object, environment: Mapping[str, object]
    ) -> str:
        return _code(_with_marks(tokens[index].content, environment), "")

    def heading_open(self, tokens: Sequence[Token], index: int, options: object, environment: object) -> str:
        return f"<{_lower(tokens[index].tag)}>"

    def heading_close(self, tokens: Sequence[Token], index: int, options: object, environment: object) -> str:
        return f"</{_lower(tokens[index].tag)}>\n"

    def table_open(self, tokens: Sequence[Token], index: int, options: object, environment: object) -> str:
        return '<table tabindex="0">\n'

    def th_open(self, tokens: Sequence[Token], index: int, options: object, environment: object) -> str:
        return f'<th scope="col" class="{_alignment(tokens[index])}">'

    def td_open(self, tokens: Sequence[Token], index: int, options: object, environment: object) -> str:
        return f'<td class="{_alignment(tokens[index])}">'


def _links(content: str, environment: Mapping[str, object]) -> Markup:
    """Return the links of one mark; a mark without a citation stays text."""
    number = int(content[1:-1])
    marks: list[Mark] = environment["marks"][number]  # type: ignore[index]
    chooser: _CitationChooser = environment["cited"]  # type: ignore[assignment]
    citations = [chooser.choose(mark) for mark in marks]
    if not any(citations):
        return escape(_with_marks(content, environment))
    links = (_link(one) for one in dict.fromkeys(citations) if one is not None)
    return Markup("").join(links)


def _link(one: LinkedCitation) -> Markup:
    if one.status == _PENDING:
        return Markup('<span class="cite pending">{}</span>').format(one.n)
    label = f"Passage {one.n}: {plain_line(one.place)}, {STANDING.get(one.status, one.status)}"
    status = one.status if one.status in _STATUSES else "unverified"
    template = '<a class="cite {}" href="{}" data-cite="{}" data-place="{}" aria-label="{}">{}</a>'
    return Markup(template).format(status, one.href, one.n, plain_line(one.place), label, one.n)


def _with_marks(text: str, environment: Mapping[str, object]) -> str:
    """Return text with placeholders replaced by the original marks, which within code are code."""
    sources: Sequence[str] = environment["sources"]  # type: ignore[assignment]
    return _PLACE.sub(lambda match: sources[int(match[1])] if match[1] else "", text)


def _code(text: str, language: str) -> str:
    lines = highlight(text.removesuffix("\n").split("\n"), language)
    return str(Markup('<pre tabindex="0"><code>{}</code></pre>\n').format(Markup("\n").join(lines)))


def _draw_tasks(state: StateCore) -> None:
    """Render the checkboxes of task lists."""
    for before, paragraph, inline in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        # The placeholder of an unsupported sentence may precede it.
        first = next((one for one in inline.children or () if one.type != "place"), None)
        is_first = (before.type, paragraph.type) == ("list_item_open", "paragraph_open")
        if is_first and first is not None and first.type == "text" and (box := _BOX.match(first.content)):
            first.content = ("☐ " if box[1] == " " else "☑ ") + first.content[box.end() :]


def _lower(heading: str) -> str:
    """Return the element for an answer's heading, two levels lower, because the page's own headings are h1 and h2."""
    return f"h{min(6, int(heading[1]) + 2)}"


def _alignment(token: Token) -> str:
    style = str(token.attrGet("style") or "")
    return next((side for side in ("right", "center") if side in style), "left")


def _is_web(url: str) -> bool:
    """Return whether an answer may link to a URL: absolute web addresses and mail addresses only."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme == "mailto" or (parts.scheme in ("http", "https") and bool(parts.netloc))


def _host(url: str) -> str:
    """Return the host of a web address or the recipient of a mail address; "" if there is neither."""
    try:
        parts = urlsplit(url.strip())
        return parts.path if parts.scheme == "mailto" else parts.hostname or ""
    except ValueError:
        return ""


_PENDING = "pending"
_STATUSES = {"verified", "repaired", "unverified", UNCHECKED}
_CLASSES = {
    "a": {"cite", *_STATUSES},
    "span": {"cite", _PENDING, "unsupported", "no-image", "leads-to", *(f"t-{name}" for name in COLOURS)},
    "td": {"left", "right", "center"},
    "th": {"left", "right", "center"},
}
_PARSER = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable(["table", "strikethrough"])
# A reference definition could turn a citation mark into another link.
_PARSER.disable("reference")
_PARSER.inline.ruler.at("text", _text)
_PARSER.inline.ruler.before("text", "place", _place)
_PARSER.inline.ruler.before("escape", "math", _math)
_PARSER.core.ruler.push("task_lists", _draw_tasks)
_PARSER.validateLink = _is_web  # type: ignore[method-assign]
