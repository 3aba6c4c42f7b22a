"""Answers how one thing is configured, turned on or off, or what its default is: "What is the default timeout?".

The answer is the setting of that name: an option of the command line, a key of a file of settings, a field of
what declares the settings, a variable of the environment, a constant that is called a default, or an entry of a
document about one of these. A sentence, a test or a changelog that has the words is not one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product

from quaestor.answers.drafts import CorpusLines, Draft, in_code, line_of_name
from quaestor.answers.overview.document_statistics import holds_documents
from quaestor.answers.overview.introduction import names_in_manifests, readme_of
from quaestor.answers.overview.material import DOCUMENTATION, Material
from quaestor.answers.overview.overview_answer import own_names
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, header_of_table, paragraphs, parts_of
from quaestor.answers.settings.configuration import is_manual, read_configuration_question
from quaestor.answers.settings.explain_option import name_within
from quaestor.answers.settings.option_lists import beside_program
from quaestor.answers.settings.setting_declarations import (
    LITERAL,
    LONGEST_LINE,
    OF_SETTINGS,
    SettingKind,
    bounds_of_setting,
    is_called_configuration,
    is_in_head,
    is_of_settings,
    is_sample,
    may_set,
    settings_at,
    words_of_name,
)
from quaestor.answers.settings.setting_questions import (
    CALLED_ELSE,
    NEUTRAL,
    NO_SETTING,
    SETS_BY,
    SWITCHES_BY,
    SWITCHING,
    Asks,
    SettingQuestion,
    extra_words,
    other_names,
    question_about,
    read_setting_question,
    stems_of_names,
    turns_off,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.definitions import Definition
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import stems_of
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile, qualified_symbol
from quaestor.search.path_roles import folders_to_sources, profile_path
from quaestor.stores import Store

_VALUE = lazy_regex(
    r"[\"'`\d-]|true|false|True|False|null|None|nil|\.\d|[\w.:]+\(|[A-Z][A-Z_0-9]+\b|\[|\{|:\w|~|/|\w+$"
)
_SWITCHED = lazy_regex(
    r"\b(?:dis|en)abl\w*|\bturn\w*\s+(?:\w+\s+)?o(?:n|ff)\b|\btrue\b|\bfalse\b|\bbool(?:ean)?\b|--no-", re.IGNORECASE
)
_ENABLES = lazy_regex(r"\b(?:dis|en)abl", re.IGNORECASE)
_MACRO = lazy_regex(r"\.(?:TP|[LP]?P|IP|S[HS]|sp|It|Pp|S[hs])\b")
"""A line that begins a paragraph of a manual page."""
_DEFAULT_OF = lazy_regex(r"default", re.IGNORECASE)
_FLAG_OF_GO = lazy_regex(r"\.(?:Bool|String|Int|Uint|Float|Duration)\w*\(\"")
_IS_NONE = lazy_regex(r"(?:None|nil|null|undefined|nullptr)\b")
_WORK = lazy_regex(
    r"\b(?:develop\w*|contribut\w*|hacking|test\w*|change ?log|release\w*|migrat\w*|upgrad\w*|compil\w*|building)\b",
    re.IGNORECASE,
)
_SHOWS = lazy_regex(r"`|=|^\s*[\w.-]+:\s|--\w|^\s{4}", re.MULTILINE)
_CHOICES = lazy_regex(
    r"\b(?:one of|either|allowed|possible|valid|available|supported|accepted|permitted|(?:can|may|must) (?:also )?be)\b"
    r"|value_parser|\bchoices\b|\benum\b|\boneOf\b|[\[{(]\s*[\"'][\w-]+[\"']\s*,\s*[\"'][\w-]+[\"']|%w\[\w+ "
    r"|[\w\"'`]\s?\|\s?[\"'`]?\w+[\"'`]?(?:\s?\||[\]>)}\s;])|[\"'`]\w+[\"'`],? (?:or|and|/) [\"'`]\w+[\"'`]|^\s*[*-] `",
    re.IGNORECASE | re.MULTILINE,
)
"""What lists the values that something may have: words that say so, or several literals."""
_SHOWN_WITHIN = lazy_regex(r"\s*#\s{2,}")
"""A line of a block that stands in a comment as an example: a key in it is one of that block alone."""
_MOST_READ, _MOST_QUOTED, _MOST_LISTED, _MOST_LINES, _MOST_EXTRA, _MOST_WANTED = 3000, 2, 10, 16, 1, 2
_FOLDERS_OF_SETTINGS = frozenset("config conf settings initializers".split())
_SETS_VALUES = frozenset("php rb py js cjs mjs ts exs yml yaml toml json ini conf cfg".split())
_DESCRIBED = frozenset({SettingKind.OPTION, SettingKind.ENTRY, SettingKind.KEY, SettingKind.FIELD})
_MOST_WAYS, _AROUND, _NEAR = 4, 3, 4


class _DeclaredSetting(NamedTuple):
    """A place that declares a setting; they sort by how well it fits.

    Attributes:
        extra: how many further words its name has.
        told: whether some of the words stand only in what is said of it.
        vague: how little it says of what is asked.
        aside: whether it stands beside the program.
    """

    extra: int
    told: bool
    vague: int
    aside: bool
    kind: SettingKind
    folders: int
    path: str
    line: int
    name: str
    value: str


def explain_setting(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Explain how a thing is set, its default or its values; None for other questions, or if nothing has that name."""
    text = read_configuration_question(question.text, corpus)
    asked = read_setting_question(text)
    if asked is None:
        return None
    corpus.try_refresh()
    # "How many ... by default?" may ask for what no setting holds.
    firm = asked.asks is Asks.DEFAULT and not text.startswith("how") and len(asked.wanted) <= _MOST_WANTED
    return corpus.retry_reopened(lambda: _explain(asked, corpus, firm=firm))


