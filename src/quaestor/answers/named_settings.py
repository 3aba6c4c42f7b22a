"""Answers how one thing is configured, turned on or off, or what its default is: "What is the default timeout?".

What answers is the setting that is called so: an option of the command line, a key of a file of settings, a field of
what declares the settings, a variable of the environment, a constant that is called a default, or an entry of a
document about one of these. A sentence, a test or a changelog that has the words is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product

from quaestor.answers.configuration import (
    is_called_configuration,
    is_manual,
    is_sample,
    may_set,
    read_configuration_question,
    words_of_name,
)
from quaestor.answers.drafts import CorpusLines, Draft, end_of_statement, in_code, innermost_definition, line_of_name
from quaestor.answers.explain_option import LONGEST_LINE, bounds_of_call
from quaestor.answers.explain_term import holds_documents
from quaestor.answers.option_lists import (
    LITERAL,
    SettingKind,
    beside_program,
    end_of_declaration,
    end_of_entry,
    is_in_head,
    name_within,
    settings_at,
)
from quaestor.answers.overview.introduction import names_in_manifests, readme_of
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_answer import own_names
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, paragraphs, parts_of
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import content_terms, stems_of
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile, qualified_symbol
from quaestor.search.path_roles import folders_to_sources, profile_path
from quaestor.stores import Store

_THING = r"(?:(?:the|a|an|its|it's|my|any|all)\s+)*(?P<{}>[\w.-]+(?:\s+[\w.-]+){{0,2}}?)"
_WHERE = (
    r"(?:\s+(?:of|in|for|on|from|with)\s+(?:it|the\s+config(?:uration)?(?:\s?file)?|the\s+settings))?"
    r"(?:\s+completely|\s+entirely)?"
)
_HOW = r"(?:how\s+(?:do|can|should|would|to|could|does)\s+(?:(?:i|you|we|one)\s+)?|can\s+(?:i|you|we|one)\s+)"
_ANY_SETTING = (
    r"(?:(?:command[- ]line|config(?:uration)?|environment|env)\s+)*(?:options?|settings?|flags?|variables?|parameters?"
    r"|keys?|switch(?:es)?|directives?|propert(?:y|ies))"
)
_CONFIGURES = re.compile(
    rf"{_HOW}(?:configure|change|adjust|customi[sz]e|specify|override|tune|control|set(?!\s+an?\b)|increase|decrease|raise|lower|reduce|limit)"
    rf"\s+{_THING.format('a')}{_WHERE}"
    rf"|(?:how|where)\s+(?:is|are|do\s+i\s+set|can\s+i\s+set)\s+{_THING.format('b')}(?:\s+(?:configured|set|controlled)){_WHERE}"
    rf"|(?:which|what)\s+{_ANY_SETTING}\s+(?:sets?|controls?|changes?|configures?|determines?|limits?|defines?|specif(?:y|ies))"
    rf"\s+{_THING.format('c')}{_WHERE}"
    rf"|(?:is|are)\s+{_THING.format('d')}\s+configurable"
)
_SWITCHES = re.compile(
    rf"{_HOW}(?:turn|switch)\s+(?:off|on)\s+{_THING.format('a')}{_WHERE}"
    rf"|{_HOW}(?:turn|switch)\s+{_THING.format('b')}\s+(?:off|on){_WHERE}"
    rf"|{_HOW}(?:disable|enable|deactivate|activate|silence|suppress|skip|hide)\s+{_THING.format('c')}{_WHERE}"
    rf"|(?:which|what)\s+{_ANY_SETTING}\s+(?:turns?\s+(?:off|on)|disables?|enables?|deactivates?|activates?|suppress(?:es)?|hides?)"
    rf"\s+{_THING.format('d')}{_WHERE}"
)
_DEFAULTS = re.compile(
    rf"what(?:'s|\s+is|\s+are)\s+(?:the\s+|its\s+)*default\s+(?:values?\s+(?:of|for)\s+)?{_THING.format('a')}{_WHERE}"
    rf"|what\s+(?:is|are)\s+{_THING.format('b')}\s+(?:set\s+to\s+)?by\s+default"
    rf"|what\s+(?:does|do)\s+{_THING.format('c')}\s+default\s+to"
    rf"|(?:on\s+)?(?:which|what)\s+{_THING.format('d')}\s+(?:does|is|are|will)\s+(?:it\s+)?(?:use|used|listen(?:\s+on)?|run\s+on|have|bind\s+to)"
    r"(?:\s+on)?\s+by\s+default"
    r"|(?:on\s+)?(?:which|what)\s+(?P<e>port)\s+(?:does|will)\s+it\s+(?:use|listen(?:\s+on)?|run\s+on|bind\s+to|start\s+on|serve\s+on)(?:\s+by\s+default)?"
)
_NO_THING = frozenset("it this that them these those everything something anything one up".split())
_PLAIN = frozenset(
    stems_of(
        """default defaults value values option options opt opts config configuration configure configuring
        configurable cfg conf setting settings env flag flags arg args param params cli cmd my k g m s seconds
        secs sec ms millis in the of to for and a set get with change changing custom customise customize
        customizing customising how server app global user core main self support supported using use your you
        override overriding control controlling section number amount""".split()
    )
)
_SWITCH = frozenset(
    stems_of(
        """enable enabled enables enabling disable disabled disables disabling no not without use skip allow is
        should show hide on off turn turning want switch perform activate deactivate dont do with suppress""".split()
    )
)
_VALUE = re.compile(
    r"[\"'`\d-]|true|false|True|False|null|None|nil|\.\d|[\w.:]+\(|[A-Z][A-Z_0-9]+\b|\[|\{|:\w|~|/|\w+$"
)
_OF_SETTINGS = frozenset(
    "config configuration configuring conf cfg settings options opts defaults preferences prefs args flags".split()
)
_OF_OBJECT = re.compile(
    r"\s*(?:self|this|@|\w*(?:config|conf|cfg|settings|options|opts|defaults)\w*)[.\w@-]", re.IGNORECASE
)
"""What sets a field of an object within a function: ``self.port = 80``."""
_ENTRY_OF_LITERAL = re.compile(
    r"^\s*[\"'.:]?[\w.-]+[\"']?\s*(?:(?::(?![:=])|=>)\s*[^;]*?|=\s*[^;(]*?)[,{\[]\s*(?:(?://|#).*)?$"
)
"""An entry of a literal: ``port: 80,``."""
_SWITCHED = re.compile(
    r"\b(?:dis|en)abl\w*|\bturn\w*\s+(?:\w+\s+)?o(?:n|ff)\b|\btrue\b|\bfalse\b|\bbool(?:ean)?\b|--no-", re.IGNORECASE
)
_DEFAULT_OF = re.compile(r"default", re.IGNORECASE)
_IS_NONE = re.compile(r"(?:None|nil|null|undefined|nullptr)\b")
_WORK = re.compile(
    r"\b(?:develop\w*|contribut\w*|hacking|test\w*|change ?log|release\w*|migrat\w*|upgrad\w*|compil\w*|building)\b",
    re.IGNORECASE,
)
_SHOWS = re.compile(r"`|=|^\s*[\w.-]+:\s|--\w|^\s{4}", re.MULTILINE)
_MOST_READ, _MOST_QUOTED, _MOST_LISTED, _MOST_LINES, _MOST_EXTRA, _LONGEST_ENTRY = 3000, 2, 10, 16, 1, 8
_SETS_BY = frozenset("set with configure".split())
_SWITCHES_BY = frozenset("enable disable without toggle suppress".split())
_FOLDERS_OF_SETTINGS = frozenset("config conf settings initializers".split())
_SETS_VALUES = frozenset("php rb py js cjs mjs ts exs yml yaml toml json ini conf cfg".split())
_SHORTEST_ROOT, _MOST_WAYS, _AROUND, _NEAR = 2, 4, 3, 4
_SAME = {
    **{"ssl": "tls", "db": "databas", "color": "colour", "dir": "directori", "folder": "directori", "addr": "address"},
    **{"passwd": "password", "auth": "authent", "pwd": "password"},
}
"""Names by which programs call one thing, by their stems."""


class _SettingQuestion(NamedTuple):
    """What is asked of which thing.

    Attributes:
        wanted: the stems of its words.
        roots: the beginnings of these.
        setter: the beginning of a name for what sets it.
        joined: its words as one.
        default: whether its default is asked for.
        switch: whether it is to be turned on or off.
    """

    wanted: frozenset[str]
    roots: re.Pattern[str]
    setter: re.Pattern[str]
    joined: str
    default: bool
    switch: bool


class _DeclaredSetting(NamedTuple):
    """A place that declares a setting; they sort by how well it fits."""

    extra: int
    vague: int
    aside: bool
    kind: SettingKind
    folders: int
    path: str
    line: int
    name: str
    value: str


def explain_setting(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Explain how a thing is set, or its default; None for other questions, or if nothing is called so."""
    asked = _read(read_configuration_question(question.text, corpus))
    if asked is None:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _explain(asked, corpus))


