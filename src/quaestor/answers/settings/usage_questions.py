"""Answers how something is done with the program: "How do I follow symlinks?", "Can I use it with pandas?".

A search compares whole passages with the question, so that a page of options, of which one line answers, is as good as
any other. What answers is the section of a document for users whose heading says what is asked, or the entry of an
option or a parameter that does: each word that tells something stands in its name or in what is said of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice, product, zip_longest

from quaestor.answers.drafts import CorpusLines, Draft
from quaestor.answers.overview.introduction import readme_of
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_answer import own_names
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, is_fence, paragraphs, parts_of
from quaestor.answers.quotes.paragraphs import LIST_ITEM
from quaestor.answers.settings.configuration import is_manual, read_configuration_question
from quaestor.answers.settings.explain_option import ASIDE
from quaestor.answers.settings.option_lists import beside_program
from quaestor.answers.settings.setting_declarations import (
    LONGEST_LINE,
    SettingKind,
    bounds_of_call,
    end_of_entry,
    may_set,
    settings_at,
    words_of_name,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import find_words, stems_of
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile
from quaestor.search.names_in_question import names_of_code
from quaestor.search.path_roles import folders_to_sources, profile_path
from quaestor.search.spelling import SAY_NOTHING

_ASKS = re.compile(
    r"(?:how\s+(?:(?:do|can|could|should|would|must)\s+(?:i|we|you|one)|to)"
    r"|(?:can|could|may|must|should)\s+(?:i|we|you|one|it)|do\s+(?:i|we|you)\s+have\s+to"
    r"|(?:is\s+it\s+possible|is\s+there\s+(?:a\s+way|an?\s+(?:option|flag|setting|parameter)))\s+(?:to|for)"
    r"|(?P<whether>(?:does|will)\s+it))\s+(?P<said>.+)"
)
_PHRASES = re.compile(r"\b(?:turn|switch)(\s+(?:\w+\s+){0,3}?)o(n|ff)\b")
_ONE_OF_MANY = re.compile(r"(?:set|add|send|give|make|write)\s+an?\b")
_OF_CODE = re.compile(r"[^A-Za-z]")
_IN_AND_OUT = re.compile(r"\b(log|sign)((?:\s\w+){0,2})\s(in|out|up)\b")
_IT_DOES = re.compile(r"\s(?:that\s+)?it\s+\w+s$")
"""A clause about things of the program: "the files it finds"."""
_GENERIC = frozenset(
    stems_of(
        """use using used usage get getting make making have do set setting settings change changing configure
        configuring configuration specify define choose pick adjust want let tell work support supported allow
        possible way option options flag parameter own custom automatically automatic require required need run
        running add adding give provide put pass enable turn switch activate keep control one thing something
        another other file files different itself existing several multiple please built in-built guide example
        examples integration integrating specific particular certain try instead all some project program app
        application""".split()
    )
)
"""Words of which an entry or a heading need not say anything."""
_SETS = frozenset(
    stems_of("set change configure specify choose pick adjust control pass give limit custom define provide".split())
)
"""Words by which one asks for a parameter, and not for what is passed in it."""
_EMPTY = SAY_NOTHING - frozenset("after again before between down each every once only under".split())
_OFF = "disable disabled deactivate suppress silence silent quiet mute hide omit skip avoid off"
_SAME = tuple(
    frozenset(stems_of(one.split()))
    for one in (
        _OFF,
        "limit maximum maximal max restrict",
        "show print display output",
        "symlink symlinks symbolic",
        "directory directories folder folders dir",
        "delete remove",
        "color colors colour colours",
        "password passphrase passwd",
        "ignore exclude",
        "https tls ssl",
        "login auth authentication authenticate",
        "environment env",
        "variable variables var vars",
        "notify notification notifications",
    )
)
"""Words by which people and programs mean the same."""
_SWITCHES_OFF = _SAME[0]
_QUIET = frozenset(stems_of("quiet silent silence mute suppress".split()))
"""What somebody asks for who names nothing to be switched off: "make it quiet"."""
_NEGATIVE = frozenset(("no", "without", "never"))
_VALUES = re.compile(r"\b(?:never|none)\b", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|or|&)\s|,\s|/")
_ADDED, _SHORT = re.compile(r"\s*\([^()]*\)"), re.compile(r"\(([A-Z]\w+)\)")
_NAMES = re.compile(r"(?<![\w-])-{1,2}([A-Za-z][\w-]*)|`([A-Za-z][\w-]*)`|(?<=:param )\s*(\w+)")
_CAPITALS = re.compile(r"\b[A-Za-z]+[A-Z]\w*")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`")
_DASHED = re.compile(r"[^\w\n]*--?\w")
_TWO = 2
_FONTS = re.compile(r"\\f(?:\[[^\]\n]*\]|\(..|.)|\*\*|[`*]")
_OF_MANUAL = re.compile(r"\s*(?:\.\w+\s+(?:Fl\s+)?)?--?[a-zA-Z]")
_NEXT, _MOST_OF_ENTRY = re.compile(r"\.(?:TP|SS|SH|Sh|It|PP|sp)\b|#"), 8
_OPTIONS, _FIRST_WORDS = re.compile(r"`[^`\n]*`|(?<![\w-])--?\w[\w-]*"), 6
_PARAMETER = re.compile(
    r"\s*(?:[*-]\s+)?(?::param\s+(?:[\w.]+\s+)?|@param\s+(?:\{[^}\n]*\}\s*)?)?\[?[*`]{0,2}(?P<name>[A-Za-z_]\w*)[*`]{0,2}\]?\s*(?:\([^()\n]*\))?\s*"
    r"(?::(?![:=])\s*\S|(?<=param )\S|-\s+\w)"
)
_PARAMETERS = re.compile(
    r":param|@param|\b(?:optional|default)\b|\((?:str|int|bool|float|iterable|list|dict)\b", re.IGNORECASE
)
_WORDS = re.compile(r"[\s*_`>-]*[^\W\d_]")
_COMMENTED = re.compile(r"\s*(?:[$>]\s)?\w[^#\n]*?\s#\s+(?P<comment>\w.*)$")
_SUPPORTS = re.compile(r"\b(?:support|compatib|integrat|provid|offer|expos|works?\b|runs?\b|can\b)", re.IGNORECASE)
_SHOWS = re.compile(r"`|=|--\w|^\s{4}|^\s*[-*+|]\s")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s\|")
_LONGEST, _MOST_WORDS, _MOST_READ, _MOST_WAYS, _MOST_LINES, _HEAD = 120, 5, 400, 12, 24, 40
_MOST_EXTRA, _HEAD_OF_ENTRY, _LONGEST_NAMES, _MOST_NAMES, _FEWEST_SAID, _MOST_THINGS = 1, 300, 60, 6, 3, 3


class _UsageQuestion(NamedTuple):
    """What is asked.

    Attributes:
        words: the stems of its telling words, each with those that mean the same.
        plain: the stems of the other words.
        loose: whether its only word may name no setting: the verb ("host it"), or one of many things ("a cookie").
        whether: whether it is asked if the program does something at all.
    """

    words: tuple[frozenset[str], ...]
    plain: frozenset[str]
    loose: bool
    whether: bool

    def lacks(self, stems: frozenset[str]) -> tuple[frozenset[str], ...]:
        """Return the words that some stems do not hold."""
        return tuple(one for one in self.words if one.isdisjoint(stems))


class _EntryKind(Enum):
    """What an entry tells of."""

    OPTION = "option"  # of the command line
    NAME = "name"
    PARAMETER = "parameter"


class _Entry(NamedTuple):
    """An entry of a list, a table or a manual, or the declaration of an option, with its first and last line."""

    kind: _EntryKind
    name: str
    text: str
    first: int
    last: int


class _Place(NamedTuple):
    """Lines that answer; they sort by how well they fit."""

    rank: tuple[int, ...]
    path: str
    first: int
    last: int
    title: str


def answer_usage(question: Question, corpus: Corpus, *, literally: bool = False) -> WayAnswer | None:
    """Answer how something is done with the program; None for other questions, or if nothing has that name.

    Args:
        question: the question.
        corpus: the corpus that may answer it.
        literally: whether only a heading or a paragraph answers that has the question's verb, too: "Change the port".
    """
    asked = _read(question.text, corpus)
    if asked is None or (literally and not asked.plain):
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _answer(asked, corpus, literally=literally))


def _read(text: str, corpus: Corpus) -> _UsageQuestion | None:
    """Return what a question of a user asks; None for any other question."""
    match = _ASKS.fullmatch(read_configuration_question(text, corpus)) if len(text) <= _LONGEST else None
    if match is None or any(_OF_CODE.search(name) for name in names_of_code(text)):
        return None
    said = _IN_AND_OUT.sub(r"\1\3\2", _IT_DOES.sub("", match["said"]))
    said = _PHRASES.sub(lambda one: ("disable" if one[2] == "ff" else "enable") + one[1], said)
    words = _telling(said.replace("without ", "disable "))
    # The index has a name with capitals as a whole without its stem.
    whole = {stem: name for name in map(str.lower, names_of_code(text)) for stem in stems_of([name])}
    same = tuple(dict.fromkeys(_same(one) | {whole.get(one, one)} for one in words))
    if same == (_SWITCHES_OFF,):
        same = (_QUIET,) if words[0] in _QUIET else ()  # "skip" and the like name nothing to be skipped
    first = stems_of(_words(said)[:1])
    loose = len(same) == 1 and (first == [*words[:1]] or _ONE_OF_MANY.match(said) is not None)
    plain = (_stems_in(said) & _GENERIC).difference(*same)
    return _UsageQuestion(same, plain, loose, bool(match["whether"])) if 0 < len(same) <= _MOST_WORDS else None


def _same(stem: str) -> frozenset[str]:
    """Return a stem with those that mean the same; of a name with a number also the name: "http2"."""
    letters = stem.rstrip("0123456789")
    alone = frozenset((stem, letters)) if len(letters) > _TWO else frozenset((stem,))
    return next((group for group in _SAME if stem in group), alone)


def _telling(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a text that tell something, in order. Pure."""
    words = (word for word in _words(text) if word not in _EMPTY and len(word) > 1)
    return tuple(dict.fromkeys(one for one in stems_of([*words]) if one not in _GENERIC))


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case, those with digits whole: "s3", "http2". Pure."""
    parts = (words_of_name(one) if one.isalpha() else [one.lower()] for one in re.split(r"[\W_]+", text) if one)
    return [word for part in parts for word in part]


def _as_asked(name: str, asked: _UsageQuestion) -> str:
    """Return a name with capitals in lower case, if the question has it so: "macos" of "macOS", but "addHook"."""
    stems = frozenset(stems_of([name.lower()]))
    return name if asked.lacks(stems) == asked.words else name.lower()


def _stems_in(text: str) -> frozenset[str]:
    """Return the stems of the words of a text; names with capitals count as a whole, too."""
    whole = (name.lower() for name in _CAPITALS.findall(text))
    return frozenset(stems_of([*_words(text), *whole]))


def _answer(asked: _UsageQuestion, corpus: Corpus, *, literally: bool) -> WayAnswer | None:
    material, lines, draft = Material(corpus.store), CorpusLines(corpus), Draft()
    project_stems = _stems_in(" ".join(own_names(corpus)))
    places = sorted(_places(asked, project_stems, corpus, material, lines))
    if literally:
        places = [one for one in places if not one.rank[0] and -one.rank[3] > len(asked.words)]
    for place in _best(places):
        draft.quote(lines.hit(place.path, place.first, place.last, place.title or None))
    return draft.finish("usage") if draft.hits else None


def _best(places: Sequence[_Place]) -> Iterator[_Place]:
    """Yield the best place and, of sections, the next of another file that fits as well."""
    yield from places[:1]
    also = (one for one in places if one.rank[:3] == places[0].rank[:3] and one.path != places[0].path)
    yield from islice(also, int(places[0].rank[2] == 0) if places else 0)


def _places(
    asked: _UsageQuestion, project_stems: frozenset[str], corpus: Corpus, material: Material, lines: CorpusLines
) -> Iterator[_Place]:
    """Yield the sections, paragraphs and entries that say all words of the question."""
    groups = [one for one in asked.words if len(one) <= _MOST_NAMES] or asked.words
    ways = islice(product(*map(sorted, groups)), _MOST_WAYS)
    chunk_ids = {one for way in ways for one in corpus.store.holding(way, _MOST_READ)}
    readme, is_beside = readme_of(material, ""), beside_program(corpus)
    spans: dict[str, list[tuple[int, int]]] = {}
    for stored in corpus.store.get(chunk_ids).values():
        spans.setdefault(stored.document.path, []).append((stored.chunk.span.start_line, stored.chunk.span.end_line))
    for path, found in spans.items():
        document = material.documents[path]
        prose = document.language in PROSE
        of_users = path == readme or is_manual(path, material) if prose else may_set(document) and not is_beside(path)
        profile = profile_path(path)
        aside = profile.test or profile.declaration or ASIDE.search(path)
        file = lines.file(path) if of_users and not aside else None
        if file is None:
            continue
        if prose:
            yield from _sections(asked, project_stems, file, found)
            yield from _introductions(asked, project_stems, file, found) if document.language != "rst" else ()
            yield from _commands(asked, project_stems, file, found)
            yield from _statements(asked, file, found) if asked.whether else ()
        yield from _entries(asked, project_stems, file, found)


def _extra(stems: Iterable[str], asked: _UsageQuestion) -> int:
    return sum(not any(one in group for group in asked.words) for one in stems)


def _sections(
    asked: _UsageQuestion, project_stems: frozenset[str], file: IndexedFile, found: Sequence[tuple[int, int]]
) -> Iterator[_Place]:
    """Yield the sections at some lines whose headings say what is asked; what they lack is said below."""
    path, parts = file.document.path, [*parts_of(file.lines)]
    for part, below in zip_longest(parts, parts[1:]):
        among = any(first <= part.last and part.first <= last + 1 for first, last in found)
        own_last = min(part.last, below.first - 1) if below else part.last
        if among and _says_something(part, file):
            fitting = (
                _fits(title, asked, project_stems, file.lines[part.first - 1 : own_last])
                for title in _things_of(part.title, several=bool(part.above))
            )
            if (fit := next(filter(None, fitting), None)) is not None:
                end = end_of_blocks(file.lines, part.first, min(part.last, part.first + _MOST_LINES), part.last)
                rank = (*fit, path.count("/"), part.first)
                yield _Place(rank, path, part.first, end, part.title)


def _fits(
    title: str, asked: _UsageQuestion, project_stems: frozenset[str], lines: Sequence[str]
) -> tuple[int, int, int, int] | None:
    """Return how well a heading and the lines below it say what is asked, the best first; None if they do not."""
    stems = frozenset(_telling(_CAPITALS.sub(lambda name: _as_asked(name[0], asked), title))) - project_stems
    missing, extra = asked.lacks(stems), _extra(stems, asked)
    matched = len(asked.words) - len(missing)
    shared = len(asked.plain & _stems_in(title))
    if not matched or extra > _MOST_EXTRA * (matched + shared > 1):
        return None
    is_name = re.search(r"\s", title.strip()) is None and re.search(r"\w[-_.]\w", title) is not None
    if (
        not missing
        and len(asked.words) == 1
        and not _SETS.isdisjoint(asked.plain)
        and not any(map(_SHOWS.search, lines))
    ):
        return None
    about_less = matched == 1 and asked.words[-1] in missing
    if missing and (is_name or about_less or not _says(lines, asked, stems, matched > 1)):
        return None
    return len(missing), max(0, extra - shared), 0, -matched - shared


def _says_something(part: Part, file: IndexedFile) -> bool:
    """Return whether a section has words of its own, and no directives alone that include others."""
    shown = (one for one in file.lines[part.first - 1 : part.last] if not one.lstrip().startswith(("..", ":", "{")))
    return len(list(islice((word for one in shown for word in find_words(one)), _FEWEST_SAID))) == _FEWEST_SAID


def _things_of(title: str, *, several: bool) -> Iterator[str]:
    """Yield a heading without what is added in brackets, its short form and, of a section, each thing that it names."""
    short = _SHORT.findall(title)
    title = _ADDED.sub("", title)
    yield title
    things = _AND.split(title) if several else ()
    yield from things if 1 < len(things) <= _MOST_THINGS else ()
    yield from short


def _says(lines: Sequence[str], asked: _UsageQuestion, title: frozenset[str], mostly: bool) -> bool:
    """Return whether lines say what their heading lacks; one sentence says all, if the heading has hardly any of it."""
    if mostly:
        return not asked.lacks(title | _stems_in("\n".join(lines[:_HEAD])))
    texts = (one.text for one in paragraphs(lines[:_HEAD]))
    return any(not asked.lacks(_stems_in(one)) for each in texts for one in _SENTENCE.split(each))


def _introductions(
    asked: _UsageQuestion, project_stems: frozenset[str], file: IndexedFile, found: Sequence[tuple[int, int]]
) -> Iterator[_Place]:
    """Yield the short paragraphs among some lines that say what the code below them does, with that code."""
    path = file.document.path
    for begin, code in _before_code(file.lines):
        text = "\n".join(file.lines[begin - 1 : code - 1])
        stems = frozenset(_telling(text)) - project_stems
        among = any(first <= begin <= last for first, last in found) and _WORDS.match(text)
        extra = _extra(stems, asked)
        if among and extra <= len(asked.words) and not asked.lacks(_stems_in(text)):
            end = end_of_blocks(file.lines, begin, code, min(len(file.lines), code + _MOST_LINES))
            shared = len(asked.plain & _stems_in(text))
            yield _Place((0, extra, 1, -len(asked.words) - shared, path.count("/"), begin), path, begin, end, "")


def _commands(
    asked: _UsageQuestion, project_stems: frozenset[str], file: IndexedFile, found: Sequence[tuple[int, int]]
) -> Iterator[_Place]:
    """Yield the commands among some lines with a comment behind them that says what they do."""
    path = file.document.path
    for at in sorted({at for first, last in found for at in range(first, min(last, len(file.lines)) + 1)}):
        match = _COMMENTED.match(file.lines[at - 1][:LONGEST_LINE])
        if match is None or asked.lacks(_stems_in(match["comment"])):
            continue
        extra = _extra(frozenset(_telling(match["comment"])) - project_stems, asked)
        if extra < len(asked.words):
            shared = len(asked.plain & _stems_in(match["comment"]))
            rank = 0, extra, 1, -len(asked.words) - shared, path.count("/"), at
            yield _Place(rank, path, at, at, "")


def _before_code(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each paragraph above a block of code, and the line where that block begins."""
    begins, opened = 0, False
    for at, line in enumerate(lines, 1):
        if is_fence(line):
            if not opened and begins:
                yield begins, at
            begins, opened = 0, not opened
        elif line.strip():
            blank = at > 1 and not lines[at - 2].strip()
            begins = 0 if opened or line.startswith("#") else at if blank or not begins else begins