class _Sources(NamedTuple):
    """What is read to answer: the corpus, its documents, their lines, and the stems of its own name."""

    corpus: Corpus
    material: Material
    lines: CorpusLines
    own: frozenset[str]


def _explain(asked: SettingQuestion, corpus: Corpus, *, firm: bool) -> WayAnswer | None:
    """Return the section about the thing and what declares it; if there is none, say so if ``firm``, else None."""
    material, draft = Material(corpus.store), Draft()
    names = (*own_names(corpus), *names_in_manifests(material))
    own = frozenset(stems_of([part for name in names for part in words_of_name(name)]))
    sources = _Sources(corpus, material, CorpusLines(corpus), own)
    names, holds = CALLED_ELSE.get(asked.wanted, ((), ""))
    others = [question_about(frozenset({name}), name, asked.asks, holds) for name in names]
    for one, partly in [*((one, False) for one in (asked, *others)), (asked, True)]:
        if not draft.hits:
            _tell(one, sources, draft, partly=partly)
    if not draft.hits and asked.asks is Asks.DEFAULT:
        if (said := next(_paragraphs(asked, material), None)) is not None:
            draft.quote(sources.lines.hit(*said))
        elif firm and material.is_code and not holds_documents(corpus):
            draft.say("No setting of this name was found here, and no section of a document about it.")
            return draft.finish("configuration", known=False)
    return draft.finish("configuration") if draft.hits else None


def _tell(asked: SettingQuestion, sources: _Sources, draft: Draft, *, partly: bool) -> None:
    """Quote a file and a section about the thing, and what declares it, or ``partly`` what has further words."""
    if asked.asks is not Asks.DEFAULT:
        for path in islice(_files_about(asked, sources.own, sources.material), 1):
            draft.quote(sources.lines.hit(path, 1, _MOST_LINES))
    if (section := _section(asked, sources)) is not None:
        draft.quote(section)
    _tell_settings(asked, sources, draft, partly=partly)