def _read(text: str) -> _SettingQuestion | None:
    """Return what a question asks; None for any other question. Pure."""
    for pattern in (_DEFAULTS, _SWITCHES, _CONFIGURES):
        if match := pattern.fullmatch(text):
            thing = next(one for one in match.groups() if one)
            parts = words_of_name(thing)
            wanted = frozenset(_stems(parts)) - _PLAIN
            if wanted and _NO_THING.isdisjoint(parts) and content_terms(thing):
                any_name = (other for one in sorted(wanted) for other in _names_of(one))
                roots = (re.escape(one[: max(_SHORTEST_ROOT, len(one) - 1)]) for one in any_name)
                any_root = "|".join(roots)
                setter = rf"\b(?:{'|'.join(sorted(_SETS_BY | _SWITCHES_BY))})_?\w*(?:{any_root})"
                patterns = re.compile(any_root, re.IGNORECASE), re.compile(setter, re.IGNORECASE)
                return _SettingQuestion(wanted, *patterns, "".join(parts), pattern is _DEFAULTS, pattern is _SWITCHES)
            return None
    return None


def _explain(asked: _SettingQuestion, corpus: Corpus) -> WayAnswer | None:
    """Return the section about the thing, the surest places that declare it, and where else it is declared."""
    material, lines, draft = Material(corpus.store), CorpusLines(corpus), Draft()
    own = frozenset(
        stems_of([part for name in (*own_names(corpus), *names_in_manifests(material)) for part in words_of_name(name)])
    )
    for path in [] if asked.default else islice(_files_about(asked, own, material), 1):
        draft.quote(lines.hit(path, 1, _MOST_LINES))
    if (section := _section(asked, own, material, lines)) is not None:
        draft.quote(section)
    found = sorted(_settings(asked, own, corpus, material, lines))
    found = [one for one in found if not one.aside and not (one.extra and asked.switch)]
    least = min((one.extra for one in found), default=0)
    quoted = [(hit.path, hit.start_line - 2, hit.end_line) for hit in draft.hits]
    best = [one for one in found if one.extra == least and least <= _MOST_EXTRA]
    best = [
        one for one in best if not any(one.path == path and first <= one.line <= last for path, first, last in quoted)
    ]
    if least and draft.hits:
        best = []
    shown = list(_of_different_places(best, _MOST_QUOTED + bool(least)))
    for one in shown:
        draft.quote(_quote_of(one, lines))
    names = {(one.name, one.path): one for one in reversed(best)}
    others = [
        f"{in_code(one.name)} ({in_code(f'{one.path}:{one.line}')})"
        for one in sorted(names.values())
        if one not in shown
    ]
    if least and shown:
        draft.pieces.insert(0, "No setting has this name alone; these names contain it.\n\n")
    if others:
        more = f" and {len(others) - _MOST_LISTED} more" if len(others) > _MOST_LISTED else ""
        draft.say(f"Further settings of this name: {', '.join(others[:_MOST_LISTED])}{more}.")
    if not draft.hits and asked.default and (said := next(_paragraphs(asked, material), None)) is not None:
        draft.quote(lines.hit(*said))
    if not draft.hits and asked.default and material.is_code and not holds_documents(corpus):
        draft.say("No setting here has this name, and no section of a document is about it.")
        return draft.finish("configuration", known=False)
    return draft.finish("configuration") if draft.hits else None


