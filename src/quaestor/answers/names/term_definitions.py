"""Finds the lines of a document that define a term: a sentence, an entry of a list or a table, a section. Pure.

Only forms in which people define things count: "A *leaf bundle* is a directory that ...", "**LGTM**: Means ...",
a term with its definition on the next line, a row of a table whose first cell is the term, a section or a document
with its name as the title, and the words that an abbreviation in brackets follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from quaestor.answers.overview.prose_lines import Paragraph, headings, paragraphs, plain, says_something
from quaestor.core.light_imports import lazy_regex
from quaestor.core.terms import has_unspaced


class Form(IntEnum):
    """The forms of definitions, the surest first."""

    ENTRY = 0
    SENTENCE = 1
    ASKED = 2
    SECTION = 3
    WITHIN = 4
    SERVES = 5
    WRITTEN_OUT = 6


@dataclass(frozen=True, slots=True, order=True)
class DefiningLines:
    """Lines that define a term, 1-based and inclusive."""

    form: Form
    start_line: int
    end_line: int


_LONGEST = 14
"""The most lines of a definition that are shown."""
_NEAR = 3
"""The most lines between a heading and its text."""
_SAYS = (
    r"(?:(?:shall|will)\s+)?(?:stands?\s+for|means?|refers?\s+to|denotes?|describes?|represents?|consists?\s+of|is\s+short\s+for"
    r"|(?:shall|will)\s+be\s+(?:defined|understood|construed)|bezeichne[nt]|bedeute[nt]|steh(?:t|en)\s+für|désignent?|signifient?|significan?|se\s+refieren?\s+a)\b"
)
_IS = (
    r"(?:is|are)\s+(?:(?:simply|just|basically|essentially|also|usually|typically|often)\s+)?"
    r"(?:an?|the|any|our|one\s+of|like|used|called|defined|short\s+for|how|what|where|when)\b"
    r"|are\s+\w+(?:\s+\w+)?\s+(?:that|which|who|whose|with)\b|sind\s+\w+(?:,\s*(?:die|deren|welche)|\s+mit)\b|sont\s+des\b"
    r"|(?:ist|sind|est|sont|es|son)\s+(?:l['’]|(?:eine?|der|die|das|une?|les?|la|una|el|los|las)\b)"
)
_IS_WITHOUT_BLANK = (
    r"\s*(?:是(?:指|一[种個个款类種套]|用[来于]|由|[^。，？?]{2,60}的)|とは(?![^。]{0,9}か[？?。])"
    r"|は、?[^。？?]{2,60}(?:です|である|ます|もの|こと)[。）])"
)
"""The same in Chinese and Japanese, where nothing stands between the words."""
_KIND = r"(?:\s+(?:feature|function|mode|option|program(?:me)?|process|service|system|role|team))?"
_SERVES = r"(?:lets?|allows?|enables?|helps?)\s+\w"
"""What a thing does for people, behind its name and perhaps its kind: "the introducer feature lets a device ...\"."""
_PURPOSE = r"the\s+(?:\w+\s+)?(?:purpose|role|aim|goal|function|task)\s+of\s+"
_ASIDE = r"(?:\s*[(（][^()（）]{1,80}[)）])?(?:,[^,.]{1,80},)?"
_ARTICLE = r"(?:(?:l['’]|(?:an?|the|eine?|der|die|das|une?|les?|la|una|el|los|las)\s+)[*_`]*)?"
_BETWEEN = r"(?:\s*(?::|—|–|-{1,3}|=)\s+|\s*：\s*)"
_ITEM = lazy_regex(r"^(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?P<rest>\S.*)")
_EMPHATIC = lazy_regex(r"^\s*(?:\*\*|__|`|\*|_|<(?:b|strong|dt|code)>)")
_DEFINITION = lazy_regex(r"^\s{0,3}:\s+\S")
_ASCIIDOC = lazy_regex(r"^(?P<term>[^\s:].*?)::(?:\s+\S.*)?$")
_ROW = lazy_regex(r"^\s*\|?(?P<cell>[^|]+)\|(?P<rest>.*\w.*)$")
_RULE = lazy_regex(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")
_OF_PAGE = lazy_regex(
    r"^(?:in\s+)?(?:this|the\s+following|diese[mrs]?|cette?|este|esta)\s+"
    r"(?:page|chapter|section|document|guide|article|kapitel|abschnitt|seite|dokument|leitfaden|chapitre|fiche|capítulo"
    r"|sección|página|documento|guía)\b",
    re.IGNORECASE,
)
_LINK = lazy_regex(r"^\W*\[[^\]]*\]\([^)\s]*\)\W*$|<?\bhttps?:[^\s>]*>?")
_ALSO_CALLED = lazy_regex(r"[\W_]*(?:a\.?k\.?a\b|also (?:known as|called)\b)\.?[^.]*[\W_]*$", re.IGNORECASE)
_IN_BRACKETS = lazy_regex(r"\([^()]*\)\.?$")
_MARKUP = lazy_regex(r"\{[%{<#].*?[%}>#]\}|\{#[\w-]+\}|&nbsp;|\]\[|\[\^?\w*\]:")


def definitions_of(term: str, lines: Sequence[str]) -> Iterator[DefiningLines]:
    """Yield the lines that define a term.

    Args:
        term: the term as the question writes it; case counts only if it is an abbreviation.
        lines: the lines of a document of prose, or of a part of one.
    """
    parts = list(paragraphs(lines))
    yield from _entries(term, lines)
    yield from _sentences(term, lines, parts)
    yield from _sections(term, lines, parts)


def may_define(term: str) -> re.Pattern[str]:
    """Return a pattern for a term in a place for definitions: near the beginning of a line or sentence, or in brackets.

    Searching for the pattern is much faster than ``definitions_of``.
    """
    before = rf"(?:^[^\n]{{0,80}}?|[.!?:]\s+\W{{0,4}}{_ARTICLE}\W{{0,4}}|\()"
    marks = r"[*_`\"'”’)>]{0,4}"
    linked = rf"{marks}(?:\](?:\([^()\n]*\)|\[[^\]\n]*\]))?{marks}"
    says = rf"{_SAYS}|{_SERVES}|(?:is|are|ist|sind|est|sont|es|son)\b"
    after = rf"{linked}{_ASIDE}{_KIND}\s*(?:\s(?:{says})|[:|=—–?(的是概简との]|--?\s|</|$)"
    bracketed = rf"|\({_pattern(term)}\)" if is_abbreviation(term) else ""
    # Chinese and Japanese put no space between the term and what follows.
    if has_unspaced(term):
        return re.compile(
            rf"(?<![^\W_]){_pattern(term)}{marks}{_ASIDE}(?:$|[:：|]|</|{_IS_WITHOUT_BLANK})", re.MULTILINE
        )
    sought = rf"(?<![^\W_]){_pattern(term)}(?![^\W_\u3040-\u30ff\u4e00-\u9fff])"
    return re.compile(rf"{before}{sought}{after}{bracketed}", re.MULTILINE | re.IGNORECASE)


def is_abbreviation(term: str) -> bool:
    """Return whether a term consists of initials: LGTM, CLs."""
    return re.fullmatch(r"[A-Z]{2,7}s?", term) is not None


def defines_nothing(one: Paragraph, lines: Sequence[str]) -> bool:
    """Return whether a paragraph of some lines only says what the page holds, where more is said, or another name.

    Nor does a remark that stands wholly in brackets define anything.
    """
    said = _LINK.sub(" ", " ".join(lines[one.start_line - 1 : one.end_line]))
    return any(form.match(one.text) for form in (_OF_PAGE, _ALSO_CALLED, _IN_BRACKETS)) or not says_something(said)


def names_the_term(term: str, title: str) -> bool:
    """Return whether a heading or a title is the term itself, or asks what it is."""
    return _title_form(term, title) is not None


def _entries(term: str, lines: Sequence[str]) -> Iterator[DefiningLines]:
    """Yield the entries of lists, glossaries and tables that define a term."""
    says = rf"(?:{_BETWEEN}|\s+(?:{_SAYS}|(?:{_IS}))|\s+:\s)(?P<said>.*)"
    # In "**Burning (bane)**: ..." the kind of a thing stands in brackets, and no short form of it.
    short = rf"|[^():]{{3,80}}\s\({_pattern(term)}\)" if is_abbreviation(term) else ""
    entry = re.compile(rf"^{_ARTICLE}(?:{_pattern(term)}{_ASIDE}{short}){says}", _flags(term))
    alone = re.compile(rf"^{_ARTICLE}{_pattern(term)}{_ASIDE}:{{0,2}}$", _flags(term))
    leads = re.compile(rf"^{_ARTICLE}{_pattern(term)}{_ASIDE}\s+(?:is|are|means):$", _flags(term))
    sought = re.compile(_pattern(term), _flags(term))
    for number, line in enumerate(lines, 1):
        if not sought.search(_MARKUP.sub(" ", line)):
            continue
        item = _ITEM.match(line)
        text = item["rest"] if item else line
        following = lines[number] if number < len(lines) else ""
        last = _end_of_entry(lines, number, _indent(line))
        words = "\n".join([text, *lines[number : _end_of_words(lines, number)]])
        if (item or _EMPHATIC.match(line)) and _entry_defines(entry.match(_plain(words))):
            yield DefiningLines(Form.ENTRY, number, last)
        elif leads.match(_plain(text)):
            yield DefiningLines(Form.SENTENCE, number, end_of_list(lines, number))
        elif alone.match(_plain(_before_colons(text))) and _is_defined_below(line, following):
            yield DefiningLines(Form.ENTRY, number, last)
        elif (row := _ROW.match(line)) and not _RULE.match(following) and _row_defines(alone, row):
            yield DefiningLines(Form.ENTRY, _head_of_table(lines, number), number)


def _sentences(term: str, lines: Sequence[str], parts: Sequence[Paragraph]) -> Iterator[DefiningLines]:
    """Yield the paragraphs with a sentence that defines a term."""
    says = rf"{_ARTICLE}{_pattern(term)}{_ASIDE}(?:\s+(?:{_SAYS}|(?:{_IS}))|{_IS_WITHOUT_BLANK})"
    begins, within = re.compile(f"^{says}", _flags(term)), re.compile(rf"(?:[.!?:]\s+|[。！？]){says}", _flags(term))
    # "A **Captive Portal** allows you to ...": writers emphasize a term where they introduce it.
    introduced = re.compile(rf"{_ARTICLE}(\*{{1,3}}|_{{1,3}}){_pattern(term)}\1{_ASIDE}\s+{_SERVES}", _flags(term))
    serves = rf"{_PURPOSE}{_ARTICLE}{_pattern(term)}{_ASIDE}\s+(?:is|are)\b"
    serves = rf"{serves}|{_ARTICLE}{_pattern(term)}{_ASIDE}{_KIND}\s+(?:{_SERVES}|(?:{_IS}))"
    purpose = re.compile(rf"(?:^|[.!?:]\s+)(?:{serves})", _flags(term))
    written = _written_out(term)
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("<") and begins.match(_plain(line)):
            yield DefiningLines(Form.SENTENCE, number, number)
    for paragraph in parts:
        if begins.match(paragraph.text) or introduced.match(lines[paragraph.start_line - 1].lstrip()):
            yield _defined_by(Form.SENTENCE, paragraph, lines)
        elif within.search(paragraph.text):
            yield _defined_by(Form.WITHIN, paragraph, lines)
        elif purpose.search(paragraph.text):
            yield _defined_by(Form.SERVES, paragraph, lines)
        elif written is not None and written.search(paragraph.text):
            yield _defined_by(Form.WRITTEN_OUT, paragraph, lines)


def _entry_defines(entry: re.Match[str] | None) -> bool:
    return entry is not None and says_something(entry["said"])


def _row_defines(alone: re.Pattern[str], row: re.Match[str]) -> bool:
    """Return whether a table's row defines its first cell; a head row, above a rule, does not.

    Where the cell is code (```workers``), the row describes a setting or a method of this name, and no plain word.
    """
    if re.fullmatch(r"\s*`[^\W\d_]+`\s*", row["cell"]):
        return False
    return alone.match(_plain(row["cell"])) is not None and says_something(plain(row["rest"]))


def _before_colons(line: str) -> str:
    entry = _ASCIIDOC.match(line)
    return entry["term"] if entry else line


def _is_defined_below(line: str, following: str) -> bool:
    """Return whether the next line defines a term alone on its line, as in Markdown, AsciiDoc and reStructuredText."""
    if _DEFINITION.match(following) or _ASCIIDOC.match(line.strip()):
        return True
    deeper = _indent(following) > _indent(line) and not _ITEM.match(following)
    return deeper and bool(following.strip()) and not _ITEM.match(line) and says_something(plain(following))


def _end_of_entry(lines: Sequence[str], number: int, indent: int) -> int:
    """Return the last line of an entry, which the next entry of its depth or a blank line ends."""
    for at in range(number + 1, min(len(lines), number + _LONGEST - 1) + 1):
        line = lines[at - 1]
        ends = not line.strip() and (at >= len(lines) or _indent(lines[at]) <= indent)
        item = _ITEM.match(line)
        if ends or (item and len(item["indent"]) <= indent):
            return at - 1
    return min(len(lines), number + _LONGEST - 1)


def _end_of_words(lines: Sequence[str], number: int) -> int:
    """Return the last line of a paragraph or of an item's own words."""
    for at in range(number + 1, min(len(lines), number + _LONGEST) + 1):
        if not lines[at - 1].strip() or _ITEM.match(lines[at - 1]):
            return at - 1
    return min(len(lines), number + _LONGEST)


def end_of_list(lines: Sequence[str], number: int) -> int:
    """Return the last line of the list or block that a line ending in a colon introduces; else the line itself."""
    begins = next((at for at in range(number + 1, min(len(lines), number + 2) + 1) if lines[at - 1].strip()), None)
    if begins is None or not _ITEM.match(lines[begins - 1]):
        return number
    last = begins
    for at in range(begins, min(len(lines), begins + _LONGEST) + 1):
        line = lines[at - 1]
        if line.strip() and not _ITEM.match(line) and not line.startswith((" ", "\t")) and not lines[at - 2].strip():
            break
        last = at if line.strip() else last
    return last


def _head_of_table(lines: Sequence[str], number: int) -> int:
    """Return the first line of the table's head if it is near enough to a row; else the row's own line."""
    for at in range(number - 1, max(0, number - _LONGEST), -1):
        if "|" not in lines[at - 1]:
            break
        if _RULE.match(lines[at - 1]) and at > 1:
            return at - 1
    return number


def _sections(term: str, lines: Sequence[str], parts: Sequence[Paragraph]) -> Iterator[DefiningLines]:
    """Yield the first paragraph of each section whose heading is the term or asks what it is, with the heading."""
    for line, title in headings(lines):
        form = None if _names_other_code(term, lines[line - 1], title) else _title_form(term, title)
        below = (paragraph for paragraph in parts if paragraph.start_line > line and paragraph.heading == title)
        first = next((paragraph for paragraph in below if not defines_nothing(paragraph, lines)), None)
        if form is not None and first is not None:
            shown = _defined_by(form, first, lines)
            near = first.start_line - line <= _NEAR
            yield DefiningLines(form, line if near else shown.start_line, shown.end_line)


def _names_other_code(term: str, line: str, title: str) -> bool:
    """Return whether a heading is a name of code that the term is not: the section `workers` is not about a worker."""
    return re.fullmatch(r"[#=\s]*`[^`]+`\W*", line) is not None and title.casefold() != term.casefold()


def _title_form(term: str, title: str) -> Form | None:
    title = _plain(title)
    asks = r"(?:what\s+(?:is|are)|was\s+(?:ist|sind)|qu['’]est-ce\s+qu(?:e\s|['’])|¿?qué\s+(?:es|son))"
    if re.match(rf"^{asks}\s*{_ARTICLE}{_pattern(term)}{_ASIDE}\s*\??$", title, re.IGNORECASE):
        return Form.ASKED
    asked = r"什么是\s*{0}|{0}\s*(?:的(?:含义|概念|定义)|是什么|概念|简介|とは(?:何か)?|の(?:意味|定義))"
    if re.fullmatch(asked.format(_pattern(term)), title, re.IGNORECASE):
        return Form.ASKED
    same = re.match(rf"^(?:about\s+|introduction\s+to\s+)?{_ARTICLE}{_pattern(term)}{_ASIDE}$", title, _flags(term))
    return Form.SECTION if same else None


def _defined_by(form: Form, paragraph: Paragraph, lines: Sequence[str]) -> DefiningLines:
    last = min(paragraph.end_line, paragraph.start_line + _LONGEST - 1)
    return DefiningLines(form, paragraph.start_line, end_of_list(lines, last) if paragraph.text.endswith(":") else last)


def _written_out(term: str) -> re.Pattern[str] | None:
    """Return a pattern for the words before an abbreviation in brackets, or in brackets after it."""
    if not is_abbreviation(term):
        return None
    letters = term.rstrip("s")
    words = r"(?:\s+(?:of|the|and|for|in|to|on)\b)?[\s-]+".join(rf"{letter}[\w'’.]*" for letter in letters)
    return re.compile(rf"(?i:\b{words}\s*)\({re.escape(term)}\)|\b{re.escape(term)}\s*\((?i:{words})\)")


def _pattern(term: str) -> str:
    """Return a pattern for a term, in singular and plural, between any quotation marks."""
    words = r"[\s_-]+".join(re.escape(word) for word in term.split())
    stem = words if len(term) < 4 or not words.endswith("s") or words.endswith("ss") else words[:-1]
    return rf"[\"'“‘]?{stem}(?:e?s)?[\"'”’]?"


def _flags(term: str) -> int:
    return 0 if is_abbreviation(term) else re.IGNORECASE


def _plain(text: str) -> str:
    return plain(_MARKUP.sub(" ", text)).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