def _tell_settings(asked: SettingQuestion, sources: _Sources, draft: Draft, *, partly: bool) -> None:
    """Quote the surest places that declare the thing, and name further ones."""
    quoted = [(hit.path, hit.start_line - 2, hit.end_line) for hit in draft.hits]
    best = [
        one
        for one in _best_settings(asked, sources)
        if not any(one.path == path and first <= one.line <= last for path, first, last in quoted)
    ]
    partial = bool(best) and (best[0].extra > 0 or best[0].told)
    if not best or (partial and not partly) or (draft.hits and asked.asks is Asks.VALUES and best[0].vague):
        return
    shown = list(_of_different_places(best, _MOST_QUOTED + partial))
    hits = [_quote_of(one, sources.lines) for one in shown]
    for hit in {(hit.path, hit.start_line): hit for hit in hits}.values():
        draft.quote(hit)
    if partial:
        said = "what is said of this has the words" if best[0].told else "these names contain it"
        draft.pieces.insert(0, f"No setting has this name alone; {said}.\n\n")
    if asked.asks is Asks.VALUES and best[0].vague:
        _tell_values(shown, sources, draft)
    names = {(one.name, one.path): one for one in reversed(best)}
    others = [
        f"{in_code(one.name)} ({in_code(f'{one.path}:{one.line}')})"
        for one in sorted(names.values())
        if one not in shown
    ]
    if others:
        more = f" and {len(others) - _MOST_LISTED} more" if len(others) > _MOST_LISTED else ""
        draft.say(f"Further settings of this name: {', '.join(others[:_MOST_LISTED])}{more}.")


def _best_settings(asked: SettingQuestion, sources: _Sources) -> list[_DeclaredSetting]:
    """Return the settings that fit the thing best, all equally well."""
    found = sorted(_settings(asked, sources))
    found = [one for one in found if not one.aside and one.extra <= _MOST_EXTRA]
    return [one for one in found if (one.extra, one.told) == (found[0].extra, found[0].told)]


def _tell_values(shown: Sequence[_DeclaredSetting], sources: _Sources, draft: Draft) -> None:
    """Add what tells the values of settings whose declarations do not: their type, or the lines that set them."""
    if (values := _values_of_type(shown, sources)) is not None:
        draft.quote(values)
        return
    for one in shown:
        if len(seen := _values_shown(one, sources)) > 1:
            draft.say(f"{in_code(one.path)} shows it as {', '.join(map(in_code, seen))}.")
            return
    draft.say("What else it may be is said at none of these places.")


def _values_shown(one: _DeclaredSetting, sources: _Sources) -> list[str]:
    """Return the values that the lines of a file of settings give to a key, those in comments included."""
    file = sources.lines.file(one.path)
    if file is None or one.kind is not SettingKind.KEY:
        return []
    values: dict[str, None] = {}
    for at in range(1, len(file.lines) + 1):
        for _, given, value in settings_at(file, at, sample=True):
            within = name_within(file, at, given, sources.lines, sample=True) if "." in one.name else given
            if value and one.name == within:
                values[value.strip("\"',;")] = None
    return list(values)


def _values_of_type(shown: Sequence[_DeclaredSetting], sources: _Sources) -> Hit | None:
    """Return the definition of the enumeration that a setting's type or value names; None if there is none."""
    for one in shown:
        file = sources.lines.file(one.path)
        types = re.findall(r"\b[A-Z][A-Za-z0-9]+\b", file.lines[one.line - 1]) if file is not None else []
        for stored in sources.corpus.store.get(sources.corpus.store.defining(types, _MOST_LISTED)).values():
            for defined in sources.lines.definitions(stored.document.path):
                if defined.kind == "enum" and defined.name in types:
                    span = defined.span
                    last = min(span.end_line, span.start_line + 2 * _MOST_LINES)
                    return sources.lines.hit(stored.document.path, span.start_line, last, defined.name)
    return None


def _files_about(asked: SettingQuestion, own: frozenset[str], material: Material) -> Iterator[str]:
    """Yield the files of a folder of settings that are named after the thing: ``config/logging.php``."""
    for path in sorted(material.documents):
        folder, _, name = path.rpartition("/")
        sets = folder.rpartition("/")[2] in _FOLDERS_OF_SETTINGS and name.rpartition(".")[2] in _SETS_VALUES
        if sets and not profile_path(path).test and extra_words(name.partition(".")[0], asked, own) == 0:
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
    return lines.hit(one.path, *bounds_of_setting(file.lines, one.line, one.kind, one.value))


def _chunks_holding(asked: SettingQuestion, store: Store) -> frozenset[int]:
    """Return the chunks that hold all words of the thing, each under any of its names, or these as one word."""
    ways = islice(product(*map(other_names, sorted(asked.wanted))), _MOST_WAYS)
    return frozenset(one for way in (*ways, (asked.joined,)) for one in store.holding(way, _MOST_READ))