def _files_about(asked: _SettingQuestion, own: frozenset[str], material: Material) -> Iterator[str]:
    """Yield the files of a folder of settings that are called after the thing: ``config/logging.php``."""
    for path in sorted(material.documents):
        folder, _, name = path.rpartition("/")
        sets = folder.rpartition("/")[2] in _FOLDERS_OF_SETTINGS and name.rpartition(".")[2] in _SETS_VALUES
        if sets and not profile_path(path).test and _extra(name.partition(".")[0], asked, own) == 0:
            yield path


def _of_different_places(best: Sequence[_DeclaredSetting], most: int) -> Iterator[_DeclaredSetting]:
    """Yield the first settings of each kind, and of one kind those of different names."""
    seen: set[tuple[str, str | int]] = set()
    kinds: set[tuple[SettingKind, str]] = set()
    for one in best:
        if (
            len(kinds) < most
            and (one.kind, one.name) not in kinds
            and seen.isdisjoint({(one.path, one.name), (one.path, one.line)})
        ):
            seen |= {(one.path, one.name), (one.path, one.line)}
            kinds.add((one.kind, one.name))
            yield one


def _quote_of(one: _DeclaredSetting, lines: CorpusLines) -> Hit:
    file = lines.file(one.path)
    assert file is not None  # its lines were read
    first = one.line
    if one.kind is SettingKind.ENTRY or (one.kind is SettingKind.KEY and not one.value):
        return lines.hit(one.path, first, end_of_entry(file.lines, first))
    if one.kind is SettingKind.OPTION:
        return lines.hit(one.path, *bounds_of_call(file.lines, first))
    while (
        first > 1
        and one.line - first < _LONGEST_ENTRY
        and re.match(r"\s*(?:#(?!\[)|//|/?\*|--|;|@|\[)", file.lines[first - 2])
    ):
        first -= 1
    return lines.hit(one.path, first, end_of_declaration(file.lines, one.line))


