"""Suggested questions, made from a corpus's title, headings and the names in its code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from quaestor.answers.overview.document_statistics import language_of_document
from quaestor.answers.overview.introduction import readme_of
from quaestor.answers.overview.main_parts import importers_of
from quaestor.answers.overview.material import Material, is_code
from quaestor.answers.overview.prose_lines import headings, plain
from quaestor.answers.project.heading_questions import TELL_IN, names_in, question_of, subject_of_question
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import terms_of_word
from quaestor.corpus import Corpus
from quaestor.search.background_documents import is_generated
from quaestor.search.names_in_question import looks_like_code
from quaestor.stores import StoredChunk

_OF_ALL = "What is this about?"
_OF_ALL_IN = {
    "de": "Worum geht es hier?",
    "fr": "De quoi s'agit-il ?",
    "es": "¿De qué trata esto?",
    "zh": "这是什么项目？",
    "ja": "これは何ですか？",
}
"""The same question in other languages."""
_OF_PROGRAMS = ("How do I build and test it?", "What changed in the last release?")
OF_ALL = frozenset({_OF_ALL, *_OF_ALL_IN.values(), *_OF_PROGRAMS})
"""Questions about all of one corpus, which call it "this" or "it"."""

_MOST_FILES = 6
_READ = 24
_OF_EACH = 3
_LOOKED_AT = 12
_MOST_ALIKE = 2
"""A question that more sections than these lead to is not suggested."""
_LONGEST_HEADING = 60
_KINDS = frozenset({"class", "function", "method", "type", "interface", "struct", "trait", "enum"})
_TYPES = _KINDS - {"function", "method"}
_OF_BUILDS = frozenset("make cmake dockerfile meson groovy bazel".split())
_BESIDE_PROGRAM = re.compile(
    r"(?:^|/)(?:[^/]*[-_])?(?:examples?|samples?|demos?|playgrounds?|fixtures)(?:[-_][^/]*)?/|(?:^|/)(?:scripts?|tools?|build|ci|contrib|packer|hack|misc|vendor|runner|migrations?)/"
    r"|(?:^|/)(?:setup|conftest|fabfile|noxfile|tasks|gulpfile|build|webpack[.\w]*|rollup[.\w]*|vite[.\w]*)\.\w+$|[-_.](?:pb|generated|gen)\.\w+$"
)
"""Code that is no part of the program: build scripts, examples, generated files."""
_GUIDE = re.compile(
    r"(?:^|/)(?:\d+[-_]*)?(?:getting[-_]?started|quick[-_]?start|tutorial|usage|guide|introduction|overview|basics?|index"
    r"|readme)\.(?:md|mdx|rst|adoc|txt)$",
    re.IGNORECASE,
)
_CODE = re.compile(r"```[^`]*```|``[^`\n]+``|`[^`\n]+`|^(?: {4}|\t).*", re.MULTILINE)
_NAME = re.compile(r"[^\W\d_][\w$]{3,60}")
_MOST_MENTIONED = 80
_DEFINING = 400
_FAULTS = ("Error", "Exception", "Warning")
# A comment before a definition, or a documentation string behind its first lines, with the first of its words.
_EXPLAINED = re.compile(
    r"\s*(?:(?://+!?|/\*+|#+(?=\s)|--+|;+|%+|\{-)(?:\s|\*|\|)*(?P<words>\w.*)"
    r"|(?:[^\n]*\n){0,8}?\s*(?:\"{3}|'{3}|@doc)\s*(?P<inside>\w.*))"
)
_UNWRITTEN = re.compile(r"\b(?:TODO|FIXME|XXX|Copyright|Licen[cs]ed?|SPDX)\b", re.IGNORECASE)
_NUMBERING = re.compile(r"^(?:(?:chapter|section|part|appendix|page)\s+)?[\dA-Z]?(?:\.?\d+)*[.):]*\s+", re.IGNORECASE)
# What every second document has says nothing of this one.
_ANYBODYS = re.compile(
    r"(?:table of )?contents?|index|introduction\b.*|overview|about\b.*|summary|conclusions?|references|bibliography"
    r"|notes?|.*licen[cs]es?\b.*|copyright|contribut\w+.*|credits?|thanks?\b.*|acknowledg\w+|authors?|history|news"
    r"|links|see also|further reading|todo|faq|readme|(?:\S+ ){0,3}examples?|page \d+|untitled|unreleased"
    r"|titles?|change ?log|documentation|resources|downloads?|screenshots?|roadmap|.*\breleases"
    r"|.*\bsponsors?|.*code of conduct.*|.*security (?:polic|report|issue)\w*|.*\bdisclosure.*|our (?:pledge|standards)"
    r"|.*\bguidelines|purpose|motivation|rationale|abstract|specification|background|status|help(?: and .*)?"
    r"|getting help|support|community|docs.*community|requirements|prerequisites|features|release .*|terminology"
    r"|版权.*|.*许可.*|.*协议|参考.*|致谢|鸣谢|目录|前言|序言?|贡献.*|谢辞|ライセンス.*|著作権.*"
    r"|contact\b.*|definitions|disclaimer|examples?\b.*|authors?\b.*"
    r"|(?:über|sobre|à propos|objeti[vf]|inhalt|einleitung|einführung|sommaire|tables? des mati|introducci"
    r"|présentation|índice)\w*\b.*",
    re.IGNORECASE,
)
# Newcomers ask about the project, not about working on it.
_ASIDE = re.compile(
    r"(?:^|/)\.|(?:^|/)(?:code[-_]of[-_]conduct|security|contributing|sponsors?|agents|claude|releas\w*|maintenance|pull_request_template|tos|terms|privacy|policy|policies"
    r"|licen[cs]e|changelog|changes|history|news)\b[^/]*$",
    re.IGNORECASE,
)
# A version, a date or an address is the name of a section, and no subject.
_NO_SUBJECT = re.compile(r"\d+\.\d|\d{4}-\d|https?:|^\W*$|[{}\[\]<>|:]|\.\.\.|…|^(?:\W*[A-Z]{2,}\W+)+[A-Z]{2,}\W*$")
_WRITTEN = frozenset(
    {"markdown", "restructuredtext", "asciidoc", "mediawiki", "html", "org", "docx", "pdf", "epub", "latex"}
)


@dataclass(frozen=True, slots=True)
class Starter:
    """A suggested question.

    Attributes:
        question: the question as a person would ask it.
        path: the document that should answer it; empty if any may.
        first: the first line of the part that should answer it, 1-based.
        last: the last line of that part, inclusive.
    """

    question: str
    path: str = ""
    first: int = 1
    last: int = 10**9

    def is_answered_by(self, path: str, first: int, last: int) -> bool:
        """Return whether lines of a document overlap the place where the answer should be."""
        return not self.path or (path == self.path and first <= self.last and self.first <= last)


def starters(corpus: Corpus) -> Iterator[Starter]:
    """Yield questions that a corpus should be able to answer, the most telling first.

    They are made from names and headings without a search, so the caller must check that each is answered.
    """
    material = Material(corpus.store)
    if (readme := readme_of(material, "")) is not None:
        yield Starter(_OF_ALL_IN.get(language_of_document(material.lines(readme)), _OF_ALL))
    of_prose = list(_of_prose(material, corpus.retriever.project))
    acts = [starter for starter in of_prose if not subject_of_question(starter.question)]
    things = [starter for starter in of_prose if subject_of_question(starter.question)]
    code = _of_code(material) if material.is_code else iter(())
    if _is_mostly_written(material):
        yield from chain(acts, things, code)
    else:
        # What a program's documents are about tells less than how something is done, and than its code.
        # Newcomers build a program, and ask what is new, before they ask what a single function does.
        about_programs = iter(Starter(question) for question in _OF_PROGRAMS if material.is_code)
        yield from chain(_alternate(about_programs, code, iter(acts)), things)


def _is_mostly_written(material: Material) -> bool:
    """Return whether a corpus holds more prose than code, not counting tests and the like."""
    documents = [document for path, document in material.documents.items() if _is_own(material, path)]
    prose = sum(document.size for document in documents if document.language in _WRITTEN)
    return prose > sum(document.size for document in documents if is_code(document))


def _alternate(*series: Iterator[Starter]) -> Iterator[Starter]:
    """Yield the first of each series, then the second of each that has one, and so on."""
    return filter(None, chain.from_iterable(zip_longest(*series)))


def _of_code(material: Material) -> Iterator[Starter]:
    """Yield questions about definitions in the files that most others import, or else in the largest files.

    Definitions with a comment come first, because their answers begin with prose.
    """
    mentioned = list(islice(_mentioned(material), _MOST_FILES))
    counted = Counter({path: count for path, count in importers_of(material).items() if _is_program(material, path)})
    programs = (path for path in material.documents if _is_program(material, path))
    largest = sorted(programs, key=lambda path: -material.documents[path].size)
    paths = list(dict.fromkeys([*(path for path, _ in counted.most_common(_MOST_FILES)), *largest]))[:_MOST_FILES]
    by_file = [definitions for path in paths if (definitions := _telling_definitions(material, path))]
    first = sorted((definitions[0] for definitions in by_file), key=lambda definition: not definition.is_explained)
    for path, name, kind, _ in dict.fromkeys([*mentioned, *first]):
        thing = f"`{name}`" if looks_like_code(name) else f"the {kind} `{name}`"
        yield Starter(f"What does {thing} do?", path)
    for definitions in by_file:
        yield from (Starter(f"Who uses `{definition.name}`?") for definition in definitions[1:])


class _Definition(NamedTuple):
    """A public definition, and whether a comment or a docstring explains it."""

    path: str
    name: str
    kind: str
    is_explained: bool


def _definition(stored: StoredChunk) -> _Definition:
    name = (stored.chunk.symbol or "").rpartition(".")[2]
    return _Definition(stored.document.path, name, stored.chunk.kind, _is_explained(stored.chunk.text))


def _mentioned(material: Material) -> Iterator[_Definition]:
    """Yield definitions that the README and the first guides name in code, those named most often first."""
    readme = readme_of(material, "")
    guides = sorted(
        (path for path in material.documents if _GUIDE.search(path) and _is_own(material, path)),
        key=lambda path: (path.count("/"), path),
    )
    paths = islice(dict.fromkeys([*([readme] if readme else []), *guides]), _MOST_FILES)
    texts = ["\n".join(material.lines(path)) for path in paths]
    counts = Counter(name for text in texts for code in _CODE.findall(text) for name in set(_NAME.findall(code)))
    names = [name for name, _ in counts.most_common(_MOST_MENTIONED)]
    definitions = dict[str, _Definition]()
    stored_definitions = material.store.get(material.store.defining(names, _DEFINING)).values()
    for definition in map(_definition, filter(_tells, stored_definitions)):
        telling = looks_like_code(definition.name) or (definition.kind in _TYPES and definition.name[:1].isupper())
        if definition.name in counts and telling and _is_program(material, definition.path):
            definitions.setdefault(definition.name, definition)
    yield from sorted(definitions.values(), key=lambda one: (one.kind not in _TYPES, -counts[one.name]))


def _tells(stored: StoredChunk) -> bool:
    """Return whether a chunk defines something public that a newcomer may ask for, and no class of errors."""
    symbol = (stored.chunk.symbol or "").rpartition(".")[2]
    public = stored.chunk.kind in _KINDS and not stored.chunk.scope and not symbol.endswith(_FAULTS)
    return public and _NAME.fullmatch(symbol) is not None


def _is_own(material: Material, path: str) -> bool:
    profile = material.profile(path)
    return not (profile.test or profile.example or profile.background or _ASIDE.search(path))


def _is_program(material: Material, path: str) -> bool:
    """Return whether a file is a part of the program itself, and not of examples, tools, builds and generated code."""
    document = material.documents.get(path)
    if document is None:
        return False  # a package's folder, by which Go imports it
    of_program = is_code(document) and _is_own(material, path) and not is_generated(document.note)
    return of_program and document.language not in _OF_BUILDS and not _BESIDE_PROGRAM.search(path)


def _telling_definitions(material: Material, path: str) -> list[_Definition]:
    """Return two definitions of a file: those with a comment come first, then those that occur in most places."""
    definitions = dict.fromkeys(_public_definitions(material, path))
    terms = {definition.name: max(terms_of_word(definition.name), key=len) for definition in definitions}
    counts = material.store.frequencies(terms.values())
    return sorted(definitions, key=lambda one: (not one.is_explained, -counts.get(terms[one.name], 0)))[:2]


def _public_definitions(material: Material, path: str) -> Iterator[_Definition]:
    """Yield a file's public definitions, without error classes, which are used everywhere."""
    for definition in map(_definition, filter(_tells, material.store.chunks_of(path))):
        # "read" or "flags" of a function tells nobody anything.
        if definition.kind in _TYPES or looks_like_code(definition.name):
            yield definition