# --- settings


def _settings(asked: SettingQuestion, sources: _Sources) -> Iterator[_DeclaredSetting]:
    """Yield the places that declare a setting whose name has all words of the thing."""
    corpus, lines = sources.corpus, sources.lines
    is_beside, setting = beside_program(corpus), set[str]()
    for stored in corpus.store.get(_chunks_holding(asked, corpus.store)).values():
        path, span = stored.document.path, stored.chunk.span
        profile = profile_path(path)
        aside = profile.test or profile.example or bool(profile.background)
        told = is_sample(path) or may_set(stored.document)
        if stored.document.language in PROSE and not is_sample(path):
            told = is_manual(path, sources.material) and not _WORK.search(path)
        file = None if aside or not told else lines.file(path)
        around = words_of_name(qualified_symbol(stored.chunk) or "")
        if file is not None and not profile.prose and asked.setter.search(stored.chunk.text):
            setting.add(path)
        fields = is_called_configuration(path) or not OF_SETTINGS.isdisjoint(around)
        for at in range(span.start_line, min(span.end_line, len(file.lines)) + 1) if file is not None else ():
            if file is not None and asked.roots.search(file.lines[at - 1][:LONGEST_LINE]):
                yield from _settings_at(file, at, asked, sources, is_beside, fields=fields)
    if asked.asks in (Asks.SET, Asks.SWITCH):
        yield from _setters(sorted(setting), asked, sources, is_beside)


def _setters(
    paths: Iterable[str], asked: SettingQuestion, sources: _Sources, is_beside: Callable[[str], bool]
) -> Iterator[_DeclaredSetting]:
    """Yield the definitions that are named after setting the thing: ``enable_colours``."""
    verbs = SWITCHES_BY if asked.asks is Asks.SWITCH else SETS_BY
    for path in paths:
        for one in sources.lines.definitions(path):
            verb, *thing = words_of_name(one.name) or ("",)
            builds = verb != "with" or "_" not in one.name  # withTimeout(5), and not with_log(call)
            if verb in verbs and builds and thing and extra_words("_".join(thing), asked, sources.own) == 0:
                place = folders_to_sources(path), path, _line_of_head(one, path, sources.lines), one.name, ""
                yield _DeclaredSetting(0, False, 0, is_beside(path), SettingKind.SETTER, *place)


def _line_of_head(one: Definition, path: str, lines: CorpusLines) -> int:
    """Return the line of a definition that has its name, below comments and decorators."""
    file = lines.file(path)
    return line_of_name(file.lines, one.span.start_line, one.span.end_line, one.name) if file else one.span.start_line


def _settings_at(
    file: IndexedFile,
    at: int,
    asked: SettingQuestion,
    sources: _Sources,
    is_beside: Callable[[str], bool],
    *,
    fields: bool,
) -> Iterator[_DeclaredSetting]:
    """Yield the settings that a line declares; ``fields`` is whether it may stand in what declares settings."""
    path, sample = file.document.path, is_sample(file.document.path)
    for kind, given, value in settings_at(file, at, sample=sample):
        if (kind is SettingKind.FIELD and not fields) or (
            kind is SettingKind.PARAMETER and asked.asks is not Asks.DEFAULT
        ):
            continue
        if kind is SettingKind.OPTION and asked.wanted <= NO_SETTING:
            continue
        first, last = bounds_of_setting(file.lines, at, kind, value)
        text = "\n".join(file.lines[first - 1 : last])
        name, extra = given, extra_words(given, asked, sources.own)
        some = not asked.wanted.isdisjoint(stems_of_names(words_of_name(given)))
        if sample and len(asked.wanted) == 1 and _SHOWN_WITHIN.match(file.lines[at - 1]):
            continue
        if extra is None and some and kind in (SettingKind.FIELD, SettingKind.KEY, SettingKind.ENTRY):
            name = name_within(file, at, given, sources.lines, sample=sample)
            extra = extra_words(name, asked, sources.own)
        if kind is SettingKind.ENTRY and extra is not None and _is_of_part(path, asked, sources):
            extra += 1
        told = extra is None and some and kind in _DESCRIBED and extra_words(given, asked, sources.own, said=text) == 0
        if extra is None and told and not (kind is SettingKind.ENTRY and _is_of_part(path, asked, sources)):
            name, extra = given, 0
        fits = extra is not None and (not extra or _may_have_more(kind, path, name, asked, sources.own))
        fits = fits and not (extra and asked.asks is Asks.SWITCH and not _is_switch(name, text, value))
        if not fits or extra is None or not _is_certain(kind, file, at, value, sources.lines):
            continue
        header = header_of_table(file.lines, first) if kind is SettingKind.ENTRY else ""
        if re.search(asked.holds, text) and _says(asked, kind, f"{text}\n{header}", name, value):
            aside = kind is not SettingKind.ENTRY and is_beside(path)
            if not (kind is SettingKind.PARAMETER and (_IS_NONE.match(value) or is_beside(path))):
                vague = _vagueness(asked, kind, text, value)
                yield _DeclaredSetting(extra, told, vague, aside, kind, folders_to_sources(path), path, at, name, value)


