"""Answers a question for an overview, for who imports a part of it, or for how it is built, tested or run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from quaestor.answers.overview.build_question import (
    aim_of_building,
    asks_for_one_test,
    asks_how_to_build,
    asks_how_to_develop,
    asks_how_to_run,
)
from quaestor.answers.overview.overview_question import (
    NO_NAME_BEFORE,
    NO_NAME_BEHIND,
    OWN,
    asks_for_entry,
    asks_for_languages,
    asks_for_overview,
    asks_only_what_it_is,
    asks_where_to_begin,
    name_in_overview_question,
    names_a_whole,
    plain_question,
    without_whole,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.core.light_imports import lazy_regex
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.search.path_roles import profile_path
from quaestor.stores import Store

if TYPE_CHECKING:
    from quaestor.answers.overview.overview_text import Overview

_READMES = (
    "README.md",
    "readme.md",
    "Readme.md",
    "README.rst",
    "README.adoc",
    "README.asciidoc",
    "README",
    "README.txt",
    "index.md",
    "index.rst",
    "index.adoc",
    "docs/index.md",
    "docs/index.rst",
)
_TITLE_LINES = 60
_LONGEST_NAME = 200
_BUDGET_OF_BRIEF = 420
"""The number of tokens of what a reader needs first, about a screen."""
_NEARLY = 0.8
"""The share of the budget from which on something is left out."""
_FURTHER = ("`what are the main parts?`", "`where do I begin to read?`")
_BUDGET_OF_FOLDER = 800
"""The number of tokens of an overview of one folder."""
_ASKED_FOLDER = re.compile(
    r"^\W*(?:what(?:['’]s|\s+(?:is|are|does|do))|explain|describe|summari[sz]e|tell me about|show(?: me)?)\s+"
    r"(?:(?:in|inside|within|the (?:purpose|point|role|use|content|contents) of)\s+)?(?:the\s+)?"
    r"(?P<name>`[\w./@-]+`|[\w.@-]+(?:/[\w.@-]+)*/?)"
    r"(?:\s+(?P<folder>folder|directory|dir|sub(?:folder|directory)))?"
    r"(?:\s+(?:for|about|do|contain|hold|used for|good for|there for|responsible for))?\s*[?.!]*\s*$",
    re.IGNORECASE,
)
_SHORTEST_NAME = 3
_HOSTED = 4
_TITLE_BEGINS = re.compile(r"^(?:what is|about|welcome to|introduction to)\s+", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"\W*(?:intro(?:duction)?|overview|about|features|read ?me|(?:table of )?contents)\W*", re.IGNORECASE
)
"""The first heading of a README whose title is an image, or not a heading of Markdown."""
_TITLE_ENDS = re.compile(r"\s+[-–—|]\s+|:\s|\s*[(\[?!]")


def answer_with_overview(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return an overview of the corpus if the question asks for one, else None."""
    if not wants_overview(question, corpus):
        return None
    if asks_only_what_it_is(question.text):
        return _overview_of(corpus, budget=_BUDGET_OF_BRIEF)
    return _overview_of(corpus, begin=asks_where_to_begin(question.text))


def _further_questions(overview: Overview) -> Iterator[str]:
    """Yield a line with questions that tell more, if a brief overview left something out; all are answered as asked."""
    if overview.budget == _BUDGET_OF_BRIEF and overview.tokens > _NEARLY * overview.budget:
        folders = Counter(hit.path.partition("/")[0] for hit in overview.hits if "/" in hit.path)
        named = [f"`what is the folder {folder} for?`" for folder, _ in folders.most_common(1)]
        yield f"\nAsk further: {', '.join((*_FURTHER, *named))}\n"


def _overview_of(corpus: Corpus, folder: str = "", budget: int = 0, *, begin: bool = False) -> WayAnswer:
    # Other questions need none of this.
    from quaestor.answers.overview.make_overview import BUDGET, make_overview  # noqa: PLC0415
    from quaestor.answers.overview.overview_text import pieces_of  # noqa: PLC0415
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    overview = make_overview(corpus, folder, budget=budget or BUDGET, count=tokenizer_for("gpt-4o").count, begin=begin)
    pieces = (*pieces_of(overview), *_further_questions(overview))
    return WayAnswer("overview", pieces, overview.hits, known=overview.documents > 0)


