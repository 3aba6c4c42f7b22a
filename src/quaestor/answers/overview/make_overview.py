"""Makes an overview: collects statements and fits them into a budget section by section.

The lines that statements stand in become hits that can be cited and checked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from quaestor.answers.overview import document_statistics
from quaestor.answers.overview.build_and_test import Aim, build_lines, customary_commands
from quaestor.answers.overview.document_statistics import languages, table_of_contents, titled_entry
from quaestor.answers.overview.entry_points import entry_points
from quaestor.answers.overview.introduction import introduction, readme_of, shorten
from quaestor.answers.overview.main_parts import importers_of, parts, tree
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.named_paths import guides_to_the_whole, named_paths
from quaestor.answers.overview.overview_text import (
    Entry,
    Overview,
    Section,
    Source,
    Statement,
    line_of,
    sources_of,
    text_of,
)
from quaestor.answers.overview.path_descriptions import description
from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.corpus import Corpus
from quaestor.corpus.document_paths import plain
from quaestor.related.stored_files import IndexedFile
from quaestor.stores import StoredChunk

BUDGET = 1500
"""The default number of tokens of an overview."""
LEAST = 100
"""The fewest tokens for which an overview is made."""
_BUILDING = "Build and test"
_MOST_IMPORTED = 8
_FEWEST_IMPORTERS = 2
_MOST_STARTED = 4
_MOST_GUIDES = 3
_MOST_FIRST = 6
_FIRST = 0.16
"""The share of the budget for the files to read first."""
_INTRODUCED = 240
"""The tokens that an introduction may take of a small budget, if they are at most half of it."""
_LINE = 48
"""The tokens of a long line."""
_AIMS: tuple[Aim, ...] = ("build", "test")
_USUAL = "By convention"
_TITLES: dict[Aim, str] = {"build": "Build", "test": "Tests", "run": "Run"}

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Share:
    """A section that may take a share of the budget."""

    title: str
    entries: Sequence[Entry]
    share: float


def make_overview(
    corpus: Corpus, folder: str = "", *, budget: int = BUDGET, count: Count, begin: bool = False
) -> Overview:
    """Return an overview of a corpus or one of its folders, after bringing the index up to date.

    Args:
        corpus: the corpus.
        folder: the folder; empty or ``.`` for the whole corpus.
        budget: the number of tokens that the text may take, at least 100.
        count: counts the tokens of a text.
        begin: whether the overview begins with the files to read first.

    Raises:
        NotFoundError: there is no such folder.
    """
    within = plain(folder)
    if within:
        corpus.tree(within, 0)
    else:
        corpus.try_refresh()

    def make() -> Overview:
        return _overview_within(Material(corpus.store, within), max(budget, LEAST), count, begin=begin)

    return _make_up_to_date(corpus, ("overview", within, budget, begin, count), make)


def make_build_guide(corpus: Corpus, aim: Aim | None = None, *, count: Count) -> Overview:
    """Return how a corpus is built and tested, or how ``aim`` is reached, after bringing the index up to date.

    Returns:
        An overview with this section only, or without sections if no file says it.
    """
    corpus.try_refresh()

    def make() -> Overview:
        material = Material(corpus.store)
        shares = _shares_of_guide(material, aim) if material.is_code else []
        sections = [section for share in shares for section in _fit(share, count)]
        return _within_budget(Overview("", len(material.documents), tuple(sections), budget=BUDGET), material, count)

    return _make_up_to_date(corpus, ("build guide", aim, count), make)


def _shares_of_guide(material: Material, aim: Aim | None) -> list[_Share]:
    """Return what is stated of an aim, what is usual, and where a program begins; of both aims for None."""
    if aim is None:
        both = [(one, share) for one in _AIMS for share in _shares_of_guide(material, one)]
        told = (f"{_TITLES[one]}, by convention" if share.title == _USUAL else share.title for one, share in both)
        return [replace(share, title=title) for title, (_, share) in zip(told, both, strict=True)]
    stated = build_lines(material, aim)
    usual = [*customary_commands(material, aim, stated)]
    if aim == "build" and not (stated or usual):
        return [_Share(_BUILDING, build_lines(material), BUDGET)]
    started = entry_points(material)[:_MOST_STARTED] if aim == "run" else []
    titles = {_TITLES[aim]: stated, _USUAL: usual, "Entry points": started}
    return [_Share(title, entries, BUDGET) for title, entries in titles.items()]


def make_introduction(corpus: Corpus, *, count: Count) -> Overview:
    """Return a corpus's introduction, after bringing the index up to date, as an overview of at most one section."""
    corpus.try_refresh()

    def make() -> Overview:
        material = Material(corpus.store)
        sections = _fit(_introduction_share(material, int(0.16 * BUDGET), BUDGET, count), count)
        return _within_budget(Overview("", len(material.documents), tuple(sections), budget=BUDGET), material, count)

    return _make_up_to_date(corpus, ("introduction", count), make)