def _chunks_holding(asked: _SettingQuestion, store: Store) -> frozenset[int]:
    """Return the chunks that hold all words of the thing, each under any of its names, or these as one word."""
    ways = islice(product(*map(_names_of, sorted(asked.wanted))), _MOST_WAYS)
    return frozenset(one for way in (*ways, (asked.joined,)) for one in store.holding(way, _MOST_READ))


def _stems(parts: Sequence[str]) -> list[str]:
    """Return the stems of some words, of those that are one thing by two names the first."""
    return [_SAME.get(one, one) for one in stems_of(parts)]


def _names_of(stem: str) -> tuple[str, ...]:
    return stem, *(one for one, other in _SAME.items() if other == stem)


# --- settings


def _settings(
    asked: _SettingQuestion, own: frozenset[str], corpus: Corpus, material: Material, lines: CorpusLines
) -> Iterator[_DeclaredSetting]:
    """Yield the places that declare a setting whose name has all words of the thing."""
    is_beside, setting = beside_program(corpus), set[str]()
    holding = _chunks_holding(asked, corpus.store)
    for stored in corpus.store.get(holding).values():
        path, span = stored.document.path, stored.chunk.span
        profile = profile_path(path)
        aside = profile.test or profile.example or bool(profile.background)
        manual = is_manual(path, material) and not _WORK.search(path)
        told = manual if stored.document.language in PROSE else is_sample(path) or may_set(stored.document)
        file = None if aside or not told else lines.file(path)
        around = words_of_name(qualified_symbol(stored.chunk) or "")
        if file is not None and not profile.prose and asked.setter.search(stored.chunk.text):
            setting.add(path)
        fields = is_called_configuration(path) or not _OF_SETTINGS.isdisjoint(around)
        for at in range(span.start_line, min(span.end_line, len(file.lines)) + 1) if file is not None else ():
            if file is not None and asked.roots.search(file.lines[at - 1][:LONGEST_LINE]):
                yield from _settings_at(file, at, asked, own, lines, is_beside, fields=fields)
    yield from _setters(sorted(setting) if not asked.default else (), asked, own, lines, is_beside)