def _statements(asked: _UsageQuestion, file: IndexedFile, found: Sequence[tuple[int, int]]) -> Iterator[_Place]:
    """Yield the items of lists, and the paragraphs, that say in one sentence what is supported."""
    path = file.document.path
    for first, last in found:
        lines = file.lines[first - 1 : last]
        items = [(at, end_of_entry(lines, at)) for at, line in enumerate(lines, 1) if LIST_ITEM.match(line)]
        for begin, end in (*items, *((one.start_line, one.end_line) for one in paragraphs(lines))):
            sentences = _SENTENCE.split("\n".join(lines[begin - 1 : end]))
            if any(_SUPPORTS.search(one) and not asked.lacks(_stems_in(one)) for one in sentences):
                place = first + begin - 1, first + end - 1
                yield _Place((len(asked.words), 0, 3, 0, path.count("/"), place[0]), path, *place, "")


def _entries(
    asked: _UsageQuestion, project_stems: frozenset[str], file: IndexedFile, found: Sequence[tuple[int, int]]
) -> Iterator[_Place]:
    """Yield the entries among some lines whose name and description say all words of the question."""
    path = file.document.path
    for at in sorted({at for first, last in found for at in range(first, min(last, len(file.lines)) + 1)}):
        for entry in _entries_at(file, at):
            called = frozenset(one for one in _stems_in(entry.name) - project_stems if len(one) > 1)
            called |= _SWITCHES_OFF if _NEGATIVE.intersection(called) or _VALUES.search(entry.text) else frozenset()
            missing, extra = asked.lacks(called), _extra(called - _GENERIC - _SWITCHES_OFF - _NEGATIVE, asked)
            if _is_told(entry, called, missing, extra, asked):
                rank = len(missing), extra, 2, 0, folders_to_sources(path), at
                yield _Place(rank, path, entry.first, entry.last, "")


