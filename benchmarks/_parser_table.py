"""Every parser of untrusted input, as a function of a text, with its family of marks."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from datetime import date
from importlib import import_module
from typing import NamedTuple

from quaestor.answers.ask_back import is_without_context
from quaestor.answers.citations.citation_marks import parse as parse_marks
from quaestor.answers.citations.quote_match import find, find_nearest
from quaestor.answers.citations.sentences import sentences
from quaestor.answers.errors.message_templates import is_pasted
from quaestor.answers.errors.template_agreement import template_words
from quaestor.answers.errors.traces import read_trace
from quaestor.answers.history.history_questions import history_question
from quaestor.answers.names.explain_term import read_term_question
from quaestor.answers.overview.overview_question import asks_for_overview
from quaestor.answers.overview.prose_lines import headings, paragraphs
from quaestor.answers.quotes.blocks import blocks_of
from quaestor.answers.quotes.paragraphs import pieces_of
from quaestor.answers.quotes.quotable_stretches import stretches_of
from quaestor.answers.settings.explain_option import read_option_question
from quaestor.chat.reply_reader import ThoughtFilter, WrittenCallFilter
from quaestor.chunking import cut
from quaestor.chunking.prose import read_fields, read_front_matter
from quaestor.convert.converted_document import ConversionError
from quaestor.convert.docbook import from_docbook
from quaestor.convert.html import from_html, reads_as_page
from quaestor.convert.html_tree import parse as parse_html
from quaestor.convert.json_documents import from_notebook, from_records, reads_as_texts
from quaestor.convert.page_metadata import outgoing_links
from quaestor.core.bylines import author_line, author_words, date_of_path, iso_date
from quaestor.core.terms import term_keys
from quaestor.crawl.politeness import parse as parse_robots
from quaestor.crawl.sitemaps import read_list
from quaestor.crawl.urls import normalise, path_for
from quaestor.edits.edit_paths import confine
from quaestor.edits.file_text import NotTextError, read_text
from quaestor.edits.parse import parse as parse_edits
from quaestor.edits.place_replacement import fit
from quaestor.edits.plans import Replace
from quaestor.files.deny import deny_content, deny_file
from quaestor.files.git_folder import tracked_names
from quaestor.files.ignore import PatternSet
from quaestor.history.log import clean_message, clean_name, read_commits
from quaestor.history.versions import is_changelog, sections, version_in, version_of_tag
from quaestor.install import settings_edit as jsonc
from quaestor.install import settings_edit as toml
from quaestor.llm import chatml, tags
from quaestor.llm.chatml.raw import neutralise, restore
from quaestor.llm.endpoints.client import read_retry_after
from quaestor.llm.endpoints.failures import Endpoint
from quaestor.llm.models.reply_stream import Events, NotCompletionsError, StopCutter, parse_event, with_fields
from quaestor.llm.prompts.numbered_passages import Passage, show
from quaestor.related.imports import imports_of, outside_names
from quaestor.search.callers_question import read_callers_question
from quaestor.search.filters import read_filters
from quaestor.search.names_in_question import names_of_code, read_name_question
from quaestor.search.phrases import word_runs
from quaestor.search.query import read_query
from quaestor.search.spelling import only_names
from quaestor.server.web.answer_html import render
from quaestor.server.web.formulas import formula
from quaestor.stores import Bylines
from quaestor.stores.embedded.filtering import compile_globs

_MADE = {"xlsx": "workbook", "pptx": "presentation", "epub": "book"}
TODAY = date(2026, 1, 1)
KNOWN = Bylines(9, 3, authors={"Ana Núñez": 2})


class Parser(NamedTuple):
    """A parser.

    Attributes:
        family: the file of tests/fuzz with its marks, without ``test_fuzz_``.
        read: reads a text.
    """

    family: str
    read: Callable[[str], object]


def _refusing(read: Callable[[str], object], *refusals: type[Exception]) -> Callable[[str], object]:
    """Return a parser whose documented errors are as good an end as any."""

    def reads(text: str) -> object:
        try:
            return read(text)
        except refusals:
            return None

    return reads


def _cut(path: str, family: str = "documents") -> Parser:
    return Parser(family, lambda text: cut(text.encode(), path))


def _events(text: str) -> object:
    events = Events()
    return [events.feed(text[at : at + 4096].encode()) for at in range(0, len(text), 4096)], events.finish()


def _replaced(text: str) -> object:
    return fit(read_text(text.encode()), Replace("a.py", text[: len(text) // 2] + "\n", "x\n"))


def _replaced_within(text: str) -> object:
    """Replace the middle and the last line of what is nearly the file's first half."""
    search = [*text[: len(text) // 2].split("\n"), "said otherwise"]
    replace = [*search[: len(search) // 2], "x", *search[len(search) // 2 + 1 :], "y"]
    return fit(read_text(text.encode()), Replace("a.py", "\n".join(search) + "\n", "\n".join(replace) + "\n"))


def _office(kind: str) -> Callable[[str], object]:
    """Return the reader of documents of one kind, as a function of the text of their main part."""

    def read(text: str) -> object:
        from convert import made_documents as made  # noqa: PLC0415 - of the tests, as is the next
        from fuzz import test_fuzz_office  # noqa: PLC0415

        make = made.docx if kind == "docx" else getattr(test_fuzz_office, _MADE[kind])
        return getattr(import_module(f"quaestor.convert.{kind}"), f"from_{kind}")(make(text))

    return _refusing(read, ConversionError)


def _commits(text: str) -> object:
    return read_commits("\0".join(("0" * 40, text, "2020-01-01", "", text, "")).encode())


def _patterns(text: str) -> object:
    patterns = PatternSet.parse(text[:20_000].encode())
    return patterns.decide("a/" + "b" * 200, "b" * 200, folder=False)


PARSERS: Mapping[str, Parser] = {
    "tags": Parser("tags", tags.parse),
    "tags, escaped": Parser("tags", tags.escape),
    "ChatML, neutralised": Parser("tags", lambda text: restore(neutralise(text))),
    "ChatML, a block": Parser(
        "tags",
        _refusing(
            lambda text: chatml.parse([{"token": chatml.START}, text, {"token": chatml.END}]), chatml.MalformedError
        ),
    ),
    "edit blocks, patches, diffs": Parser("edits", parse_edits),
    "whole files": Parser("edits", lambda text: parse_edits(text, whole=True)),
    "a replacement": Parser("edits", _refusing(_replaced, NotTextError)),
    "a replacement in the middle": Parser("edits", _refusing(_replaced_within, NotTextError)),
    "a path of an edit": Parser("edits", confine),
    "a file's lines": Parser("edits", _refusing(lambda text: read_text(text.encode()), NotTextError)),
    "an ignore file of 20 kB": Parser("ignores", _patterns),
    "globs of 2 kB": Parser("ignores", lambda text: compile_globs((text[:2_000],)).fullmatch("a/" + "b" * 200)),
    "git's index": Parser("ignores", lambda text: list(tracked_names(b"DIRC\0\0\0\2\0\xff\0\0" + text.encode()))),
    "denied content": Parser("ignores", lambda text: (deny_file(text), deny_content(text.encode()))),
    "events": Parser("streams", _refusing(_events, NotCompletionsError)),
    "an event's JSON": Parser(
        "streams", _refusing(lambda text: with_fields(parse_event(text.encode())), NotCompletionsError)
    ),
    "stop sequences": Parser("streams", lambda text: StopCutter(("|>", "\n\nUser:")).feed(text)),
    "stop sequences, by letters": Parser("streams", lambda text: [*map(StopCutter(("|>", "\n\nUser:")).feed, text)]),
    "calls in text": Parser(
        "streams", lambda text: (calls := WrittenCallFilter(["search"]), calls.feed(text), calls.finish())
    ),
    "thinking, by letters": Parser("streams", lambda text: [*map(ThoughtFilter().feed, text)]),
    "a server's error": Parser(
        "streams", lambda text: Endpoint("http://a/v1", "m", "k" * 9).refusal_error(400, text, {}, None)
    ),
    "Retry-After": Parser("streams", lambda text: read_retry_after({"retry-after": text}, 0.0)),
    "HTML as a tree": Parser("pages", _refusing(parse_html, ConversionError)),
    "HTML as Markdown": Parser("pages", _refusing(lambda text: from_html(text.encode()), ConversionError)),
    "links of a page": Parser(
        "pages", _refusing(lambda text: outgoing_links(parse_html(text), "https://a/"), ConversionError)
    ),
    "DocBook": Parser("pages", _refusing(lambda text: from_docbook(f"<book>{text}".encode()), ConversionError)),
    "is it a page": Parser("pages", lambda text: reads_as_page(text.encode())),
    "a notebook": Parser("pages", _refusing(lambda text: from_notebook(text.encode()), ConversionError)),
    "JSON Lines": Parser(
        "pages", _refusing(lambda text: (reads_as_texts(text.encode()), from_records(text.encode())), ConversionError)
    ),
    "a Word document": Parser("office", _office("docx")),
    "a workbook": Parser("office", _office("xlsx")),
    "a presentation": Parser("office", _office("pptx")),
    "a book": Parser("office", _office("epub")),
    "robots.txt": Parser("sites", lambda text: parse_robots(text).allows("https://a/" + "a" * 100)),
    "a sitemap": Parser("sites", lambda text: read_list(text.encode())),
    "a packed sitemap": Parser("sites", lambda text: read_list(gzip.compress(text.encode(), 1))),
    "an address": Parser("sites", lambda text: (normalise(f"https://a/{text}"), normalise(text, "https://a/"))),
    "an address's file": Parser("sites", _refusing(lambda text: path_for(f"https://a/{text}", "a"), ValueError)),
    "JSON with comments": Parser(
        "settings", _refusing(lambda text: jsonc.with_member(text, ("a", "b"), 1), ValueError)
    ),
    "JSON with comments, cut": Parser(
        "settings", _refusing(lambda text: jsonc.without_member(text, ("a", "b")), ValueError)
    ),
    "a table of TOML": Parser(
        "settings", _refusing(lambda text: toml.with_table(text, ("a", "b"), {"c": 1}), ValueError)
    ),
    "front matter": Parser("documents", lambda text: read_front_matter(f"---\n{text}\n---\n".encode(), 0)),
    "fields": Parser("documents", lambda text: read_fields(text.encode(), 0)),
    **{f"chunks of {path}": _cut(path) for path in ("a.md", "a.rst", "a.adoc", "a.txt", "a.json")},
    **{
        f"chunks of {path}": _cut(path, "manuals")
        for path in (
            *"a.man a.pod a.texi a.tex a.org a.rd a.mediawiki doc/a.txt".split(),
            *"a.coffee a.elm a.d a.el a.odin a.lean a.v a.vue a.svelte a.astro a.mdx".split(),
            *"a.yaml a.toml a.ini a.j2 a.cshtml".split(),
        )
    },
    **{
        f"imports of {language}": Parser("documents", lambda text, language=language: imports_of(text, language))  # type: ignore[misc]
        for language in ("python", "javascript", "go", "rust", "java", "c", "php", "ruby")
    },
    **{
        f"names in {language}": Parser(
            "documents",
            lambda text, language=language: outside_names(text, language, frozenset),  # type: ignore[misc]
        )
        for language in ("python", "javascript")
    },
    "terms": Parser("documents", term_keys),
    "a date": Parser("documents", lambda text: (iso_date(text), date_of_path(text))),
    "authors": Parser("documents", lambda text: (author_line(text), author_words.__wrapped__(text))),
    "a trace": Parser("answers", read_trace),
    "is it pasted": Parser("answers", is_pasted),
    "names of code": Parser("answers", names_of_code),
    "a question about callers": Parser("answers", read_callers_question),
    "a question about history": Parser("answers", lambda text: history_question(text, TODAY)),
    "a question about a name": Parser("answers", read_name_question),
    "a question about a term": Parser("answers", read_term_question),
    "a question about an option": Parser("answers", read_option_question),
    "a question without context": Parser("answers", is_without_context),
    "a question for an overview": Parser("answers", asks_for_overview),
    "filters of a question": Parser("answers", lambda text: read_filters(text, KNOWN)),
    "a query": Parser("answers", read_query),
    "names in a query": Parser("answers", only_names),
    "runs of a query": Parser("answers", lambda text: word_runs(text, {"a": 1.0})),
    "citation marks": Parser("answers", parse_marks),
    "sentences": Parser("answers", sentences),
    "a quote in a text": Parser("answers", lambda text: (find(text[:2_000], text), find(f"{text[:300]}x", text))),
    "the nearest quote": Parser("answers", lambda text: find_nearest(f"{text[:300]}x", text, 0, 1)),
    "an answer as HTML": Parser("answers", lambda text: render.__globals__["_render_once"](text, (), (), ())),
    "a formula": Parser("answers", formula),
    "a passage": Parser("answers", lambda text: show(Passage(1, text, 1, 2, text, text))),
    "pieces of prose": Parser("answers", lambda text: pieces_of(text, begins=True)),
    "stretches of prose": Parser(
        "answers", lambda text: stretches_of(Passage(1, "a", 1, 2, text, language="markdown"))
    ),
    "stretches of code": Parser("answers", lambda text: stretches_of(Passage(1, "a", 1, 2, text, language="python"))),
    "blocks of code": Parser("answers", lambda text: blocks_of(text, "python")),
    "literals of a line": Parser("answers", template_words),
    "paragraphs and headings": Parser(
        "answers", lambda text: ([*paragraphs(text.split("\n"))], [*headings(text.split("\n"))])
    ),
    "a log": Parser("history", _commits),
    "a message": Parser("history", lambda text: (clean_message(text), clean_name(text))),
    "a changelog": Parser("history", lambda text: (sections(text.split("\n")), is_changelog(text))),
    "a version": Parser("history", lambda text: (version_of_tag(text), version_in(text))),
}