_ASKED_PLACE = re.compile(
    r"\s*where\s+(?:is|are)\s+(?:the\s+)?(?P<name>[\w-]+)\s+(?:implemented|located|programmed|written)\W*",
    re.IGNORECASE,
)


_KEPT = lazy_regex(
    r"\s*where(?:['’]s|\s+are|\s+is|\s+do\s+i\s+find)\s+(?:all\s+)?(?:the\s+)?"
    r"(?:(?P<tests>(?:unit\s+)?(?:tests|specs))|(?P<docs>docs|documentation)|(?P<examples>examples|samples))"
    r"(?:\s+(?:kept|located|stored))?\W*",
    re.IGNORECASE,
)
_FOLDERS_OF = {
    "tests": ("tests", "test", "spec", "specs", "__tests__"),
    "docs": ("docs", "doc", "documentation"),
    "examples": ("examples", "example", "samples", "demos"),
}
"""What projects call the folder of their tests, of their documentation and of their examples."""


def describe_folder(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return an overview of a folder if the question asks what it is for or holds, or where it is; else None."""
    text = question.text if len(question.text) <= _LONGEST_NAME else ""
    match, place = _ASKED_FOLDER.match(text), _ASKED_PLACE.fullmatch(text)
    if (kept := _KEPT.fullmatch(text)) is not None:
        names = _FOLDERS_OF[kept.lastgroup or ""]
    elif place is not None or (match is not None and (match["folder"] or "/" in match["name"])):
        names = ((place or match)["name"].strip("`./").lower(),)  # type: ignore[index]
    else:
        return None
    corpus.try_refresh()
    folder = corpus.retry_reopened(lambda: next(filter(None, (folder_named(name, corpus) for name in names)), ""))
    return _overview_of(corpus, folder, _BUDGET_OF_FOLDER) if folder else None


_A_PACKAGE = r"(?: (?:package|module|folder|directory|crate|library|gem|dependency))?"
_IMPORTED = re.compile(
    r"\W*(?:(?:what|who|which (?:files|modules|packages|code|parts))(?: else)? (?:depends? on|uses?|imports?|requires?"
    rf"|relies on|needs?)(?: the)? (?P<name>`?@?[\w./-]+`?){_A_PACKAGE}"
    rf"|where (?:is|are)(?: the)? (?P<used>`?@?[\w./-]+`?){_A_PACKAGE} (?:used|imported|required|needed)"
    rf"|what (?:is|are)(?: the)? (?P<purpose>`?@?[\w./-]+`?){_A_PACKAGE} (?:used|imported|required|needed) for)"
    r"(?: here)?\W*",
    re.IGNORECASE,
)
_A_FOLDER = re.compile(r" (?:package|module|folder|directory|crate)\W*(?:here\W*)?$", re.IGNORECASE)
_IMPORTING = ("import", "require", "include", "use", "from", "require_relative")
_MOST_IMPORTING = 2_000
_MOST_SHOWN = 8


def answer_with_importers(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer who imports a folder of the corpus, or a package that is not in it; None for any other question.

    It is None for the name of a definition as well: who uses that is another question.
    """
    return _answer_importers(question, corpus, defined=False)


def answer_with_importers_of_namesake(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer who imports a package from elsewhere although a definition of this corpus has its name; else None."""
    return _answer_importers(question, corpus, defined=True)


def _answer_importers(question: Question, corpus: Corpus, *, defined: bool) -> WayAnswer | None:
    text = " ".join(question.text[: _LONGEST_NAME + 1].split())
    match = _IMPORTED.fullmatch(text) if len(text) <= _LONGEST_NAME else None
    name = (match["name"] or match["used"] or match["purpose"]).strip("`./") if match is not None else ""
    if match is None or not name:
        return None
    corpus.try_refresh()
    folder = corpus.retry_reopened(lambda: folder_named(name.lower(), corpus))
    # A plain name may be a definition's; and what a folder is for, its importers do not tell.
    is_path = bool(folder) and ("/" in name or _A_FOLDER.search(text) is not None)
    is_defined = not is_path and bool(corpus.store.defining((name.lower(),), 1))
    if (folder and match["purpose"]) or is_defined != defined:
        return None
    return corpus.retry_reopened(lambda: _importers_of(name, folder, corpus))


def _importers_of(name: str, folder: str, corpus: Corpus) -> WayAnswer | None:
    from quaestor.answers.drafts import CorpusLines, Draft, in_code  # noqa: PLC0415 - few questions need it

    places = dict(sorted(set(_places_importing(name, folder, corpus)), reverse=True))
    code, tests = (
        [path for path in sorted(places) if profile_path(path).test is of_tests] for of_tests in (False, True)
    )
    if not places:
        return None
    counts = (f"by {amount(len(code), 'file')}" * bool(code), f"by {amount(len(tests), 'test file')}" * bool(tests))
    elsewhere = (
        "as a package from elsewhere," if corpus.store.defining((name.lower(),), 1) else "which is not defined here,"
    )
    own = in_code(f"{folder}/") if folder else f"{in_code(name)}, {elsewhere}"
    lines, draft = CorpusLines(corpus), Draft()
    draft.say(f"{own} is imported {' and '.join(filter(None, counts))}.")
    for path in (*code, *tests)[:_MOST_SHOWN]:
        draft.quote(lines.statement(path, places[path]))
    if more := (*code, *tests)[_MOST_SHOWN:]:
        draft.say(f"Also by {', '.join(map(in_code, more))}.")
    return draft.finish("callers")


def _places_importing(name: str, folder: str, corpus: Corpus) -> Iterator[tuple[str, int]]:
    """Yield the path and the line of each import of a folder from outside it, or of a package by its name."""
    from quaestor.answers.overview.material import Material  # noqa: PLC0415 - as above
    from quaestor.related.imports import imports_of  # noqa: PLC0415 - as above

    material, wanted = Material(corpus.store), tuple(_plain_parts(name.split("/")))
    for stored in material.chunks_with(_IMPORTING, _MOST_IMPORTING):
        path, first = stored.document.path, stored.chunk.span.start_line
        if folder and path.startswith(f"{folder}/"):
            continue
        for one in imports_of(stored.chunk.text, stored.document.language):
            target = material.modules.resolve(one, path)
            inside = target is not None and f"{target}/".startswith(f"{folder}/")
            if inside if folder else target is None and _names_package(one.parts, wanted):
                yield path, first + one.line - 1


def _names_package(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether an import is of a package: its first name, or on a host of Go packages one of the first four."""
    own = tuple(_plain_parts(parts))
    begins = range(_HOSTED) if own and "." in own[0] else (0,)
    return any(own[at : at + len(wanted)] == tuple(wanted) for at in begins)


def _plain_parts(parts: Iterable[str]) -> Iterator[str]:
    return (part.lower().replace("-", "_") for part in parts)


def folder_named(name: str, corpus: Corpus) -> str:
    """Return the shallowest folder whose path is a name or ends with it; empty if there is none or several."""
    folders = {path.rpartition("/")[0] for path in corpus.store.documents()}
    folders |= {above for path in folders for above in accumulate(path.split("/"), "{}/{}".format)}
    paths = sorted((one for one in folders if f"/{one}".lower().endswith(f"/{name}")), key=lambda one: one.count("/"))
    alone = len(paths) == 1 or (paths and paths[0].count("/") < paths[1].count("/"))
    return paths[0] if alone else ""


def answer_with_section(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return the entry points or the languages if the question asks only for these; None for any other question."""
    text = with_own_name(plain_question(question.text), corpus, OWN)
    entries = asks_for_entry(text)
    if not entries and not asks_for_languages(text):
        return None
    from quaestor.answers.overview.make_overview import make_section  # noqa: PLC0415 - as below
    from quaestor.answers.overview.overview_text import sections_of  # noqa: PLC0415
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    overview = make_section(corpus, "Entry points" if entries else "Languages", count=tokenizer_for("gpt-4o").count)
    return WayAnswer("overview", tuple(sections_of(overview)), overview.hits) if overview.sections else None


def wants_overview(question: Question, corpus: Corpus) -> bool:
    """Return whether a question is for an overview of the corpus, which it may call by its name."""
    name = name_in_overview_question(question.text)
    own = (name,) if name and _is_own_name(corpus, name, question.text) else ()
    return asks_for_overview(question.text, first=not question.earlier, own=own)


def introduce(corpus: Corpus) -> WayAnswer | None:
    """Return the corpus's introduction in a few sentences; None if it has none."""
    from quaestor.answers.overview.make_overview import make_introduction  # noqa: PLC0415 - as above
    from quaestor.answers.overview.overview_text import sections_of  # noqa: PLC0415
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    overview = make_introduction(corpus, count=tokenizer_for("gpt-4o").count)
    return WayAnswer("overview", tuple(sections_of(overview)), overview.hits) if overview.hits else None


def answer_with_build_guide(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return how the corpus is built, tested or run if the question asks that and its files say it, else None."""
    text = with_own_name(plain_question(question.text), corpus, OWN)
    works = asks_how_to_develop(text)
    builds = works or asks_how_to_build(question.text)
    if not builds and not asks_how_to_run(text):
        return None
    from quaestor.answers.drafts import CorpusLines, Draft  # noqa: PLC0415 - as above
    from quaestor.answers.overview.guide_sections import guide_sections, sections_on_one_test, usual_for_one_test  # noqa: PLC0415
    from quaestor.answers.overview.make_overview import make_build_guide  # noqa: PLC0415
    from quaestor.answers.overview.material import Material  # noqa: PLC0415
    from quaestor.answers.overview.overview_text import sections_of  # noqa: PLC0415
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    aim = aim_of_building(question.text) if builds else "run"
    overview = make_build_guide(corpus, aim, count=tokenizer_for("gpt-4o").count)
    lines, draft = CorpusLines(corpus), Draft()
    material = Material(corpus.store)
    alone = builds and asks_for_one_test(question.text)
    places = sections_on_one_test(material) if alone else []
    if alone and not places:
        draft.say(usual_for_one_test(material))
    for place in places or (guide_sections(material, aim, works=works) if material.is_code else ()):
        draft.quote(lines.hit(place.path, place.start_line, place.end_line))
    shown = len(draft.hits)
    pieces = tuple(piece + shown if isinstance(piece, int) else piece for piece in sections_of(overview))
    hits = (*draft.hits, *overview.hits)
    return WayAnswer("build", (*draft.pieces, *pieces), hits) if hits else None


def with_own_name(text: str, corpus: Corpus, instead: str) -> str:
    """Return a question in lower case, with the corpus's name replaced by ``instead``, but not within other names.

    "Credo.Sources" and "credo/sources" are no names of Credo.
    """
    for name in own_names(corpus):
        if len(name) >= _SHORTEST_NAME:
            text = re.sub(rf"{NO_NAME_BEFORE}{re.escape(name)}{NO_NAME_BEHIND}", instead, text)
    return text


def own_names(corpus: Corpus) -> tuple[str, ...]:
    """Return what a corpus is called, in lower case: its folder, its repository, and the title of its README."""
    title = _title(corpus).lower()
    return corpus.root.name.lower(), corpus.retriever.project.lower(), title, without_whole(title)


def names_all_of_it(text: str, corpus: Corpus) -> bool:
    """Return whether a text is the name of the whole corpus, or the beginning of that name: ``Brogue``."""
    name = text.lower()
    own = (corpus.root.name.lower(), corpus.retriever.project.lower(), _title(corpus).lower())
    return len(name) >= _SHORTEST_NAME and (name in own or own[-1].startswith(f"{name} "))


def _is_own_name(corpus: Corpus, name: str, question: str) -> bool:
    """Return whether a name is that of the folder or of the repository, or occurs in the README's title.

    "The Acme handbook" is the corpus whose README's title is "Acme Handbook" or "Welcome to Acme's documentation".
    """
    if name in (corpus.root.name.lower(), corpus.retriever.project.lower()):
        return True
    title = _title(corpus).lower()
    return name == title or (names_a_whole(question, name) and name == without_whole(title))


def _title(corpus: Corpus) -> str:
    """Return the name in the title of the README or the first page: ``Grape`` of ``What is Grape?``; empty if none."""
    return corpus.while_unchanged("title", lambda: _read_title(corpus.store))


def _read_title(store: Store) -> str:
    from quaestor.answers.overview.prose_lines import headings  # noqa: PLC0415 - few questions need it
    from quaestor.related.stored_files import load_file  # noqa: PLC0415

    file = next((page for path in _READMES if (page := load_file(store, path)) is not None), None)
    titles = (text for _, text in headings(file.lines[:_TITLE_LINES])) if file is not None else iter(())
    title = next((text for text in titles if not _NO_TITLE.fullmatch(text)), "")
    return _TITLE_ENDS.split(_TITLE_BEGINS.sub("", " ".join(title.split())))[0].strip()