def _is_told(
    entry: _Entry, called: frozenset[str], missing: Sequence[frozenset[str]], extra: int, asked: _UsageQuestion
) -> bool:
    """Return whether the name and the description of an entry say all words of the question."""
    is_option = entry.kind is _EntryKind.OPTION
    if len(missing) == len(asked.words):
        sentences = _SENTENCE.split(entry.text) if len(missing) >= _TWO and is_option else ()
        return any(_is_about(one, asked) for one in sentences)
    if not is_option and _SETS.isdisjoint(asked.plain) and _SWITCHES_OFF not in asked.words:
        return False
    if len(asked.words) == 1:
        return not extra and (is_option or not asked.loose)
    more = _MOST_EXTRA if all(one == _SWITCHES_OFF for one in missing) else 0
    return extra <= more and not asked.lacks(called | _stems_in(entry.text))


def _entries_at(file: IndexedFile, at: int) -> Iterator[_Entry]:
    """Yield the entry that a line begins, if it begins one."""
    line = file.lines[at - 1][:LONGEST_LINE]
    if line.startswith(".. auto"):
        return  # includes what code says
    kinds = [(kind, name) for kind, name, _ in settings_at(file, at, sample=False) if kind <= SettingKind.ENTRY]
    if kinds:
        names = " ".join((kinds[0][1], *(next(filter(None, one)) for one in _NAMES.findall(line[:_LONGEST_NAMES]))))
        if kinds[0][0] is SettingKind.OPTION:
            first, last = bounds_of_call(file.lines, at)
            text = "\n".join(one[1:-1] for one in _STRING.findall("\n".join(file.lines[first - 1 : last])))
            yield _Entry(_EntryKind.OPTION, names, text[:_HEAD_OF_ENTRY], first, last)
        else:
            last = end_of_entry(file.lines, at)
            kind = _EntryKind.OPTION if _DASHED.match(line) else _EntryKind.NAME
            yield _Entry(kind, names, "\n".join(file.lines[at - 1 : last])[:_HEAD_OF_ENTRY], at, last)
    elif file.document.language in PROSE and _begins_in_manual(file.lines, at):
        last = _end_in_manual(file.lines, at)
        text = _plain("\n".join(file.lines[at - 1 : last]))[:_HEAD_OF_ENTRY]
        yield _Entry(_EntryKind.OPTION, " ".join(map("".join, _NAMES.findall(_plain(line)))), text, at, last)
    elif match := _PARAMETER.match(line):
        last = end_of_entry(file.lines, at)
        text = "\n".join(file.lines[at - 1 : last])[:_HEAD_OF_ENTRY]
        if _PARAMETERS.search(text):
            yield _Entry(_EntryKind.PARAMETER, match["name"], text, at, last)


