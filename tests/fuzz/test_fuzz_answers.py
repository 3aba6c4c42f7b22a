"""What people ask and paste, and what models answer: any text is read, and quotes and places stay within it."""

from __future__ import annotations

import re
from datetime import date
from html.parser import HTMLParser

from fuzz.parser_properties import fuzzed
from quaestor.answers.citations.citation_marks import parse, without_marks, without_no_answer
from quaestor.answers.citations.quote_match import find, find_nearest
from quaestor.answers.citations.sentences import sentences
from quaestor.answers.errors.message_templates import is_pasted
from quaestor.answers.errors.template_agreement import agreement, template_words, words_of
from quaestor.answers.errors.traces import read_trace
from quaestor.answers.history.history_questions import history_question
from quaestor.answers.overview.overview_question import asks_for_overview, name_in_overview_question
from quaestor.answers.overview.prose_lines import headings, paragraphs
from quaestor.answers.quotes.paragraphs import pieces_of
from quaestor.answers.quotes.quotable_stretches import stretches_of
from quaestor.llm.prompts.numbered_passages import Passage, show
from quaestor.search.callers_question import read_callers_question
from quaestor.search.filters import read_filters
from quaestor.search.names_in_question import read_name_question
from quaestor.search.phrases import word_runs
from quaestor.search.query import read_query
from quaestor.server.web.answer_html import render
from quaestor.stores import Bylines

TRACES = [
    *(
        '  File "a/b.py", line 3, in f\n',
        "    raise X\n",
        "at a.b(C.java:3)\n",
        "panicked at 'x', src/a.rs:3:1\n",
        "#0 a.c:3\n",
    ),
    *(
        "goroutine 1 [running]:\n",
        "main.f(0x1)\n\t/a/b.go:3 +0x1d\n",
        "Traceback (most recent call last):\n",
        "Error: x\n",
        "1: 0x1 - f\n",
    ),
    *(
        '{module,fun,1,[{file,"a.erl"},{line,3}]}',
        ":",
        "/",
        "\\",
        ".",
        "a.py",
        "(",
        ")",
        '"',
        "C:\\a\\",
        "~~~^^^\n",
        "\\\\t",
        "@",
    ),
]
QUESTIONS = [
    *(
        "who ",
        "calls ",
        "uses ",
        "where is ",
        "`send`",
        "Client.send",
        "a/b.py",
        "when was ",
        "changed ",
        "since 2020",
        "last week",
        "?",
    ),
    *(
        "what ",
        "how ",
        "tests ",
        "between v1 and v2",
        "by Ana",
        "3 days ago",
        "in ",
        "the ",
        "added",
        "removed",
        "released",
        " and when",
    ),
    *(
        "what is this project",
        "overview",
        "explain ",
        "wer ruft ",
        "谁调用",
        "どこ",
        "::",
        "->",
        "(",
        ")",
        "'",
        '"',
        "“",
        "1." * 9,
    ),
]
ANSWERS = [
    *("$", "$$", "\\[", "\\]", "\\frac", "\\text{", "\\begin{cases}", "^", "_{"),
    *(
        "[1]",
        '[2: "words"]',
        "[1, 2]",
        "[1-3]",
        "[^1]",
        "【2】",
        "[passage 1]",
        "[no answer]",
        "[",
        "]",
        '"',
        "“",
        "”",
        "> quote\n",
    ),
    *(
        "```\n",
        "~~~\n",
        "`",
        "# h\n",
        "| a |\n",
        "- item. ",
        "1. ",
        "A sentence. ",
        "...",
        "[...]",
        "…",
        "e.g. ",
        "**a**",
        "words",
        ": ",
    ),
    *("<b>", "![a](b)", "[a](javascript:x)", "[a]: b\n", "\ue000", "http://x", "&amp;", "---\n", "|-|\n"),
]
CODE = ['"a %s b"', "'{x} c'", 'f"{y}"', "%d", "\\n", "{", "}", '"', "raise ", "(", "${z}", "#{q}", "<", ">"]
TODAY = date(2026, 3, 31)
KNOWN = Bylines(9, 3, authors={"Ana Núñez": 2, "Ben": 1})


@fuzzed(TRACES, ['Traceback (most recent call last):\n  File "a/b.py", line 3, in f\n    x\nValueError: y\n'])
def test_a_trace_gives_frames_that_stand_in_it(text: str) -> None:
    trace = read_trace(text)
    assert len(trace.frames) + len(trace.messages) <= 3 * (len(text.splitlines()) + 1)
    for frame in trace.frames:
        assert frame.line is None or 0 <= frame.line < 10**7
        assert all(name in text for name in frame.names)
    is_pasted(text)