def _setters(
    paths: Iterable[str],
    asked: _SettingQuestion,
    own: frozenset[str],
    lines: CorpusLines,
    is_beside: Callable[[str], bool],
) -> Iterator[_DeclaredSetting]:
    """Yield the definitions that are called after setting the thing: ``enable_colours``."""
    verbs = _SWITCHES_BY if asked.switch else _SETS_BY
    for path in paths:
        for one in lines.definitions(path):
            verb, *thing = words_of_name(one.name) or ("",)
            builds = verb != "with" or "_" not in one.name  # withTimeout(5), and not with_log(call)
            if verb in verbs and builds and thing and _extra("_".join(thing), asked, own) == 0:
                file = lines.file(path)
                head = file and line_of_name(file.lines, one.span.start_line, one.span.end_line, one.name)
                place = folders_to_sources(path), path, head or one.span.start_line, one.name, ""
                yield _DeclaredSetting(0, 0, is_beside(path), SettingKind.SETTER, *place)


def _settings_at(
    file: IndexedFile,
    at: int,
    asked: _SettingQuestion,
    own: frozenset[str],
    lines: CorpusLines,
    is_beside: Callable[[str], bool],
    *,
    fields: bool,
) -> Iterator[_DeclaredSetting]:
    """Yield the settings that a line declares; ``fields`` is whether it may stand in what declares settings."""
    path = file.document.path
    for kind, name, value in settings_at(file, at, sample=is_sample(path)):
        if kind is SettingKind.FIELD and not fields:
            continue
        extra = _extra(name, asked, own)
        nested = kind in (SettingKind.FIELD, SettingKind.KEY) and not asked.wanted.isdisjoint(
            _stems(words_of_name(name))
        )
        if extra is None and nested:
            name = name_within(file, at, name, lines, sample=is_sample(path))
            extra = _extra(name, asked, own)
        if (
            extra is None
            or (extra and not _may_have_more(kind, path))
            or (kind is SettingKind.PARAMETER and not asked.default)
        ):
            continue
        if kind is SettingKind.FIELD and not _is_of_settings(file, at, value, lines):
            continue
        if kind is SettingKind.PARAMETER and not is_in_head(file, at, lines):
            continue
        if _says(asked, kind, file, at, name, value):
            aside = kind is not SettingKind.ENTRY and is_beside(path)
            none = kind is SettingKind.PARAMETER and (_IS_NONE.match(value) or is_beside(path))
            if none:
                continue
            sure = kind in (SettingKind.ENTRY, SettingKind.OPTION) or (
                LITERAL.match(value) and not _IS_NONE.match(value)
            )
            vague = asked.default * (2 if kind is SettingKind.PARAMETER else not sure)
            yield _DeclaredSetting(extra, vague, aside, kind, folders_to_sources(path), path, at, name, value)


def _may_have_more(kind: SettingKind, path: str) -> bool:
    """Return whether a setting is worth telling if its name has further words: ``connect_timeout``."""
    return kind in (SettingKind.OPTION, SettingKind.KEY) or (
        kind in (SettingKind.FIELD, SettingKind.ENTRY) and is_called_configuration(path)
    )


def _extra(name: str, asked: _SettingQuestion, own: frozenset[str]) -> int | None:
    """Return how many telling words a name has beside those of the thing; None if it lacks one of these."""
    parts = words_of_name(name)
    stems = _stems(parts)
    neutral = _PLAIN | own | (_SWITCH if asked.switch else frozenset())
    if asked.wanted <= {*stems}:
        return len({*stems} - asked.wanted - neutral)
    rest = [part for part, stem in zip(parts, stems, strict=False) if stem not in neutral]
    return 0 if "".join(rest) == asked.joined else None


def _says(asked: _SettingQuestion, kind: SettingKind, file: IndexedFile, at: int, name: str, value: str) -> bool:
    """Return whether a declaration says what is asked: the default, or how the thing is switched."""
    first, last = at, end_of_entry(file.lines, at)
    if kind is SettingKind.OPTION:
        first, last = bounds_of_call(file.lines, at)
    elif kind is not SettingKind.ENTRY:
        last = max(at, end_of_statement(file.lines, at))
    text = "\n".join(file.lines[first - 1 : last])
    if asked.switch:
        named = not _SWITCH.isdisjoint(stems_of(words_of_name(name)))
        return kind in (SettingKind.OPTION, SettingKind.VARIABLE) or named or _SWITCHED.search(text) is not None
    if not asked.default:
        return True
    if kind in (SettingKind.ENTRY, SettingKind.OPTION):
        return _DEFAULT_OF.search(text) is not None or (kind is SettingKind.OPTION and "flag" in text.lower())
    return bool(value) and _VALUE.match(value) is not None