def _is_of_part(path: str, asked: SettingQuestion, sources: _Sources) -> bool:
    """Return whether a document is the first page of a folder of a part that the thing is not named after."""
    folder, _, name = path.rpartition("/")
    part = set(stems_of_names(words_of_name(folder.rpartition("/")[2])))
    first = name.partition(".")[0].lower() in ("readme", "index", "_index")
    known = asked.wanted | sources.own | NEUTRAL | frozenset(stems_of([*DOCUMENTATION]))
    return first and bool(part) and not part <= known


def _is_certain(kind: SettingKind, file: IndexedFile, at: int, value: str, lines: CorpusLines) -> bool:
    """Return whether a line that looks like a field or a parameter declares one."""
    if kind is SettingKind.FIELD:
        return is_of_settings(file, at, value, lines)
    return kind is not SettingKind.PARAMETER or is_in_head(file, at, lines)


def _vagueness(asked: SettingQuestion, kind: SettingKind, text: str, value: str) -> int:
    """Return how little a declaration says of the default or of the possible values; 0 for other questions."""
    if asked.asks is Asks.VALUES:
        return _CHOICES.search(text) is None
    if asked.asks is not Asks.DEFAULT:
        return 0
    sure = kind in (SettingKind.ENTRY, SettingKind.OPTION) or (LITERAL.match(value) and not _IS_NONE.match(value))
    return 2 if kind is SettingKind.PARAMETER else not sure


def _is_switch(name: str, text: str, value: str) -> bool:
    """Return whether a setting whose name says more than the thing turns it off, or on or off as is said of it."""
    switched = re.match(r"[\"']?(?:true|false|yes|no|on|off|0|1)\b", value, re.I) is not None
    return turns_off(name) or (switched and _ENABLES.search(text) is not None)


def _may_have_more(kind: SettingKind, path: str, name: str, asked: SettingQuestion, own: frozenset[str]) -> bool:
    """Return whether a setting is worth telling if its name has further words: ``connect_timeout``.

    The default of a ``timeout_file`` is not the default of a timeout.
    """
    stems = [one for one in stems_of_names(words_of_name(name)) if one not in NEUTRAL and one not in own]
    of_thing = asked.asks not in (Asks.DEFAULT, Asks.VALUES) or stems[-1] in asked.wanted
    called = kind in (SettingKind.FIELD, SettingKind.ENTRY) and is_called_configuration(path)
    off = asked.asks is Asks.SWITCH and turns_off(name)
    return of_thing and (called or off or kind in (SettingKind.OPTION, SettingKind.KEY))


def _says(asked: SettingQuestion, kind: SettingKind, text: str, name: str, value: str) -> bool:
    """Return whether a declaration says what is asked: the default, or how the thing is switched."""
    if asked.asks is Asks.SWITCH:
        named = not SWITCHING.isdisjoint(stems_of(words_of_name(name)))
        return kind is SettingKind.OPTION or named or _SWITCHED.search(text) is not None
    if asked.asks is not Asks.DEFAULT:
        return True
    if kind in (SettingKind.ENTRY, SettingKind.OPTION):
        of_go = kind is SettingKind.OPTION and ("flag" in text.lower() or _FLAG_OF_GO.search(text) is not None)
        return of_go or _DEFAULT_OF.search(text) is not None
    return bool(value) and _VALUE.match(value) is not None


