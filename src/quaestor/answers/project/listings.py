"""Lists what a project declares of one kind: its routes, commands, exit codes, errors, models, migrations, scripts.

"Which routes are there?" has one telling word, and the places that declare a route do not have it: a search finds what
mentions routes. ``listings.toml`` holds the forms in which languages and frameworks declare each kind. A list is
complete as far as these forms go, and says so.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import groupby, islice
from pathlib import Path

from quaestor.answers.drafts import CorpusLines, Draft, end_of_statement, in_code, innermost_definition
from quaestor.answers.overview.overview_answer import with_own_name
from quaestor.answers.overview.overview_question import short_question
from quaestor.answers.project.facts import lines_of
from quaestor.answers.settings.explain_option import section_about
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE, knows_extension
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import terms
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.search.path_roles import folders_to_sources, profile_path

MOST_READ = 3000
"""The most chunks that are searched for each word; beyond them, the answer says "at least"."""
MOST_SHOWN = 80
_MOST_PLACES = 3
MOST_FILES, _MOST_QUOTED, _HEAD, _NEAR, _SHORT = 3, 24, 6, 4, 10
_LARGEST = 400_000
"""The most characters of a file that is read; a larger one is generated."""
_LONGEST_NAME = 120
_AFTER = 1500
"""The most characters between a mark and the definition that it marks."""
_SHELLS = (".sh", ".bash", ".fish", ".zsh", ".ps1")
_NEXT_NAME = lazy_regex(
    r"^[^\S\n]*(?:[\w<>,]+[ \t]+){0,5}?(?:def|class|func|fun|fn|function|struct|record)[ \t]+(\w+)", re.MULTILINE
)
_START = (
    r"(?:(?:what|which)(?:'s)?(?:\s+(?:are|is))?|where\s+(?:are|is|do\s+i\s+find|can\s+i\s+find)"
    r"|in\s+which\s+files?\s+(?:are|is)|list|show(?:\s+me)?|are\s+there(?:\s+any)?)"
)
BEFORE = (
    r"(?:\s+(?:all|of|the|its|our|your|every|available|supported|possible|existing|custom|own|different|defined|public"
    r"|main))*"
)
_REST = (
    r"(?:\s+(?:is|are|does|do|can|could|it|its|there|here|exist|exists|defined|declared|listed|registered|located|kept"
    r"|stored|implemented|available|supported|provided|offered|exposed|served|used|raised|thrown|returned|have|has|offer"
    r"|provide|support|expose|define|declare|serve|use|need|needs|want|ask|asks|require|requires|request|requests|raise"
    r"|throw|return|returns|accept|understand|know|i|you|we|one|run|call|set|of|in|by|for|the|this|that|code|project"
    r"|repo|repository|codebase|program|app|application|server|api|tool|cli|database|library|package|service|backend"
    r"|file|script))*"
)
_MIGRATIONS = r"(?:(?:database|db|schema|sql|data)\s+)*migrations?"
_A_MIGRATION = lazy_regex(
    r"^(?P<folder>(?:[^/]+/)*(?:migrations?|migrate|versions|changelog))/(?P<name>(?:V?\d|[0-9a-f]{12}_)[^/]*)(?:/.*)?$",
    re.IGNORECASE,
)
_MIGRATES = lazy_regex(r"(?:^|/)\w*(?:DB|Database|Schema|Room)\w*(?:Upgrader|Migrat\w+)\.\w+$")
"""A file that brings a database from one version to the next."""
_REPEATED = lazy_regex(r"(\\[sw]|\[(?:\\.|[^\]\\])+\])([*+])")


class Form(NamedTuple):
    """One way to declare something; ``listings.toml`` describes the fields."""

    languages: frozenset[str]
    pattern: str
    within: str


class Kind(NamedTuple):
    """One kind of things that projects declare; ``listings.toml`` describes the fields."""

    noun: str
    many: str
    question: str
    words: str
    forms: tuple[Form, ...]
    paths: str
    headings: tuple[str, ...]
    by_value: bool


class Declaration(NamedTuple):
    """One declaration; they sort with the main sources first. ``how``: a route's method, or a constant's value."""

    depth: int
    path: str
    line: int
    name: str
    how: str


@cache
def kinds() -> tuple[Kind, ...]:
    """Return the kinds of things that can be listed."""
    table = tomllib.loads(Path(__file__).with_name("listings.toml").read_text(encoding="utf-8"))
    return tuple(
        Kind(
            entry["noun"],
            entry["many"],
            entry["question"],
            entry["words"],
            tuple(
                Form(
                    frozenset(form.get("languages", "").split()),
                    *map(_bounded, (form["pattern"], form.get("within", ""))),
                )
                for form in entry["form"]
            ),
            entry.get("paths", ""),
            tuple(entry.get("headings", ())),
            entry.get("by_value", False),
        )
        for entry in table["kind"]
    )


def list_declared(question: Question, corpus: Corpus) -> WayAnswer | None:
    """List what is declared of the kind that a question asks for; None for any other, or if nothing is found."""
    text = with_own_name(short_question(question.text), corpus, "it")
    if re.match(_START, text) is None:
        return None
    if _asks_for(_MIGRATIONS).fullmatch(text):
        corpus.try_refresh()
        return corpus.retry_reopened(lambda: _list_migrations(corpus))
    for kind in kinds():
        if match := _asks_for(kind.question).fullmatch(text):
            corpus.try_refresh()
            return corpus.retry_reopened(partial(_list_kind, kind, match["things"], corpus))
    return None


def _bounded(pattern: str) -> str:
    """Return a pattern whose letters repeat a hundred times at most: a hostile file takes no longer than others."""
    return _REPEATED.sub(lambda match: f"{match[1]}{{{int(match[2] == '+')},100}}", pattern)


@lru_cache(maxsize=64)
def _asks_for(things: str) -> re.Pattern[str]:
    return re.compile(rf"{_START}{BEFORE}\s+(?P<things>{things}){_REST}")


def _list_kind(kind: Kind, heading: str, corpus: Corpus) -> WayAnswer | None:
    """Return a document's section on them, if any, all that is declared, and the beginning of these declarations."""
    lines, draft = CorpusLines(corpus), Draft()
    declarations, complete = _declared(kind, corpus, lines)
    if not declarations:
        return None
    sections = (section_about(corpus, lines, title) for title in (heading, *kind.headings))
    documented = next(filter(None, sections), None) or _table_of(kind, corpus, lines)
    if documented is not None:
        draft.quote(documented)
    draft.say(_describe_declarations(kind, declarations, complete=complete))
    for path, first, last in _stretches(declarations, lines) if documented is None else ():
        draft.quote(lines.hit(path, first, last))
    return draft.finish("listing")


