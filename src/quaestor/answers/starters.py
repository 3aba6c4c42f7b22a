"""Questions to begin with, made of what a corpus says of itself: its title, the names in its code, its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from quaestor.answers.heading_questions import names_in, question_of, thing_asked_about
from quaestor.answers.overview.introduction import readme_of
from quaestor.answers.overview.material import Material, is_code
from quaestor.answers.overview.most_imported import importers_of
from quaestor.answers.overview.prose_lines import headings, plain
from quaestor.core.terms import terms_of_word
from quaestor.corpus import Corpus
from quaestor.search.asked_names import looks_like_code

_MOST_FILES = 6
_OF_EACH = 3
_LOOKED_AT = 12
"""Sections of a document of which the most telling are asked for."""
_LONGEST_HEADING = 60
_KINDS = frozenset({"class", "function", "method", "type", "interface", "struct", "trait", "enum"})
_FAULTS = ("Error", "Exception", "Warning")
_PLAIN_NAME = re.compile(r"[^\W\d_][\w$]{3,60}")
_NUMBERING = re.compile(r"^(?:(?:chapter|section|part|appendix|page)\s+)?[\dA-Z]?(?:\.?\d+)*[.):]*\s+", re.IGNORECASE)
# What every second document has says nothing of this one.
_ANYBODYS = re.compile(
    r"(?:table of )?contents?|index|introduction\b.*|overview|about\b.*|summary|conclusions?|references|bibliography"
    r"|notes?|.*licen[cs]es?\b.*|copyright|contribut\w+.*|credits?|thanks?\b.*|acknowledg\w+|authors?|history|news"
    r"|links|see also|further reading|todo|faq|readme|(?:more |further )?examples?|page \d+|untitled|unreleased"
    r"|titles?|change ?log"
    r"|.*\bsponsors?|.*code of conduct.*|.*security (?:polic|report|issue)\w*|.*\bdisclosure.*|our (?:pledge|standards)"
    r"|.*\bguidelines|purpose|motivation|rationale|abstract|specification|background|status|help|getting help|support"
    r"|community|docs.*community|requirements|prerequisites|features|release .*|terminology|definitions|disclaimer",
    re.IGNORECASE,
)
# These are about working on a project; who begins with it asks about the project.
_ASIDE = re.compile(
    r"(?:^|/)\.|(?:^|/)(?:code[-_]of[-_]conduct|security|contributing|sponsors?|agents|claude|releas\w*|maintenance|pull_request_template"
    r"|licen[cs]e|changelog|changes|history|news)\b[^/]*$",
    re.IGNORECASE,
)
# A version, a date or an address is the name of a section, and no subject.
_NO_SUBJECT = re.compile(r"\d+\.\d|\d{4}-\d|https?:|^\W*$|[{}<>|:]|\.\.\.|…|^(?:\W*[A-Z]{2,}\W+)+[A-Z]{2,}\W*$")
_WRITTEN = frozenset({"markdown", "restructuredtext", "asciidoc", "html", "org", "docx", "pdf", "epub", "latex"})


@dataclass(frozen=True, slots=True)
class Starter:
    """A question to begin with.

    Attributes:
        question: as a person would ask it.
        path: the document that should answer it; empty where any may.
        first: first line of what should answer it, 1-based.
        last: the last one, inclusive.
    """

    question: str
    path: str = ""
    first: int = 1
    last: int = 10**9

    def is_answered_by(self, path: str, first: int, last: int) -> bool:
        """Return whether lines of a document hold any of where the answer should stand."""
        return not self.path or (path == self.path and first <= self.last and self.first <= last)


def starters(corpus: Corpus) -> Iterator[Starter]:
    """Yield questions that a corpus should have answers to, the most telling first.

    Whether it answers one is for the caller to find out: they are made of names and headings, nothing is searched for.
    """
    material = Material(corpus.store)
    if readme_of(material, "") is not None:
        yield Starter("What is this about?")
    prose = _of_prose(material, corpus.retriever.project)
    yield from _taken_in_turns(_of_code(material), prose) if material.is_code else prose


def _taken_in_turns(first: Iterator[Starter], second: Iterator[Starter]) -> Iterator[Starter]:
    both = [first, second]
    while both:
        for one in list(both):
            found = next(one, None)
            if found is None:
                both.remove(one)
            else:
                yield found


def _of_code(material: Material) -> Iterator[Starter]:
    """Yield questions about what is defined in the files that most others import, or else in the largest."""
    counted = importers_of(material)
    largest = sorted(
        (path for path, one in material.documents.items() if is_code(one) and _is_own(material, path)),
        key=lambda path: -material.documents[path].size,
    )
    paths = list(dict.fromkeys([*(path for path, _ in counted.most_common(_MOST_FILES)), *largest]))[:_MOST_FILES]
    names = [(path, _telling_names(material, path)) for path in paths]
    for path, (kind, name) in ((path, found[0]) for path, found in names if found):
        yield Starter(f"What does {name} do?" if looks_like_code(name) else f"What does the {kind} {name} do?", path)
    for _, name in (one for _, found in names for one in found[1:]):
        if looks_like_code(name):
            yield Starter(f"Who uses {name}?")


def _is_own(material: Material, path: str) -> bool:
    profile = material.profile(path)
    return not (profile.test or profile.example or profile.background or _ASIDE.search(path))


def _telling_names(material: Material, path: str) -> list[tuple[str, str]]:
    """Return the kind and the name of the two things that a file defines and that stand in most places."""
    names = dict.fromkeys(_names(material, path))
    terms = {name: max(terms_of_word(name), key=len) for _, name in names}
    counts = material.store.frequencies(terms.values())
    return sorted(names, key=lambda one: -counts.get(terms[one[1]], 0))[:2]


def _names(material: Material, path: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a file defines for others, each behind its kind; no errors, which are raised everywhere."""
    for stored in material.store.chunks_of(path):
        symbol = (stored.chunk.symbol or "").rpartition(".")[2]
        if stored.chunk.kind not in _KINDS or stored.chunk.scope or symbol.endswith(_FAULTS):
            continue
        if _PLAIN_NAME.fullmatch(symbol):
            yield stored.chunk.kind, symbol