def _is_of_settings(file: IndexedFile, at: int, value: str, lines: CorpusLines) -> bool:
    """Return whether a line declares a field in a file or a type that is called after settings, and no local name."""
    line = file.lines[at - 1]
    one = innermost_definition(lines.definitions(file.document.path), at)
    local = one is not None and one.kind in ("function", "method", "constructor")
    entry = _ENTRY_OF_LITERAL.search(line)
    if local and not _OF_OBJECT.match(line) and (not entry or is_in_head(file, at, lines)):
        return False
    names = [*one.scope[-1:], *([one.name] if not local or (entry and LITERAL.match(value)) else [])] if one else []
    return is_called_configuration(file.document.path) or any(
        not _OF_SETTINGS.isdisjoint(words_of_name(name)) for name in names
    )


# --- documents


def _section(asked: _SettingQuestion, own: frozenset[str], material: Material, lines: CorpusLines) -> Hit | None:
    """Return the section under a heading with the words of the thing and of setting things, and no others."""
    found = [(*_merit(path, part, material), path, part) for path, part in _sections(asked, own, material)]
    if not found:
        return None
    *_, path, part = max(found, key=lambda one: one[:-2])
    last = min(part.last, part.first + _MOST_LINES)
    if asked.default:
        texts = material.lines(path)
        at = next(at for at in range(part.first, part.last + 1) if _DEFAULT_OF.search(texts[at - 1]))
        return lines.hit(path, max(part.first, at - _AROUND), min(part.last, at + _AROUND), part.title)
    return lines.hit(path, part.first, end_of_blocks(material.lines(path), part.first, last, part.last), part.title)


def _merit(path: str, part: Part, material: Material) -> tuple[bool, bool, int, int]:
    text = "\n".join(material.lines(path)[part.first - 1 : part.last])
    around = is_called_configuration(path) or any(
        not _OF_SETTINGS.isdisjoint(words_of_name(title)) for title in (part.title, *part.above)
    )
    return around, _SHOWS.search(text) is not None, -path.count("/"), -part.first


def _paragraphs(asked: _SettingQuestion, material: Material) -> Iterator[tuple[str, int, int]]:
    """Yield the paragraphs of manuals with a sentence on the default of the thing, the shallowest documents first."""
    for path in sorted(_manuals(asked, material), key=lambda one: (one.count("/"), one)):
        for paragraph in paragraphs(material.lines(path)):
            if any(_tells_default(one, asked) for one in re.split(r"(?<=[.!?])\s", paragraph.text)):
                yield path, paragraph.start_line, paragraph.end_line


def _tells_default(sentence: str, asked: _SettingQuestion) -> bool:
    """Return whether a sentence has "default" next to all words of the thing."""
    words = [stem for word in re.findall(r"[\w-]+", sentence) for stem in _stems([word.lower()])]
    near = (words[max(0, at - _NEAR) : at + _NEAR + 1] for at, word in enumerate(words) if word.startswith("default"))
    return any(asked.wanted <= {*one} for one in near)


def _manuals(asked: _SettingQuestion, material: Material) -> list[str]:
    """Return the documents for users that hold the words of the thing."""
    paths = material.store.paths_of(_chunks_holding(asked, material.store))
    readme = readme_of(material, "")
    prose = (one for one in paths if material.documents[one].language in PROSE and not _WORK.search(one))
    return sorted(one for one in prose if is_manual(one, material) or one == readme)


def _sections(asked: _SettingQuestion, own: frozenset[str], material: Material) -> Iterator[tuple[str, Part]]:
    for path in _manuals(asked, material):
        texts = material.lines(path)
        for part in parts_of(texts):
            extra = _extra(part.title, asked._replace(switch=True), own)
            text = "\n".join(texts[part.first - 1 : part.last])
            fits = extra == 0 and not any(map(_WORK.search, part.above))
            if fits and (_SWITCHED if asked.switch else _DEFAULT_OF if asked.default else _SHOWS).search(text):
                yield path, part