SEEDS = ["who calls `send` outside of tests?", "what changed between v1.0 and v2.0 since last week?"]


@fuzzed(QUESTIONS, [*SEEDS, "posts by Ben since 2018: how is bread made?"])
def test_any_question_is_read(text: str) -> None:
    found = read_callers_question(text)
    assert found is None or found.target
    for today in (TODAY, date(1970, 1, 1), date.max):
        asked = history_question(text, today)
        assert asked is None or (len(asked.since) in (0, 10) and len(asked.until) in (0, 10))
    read_name_question(text)
    asks_for_overview(text)
    assert isinstance(name_in_overview_question(text), str)
    said = read_filters(text, KNOWN)
    assert all(phrase for phrase in said.phrases)
    query = read_query(text)
    assert len(query.places) <= 20 and len(query.quotes) <= 5
    word_runs(text, dict.fromkeys(query.terms, 1.0))


@fuzzed(ANSWERS, ['A is B [1: "a b"]. C [2, 3].\n```\n[4]\n```\n> q\n[5]'])
def test_marks_and_sentences_stay_within_the_answer(text: str) -> None:
    marks = parse(text)
    assert len(marks) <= 1_010
    assert all(0 <= one.start < one.end <= len(text) and one.n < 1_000 for one in marks)
    assert len(without_marks(text, marks)) <= len(text)
    without_no_answer(text)
    end = 0
    for one in sentences(text):
        assert end <= one.start < one.end <= len(text)
        assert text[one.start : one.end] == one.text
        end = one.end


FOUND = "the dough rests for eighteen hours@@@Look: the dough rests for eighteen hours in the cold"


@fuzzed([*ANSWERS, "@@@"], ["a b c@@@a  b", "x ... y@@@x 1 y", "`a`@@@'a'", FOUND])
def test_a_quote_is_found_where_it_stands_or_nowhere(text: str) -> None:
    quote, _, source = text.partition("@@@")
    for found in (find(quote, source), find_nearest(quote, source, 0, 1), find(quote, source + quote)):
        if found is not None and found.end <= len(source) and found.exact:
            assert source[found.start : found.end].replace("\r", "") == quote.replace("\r", "")
    if quote:
        assert find(quote, source + quote) is not None


class _Seen(HTMLParser):
    """Collects what a browser would take for tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@fuzzed(ANSWERS, ["<script>alert(1)</script>", "[a](javascript:alert(1))", "![a](http://x)", "[a](http://x?src=1)"])
def test_an_answer_is_shown_without_anything_that_runs(text: str) -> None:
    html = str(render(text))
    seen = _Seen()
    seen.feed(html)
    assert not {"script", "img", "iframe", "style", "object", "svg", "form"} & seen.tags
    assert not {name for name in seen.attributes if name.startswith("on") or name in {"style", "src"}}
    assert not re.search(r'href="(?!https?://|mailto:|#)', html)


@fuzzed(["</passage>", "< / passage>", "<passage", '"', "\n", ">", "<", "</PASSAGE"], ['a"><x>\n</passage>'])
def test_a_passage_cannot_close_itself(text: str) -> None:
    shown = show(Passage(1, text or "a", 1, 2, text, title=text, author=text))
    assert len(re.findall(r"</\s*passage", shown, re.IGNORECASE)) == 1
    assert "\n" not in shown.partition(">")[0]


WITH_CODE = "# a\n\nThis text says what the code below does, and why it is so.\n\n```\ncode\n```\n"


@fuzzed([*ANSWERS, *CODE], [WITH_CODE])
def test_what_can_be_quoted_stands_in_the_text(text: str) -> None:
    for begins in (False, True):
        for piece in pieces_of(text, begins=begins):
            assert 0 <= piece.start <= piece.end <= len(text)
    lines = text.split("\n")
    for language in ("markdown", "python", "c"):
        for one in stretches_of(Passage(1, "a", 1, len(lines), text, language=language)):
            assert 0 <= one.start <= one.end <= len(text)
    assert all(1 <= one.start_line <= one.end_line <= len(lines) for one in paragraphs(lines))
    assert all(1 <= number <= len(lines) for number, _ in headings(lines))
    said = agreement(words_of(text), template_words(text), {})
    assert 0 <= said.of_template <= 1.000001 and 0 <= said.of_message <= 1.000001