def _is_explained(code: str) -> bool:
    """Return whether a definition has a comment or docstring with some words."""
    match = _EXPLAINED.match(code)
    return match is not None and not _UNWRITTEN.search(match["words"] or match["inside"])


def _of_prose(material: Material, project: str) -> Iterator[Starter]:
    """Yield questions about sections of the README and of the other longest documents, one of each in turn."""
    readme = readme_of(material, "")
    others = sorted(
        (path for path, one in material.documents.items() if one.language in _WRITTEN and _is_own(material, path)),
        key=lambda path: -material.documents[path].size,
    )
    # A file in Word or HTML is larger than its text, so that a form of half a page would come before any chapter.
    others = sorted(others[:_READ], key=lambda path: -sum(map(len, material.lines(path))))
    paths = list(dict.fromkeys([*([readme] if readme else []), *others]))[:_MOST_FILES]
    looked_at = [list(islice(_questions_from_headings(material, path, project), _LOOKED_AT)) for path in paths]
    # A heading that many documents share, such as "Description", makes a question about none of them.
    counts = Counter(question for starters in looked_at for question in {one.question for one in starters})
    sections = [_most_telling(one for one in starters if counts[one.question] <= _MOST_ALIKE) for starters in looked_at]
    yield from _alternate(*map(iter, sections))