def declarations_of(noun: str, corpus: Corpus, lines: CorpusLines) -> list[Declaration]:
    """Return all declarations of the kind that a noun names in ``listings.toml``, the main sources first."""
    return _declared(next(kind for kind in kinds() if kind.noun == noun), corpus, lines)[0]


def _describe_declarations(kind: Kind, declarations: Sequence[Declaration], *, complete: bool) -> str:
    """Return in words what is declared: file by file, or of values that stand in many places, value by value."""
    names = {declaration.name for declaration in declarations}
    paths = {declaration.path for declaration in declarations}
    noun = kind.noun if len(names) == 1 else kind.many
    least = "" if complete else "at least "
    rows = _by_value(declarations) if kind.by_value else _by_file(declarations)
    left = 0 if kind.by_value else len(declarations) - MOST_SHOWN
    more = f"\n- and {left:,} more" if left > 0 else ""
    listed = "\n".join(f"- {row}" for row in rows)
    return (
        f"The code declares {least}{len(names):,} {noun} in {amount(len(paths), 'file')}, "
        f"as far as the usual forms show (line numbers in brackets):\n\n{listed}{more}"
    )


def _by_file(declarations: Sequence[Declaration]) -> Iterator[str]:
    """Yield for each file what it declares, and for each folder the files that are one declaration each."""
    for place, declared in groupby(islice(declarations, MOST_SHOWN), key=_place_of):
        labels = (f"{_label(one)} ({one.line})" if one.line else _label(one) for one in declared)
        yield f"{in_code(place)}: {', '.join(labels)}"


def _place_of(declaration: Declaration) -> str:
    return declaration.path if declaration.line else declaration.path.rpartition("/")[0] + "/"


