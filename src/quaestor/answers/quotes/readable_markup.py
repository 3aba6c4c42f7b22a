"""Shows the markup of documents as Markdown, line for line: reStructuredText, Org, AsciiDoc, MediaWiki and HTML.

People read an answer's quotes; roles, property drawers, anchors and tags are in their way. Every line stays in its
place, an empty one if nothing is left of it, so that a quote can be checked against the lines that it is from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import unescape

from quaestor.answers.quotes.paragraphs import NO_WORDS
from quaestor.core.light_imports import NamedTuple, lazy_regex

_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
_AFTER = r"(?P<after>[.,;:!?)]*)"
_NOTES = "note|warning|tip|important|caution|danger|attention|hint|error|seealso"
_ROLES_OF_WORDS = frozenset(
    "abbr any dfn doc emphasis guilabel menuselection numref pep ref rfc strong sub sup term".split()
)
"""Roles of reStructuredText that hold words; the others hold code or keys."""
_LONGEST_SHOWN = 8_000
"""The most characters of a text whose markup is converted."""


def _rules(*rules: tuple[str, str | Callable[[re.Match[str]], str]]) -> tuple[_Rule, ...]:
    return tuple((re.compile(pattern, re.MULTILINE), replacement) for pattern, replacement in rules)


def _link(match: re.Match[str]) -> str:
    """Return a link in Markdown, or its words alone if it leads within these documents; line ends come behind it."""
    words, url = " ".join((match["text"] or "").split()), match["url"]
    shown = words or re.sub(r"^[\w-]+:(?=.)", "", url)
    if url.startswith(("http://", "https://")):
        shown = f"[{words}]({url})" if words else f"<{url}>"
    return shown + match["after"] + "\n" * match[0].count("\n")


def _role(match: re.Match[str]) -> str:
    """Return the words of a role of reStructuredText; what is code or a key, as code."""
    name, text = match["name"].rpartition(":")[2], " ".join(match["said"].split())
    words = re.sub(r"\s*<[^<>]*>$", "", text) or text
    if name == "rfc":
        words = f"RFC {words.partition('#')[0]}"
    elif name not in _ROLES_OF_WORDS:
        words = f"`{words.rpartition('.')[2].lstrip('~') if words.startswith('~') else words.lstrip('!')}`"
    return words + match["after"] + "\n" * match[0].count("\n")


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _note(match: re.Match[str]) -> str:
    return f"{match['margin']}**{match['name'].capitalize()}:** {match['said']}".rstrip()


def _entity(match: re.Match[str]) -> str:
    return unescape(match[0]).replace("\n", " ")


def _admonition(match: re.Match[str]) -> str:
    """Return a note or a tab of MkDocs with its text no more indented than its mark."""
    label = ": ".join(filter(None, (match["name"].capitalize(), match["said"])))
    body = re.sub(rf"^{match['margin']}(?:[ ]{{4}}|\t)", match["margin"], match["body"], flags=re.MULTILINE)
    return f"{match['margin']}**{label}**\n{body}"


def _title(match: re.Match[str]) -> str:
    return f"{'#' * min(6, len(match['level']))} {match['title']}"


def _row(match: re.Match[str]) -> str:
    """Return the cells of a row of an HTML table on one line."""
    cells = (
        " ".join(re.sub(r"^\s*<t[dh]\b[^<>]*>", "", cell).split()) for cell in re.split(r"</t[dh]>", match["cells"])
    )
    return " | ".join(cells).removesuffix(" | ") + "\n" * match[0].count("\n")


def _fenced(match: re.Match[str]) -> str:
    """Return a block of code of Org or AsciiDoc between fences, on the same lines."""
    above = "\n" * match[0].count("\n", 0, match.start("mark") - match.start())
    return f"{above}{match['margin']}```{match['language'] or ''}\n{match['body']}" + (
        f"{match['margin']}```" if match["end"] else ""
    )


class _Markup(NamedTuple):
    """How a language of documents is shown in Markdown.

    Attributes:
        block: blocks of code, which become fenced blocks; those of Markdown stay as they are.
        lines: rules for whole lines outside of them.
        code: code within a line, after these rules.
        words: rules for the rest.
    """

    block: re.Pattern[str]
    lines: Sequence[_Rule]
    code: re.Pattern[str]
    words: Sequence[_Rule]


_MARKS = lazy_regex(r"^[ \t]*(?P<fence>```+|~~~+)[^\n]*\n(?s:.*?)(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)", re.MULTILINE)
_BACKTICKS = lazy_regex(r"(`+[^`\n]+`+)")
_MARKUP = {
    "markdown": _Markup(
        _MARKS,
        _rules(
            (
                r"^(?P<margin>[ \t]*)(?:!!!|\?{3}\+?|===)[ \t]+(?P<name>\w*)[ \t]*(?:\"(?P<said>[^\"\n]*)\")?[ \t]*\n"
                r"(?P<body>(?:[ \t]*\n|(?P=margin)(?:[ ]{4}|\t).*(?:\n|\Z))+)",
                _admonition,
            ),
            (r"[ \t]*<tr\b[^<>]*>(?P<cells>(?s:.*?))</tr>", _row),
            (r"</?(?:table|thead|tbody|tfoot|tr|t[dh]|caption|colgroup|col)\b[^<>]*>", ""),
        ),
        _BACKTICKS,
        _rules(
            (r"<!--(?s:.*?)-->", _blank),
            (r"&(?!lt;|gt;|amp;)(?:[a-zA-Z]{2,8}|#\d{2,6});", _entity),
            (rf"<a\s[^<>]*?href=[\"'](?P<url>[^\"'<>\s]+)[\"'][^<>]*>(?P<text>[^<>]*)</a>{_AFTER}", _link),
            (r"<(code|kbd|samp|tt)>([^<>`\n]+)</\1>", r"`\2`"),
            (
                r"</?(?:article|aside|b|big|center|details|div|em|figcaption|figure|font|i|img|p|section|small|span|strong"
                r"|summary|u)(?:\s[^<>]*)?>",
                "",
            ),
            (r"(?<=\S)[ \t]*<br\s*/?>", ""),
            (r"(?<=\S)[ \t]*\{[:#.][^{}\n]*\}[ \t]*$", ""),
        ),
    ),
    "restructuredtext": _Markup(
        lazy_regex(r"(?!)"),
        _rules(
            (
                r"^[ \t]*\.\.[ \t]+(?:code(?:-block)?|sourcecode|parsed-literal|highlight)::.*(?:\n[ \t]+:[\w-]+:.*)*",
                _blank,
            ),
            (rf"^(?P<margin>[ \t]*)\.\.[ \t]+(?P<name>{_NOTES})::[ \t]*(?P<said>.*)$", _note),
            (r"^[ \t]*\.\.(?:[ \t]+_[^:\n]+:.*)?[ \t]*$", ""),
            (r"^\.\.[ \t]+\[#?([\w-]+)\](?=[ \t])", r"(\1)"),
            (r"^(?=.*\w)(\S.*)\n([=\-~^\"'*+#`:.])\2{2,}[ \t]*$", r"### \1\n"),
            (r"^([=\-~^\"'*+#`:.])\1{2,}[ \t]*$", ""),
            (r"(?<=\S)::[ \t]*$", ":"),
            (r"^[ \t]*::[ \t]*$", ""),
        ),
        lazy_regex(r"(``[^\n]+?``)"),
        _rules(
            (rf"(?<![\w`]):(?P<name>[a-z][\w:.-]*):`(?P<said>[^`]+)`{_AFTER}", _role),
            (rf"(?<![\w`])`(?P<text>[^`<>]*)<(?P<url>[^`<>\s]+)>`__?{_AFTER}", _link),
            (r"(?<![\w`])`([^`]+)`__?(?!\w)", r"\1"),
            (r"\[#?([\w-]+)\]_(?!\w)", r"(\1)"),
            (r"\\ ", ""),
        ),
    ),
    "org": _Markup(
        lazy_regex(
            r"^(?P<margin>[ \t]*)(?P<mark>#\+)(?i:begin_(?:src|example))[ \t]*(?P<language>[\w+-]*)[^\n]*\n"
            r"(?P<body>(?s:.*?))(?:(?P<end>^[ \t]*#\+(?i:end_(?:src|example))[ \t]*$)|\Z)",
            re.MULTILINE,
        ),
        _rules(
            (r"^[ \t]*:(?:PROPERTIES|LOGBOOK):[ \t]*\n(?:[ \t]*:[\w-]+:.*\n)*?[ \t]*:END:[ \t]*$", _blank),
            (r"^(?P<level>\*+)[ \t]+(?P<title>\S.*)$", _title),
            (r"^[ \t]*#\+\w+(?::.*)?$", ""),
            (r"\[\[kbd:[^\[\]]*\]\[([^\[\]`]+)\]\]", r"`\1`"),
            (r"(?<![\w~=`/])([~=])(?=\S)([^\n`]*?\S)\1(?![\w~=`])", r"`\2`"),
            (r"^([ \t]*-[ \t]+)(\S.*?)[ \t]+::[ \t]*(.*)$", r"\1**\2**: \3"),
        ),
        _BACKTICKS,
        _rules(
            (rf"\[\[(?P<url>[^\[\]\n]+)\s*\](?:\[(?P<text>[^\[\]]+)\])?\]{_AFTER}", _link),
            (r"(?<![\w/.~:])/(?=[^\s/])([^/\n]{1,60}?(?<!\s))/(?![\w/])", r"*\1*"),
        ),
    ),
    "asciidoc": _Markup(
        lazy_regex(
            r"(?:\A|(?<=\n\n)|(?<=\]\n))(?:^\[source[^\]\n,]*(?:,[ \t]*(?P<language>\w+))?[^\]\n]*\]\n)?"
            r"^(?P<margin>)(?P<mark>-{4,}|\.{4,})[ \t]*\n(?P<body>(?s:.*?))(?:(?P<end>^(?P=mark)[ \t]*$)|\Z)",
            re.MULTILINE,
        ),
        _rules(
            (rf"^(?P<margin>)(?P<name>{_NOTES.upper()}):[ \t]+(?P<said>.*)$", _note),
            (r"^(?P<level>={1,6})[ \t]+(?P<title>\S.*)$", _title),
            (r"^(?:\[[^\]\n]*\]|\[\[[^\]\n]*\]\]|={4,}|\*{4,}|_{4,}|\|={3,}|\+|:[\w-]+:.*|//.*)[ \t]*$", ""),
            (r"^(?:image|include|ifdef|ifndef|endif)::.*$", ""),
            (r"^\.(?=[^\W\d_])(\S.*)$", r"**\1**"),
            (r"^\.[ \t]+(?=\S)", "1. "),
            (r"^([^\s:].*?)::[ \t]*$", r"\1:"),
            (r"\({3}[^()\n]*\){3}", ""),
            (r"^\*(\*+)[ \t]+(?=\S)", lambda match: f"{'  ' * len(match[1])}* "),
        ),
        _BACKTICKS,
        _rules(
            (r"<<[^<>,\n]+,[ \t]*([^<>]+)>>", r"\1"),
            (r"<<([^<>,\n]+)>>", r"\1"),
            (rf"(?:link:|xref:|(?=https?://))(?P<url>[^\s\[\]]+)\[(?P<text>[^\[\]]*)\]{_AFTER}", _link),
        ),
    ),
    "mediawiki": _Markup(
        lazy_regex(r"(?!)"),
        _rules(
            (r"^(?P<level>={1,6})[ \t]*(?P<title>[^=\s].*?)[ \t]*={1,6}[ \t]*$", _title),
            (r"^#[ \t]+", "1. "),
        ),
        lazy_regex(r"(<(?:code|nowiki|pre)>[^\n]*?</(?:code|nowiki|pre)>)"),
        _rules(
            (r"<ref\b[^<>]*/>|<ref\b[^<>]*>(?s:.*?)</ref>", _blank),
            (r"'{3}([^\n]+?)'{3}", r"**\1**"),
            (r"''([^\n]+?)''", r"*\1*"),
            (rf"\[(?P<url>https?://[^\s\[\]]+)[ \t]+(?P<text>[^\[\]\n]+)\]{_AFTER}", _link),
            (r"\[\[(?:[^\[\]|\n]+\|)?([^\[\]|\n]+)\]\]", r"\1"),
        ),
    ),
}


def readable(text: str, language: str) -> str:
    """Return a text with its markup as Markdown, with as many lines, so that a line is shown where it is.

    A text in a language without rules stays as it is, and so does a very long one.
    """
    markup = _MARKUP.get(language.lower())
    if markup is None or len(text) > _LONGEST_SHOWN:
        return text
    text = text.replace("\r\n", "\n")
    pieces, at = list[str](), 0
    for block in markup.block.finditer(text):
        pieces += [_prose(text[at : block.start()], markup), block[0] if markup.block is _MARKS else _fenced(block)]
        at = block.end()
    return "".join([*pieces, _prose(text[at:], markup)])


def _prose(text: str, markup: _Markup) -> str:
    for pattern, replacement in markup.lines:
        text = pattern.sub(replacement, text)
    pieces = markup.code.split(text)
    for pattern, replacement in markup.words:
        pieces[::2] = [pattern.sub(replacement, piece) for piece in pieces[::2]]
    return "\n".join("" if NO_WORDS.match(line) else line for line in "".join(pieces).split("\n"))


def as_shown(text: str, around: str, language: str) -> str:
    """Return a part of a text as it is shown; unchanged if it reads otherwise within the text around it.

    Of several empty lines in a row, one is shown.
    """
    if language.lower() not in _MARKUP:
        return text
    shown, _ = _without_gaps(readable(text, language))
    return shown if shown.strip() and shown in _without_gaps(readable(around, language))[0] else text


def lines_shown(quote: str, text: str, language: str) -> tuple[int, int] | None:
    """Return the first and last line of a text, from 0, that are shown as a quote reads; None if none are."""
    shown, numbers = _without_gaps(readable(text, language))
    # A fence was added to a block that the quote shows only in part.
    for words in dict.fromkeys((quote, re.sub(r"\n[ \t]*```$", "", quote), re.sub(r"^```\w*\n", "", quote))):
        at = shown.find(words) if words.strip() else -1
        if at >= 0:
            return numbers[shown.count("\n", 0, at)], numbers[shown.count("\n", 0, at + len(words))]
    return None


def _without_gaps(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without empty lines at its beginning and behind others, and the number of each line from 0."""
    lines = [line if line.strip() else "" for line in text.split("\n")]
    numbers = [at for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    return "\n".join(lines[at] for at in numbers), numbers or [0]
