"""Answers how a project is configured as a whole: what its documents say, what code loads it, where settings stand.

"How is configuration loaded?" has words that half of a program has. What loads it is told by names instead: a
definition that is named after loading and after configuration, or stands in a file of such a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from quaestor.answers.drafts import CorpusLines, Draft, end_of_statement, in_code, stretch
from quaestor.answers.overview.document_statistics import holds_documents
from quaestor.answers.overview.introduction import names_in_manifests, readme_of
from quaestor.answers.overview.material import DOCUMENTATION, Material, is_code
from quaestor.answers.overview.overview_answer import own_names, with_own_name
from quaestor.answers.overview.overview_question import plain_question
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, end_of_front_matter, parts_of
from quaestor.answers.settings.option_lists import IN_NAMES, beside_program, files_of_settings_named, lines_of_code
from quaestor.answers.settings.setting_declarations import (
    CONFIG_WORDS,
    PLAIN_CONFIG,
    is_called_configuration,
    is_sample,
    may_set,
    words_of_name,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.definitions import Definition
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import find_words
from quaestor.corpus import Corpus
from quaestor.search.path_roles import folders_to_sources, profile_path

_LONGEST = 120
_IT = lazy_regex(
    r"\b(?:the|this|that|its|our|your|my)\s+(?:program|project|app|application|tool|server|library|service|code|codebase"
    r"|system|package|cli|daemon|repo|repository|website|site|backend|software|bot|plugin|framework|client)(?:'s)?\b"
)
_BEGIN = frozenset("how where when what which in".split())
_NOUNS = frozenset("config configs configuration configurations settings preferences conf rc".split())
_KEYS = frozenset(
    """directives entries fields keys options parameters preferences properties settings things values""".split()
)
_CONFIGURES = frozenset("configure configured customize customise customized customised".split())
_ASKING = frozenset(
    """a all also and any app application are be being by can code could decide decided decides default directories
    directory do does file files folder folders for from get gets global goes has have how i in into is it its
    itself list local main may me might must my of on one or own project put runtime server should show the their
    there this to user using we what when where which will with work would you your""".split()
)
"""Words of a question about a configuration that say nothing of what is asked."""
_LOADS = frozenset(
    """applied belong belongs called change class come comes declared define defined determined disk done edit expect
    expects find format found function go handle handled handles has have here implemented initialised initialized
    keep kept launch live lives load loaded loads locate located location look looked looks manage managed memory
    merge merged module name named need needs obtain organised organized override parse parsed parses part path pick
    process processed read reads reside resides resolve resolved run runtime save saved search searches set
    specified start starts startup store stored supported time up use used uses validated work works written""".split()
)
_OFFERS = frozenset(
    """about accept accepts available change contain contains exist exists has know offer offers provide set support
    supported supports take takes understand use""".split()
)
_FORMATS = frozenset("ini json toml yaml yml xml str string lines line value".split())
"""Words in the names of what loads a part or one form of it."""
_OF_PAGES = frozenset("assets static public frontend client ui www".split())
"""Folders of what runs in a browser."""
_CONSTRUCTORS = frozenset("__init__ constructor initialize".split())
_LOADED = CONFIG_WORDS - frozenset("option options opts setting configure configuring configurator".split())
_LOADING = {
    **dict.fromkeys("load loads loading loader consult read reads reader parse parser parsing unmarshal".split(), 3),
    **dict.fromkeys("find locate discover search resolve from merge open source sources provider".split(), 2),
    **dict.fromkeys(
        "get init initialize initialise setup make build create new apply fetch populate run main".split(), 1
    ),
}
_ALSO = frozenset(
    """file files default defaults path paths dir folder user global all app application server project main local
    env environment the and or with to in into is do string str toml yaml yml json ini xml data values value
    internal impl core base root common my static public self cli cmd""".split()
)
_READS = lazy_regex(
    r"\b(?:[oO]pen(?:File)?|fopen|fdopen|ReadFile|read_file|read_to_string|read_text|readFile(?:Sync)?|File\.(?:read|open|ReadAllText|exist)"
    r"|file_get_contents|slurp|getenv|get_env|[eE]nviron|lookupEnv|LookupEnv|Getenv|process\.env|GetEnvironmentVariable"
    r"|[Uu]nmarshal\w*|deserialize|from_str|from_slice|safe_load|yaml|toml|json|ini|YAML|TOML|JSON|INI|decode|Decode|viper"
    r"|dotenv|cosmiconfig|lilconfig|jsonargparse|ConfigParser|configparser|BaseSettings|ConfigurationBuilder|AddJsonFile"
    r"|Properties|ResourceBundle|ConfigFactory|figment|ConfigBuilder|XDG_CONFIG_HOME|fgets|getline|readfile|dofile|loadfile"
    r"|loadstring|eval|require|import|Dir|glob|confuse|koanf|envconfig|Stream|Scanner|BufferedReader|readEither|decodeFile)\b"
)
_READS_CONFIGURATION = (
    r"(?i)\b(?:(?P<file>read_?file(?:sync)?|read_to_string|read_text|fopen|slurp|include|require(?:_once)?|read_?in_?config)"
    r"|\w*unmarshal\w*|safe_load|load\w*|from_(?:str|reader|slice)|parse\w*|decode\w*)\b[^\n;]{0,50}?\w*(?:conf|settings|cfg)"
)
"""What reads a file of settings, or makes settings of what was read: ``yaml.Unmarshal(configData, &c)``."""
_READS_SETTING = lazy_regex(
    r"\b(?:getenv|get_env|environ|lookupEnv|LookupEnv|Getenv|env|ENV)\b\W|process\.env|BaseSettings|ConfigurationBuilder|cosmiconfig"
    r"|\b(?:safe_load|read_to_string|ReadFile|readFileSync|parse_config|YAML\.load\w*|toml\.load|json\.load)\b"
)
_MANUALS = frozenset("documentation manual usage guide userguide userdocumentation usermanual install".split())
_TITLES = frozenset(
    """config configuration configurations configure configuring settings preferences rc customization customisation
    customizing customising""".split()
)
_IN_TITLES = frozenset(
    """a about an and app application basic basics changing client customisation customization customizing environment
    file files for format general global guide handling how in initial it loading main of options or overview
    parameters precedence project reference runtime server setup sources the to usage user using values variables
    your""".split()
)
"""Words beside those for configuration in the title of a section about all of it."""
_OF_OPTIONS = lazy_regex(r"options|reference|settings|parameters|variables|values", re.IGNORECASE)
_PAGE = lazy_regex(
    r"(?:\d+[-_. ]*)?(?:(?P<of>[\w-]+)[-_.])?(?:config(?:uration|uring|ure)?|settings|conf)"
    r"(?:[-_ ](?:files?|options|reference|overview|guide|parameters|formats?|file[-_]format))?",
    re.IGNORECASE,
)
_ADDED = frozenset(".github contrib plugins addons extensions packaging deploy charts docker blog posts _posts".split())
_OF_ASSISTANTS = frozenset("agents claude gemini copilotinstructions".split())
_MANUAL = lazy_regex(r"\w\.5(?:\.\w+)?$")
"""A page of a manual's section about the formats of files."""
_WORK = lazy_regex(
    r"\b(?:develop\w*|contribut\w*|hacking|test\w*|editor|ide|ci|build\w*|upgrad\w*|migrat\w*|change ?log)\b", re.I
)
_SAYS_WHERE = lazy_regex(
    r"~/|\$HOME|%APPDATA%|/etc/|[\w-]+\.(?:toml|ya?ml|json|conf|ini|cfg|cnf|xml|properties|exs|rc|env|lua|kdl|ron)\b|\.\w+rc\b|\benv(?:ironment)?\b"
    r"|--config|command[- ]line|precedence|config(?:uration)? file",
    re.IGNORECASE,
)
_SETS = lazy_regex(r"^\s*(?:[#;]\s?)?[\"':]?[A-Za-z][\w.-]*[\"']?\s*(?:[=:]|\s\S+$)", re.MULTILINE)
"""A line of a file of settings that sets something, or shows how."""
_ENTRY = lazy_regex(
    r"^[\s>]*(?:[|*+-]\s*|#+\s+)?[*`]{1,2}-{0,2}[\w.-]+[*`]|^\s*[\w.-]+\s?[=:]\s*\S|^\.\. \w+:: ", re.MULTILINE
)
"""A line that sets or describes one setting."""
_LARGEST = 80_000
_ASKS_WHERE = lazy_regex(r"\bwhere\b|(?:which|what)\s+config|name|path|location|folder|director")
_PLACES = frozenset("path paths dir dirs directory find locate discover search candidates locations home".split())
"""Words in the names of what knows where a file lies."""
_NEAR, _LONG = 3, 10_000
_MAIN = frozenset("config configuration settings conf app application main index default base common".split())
_LONGEST_TITLE = 4
_FEWEST_SET, _FEWEST_WORDS = 2, 20
_LEAST, _MOST_FILES, _MOST_OTHERS, _MOST_LINES, _MOST_NAMED, _MOST_CODE = 7, 40, 12, 20, 6, 40
_MOST_READ = 2000
_CLASSES = frozenset({"class", "struct", "interface", "type", "enum", "module", "record", "object", "trait"})