def _most_telling(candidates: Iterable[Starter]) -> list[Starter]:
    """Return a document's first sections on how to do something, then those about a thing."""
    return sorted(candidates, key=_tells_little)[:_OF_EACH]


def _tells_little(starter: Starter) -> tuple[bool, bool]:
    """Return a sort key: acts and differences come first, then things of several words, then things of one word."""
    about = subject_of_question(starter.question)
    return bool(about), bool(about) and " " not in about


def _questions_from_headings(material: Material, path: str, project: str) -> Iterator[Starter]:
    lines = material.lines(path)
    sections = list(headings(lines))
    readme = path == readme_of(material, "")
    top = _without_numbering(sections[0][1]) if sections else ""
    title = project if readme and project.lower() not in top.lower() else top
    names, language = names_in(lines), language_of_document(lines)
    ends = [line for line, _ in sections[1:]] + [len(lines) + 1]
    for (first, text), end in zip(sections, ends[: len(sections)], strict=True):
        heading = _without_numbering(text)
        if not 4 <= len(heading) <= _LONGEST_HEADING or _ANYBODYS.fullmatch(heading) or _NO_SUBJECT.search(heading):
            continue
        leads_elsewhere = 2 * sum("://" in line for line in lines[first : end - 1]) > end - first
        subject = title if heading != title and not _ANYBODYS.fullmatch(title) else ""
        if not (leads_elsewhere or (heading == top and readme)) and (question := question_of(heading, subject, names)):
            thing = subject_of_question(question)
            before, after = TELL_IN.get(language, ("", ""))
            yield Starter(f"{before}{heading}{after}" if thing and before else question, path, first, end - 1)


def _without_numbering(heading: str) -> str:
    return _NUMBERING.sub("", plain(heading)).strip(" .:#")