def make_section(corpus: Corpus, title: Literal["Entry points", "Languages"], *, count: Count) -> Overview:
    """Return an overview of one section, or of none if that is empty, after bringing the index up to date."""
    corpus.try_refresh()

    def make() -> Overview:
        material = Material(corpus.store)
        entries = entry_points(material) if title == "Entry points" else languages(material)
        heading = "Languages (files)" if title == "Languages" else title
        sections = _fit(_Share(heading, entries if material.is_code else [], BUDGET), count)
        return _within_budget(Overview("", len(material.documents), tuple(sections), budget=BUDGET), material, count)

    return _make_up_to_date(corpus, (title, count), make)


def _make_up_to_date(corpus: Corpus, key: Hashable, make: Callable[[], Overview]) -> Overview:
    """Make an overview once for each state of the index, and again if a file that it quotes has changed meanwhile."""

    def known_or_made() -> Overview:
        return corpus.while_unchanged(key, make)

    overview = corpus.retry_reopened(known_or_made)
    if corpus.notice_changes(_documents(overview)):
        corpus.try_refresh()
        overview = corpus.retry_reopened(known_or_made)
        corpus.look_at(_documents(overview))
    return replace(overview, hits=tuple(corpus.with_freshness(list(overview.hits))))


def _documents(overview: Overview) -> Iterator[Document]:
    return (hit.document for hit in overview.hits)


def _overview_within(material: Material, budget: int, count: Count, *, begin: bool = False) -> Overview:
    shell = Overview(material.folder, len(material.documents), (), budget=budget)
    room = budget - count(text_of(shell)) - 8
    first = _fit(_Share("Begin with", _read_first(material), _FIRST * room), count) if begin else []
    left = room - sum(_tokens(section, count) for section in first)
    further = _code_sections(material, left, count) if material.is_code else _prose_sections(material, left, count)
    return _within_budget(replace(shell, sections=(*first, *further)), material, count)


def _read_first(material: Material) -> list[Entry]:
    """Return the files to read first: the README, the guides to the whole, where a program begins, what most import.

    Of a book, they are its first chapters.
    """
    readme = readme_of(material, material.folder)
    guides = guides_to_the_whole(material)[:_MOST_GUIDES]
    about = [Entry(readme, description(material, readme))] if readme else []
    chapters = table_of_contents(material)
    if not material.is_code or (chapters and not material.has_program):
        paths = [path for path in (chapters or guides) if path != readme]
        return [*about, *(titled_entry(material.documents[path], material) for path in paths)][:_MOST_FIRST]
    entered = entry_points(material)[:_MOST_GUIDES]
    known = {*guides, *_code_entered(entered)}
    imported = ((path, number) for path, number in importers_of(material).most_common(4) if path not in known)
    return [
        *about,
        *(titled_entry(material.documents[path], material) for path in guides),
        *entered,
        *(Entry(path, _importers(number)) for path, number in [*imported][:2] if number > _FEWEST_IMPORTERS),
    ]


def _code_sections(material: Material, room: int, count: Count) -> Iterator[Section]:
    entries = entry_points(material)
    imported = importers_of(material)
    named = named_paths(material)
    first = [
        *_fit(_introduction_share(material, _room_to_introduce(0.16, room), room, count), count),
        *_fit(_Share("Entry points", entries, 0.16 * room), count),
    ]
    imports = [
        Entry(path, _importers(number))
        for path, number in imported.most_common(_MOST_IMPORTED)
        if number >= _FEWEST_IMPORTERS
    ]
    last = [
        *_fit(_Share("Files that most others import", imports, 0.09 * room), count),
        *_fit(_Share(_BUILDING, _built_and_tested(material), 0.13 * room), count),
        *_fit(_Share("Languages (files)", languages(material), _room_for_line(room)), count),
    ]
    left = room - sum(_tokens(section, count) for section in (*first, *last))
    entered = tuple(_code_entered(entries))
    main_parts = parts(material, named, imported, entered)
    lines = tree(material, main_parts, named, int(left * 0.94), count, entered)
    yield from first
    if lines:
        yield Section("Main parts", tuple(lines))
    yield from last


def _built_and_tested(material: Material) -> list[Entry]:
    """Return the lines that say how a project is built and tested, and the usual commands where none is stated."""
    usual = (customary_commands(material, aim, build_lines(material, aim)) for aim in _AIMS)
    return [*build_lines(material), *chain(*usual)]