class _Loader(NamedTuple):
    """A definition that loads a configuration, or may; they sort by how little is certain."""

    doubt: int
    folders: int
    path: str
    line: int
    definition: Definition

    @property
    def of_part(self) -> bool:
        """Return whether its name says that it loads a part: ``load_theme_config``."""
        known = CONFIG_WORDS | _LOADING.keys() | _ALSO
        return not known.issuperset(words_of_name(self.definition.name))

    def holds(self, path: str, line: int) -> bool:
        """Return whether a line is one of the definition's."""
        return path == self.path and self.line <= line <= self.definition.span.end_line


def explain_configuration(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Explain how the project is configured, or what can be; None for other questions, or if nothing tells it."""
    text = read_configuration_question(question.text, corpus)
    options = _asks_for_options(text)
    if not options and not _asks_what_loads(text):
        return None
    corpus.try_refresh()
    where = not options and _ASKS_WHERE.search(text) is not None
    return corpus.retry_reopened(lambda: _explain(corpus, options=options, where=where))


def read_configuration_question(text: str, corpus: Corpus) -> str:
    """Return a question in lower case, with "it" in place of what it calls the project; empty if it is too long."""
    if len(text) > _LONGEST:
        return ""
    plain = with_own_name(plain_question(text).replace("`", ""), corpus, "it")
    return re.sub(r"\b(?:the|this|our) it\b", "it", _IT.sub("it", plain))


def _asks_for_options(text: str) -> bool:
    """Return whether a question wants all that can be configured: "what options does the config file have". Pure."""
    words = re.sub(r"\bsettings (?=files?\b)", "config ", text).split()
    named = not _KEYS.isdisjoint(words) and not _NOUNS.isdisjoint(words)
    named = named or ("can" in words and not _CONFIGURES.isdisjoint(words))
    named = named or (words[-2:] == ["config", "file"] and not {"in", "into"}.isdisjoint(words))
    known = _ASKING | _NOUNS | _KEYS | _CONFIGURES | _OFFERS
    return named and words[0] in {"what", "which", "list", "show"} and known.issuperset(words)


def _asks_what_loads(text: str) -> bool:
    """Return whether a question wants to know what loads the configuration, from where, or how to set it. Pure."""
    words = text.split()
    named = not _NOUNS.isdisjoint(words) and (words[0] == "where" or not _LOADS.isdisjoint(words))
    named = named or (words[:1] == ["how"] and "it" in words and not _CONFIGURES.isdisjoint(words))
    known = _ASKING | _NOUNS | _CONFIGURES | _LOADS | frozenset({"options"} if "options file" in text else ())
    return named and words[0] in _BEGIN and known.issuperset(words)


def _explain(corpus: Corpus, *, options: bool, where: bool) -> WayAnswer | None:
    """Return the answer: what can be set if ``options``, where files are looked for if ``where``, else what loads."""
    material, lines, draft = Material(corpus.store), CorpusLines(corpus), Draft()
    files = _files_of_configuration(corpus, material) if material.is_code else []
    loaders = [] if options else sorted(_loaders(files, lines, where=where))
    documented = _section(material, corpus, lines, options=options, needed=not loaders)
    if documented is not None:
        draft.quote(documented)
    if material.is_code:
        if where and (named := files_of_settings_named(corpus)):
            if documented is None and not any(one.holds(*named[0][1:]) for one in loaders[:1]):
                draft.quote(lines.statement(*named[0][1:]))
            places = (f"{in_code(name)} ({in_code(f'{path}:{line}')})" for name, path, line in named[:_MOST_NAMED])
            draft.say(f"Code names these files of settings: {', '.join(places)}.")
        read = None if options or not all(one.of_part for one in loaders) else _place_that_reads(corpus, lines)
        _tell_code(material, files, loaders if read is None else (), lines, draft, options=options, read=read)
    if not draft.hits and material.is_code and not holds_documents(corpus) and not options:
        draft.say("No document, definition or settings file here is named after a configuration or what loads it.")
        return draft.finish("configuration", known=False)
    return draft.finish("configuration") if draft.hits else None


def _tell_code(
    material: Material,
    files: Sequence[str],
    loaders: Sequence[_Loader],
    lines: CorpusLines,
    draft: Draft,
    *,
    options: bool,
    read: Hit | None,
) -> None:
    """Add the code that loads the configuration, what declares the settings, and files that set them."""
    declared = sorted(_declaring(files, lines))
    named = [path for path in sorted(material.documents, key=_by_depth) if is_sample(path)]
    samples = [
        path for path in named[:_MOST_FILES] if len(_SETS.findall("\n".join(material.lines(path)))) >= _FEWEST_SET
    ]
    main_sample = next((one for one in samples if "/" not in one), "")
    first = None if options and (draft.hits or main_sample) else next(iter(declared if options else loaders), None)
    if first is not None:
        draft.quote(_quote_of(first, lines))
    elif read is not None:
        draft.quote(read)
    elif not options and (settings := [*_reading(files, lines)]):
        draft.quote(lines.hit(*settings[0]))
        if further := [in_code(path) for path, *_ in settings[1 : _MOST_NAMED + 1]]:
            draft.say(f"Further files of settings read the environment or a file as well: {', '.join(further)}.")
    near = (one for one in loaders if one != first and not options and one.doubt < loaders[0].doubt + _NEAR)
    others = [*islice(near, _MOST_NAMED)]
    if others:
        draft.say(f"By their names, these load it as well: {', '.join(map(_named, others))}.")
    if declared and not options:
        draft.say(f"Settings are declared in {', '.join(map(_named, declared[:_MOST_NAMED]))}.")
    if samples:
        draft.say(f"Files that set or show settings: {', '.join(map(in_code, samples[:_MOST_NAMED]))}.")
        if not draft.hits or (options and first is None):
            draft.quote(lines.hit(samples[0], 1, _MOST_CODE))


def _by_depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _named(one: _Loader) -> str:
    name = ".".join((*one.definition.scope[-1:], one.definition.name))
    return f"{in_code(name)} ({in_code(f'{one.path}:{one.line}')})"


def _quote_of(one: _Loader, lines: CorpusLines) -> Hit:
    file = lines.file(one.path)
    span = one.definition.span
    assert file is not None  # its definitions were read
    end = span.end_line
    if end > span.start_line + _MOST_CODE:
        blank = (
            at for at in range(span.start_line + _MOST_CODE, span.start_line, -1) if not file.lines[at - 1].strip()
        )
        end = next(blank, span.start_line + _MOST_CODE)
    name = ".".join((*one.definition.scope, one.definition.name))
    return lines.hit(one.path, span.start_line, end, name)


# --- code


def _files_of_configuration(corpus: Corpus, material: Material) -> list[str]:
    """Return the files of code that are named after configuration or hold a name that is, the main ones first."""
    named = [path for path, one in material.documents.items() if is_code(one) and is_called_configuration(path)]
    chunks = {
        one for word in ("config", "configur", "conf", "set") for one in corpus.store.holding((word,), _MOST_READ)
    }
    loading = (one.document.path for one in corpus.store.get(chunks).values() if _is_of_loading(one.chunk.symbol or ""))
    found = dict.fromkeys(chain(sorted(named, key=_by_importance), sorted(set(loading), key=_by_importance)))
    is_beside = beside_program(corpus)
    own = [one for one in found if may_set(material.documents[one]) and not is_beside(one)]
    called = [one for one in own if is_called_configuration(one)]
    others = (one for one in own if not is_called_configuration(one) and material.documents[one].size < _LARGEST)
    return [*called[:_MOST_FILES], *islice(others, _MOST_OTHERS)]


def _by_importance(path: str) -> tuple[int, bool, int, str]:
    return folders_to_sources(path), profile_path(path).stem not in _MAIN, path.count("/"), path


def _is_of_loading(symbol: str) -> bool:
    words = words_of_name(symbol)
    return not PLAIN_CONFIG.isdisjoint(words) and any(_LOADING.get(one, 0) > 1 for one in words)


def _loaders(files: Iterable[str], lines: CorpusLines, *, where: bool) -> Iterator[_Loader]:
    """Yield the definitions that load a configuration by their names, each with how little is certain of it."""
    for path in files:
        file = lines.file(path)
        for one in lines.definitions(path) if file is not None else ():
            if one.kind not in _CLASSES and file is not None:
                body = "\n".join(file.lines[one.span.start_line - 1 : one.span.end_line])
                certain = _certainty(one, path) + _NEAR * (where and not _PLACES.isdisjoint(words_of_name(one.name)))
                reads = _READS.search(body) is not None
                # What is named after making or getting one may do anything.
                loads = reads or max((_LOADING.get(word, 0) for word in words_of_name(one.name)), default=0) > 1
                if loads and certain + 3 * reads >= _LEAST:
                    yield _Loader(-certain - 3 * reads, folders_to_sources(path), path, one.span.start_line, one)


def _certainty(one: Definition, path: str) -> int:
    """Return how surely a definition loads the configuration, by its name and by what it stands in; 0 if not."""
    own = words_of_name(one.name)
    makes = one.name in _CONSTRUCTORS or one.name in one.scope[-1:]
    verb = 2 if makes else max((_LOADING.get(word, 0) for word in own), default=0)
    around = [word for name in one.scope[-1:] for word in words_of_name(name)]
    named, within = not _LOADED.isdisjoint(own), not PLAIN_CONFIG.isdisjoint(around)
    if not verb or not (named or (verb > 1 and (within or is_called_configuration(path)))):
        return 0
    stem = profile_path(path).stem
    further = len([word for word in own if word not in CONFIG_WORDS and word not in _LOADING and word not in _ALSO])
    further += (
        len([word for word in around if word not in CONFIG_WORDS and word not in _ALSO and word not in _LOADING]) > 1
    )
    further += not _FORMATS.isdisjoint(own)
    further += bool(around) and not within and (not named or verb == 1)
    further += not _OF_PAGES.isdisjoint(path.lower().split("/")[:-1])
    # ``load`` in ``config.go`` loads all of it, unless it is that of another type
    alone = 2 * (len(own) == 1 and verb > 1 and (within or not around))
    return (
        verb + 3 * named + 2 * within + 2 * is_called_configuration(path) + (stem in PLAIN_CONFIG) + alone - 2 * further
    )


def _declaring(files: Iterable[str], lines: CorpusLines) -> Iterator[_Loader]:
    """Yield the types that are named after configuration alone, or after that of the program, the largest first."""
    for path in files:
        for one in lines.definitions(path):
            words = words_of_name(one.name)
            further = [word for word in words if word not in CONFIG_WORDS and word not in _ALSO]
            size = one.span.end_line - one.span.start_line
            if one.kind in _CLASSES and _LOADED.intersection(words) and not further and size > 2:
                others = len([word for word in words if word not in CONFIG_WORDS])
                yield _Loader(others * _LONG - size, folders_to_sources(path), path, one.span.start_line, one)


def _reading(files: Iterable[str], lines: CorpusLines) -> Iterator[tuple[str, int, int]]:
    """Yield the first place in a file of settings that reads the environment or a file."""
    for path in files:
        file = lines.file(path)
        if file is not None and not PLAIN_CONFIG.isdisjoint(
            (profile_path(path).stem, *profile_path(path).folders[-1:])
        ):
            at = next((at for at, line in enumerate(file.lines, 1) if _READS_SETTING.search(line)), 0)
            if at:
                first, last = stretch(file, None, at)
                yield path, first, last


def _place_that_reads(corpus: Corpus, lines: CorpusLines) -> Hit | None:
    """Return the lines that read a file into what is called a configuration, where most such lines stand together."""
    found: dict[str, dict[int, bool]] = {}
    for path, number, line in lines_of_code(corpus, IN_NAMES):
        if match := re.search(_READS_CONFIGURATION, line):
            found.setdefault(path, {})[number] = match["file"] is not None
    near = {
        (path, first): len([at for at in numbers if 0 <= at - first < _MOST_LINES])
        for path, numbers in found.items()
        for first in numbers
    }
    # One line that parses something may parse anything.
    places = [(path, first) for (path, first), count in near.items() if found[path][first] or count > 1]
    if not places:
        return None
    path, first = min(places, key=lambda one: (not found[one[0]][one[1]], -near[one], folders_to_sources(one[0]), one))
    file = lines.file(path)
    last = max(at for at in found[path] if 0 <= at - first < _MOST_LINES)
    return None if file is None else lines.hit(path, first, end_of_statement(file.lines, last))


# --- documents


def _section(material: Material, corpus: Corpus, lines: CorpusLines, *, options: bool, needed: bool) -> Hit | None:
    """Return the section or page on configuration that says most; unless ``needed``, only one that names files."""
    names = frozenset(one for one in (*own_names(corpus), *names_in_manifests(material)) if len(one) > 1)
    parts = _parts(material, names)
    found = [(*_merit(path, part, material, options=options), path, part) for path, part in parts]
    says, *_, path, part = max(found, key=lambda one: one[:-2], default=(False, "", None))
    words = len(find_words("\n".join(material.lines(path)[part.first - 1 : part.last]))) if part else 0
    if part is None or not (says or (needed and words >= _FEWEST_WORDS)):
        return None
    last = min(part.last, part.first + _MOST_LINES)
    return lines.hit(path, part.first, end_of_blocks(material.lines(path), part.first, last, part.last), part.title)


def _merit(path: str, part: Part, material: Material, *, options: bool) -> tuple[int, int, int, int]:
    """Return how well a section tells of the whole configuration: what it says, how near the top it stands."""
    texts = material.lines(path)[part.first - 1 : part.last]
    if options:
        entries = len(_ENTRY.findall("\n".join(texts)))
        return entries > 0, min(entries, 40), -path.count("/"), -part.first
    says = min(len(_SAYS_WHERE.findall("\n".join(texts[:_MOST_LINES]))), 3)
    fits = (_OF_OPTIONS.search(part.title) is not None) == options
    return says > 0, fits, says - path.count("/") - len(part.above), -part.first


def _parts(material: Material, own: frozenset[str]) -> Iterator[tuple[str, Part]]:
    """Yield the sections under headings about configuration, and pages about it, with the document's path."""
    for path in (readme_of(material, "") or "", *_pages(material, own)):
        texts = material.lines(path)
        parts = [*parts_of(texts)]
        if any(one.title.lower() == "synopsis" for one in parts) and not _MANUAL.search(path):
            continue  # the page of a command
        page = _is_page(path, own)
        for part in parts:
            of_page = part is parts[0] and page and len(part.title.split()) <= _LONGEST_TITLE
            about = of_page or _is_of_all(part.title, own)
            if about and part.last > part.first and not any(map(_WORK.search, part.above[1:])):
                yield path, part
        if texts and ((not parts and page) or _MANUAL.search(path)):
            yield path, Part("", end_of_front_matter(texts) + 1, len(texts), ())


def _is_of_all(title: str, own: frozenset[str]) -> bool:
    """Return whether a title is that of a section about the whole configuration: "Configuration of the server"."""
    words = find_words(re.sub(r":\w+:|\([^()]*\)", "", title).lower())
    further = [one for one in words if one not in CONFIG_WORDS and one not in _IN_TITLES and not one.isdigit()]
    further = [one for one in further if one not in own and one not in _words_of(own)]
    of_the = len(further) == 1 and words[-2:] == ["the", further[0]]
    return not _TITLES.isdisjoint(words) and (not further or of_the)


def _words_of(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word for name in names for word in words_of_name(name))


def _pages(material: Material, own: frozenset[str]) -> Iterator[str]:
    """Yield the documents that are named after configuration, the shallowest first."""
    paths = sorted(material.documents, key=_by_depth)
    return (path for path in paths if (_is_page(path, own) or _is_whole_manual(path)) and is_manual(path, material))


def _is_whole_manual(path: str) -> bool:
    """Return whether a document near the root may be called the manual of all."""
    return path.count("/") <= 1 and profile_path(path).stem in _MANUALS


def is_manual(path: str, material: Material) -> bool:
    """Return whether a document tells users of the whole: no test, no page that is shown, nothing of an addition."""
    profile = material.profile(path)
    folders = frozenset(path.lower().split("/")[:-1])
    shown = path.endswith((".html", ".htm")) and DOCUMENTATION.isdisjoint(folders)
    aside = profile.test or profile.example or material.stands_behind(path) or not _ADDED.isdisjoint(folders)
    aside = aside or profile.stem in _OF_ASSISTANTS
    return profile.prose and not (aside or shown)


def _is_page(path: str, own: frozenset[str]) -> bool:
    """Return whether a document, or the folder that it is the index of, is named after configuration alone."""
    folder, _, file = path.rpartition("/")
    stem = file.partition(".")[0]
    of_folder = stem.lower() in ("index", "_index", "readme") and folder
    match = _PAGE.fullmatch(folder.rpartition("/")[2] if of_folder else stem)
    return _MANUAL.search(file) is not None or (match is not None and (match["of"] or "").lower() in {"", *own})