def _by_value(declarations: Sequence[Declaration]) -> Iterator[str]:
    """Yield for each value where it stands, the smallest first."""
    names = {declaration.name for declaration in declarations}
    for name in islice(sorted(names, key=lambda name: (len(name), name)), MOST_SHOWN):
        declared = [declaration for declaration in declarations if declaration.name == name]
        shown = ", ".join(in_code(f"{declaration.path}:{declaration.line}") for declaration in declared[:_MOST_PLACES])
        more = len(declared) - _MOST_PLACES
        yield f"{_label(declared[0])}: {shown}{f' and {more:,} more places' if more > 0 else ''}"


def _label(declaration: Declaration) -> str:
    value = declaration.how.lstrip("-").isdigit()
    name = f"{declaration.how.upper()} {declaration.name}" if declaration.how and not value else declaration.name
    return f"{in_code(name or '/')}{f' = {declaration.how}' if value else ''}"


def _declared(kind: Kind, corpus: Corpus, lines: CorpusLines) -> tuple[list[Declaration], bool]:
    """Return all declarations of a kind, the main sources first, and whether all that may hold one were looked at."""
    paths, complete = _paths_holding(kind.words, corpus)
    declarations = [declaration for path in paths for declaration in declared_in(kind, path, lines)]
    if kind.by_value:  # a script's exit code is that of the program only where there is no other
        of_programs = [declaration for declaration in declarations if not declaration.path.endswith(_SHELLS)]
        declarations = of_programs or declarations
    if kind.paths:
        pattern = re.compile(kind.paths)
        named_paths = ((path, pattern.search(path)) for path in corpus.store.documents() if not is_aside(path))
        declaring = {declaration.path for declaration in declarations}
        named_so = ((path, match[match.lastgroup]) for path, match in named_paths if match and match.lastgroup)
        declarations += [_declaration(path, 0, name, "") for path, name in named_so if path not in declaring]
    return sorted(set(declarations)), complete


def _paths_holding(words: str, corpus: Corpus) -> tuple[list[str], bool]:
    """Return the paths of the files whose chunks hold any of some words, and whether none was left out."""
    chunk_ids = [corpus.store.holding(terms(word), MOST_READ) for word in words.split()]
    paths = corpus.store.paths_of({identifier: None for ids in chunk_ids for identifier in ids})
    return sorted(path for path in paths if not is_aside(path)), all(len(ids) < MOST_READ for ids in chunk_ids)


def is_aside(path: str) -> bool:
    """Return whether a file is a test, an example or a background document."""
    profile = profile_path(path)
    return profile.test or profile.example or bool(profile.background)


def declared_in(kind: Kind, path: str, lines: CorpusLines) -> Iterator[Declaration]:
    """Yield what a file declares."""
    file = lines.file(path)
    if file is None or len(file.text) > _LARGEST:
        return
    language = "prisma" if path.endswith(".prisma") else file.document.language
    is_code = language not in PROSE and knows_extension(path)
    for form in kind.forms:
        if language in form.languages or (is_code and not form.languages):
            for start, name, how in _matches(form, file.text):
                yield _declaration(path, file.text.count("\n", 0, start) + 1, name, how)


def _declaration(path: str, line: int, name: str, how: str) -> Declaration:
    return Declaration(folders_to_sources(path), path, line, name[:_LONGEST_NAME], how)