def _plain(text: str) -> str:
    """Return lines of a manual without marks of fonts."""
    return _FONTS.sub("", text).replace("\\-", "-")


def _begins_in_manual(lines: Sequence[str], at: int) -> bool:
    """Return whether a manual's text on an option begins on a line, which is no part of a paragraph or a command."""
    above = _plain(lines[at - 2]).strip() if at > 1 else ""
    begins = _OF_MANUAL.match(_plain(lines[at - 1])) is not None and not lines[at - 1].rstrip().endswith("\\")
    return begins and (not above or above.startswith(".") or _OF_MANUAL.match(above) is not None)


def _end_in_manual(lines: Sequence[str], at: int) -> int:
    """Return the last line of what a manual says of an option at first: up to a blank line, the next option or so."""
    last = at
    for number in range(at + 1, min(len(lines), at + _MOST_OF_ENTRY) + 1):
        line = lines[number - 1]
        ends = _NEXT.match(line) or _OF_MANUAL.match(_plain(line))
        if ends or (not line.strip() and last > at):
            break
        last = number if line.strip() else last
    return last


def _is_about(sentence: str, asked: _UsageQuestion) -> bool:
    """Return whether a sentence begins with the words of the question, after what it says of options."""
    words = words_of_name(_OPTIONS.sub(" ", sentence))
    return not asked.lacks(frozenset(stems_of(words[:_FIRST_WORDS])))