# --- documents


def _section(asked: SettingQuestion, sources: _Sources) -> Hit | None:
    """Return the section under a heading with the words of the thing and of setting things, and no others."""
    found = [(*_merit(path, part, sources.material), path, part) for path, part in _sections(asked, sources)]
    if not found:
        return None
    *_, path, part = max(found, key=lambda one: one[:-2])
    return sources.lines.hit(path, *_bounds_of_section(asked, sources.material.lines(path), part), part.title)


def _bounds_of_section(asked: SettingQuestion, texts: Sequence[str], part: Part) -> tuple[int, int]:
    """Return the lines of a section to quote: its beginning, or those about the default."""
    if asked.asks is Asks.DEFAULT:
        at = next(at for at in range(part.first, part.last + 1) if _DEFAULT_OF.search(texts[at - 1]))
        return max(part.first, at - _AROUND), min(part.last, at + _AROUND)
    last = min(part.last, part.first + _MOST_LINES)
    return part.first, end_of_blocks(texts, part.first, last, part.last)


def _merit(path: str, part: Part, material: Material) -> tuple[bool, bool, int, int]:
    text = "\n".join(material.lines(path)[part.first - 1 : part.last])
    around = is_called_configuration(path) or any(
        not OF_SETTINGS.isdisjoint(words_of_name(title)) for title in (part.title, *part.above)
    )
    return around, _SHOWS.search(text) is not None, -path.count("/"), -part.first


def _paragraphs(asked: SettingQuestion, material: Material) -> Iterator[tuple[str, int, int]]:
    """Yield the paragraphs of manuals with a sentence on the default of the thing, the shallowest documents first."""
    for path in sorted(_manuals(asked, material), key=lambda one: (one.count("/"), one)):
        texts = ("" if _MACRO.match(line) else line for line in material.lines(path))
        for paragraph in paragraphs([*texts]):
            if any(_tells_default(one, asked) for one in re.split(r"(?<=[.!?])\s", paragraph.text)):
                yield path, paragraph.start_line, paragraph.end_line


def _tells_default(sentence: str, asked: SettingQuestion) -> bool:
    """Return whether a sentence has "default" next to all words of the thing."""
    words = [stem for word in re.findall(r"[\w-]+", sentence) for stem in stems_of_names([word.lower()])]
    near = (words[max(0, at - _NEAR) : at + _NEAR + 1] for at, word in enumerate(words) if word.startswith("default"))
    return any(asked.wanted <= {*one} for one in near)


def _manuals(asked: SettingQuestion, material: Material) -> list[str]:
    """Return the documents for users that hold the words of the thing."""
    paths = material.store.paths_of(_chunks_holding(asked, material.store))
    readme = readme_of(material, "")
    prose = (one for one in paths if material.documents[one].language in PROSE and not _WORK.search(one))
    return sorted(one for one in prose if is_manual(one, material) or one == readme)


def _sections(asked: SettingQuestion, sources: _Sources) -> Iterator[tuple[str, Part]]:
    """Yield the sections that are about the thing by their title, perhaps with that of what they are part of."""
    says = {Asks.SWITCH: _SWITCHED, Asks.DEFAULT: _DEFAULT_OF, Asks.VALUES: _CHOICES}.get(asked.asks, _SHOWS)
    loosely = asked._replace(asks=Asks.SWITCH)
    for path in _manuals(asked, sources.material):
        texts = sources.material.lines(path)
        for part in parts_of(texts):
            title = re.sub(r"\s*\([^()]*\)$", "", part.title)
            extra = extra_words(title, loosely, sources.own)
            if extra is None and part.above and not asked.wanted.isdisjoint(stems_of_names(words_of_name(title))):
                extra = extra_words(f"{part.above[-1]} {title}", loosely, sources.own)
            fits = extra == 0 and not any(map(_WORK.search, part.above))
            if fits and says.search("\n".join(texts[part.first - 1 : part.last])):
                first, last = _bounds_of_section(asked, texts, part)
                if re.search(asked.holds, "\n".join(texts[first - 1 : last])):
                    yield path, part