def _code_entered(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the files of entry points, each once; a container tells how a program is started, not where it begins."""
    for path in dict.fromkeys(entry.name.partition(" → ")[2] or entry.name for entry in entries):
        if not path.rpartition("/")[2].lower().startswith("dockerfile"):
            yield path


def _prose_sections(material: Material, room: int, count: Count) -> Iterator[Section]:
    if not material.documents:
        return
    first = [*_fit(_introduction_share(material, _room_to_introduce(0.2, room), room, count), count)]
    about = _fit(_Share("Documents", document_statistics.about_documents(material), 0.2 * room), count)
    folders = _fit(_Share("Folders", document_statistics.kinds(material), 0.15 * room), count)
    last = [*_fit(_Share("Languages (files)", languages(material), _room_for_line(room)), count)]
    left = room - sum(_tokens(section, count) for section in (*first, *about, *folders, *last))
    yield from (*first, *about, *folders)
    yield from _fit(_Share("Titles", document_statistics.titles(material), left), count)
    yield from last


def _room_to_introduce(share: float, room: int) -> int:
    """Return the tokens for the introduction, which matters most where there is room for little."""
    return max(int(share * room), min(_INTRODUCED, room // 2))


def _room_for_line(room: int) -> float:
    """Return the tokens for a section of one line: enough for a long one, where that is a small part of the room."""
    return max(0.06 * room, _LINE * (room > 8 * _LINE))


def _introduction_share(material: Material, room: int, whole: int, count: Count) -> _Share:
    """Return the introduction, shortened so that its first statement fits."""
    statements = introduction(material)
    if not statements:
        return _Share("What it is", (), 0)
    first = statements[0]
    while count(first.text) > max(room - 8, 20) and len(first.text) > 60:
        first = first._replace(text=shorten(first.text, int(len(first.text) * 0.7)), verbatim=False)
    return _Share("What it is", [Entry(says=one) for one in (first, *statements[1:])], max(room, min(whole, 60)))


def _importers(number: int) -> Statement:
    """Return in words how many files import a file."""
    return Statement(f"imported by {number:,} files")


def _fit(share: _Share, count: Count) -> list[Section]:
    """Return a section with as many lines as its share of the budget allows; an empty list if no line fits."""
    left = share.share - count(share.title) - 3
    entries: list[Entry] = []
    for entry in share.entries:
        tokens = count(line_of(entry, 10)) + 1
        if tokens > left:
            break
        left -= tokens
        entries.append(entry)
    return [Section(share.title, tuple(entries), len(share.entries) - len(entries))] if entries else []


def _tokens(section: Section, count: Count) -> int:
    return count(section.title) + 3 + sum(count(line_of(entry, 10)) + 1 for entry in section.entries)


def _within_budget(overview: Overview, material: Material, count: Count) -> Overview:
    """Return an overview within its budget; the last lines of the longest section are dropped first."""
    while True:
        hits, numbers = _numbered_hits(material, sources_of(overview.sections))
        cut = replace(overview, hits=hits, _numbers=numbers)
        text = text_of(cut)
        cut = replace(cut, text=text, tokens=count(text))
        if cut.tokens <= cut.budget or not cut.sections:
            return cut
        overview = replace(overview, sections=_shorten_sections(overview.sections))


def _shorten_sections(sections: Sequence[Section]) -> tuple[Section, ...]:
    longest = max(range(len(sections)), key=lambda at: len(sections[at].entries))
    cut = sections[longest]
    gone = max(1, len(cut.entries) // 20)
    shortened = cut._replace(entries=cut.entries[:-gone], left_out=cut.left_out + gone)
    changed = (*sections[:longest], shortened, *sections[longest + 1 :])
    return tuple(section for section in changed if section.entries)


def _numbered_hits(material: Material, sources: Iterable[Source]) -> tuple[tuple[Hit, ...], dict[Source, int]]:
    """Return the hits of some sources, each once, and the position of each source's hit."""
    hits: list[Hit] = []
    numbers: dict[Source, int] = {}
    for source in sources:
        file = material.read(source.path)
        hit = None if file is None else _hit(file, source)
        if hit is not None:
            numbers[source] = len(hits)
            hits.append(hit)
    return tuple(hits), numbers


def _hit(file: IndexedFile, source: Source) -> Hit | None:
    """Return the lines of a source as a hit; None if the index holds none of them."""
    first = _chunk_holding(file.chunks, source.start_line)
    last = _chunk_holding(file.chunks, source.end_line) or first
    if first is None or last is None:
        return None
    start = first.chunk.span.start + _offset(first, source.start_line, file.document.encoding)
    end = last.chunk.span.start + _offset(last, source.end_line + 1, file.document.encoding)
    text = "\n".join(line.removesuffix("\r") for line in file.lines[source.start_line - 1 : source.end_line])
    span = Span(start, max(start, end), source.start_line, source.end_line)
    chunk = first.chunk
    return Hit(file.document, Chunk(span, text, chunk.symbol, chunk.kind, chunk.scope), 0.0, chunk_id=first.id)


def _chunk_holding(chunks: Sequence[StoredChunk], line: int) -> StoredChunk | None:
    return next((one for one in chunks if one.chunk.span.start_line <= line <= one.chunk.span.end_line), None)


def _offset(stored: StoredChunk, line: int, encoding: str) -> int:
    """Return how many bytes of a chunk precede a line."""
    before = stored.chunk.text.splitlines(keepends=True)[: line - stored.chunk.span.start_line]
    return len("".join(before).encode(encoding, "replace"))