def _of_prose(material: Material, project: str) -> Iterator[Starter]:
    """Yield questions about sections of the README and of the largest other documents, one of each in turn."""
    readme = readme_of(material, "")
    others = sorted(
        (path for path, one in material.documents.items() if one.language in _WRITTEN and _is_own(material, path)),
        key=lambda path: -material.documents[path].size,
    )
    paths = list(dict.fromkeys([*([readme] if readme else []), *others]))[:_MOST_FILES]
    sections = [_most_telling(_asked_sections(material, path, project)) for path in paths]
    for rank in range(_OF_EACH):
        yield from (found[rank] for found in sections if rank < len(found))


def _most_telling(found: Iterator[Starter]) -> list[Starter]:
    """Return the first sections of a document that tell how something is done, then those about a thing."""
    first = sorted(islice(found, _LOOKED_AT), key=_tells_little)
    return first[:_OF_EACH]


def _tells_little(one: Starter) -> tuple[bool, bool]:
    """Order questions: acts and differences before things, and things of several words before those of one."""
    about = thing_asked_about(one.question)
    return bool(about), bool(about) and " " not in about


def _asked_sections(material: Material, path: str, project: str) -> Iterator[Starter]:
    lines = material.lines(path)
    found = list(headings(lines))
    readme = path == readme_of(material, "")
    own = _without_numbering(found[0][1]) if found else ""
    title = project if readme and project.lower() not in own.lower() else own
    names = names_in(lines)
    ends = [line for line, _ in found[1:]] + [len(lines) + 1]
    for (first, text), end in zip(found, ends[: len(found)], strict=True):
        heading = _without_numbering(text)
        if not 4 <= len(heading) <= _LONGEST_HEADING or _ANYBODYS.fullmatch(heading) or _NO_SUBJECT.search(heading):
            continue
        subject = title if heading != title and not _ANYBODYS.fullmatch(title) else ""
        if not (heading == own and readme) and (question := question_of(heading, subject, names)):
            yield Starter(question, path, first, end - 1)


def _without_numbering(heading: str) -> str:
    return _NUMBERING.sub("", plain(heading)).strip(" .:#")