def _matches(form: Form, text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the offset, the name and the manner of each declaration in a text."""
    for begin, end in _blocks(form, text):
        for match in re.compile(form.pattern, re.MULTILINE).finditer(text, begin, end):
            groups = match.groupdict()
            how = groups.pop("how", None) or ""
            key = next((group for group, value in groups.items() if value is not None), "")
            if key:
                yield match.start(key), groups[key] or "", how
            elif after := _NEXT_NAME.search(text, match.end(), match.end() + _AFTER):
                yield match.start(), after[1], how


def _blocks(form: Form, text: str) -> Iterable[tuple[int, int]]:
    """Yield the bounds of the blocks in which declarations stand: all of the text, or what follows each opening."""
    if not form.within:
        return ((0, len(text)),)
    openings = re.finditer(form.within, text, re.MULTILINE)
    return [(match.end(), _end_of_block(text, match.end())) for match in openings]


def _end_of_block(text: str, opened: int) -> int:
    """Return where a block ends: before the first line that is no deeper than its opening, or the next [section]."""
    head = text[text.rfind("\n", 0, opened - 1) + 1 : opened]
    ends = r"^\[" if head.startswith("[") else rf"^[ \t]{{0,{len(head) - len(head.lstrip())}}}\S"
    close = re.compile(ends, re.MULTILINE).search(text, text.find("\n", opened - 1) + 1)
    return len(text) if close is None else close.start()


def _table_of(kind: Kind, corpus: Corpus, lines: CorpusLines) -> Hit | None:
    """Return the table of a document whose first column is named after the kind; None if there is none."""
    head = re.compile(rf"^\|?\s*[`*]*{kind.noun}s?[`*]*\s*\|", re.IGNORECASE | re.MULTILINE)
    tables = []
    for stored in corpus.store.get(corpus.store.holding(terms(kind.noun), MOST_READ)).values():
        path, match = stored.document.path, head.search(stored.chunk.text)
        if match and stored.document.language in PROSE:
            first = stored.chunk.span.start_line + stored.chunk.text.count("\n", 0, match.start())
            tables.append((profile_path(path).flags, folders_to_sources(path), path, first))
    if not tables:
        return None
    *_, path, first = min(tables)
    last, texts = first, lines_of(path, lines)
    while last < len(texts) and "|" in texts[last] and last - first < _MOST_QUOTED:
        last += 1
    return lines.hit(path, first, last)


def _stretches(declarations: Sequence[Declaration], lines: CorpusLines) -> Iterator[tuple[str, int, int]]:
    """Yield the lines of the files that declare most: there, where most declarations stand together."""
    by_file: dict[str, list[int]] = {}
    for declaration in declarations:
        by_file.setdefault(declaration.path, []).append(declaration.line)
    order = sorted(by_file, key=lambda path: (-len(by_file[path]), folders_to_sources(path), path))
    for path in order[:MOST_FILES]:
        first, last = max(_runs(sorted(by_file[path])), key=lambda run: run[1] - run[0])
        if first == last > 0:
            yield path, *_whole_if_short(path, first, lines)
        elif first:
            yield path, first, end_of_statement(lines_of(path, lines), last)
        else:
            yield path, *head_of(path, lines)


def _whole_if_short(path: str, line: int, lines: CorpusLines) -> tuple[int, int]:
    """Return the first and last line of the definition on a line if it is short, else those of its statement."""
    definition = innermost_definition(lines.definitions(path), line)
    if definition is not None and definition.span.end_line - definition.span.start_line < _SHORT:
        return definition.span.start_line, definition.span.end_line
    return line, end_of_statement(lines_of(path, lines), line)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of declarations that stand close together."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number - last > _NEAR or number - first >= _MOST_QUOTED:
            yield first, last
            first = number
        last = number
    yield first, last


def head_of(path: str, lines: CorpusLines) -> tuple[int, int]:
    """Return the lines that show what a file is: the first of its first definition, else of the file."""
    definitions, last = lines.definitions(path), len(lines_of(path, lines))
    first = min((definition.span.start_line for definition in definitions), default=1)
    return first, min(last, first + _HEAD - 1)


def _list_migrations(corpus: Corpus) -> WayAnswer | None:
    """Return the folders of migrations with the first and the last of each, and what else migrates by its name."""
    folders: dict[str, list[tuple[str, str]]] = {}
    alone = []
    for path in sorted(path for path in corpus.store.documents() if not is_aside(path)):
        if match := _A_MIGRATION.match(path):
            folders.setdefault(match["folder"], []).append((match["name"], path))
        elif _MIGRATES.search(path):
            alone.append(path)
    lines, draft = CorpusLines(corpus), Draft()
    if folders:
        rows = "\n".join(_describe_folder(folder, [name for name, _ in files]) for folder, files in folders.items())
        draft.say(f"Migrations are kept in {amount(len(folders), 'folder')}:\n\n{rows}")
    newest = [files[-1][1] for files in sorted(folders.values(), key=lambda files: -len(files))]
    for path in [*alone, *newest][:MOST_FILES]:
        draft.quote(lines.hit(path, 1, min(_MOST_QUOTED, len(lines_of(path, lines)))))
    return draft.finish("listing") if draft.hits else None


def _describe_folder(folder: str, names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    ends = f"{in_code(names[0])} to {in_code(names[-1])}" if len(names) > 1 else in_code(names[0])
    return f"- {in_code(f'{folder}/')}: {amount(len(names), 'migration')}, {ends}"
