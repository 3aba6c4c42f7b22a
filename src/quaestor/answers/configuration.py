"""Answers how a project is configured as a whole: what its documents say, what code loads it, where settings stand.

"How is configuration loaded?" has words that half of a program has. What loads it is told by names instead: a
definition that is called after loading and after configuration, or stands in a file called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from quaestor.answers.drafts import CorpusLines, Draft, in_code, stretch
from quaestor.answers.explain_term import holds_documents
from quaestor.answers.option_lists import beside_program
from quaestor.answers.overview.introduction import names_in_manifests, readme_of
from quaestor.answers.overview.material import DOCUMENTATION, Material, is_code
from quaestor.answers.overview.overview_answer import own_names, with_own_name
from quaestor.answers.overview.overview_question import plain_question
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, parts_of
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.definitions import Definition
from quaestor.core.documents import Document, Hit
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import find_words, split_identifier
from quaestor.corpus import Corpus
from quaestor.search.path_roles import folders_to_sources, profile_path

_LONGEST = 120
_IT = lazy_regex(
    r"\b(?:the|this|that|its|our|your|my)\s+(?:program|project|app|application|tool|server|library|service|code|codebase"
    r"|system|package|cli|daemon|repo|repository|website|site|backend|software|bot|plugin|framework|client)(?:'s)?\b"
)
_CONFIGURATION = (
    r"(?:(?:the|its|it|all|any|user|global|default|main|project|local|app|application|server|own|of|this|your|my|their|runtime)\s+)*"
    r"(?:config(?:uration)?(?:\s?files?|\s+(?:values|settings|options|data))?|configs|settings(?:\s+files?)?"
    r"|settings\s?file|preferences|options\s?files?|conf\s?files?|rc\s?files?)"
)
_DONE = (
    r"(?:loaded|read(?:\s+in)?|parsed|handled|managed|processed|stored|initiali[sz]ed|set\s+up|resolved|merged|found|located"
    r"|looked\s+(?:up|for)|defined|declared|done|implemented|kept|saved|determined|applied|validated|organi[sz]ed|specified)"
)
_DOES = (
    r"(?:load|read|parse|handle|manage|get|find|store|keep|look\s+for|look|search\s+for|process|obtain|locate|pick\s+up"
    r"|define|expect|initiali[sz]e|save|resolve|put)"
)
_TAIL = (
    r"(?:\s+(?:in|by|from|at|on|here|it|start|startup|launch|run\s?time|disk|the|code|and|used|where|file|into|memory|when"
    r"|starts|done))*"
)
_ASKS_LOADING = lazy_regex(
    rf"(?:how|where|when)\s+(?:is|are|does|do|will|gets?)\s+{_CONFIGURATION}(?:\s+of\s+it)?\s+(?:get\s+|being\s+)?(?:{_DONE}|work){_TAIL}"
    rf"|(?:how|where)\s+(?:does|do|can|will|should)\s+(?:it|i|you|we|one)\s+{_DOES}\s+(?:for\s+)?{_CONFIGURATION}{_TAIL}"
    rf"|where\s+(?:is|are|do\s+i\s+find|can\s+i\s+find)\s+{_CONFIGURATION}{_TAIL}(?:\s+{_DONE})?"
    rf"|(?:where|how)\s+(?:does|do)\s+{_CONFIGURATION}\s+(?:live|go|come\s+from|get\s+{_DONE}|reside|belong){_TAIL}"
    rf"|(?:which|what)\s+config(?:uration)?\s?files?\s+(?:does|do|are|is|can)\s+(?:it|there|i)?\s*"
    rf"(?:read|uses?|used|load|loaded|have|look\s+for|need|expect|supported|edit|change)?{_TAIL}"
    r"|what(?:'s|\s+is)\s+(?:the\s+)?(?:name|path|location|format)\s+of\s+(?:the|its)\s+config(?:uration)?\s?file"
    r"|what\s+is\s+(?:the|its)\s+config(?:uration)?\s?file\s+(?:called|named)"
    r"|(?:in\s+)?(?:what|which)\s+format\s+(?:does|is|are|has)\s+(?:the|its)\s+config(?:uration)?(?:\s?files?)?(?:\s+(?:have|use|in|written\s+in))?"
    rf"|(?:what|which)\s+(?:code|function|class|file|module|part)\s+(?:loads|reads|parses|handles)\s+{_CONFIGURATION}"
    r"|how\s+(?:can|do|should|to|would)\s+(?:i\s+|you\s+|we\s+|one\s+)?(?:configure|customi[sz]e)\s+it"
    r"|how\s+(?:is|can)\s+it\s+(?:be\s+)?configured|how\s+(?:do|can)\s+i\s+(?:change|edit|set|override)\s+(?:its|the)\s+"
    r"(?:config(?:uration)?|settings)"
)
_OPTIONS = r"(?:options|settings|keys|values|parameters|properties|fields|entries|directives|variables|things)"
_ASKS_OPTIONS = lazy_regex(
    rf"(?:what|which|list|show)\s+(?:are\s+)?(?:all\s+|the\s+|its\s+)*(?:config(?:uration)?\s+(?:file\s+)?{_OPTIONS}|settings|preferences)"
    r"(?:\s+(?:are|is|does|do|can|could|it|there|i|you|we|one|have|has|exist|available|supported|set|change|configure|use|know"
    r"|accept|support|understand|in|the|config(?:uration)?|file|of|offer|provide))*"
    rf"|(?:what|which)\s+{_OPTIONS}\s+(?:does|do|can|are|is)\s+(?:i\s+(?:set|use|put)\s+in\s+|(?:available|supported|there)\s+in\s+)?"
    r"(?:the|its|a)\s+config(?:uration)?(?:\s?file)?(?:\s+(?:have|support|accept|know|contain|take|understand|offer))?"
    r"|what\s+can\s+(?:i|you|we|one|be)\s+(?:configured?|customi[sz]ed?)(?:\s+(?:in|about|for)?\s*it)?"
    r"|what\s+(?:can|does|goes)\s+(?:i\s+put\s+)?(?:in|into)\s+(?:the|its)\s+config(?:uration)?\s?file(?:\s+contain)?"
)
_CONFIG_WORDS = frozenset(
    """config configs configuration configurations configurator configure configuring conf cfg settings setting options
    option preferences preference prefs properties rc opts""".split()
)
_PLAIN = frozenset("config configs configuration conf cfg settings preferences prefs".split())
_FORMATS = frozenset("ini json toml yaml yml xml str string lines line value".split())
"""Words in the names of what loads a part or one form of it."""
_OF_PAGES = frozenset("assets static public frontend client ui www".split())
"""Folders of what runs in a browser."""
_CONSTRUCTORS = frozenset("__init__ constructor initialize".split())
_LOADED = _CONFIG_WORDS - frozenset("option options opts setting configure configuring configurator".split())
_LOADING = {
    **dict.fromkeys("load loads loading loader consult read reads reader parse parser parsing unmarshal".split(), 3),
    **dict.fromkeys("find locate discover search resolve from merge open source sources provider".split(), 2),
    **dict.fromkeys(
        "get init initialize initialise setup make build create new apply fetch populate run main".split(), 1
    ),
}
_ALSO = frozenset(
    """file files default defaults path paths dir folder user global all app application server project main local
    env environment the and or with to in into all is do string str toml yaml yml json ini xml data values value
    internal impl core base root common my static public self cli cmd main""".split()
)
_READS = lazy_regex(
    r"\b(?:[oO]pen(?:File)?|fopen|fdopen|ReadFile|read_file|read_to_string|read_text|readFile(?:Sync)?|File\.(?:read|open|ReadAllText|exist)"
    r"|file_get_contents|slurp|getenv|get_env|[eE]nviron|lookupEnv|LookupEnv|Getenv|process\.env|GetEnvironmentVariable"
    r"|[Uu]nmarshal\w*|deserialize|from_str|from_slice|safe_load|yaml|toml|json|ini|YAML|TOML|JSON|INI|decode|Decode|viper"
    r"|dotenv|cosmiconfig|lilconfig|jsonargparse|ConfigParser|configparser|BaseSettings|ConfigurationBuilder|AddJsonFile"
    r"|Properties|ResourceBundle|ConfigFactory|figment|ConfigBuilder|XDG_CONFIG_HOME|fgets|getline|readfile|dofile|loadfile"
    r"|loadstring|eval|require|import|Dir|glob|confuse|koanf|envconfig|Stream|Scanner|BufferedReader|readEither|decodeFile)\b"
)
_READS_SETTING = lazy_regex(
    r"\b(?:getenv|get_env|environ|lookupEnv|LookupEnv|Getenv|env|ENV)\b\W|process\.env|BaseSettings|ConfigurationBuilder|cosmiconfig"
    r"|\b(?:safe_load|read_to_string|ReadFile|readFileSync|parse_config|YAML\.load\w*|toml\.load|json\.load)\b"
)
_TITLE = (
    r"(?::\w+:|[^\w\s])?\s*(?:[\d.]+\s+)?(?:how\s+to\s+|the\s+|about\s+)?"
    r"(?:(?:{own}|basic|general|global|server|application|app|client|user|project|runtime|main|initial|changing|using|your)\s+)*"
    r"(?:config(?:ur(?:ation|ations|ing|e))?|settings|config\s+files?|configuration\s+(?:files?|overview|handling"
    r"|settings|guide|basics|format|precedence|sources|options|reference|parameters|variables|values|loading)|rc\s+file|preferences"
    r"|customi[sz](?:ation|ing)|config\s+(?:options|reference|settings))"
    r"(?:\s+(?:and|&)\s+(?:usage|customi[sz]ation|environment|setup))?(?:\s+(?:of\s+|for\s+)?(?:{own}|it|the\s+\w+))?(?:\s+\([^()]*\))?"
)
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
_SAMPLE = lazy_regex(
    r"(?:^|/)(?:[\w.-]*(?:example|sample|default|dist)[\w-]*\.(?:conf|cfg|ini|toml|ya?ml|json|properties|env|kdl)"
    r"|[\w.-]+\.(?:conf|cfg|ini|toml|ya?ml|json|properties|env|xml|exs|kdl)[.-](?:example|sample|default|dist|template|tmpl)"
    r"|\.env\.(?:example|sample|template|dist|default)|(?:app)?settings\.json|application\.(?:ya?ml|properties|conf)"
    r"|defaults?/(?:config|settings)\.\w+|config/default\.\w+|(?:config|settings|conf)\.(?:toml|ya?ml|json|ini|conf|cfg|exs|kdl)|values\.ya?ml|(?:config|settings)[/_.-]schema\.(?:json|ya?ml))$"
    r"|^(?:(?:[\w.-]+/)*(?:config|conf|etc|contrib|docs?|share|resources|defaults?|src|lib)/(?:[\w.-]+/)*)?[\w-]+\.(?:conf|ini|cnf)$",
    re.IGNORECASE,
)
_NO_SAMPLE = lazy_regex(
    # what configures tools and other programs, and what is hidden
    r"(?:^|/)(?:\.(?!env)[^/]*|node_modules|locales?|i18n)/|(?:^|/)(?:tox|pytest|mypy|setup|dist|weaver|perltidy|jest|babel"
    r"|openssl|nginx|apache2?|httpd|supervisord?|logrotate|r?syslog|haproxy|postgresql|my|php|uwsgi|opendkim|logback"
    r"|doxygen|Doxyfile|codecov|renovate|dependabot)\b[^/]*$|(?:^|/)\.(?!env)[^/]*$",
    re.IGNORECASE,
)
_SETS = lazy_regex(r"^\s*(?:[#;]\s?)?[\"':]?[A-Za-z][\w.-]*[\"']?\s*(?:[=:]|\s\S+$)", re.MULTILINE)
"""A line of a file of settings that sets something, or shows how."""
_ENTRY = lazy_regex(
    r"^[\s>]*(?:[|*+-]\s*|#+\s+)?[*`]{1,2}-{0,2}[\w.-]+[*`]|^\s*[\w.-]+\s?[=:]\s*\S|^\.\. \w+:: ", re.MULTILINE
)
"""A line that sets or describes one setting."""
_SHOWN = lazy_regex(r"\.(?:[jt]sx|vue|svelte|html?|erb|blade\.php|twig|astro)$|(?:^|/)use[A-Z]\w*\.\w+$")
"""What shows a page of settings to users."""
_DESCRIBING = frozenset("proto protobuf thrift graphql sql css scss less html".split())
_NO_SETTINGS = frozenset("i18n l10n lang langs languages locale locales translations migrate migrations".split())
"""Folders of a program's wordings, and of what was changed once."""
_LARGEST = 80_000
_ASKS_WHERE = lazy_regex(r"\bwhere\b|(?:which|what)\s+config|name|path|location")
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


def explain_configuration(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Explain how the project is configured, or what can be; None for other questions, or if nothing tells it."""
    text = read_configuration_question(question.text, corpus)
    options = _ASKS_OPTIONS.fullmatch(text) is not None
    if not options and _ASKS_LOADING.fullmatch(text) is None:
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


def _explain(corpus: Corpus, *, options: bool, where: bool) -> WayAnswer | None:
    """Return the answer: what can be set if ``options``, where files are looked for if ``where``, else what loads."""
    material, lines, draft = Material(corpus.store), CorpusLines(corpus), Draft()
    files = _files_of_configuration(corpus, material) if material.is_code else []
    loaders = [] if options else sorted(_loaders(files, lines, where=where))
    documented = _section(material, corpus, lines, options=options, needed=not loaders)
    if documented is not None:
        draft.quote(documented)
    if material.is_code:
        _tell_code(material, files, loaders, lines, draft, options=options)
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


def is_sample(path: str) -> bool:
    """Return whether a file sets a program's settings, or shows how."""
    return (
        _SAMPLE.search(path) is not None
        and _NO_SAMPLE.search(path) is None
        and not profile_path(path).test
        and not profile_path(path).background
    )


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
    """Return the files of code that are called after configuration or hold a name that is, the main ones first."""
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


def may_set(document: Document) -> bool:
    """Return whether a document is code that runs, and neither describes data nor has a program's words."""
    folders = document.path.lower().split("/")[:-1]
    shown = document.language in _DESCRIBING or _SHOWN.search(document.path) is not None
    return is_code(document) and not shown and _NO_SETTINGS.isdisjoint(folders)


def _by_importance(path: str) -> tuple[int, bool, int, str]:
    return folders_to_sources(path), profile_path(path).stem not in _MAIN, path.count("/"), path


def words_of_name(name: str) -> list[str]:
    """Return the words of a name, or of a text, in lower case: those of ``log_level`` and ``logLevel`` are the same."""
    return [part for word in re.split(r"\W+", name) for part in split_identifier(word)]


def is_called_configuration(path: str) -> bool:
    """Return whether a file, or the folder that it lies in, is called after configuration."""
    *folders, name = path.split("/")
    words = words_of_name(name.partition(".")[0])
    return (
        bool(_CONFIG_WORDS.intersection(words))
        or (words[-1:] and words[-1].endswith("rc"))
        or bool(folders and _PLAIN.intersection(words_of_name(folders[-1])))
    )


def _is_of_loading(symbol: str) -> bool:
    words = words_of_name(symbol)
    return not _PLAIN.isdisjoint(words) and any(_LOADING.get(one, 0) > 1 for one in words)


def _loaders(files: Iterable[str], lines: CorpusLines, *, where: bool) -> Iterator[_Loader]:
    """Yield the definitions that load a configuration by their names, each with how little is certain of it."""
    for path in files:
        file = lines.file(path)
        for one in lines.definitions(path) if file is not None else ():
            if one.kind not in _CLASSES and file is not None:
                body = "\n".join(file.lines[one.span.start_line - 1 : one.span.end_line])
                certain = _certainty(one, path) + _NEAR * (where and not _PLACES.isdisjoint(words_of_name(one.name)))
                reads = _READS.search(body) is not None
                # What is called after making or getting one may do anything.
                loads = reads or max((_LOADING.get(word, 0) for word in words_of_name(one.name)), default=0) > 1
                if loads and certain + 3 * reads >= _LEAST:
                    yield _Loader(-certain - 3 * reads, folders_to_sources(path), path, one.span.start_line, one)


def _certainty(one: Definition, path: str) -> int:
    """Return how surely a definition loads the configuration, by its name and by what it stands in; 0 if not."""
    own = words_of_name(one.name)
    makes = one.name in _CONSTRUCTORS or one.name in one.scope[-1:]
    verb = 2 if makes else max((_LOADING.get(word, 0) for word in own), default=0)
    around = [word for name in one.scope[-1:] for word in words_of_name(name)]
    named, within = not _LOADED.isdisjoint(own), not _PLAIN.isdisjoint(around)
    if not verb or not (named or (verb > 1 and (within or is_called_configuration(path)))):
        return 0
    stem = profile_path(path).stem
    further = len([word for word in own if word not in _CONFIG_WORDS and word not in _LOADING and word not in _ALSO])
    further += (
        len([word for word in around if word not in _CONFIG_WORDS and word not in _ALSO and word not in _LOADING]) > 1
    )
    further += not _FORMATS.isdisjoint(own)
    further += not _OF_PAGES.isdisjoint(path.lower().split("/")[:-1])
    alone = 2 * (len(own) == 1 and verb > 1)  # ``load`` in ``config.go`` loads all of it
    return verb + 3 * named + 2 * within + 2 * is_called_configuration(path) + (stem in _PLAIN) + alone - 2 * further


def _declaring(files: Iterable[str], lines: CorpusLines) -> Iterator[_Loader]:
    """Yield the types that are called after configuration alone, or after that of the program, the largest first."""
    for path in files:
        for one in lines.definitions(path):
            words = words_of_name(one.name)
            further = [word for word in words if word not in _CONFIG_WORDS and word not in _ALSO]
            size = one.span.end_line - one.span.start_line
            if one.kind in _CLASSES and _LOADED.intersection(words) and not further and size > 2:
                others = len([word for word in words if word not in _CONFIG_WORDS])
                yield _Loader(others * _LONG - size, folders_to_sources(path), path, one.span.start_line, one)


def _reading(files: Iterable[str], lines: CorpusLines) -> Iterator[tuple[str, int, int]]:
    """Yield the first place in a file of settings that reads the environment or a file."""
    for path in files:
        file = lines.file(path)
        if file is not None and not _PLAIN.isdisjoint((profile_path(path).stem, *profile_path(path).folders[-1:])):
            at = next((at for at, line in enumerate(file.lines, 1) if _READS_SETTING.search(line)), 0)
            if at:
                first, last = stretch(file, None, at)
                yield path, first, last


# --- documents


def _section(material: Material, corpus: Corpus, lines: CorpusLines, *, options: bool, needed: bool) -> Hit | None:
    """Return the section or page on configuration that says most; unless ``needed``, only one that names files."""
    names = frozenset(one for one in (*own_names(corpus), *names_in_manifests(material)) if len(one) > 1)
    own = "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"
    title = re.compile(_TITLE.replace("{own}", own), re.IGNORECASE)
    parts = _parts(material, title, names)
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


def _parts(material: Material, title: re.Pattern[str], own: frozenset[str]) -> Iterator[tuple[str, Part]]:
    """Yield the sections under headings about configuration, and pages about it, with the document's path."""
    for path in (readme_of(material, "") or "", *_pages(material, own)):
        texts = material.lines(path)
        parts = [*parts_of(texts)]
        for part in parts:
            of_page = part is parts[0] and _is_page(path, own) and len(part.title.split()) <= _LONGEST_TITLE
            about = of_page or title.fullmatch(part.title.strip(" :"))
            if about and part.last > part.first and not any(map(_WORK.search, part.above[1:])):
                yield path, part
        if texts and ((not parts and _is_page(path, own)) or _MANUAL.search(path)):
            yield path, Part("", _end_of_front_matter(texts) + 1, len(texts), ())


def _end_of_front_matter(texts: Sequence[str]) -> int:
    """Return the line, from 1, that ends the metadata before a document's text; 0 if there are none."""
    marked = texts[0].rstrip() == "---"
    return next((at for at, line in enumerate(texts[1:], 2) if line.rstrip() == "---"), 0) if marked else 0


def _pages(material: Material, own: frozenset[str]) -> Iterator[str]:
    """Yield the documents that are called after configuration, the shallowest first."""
    paths = sorted(material.documents, key=_by_depth)
    return (path for path in paths if _is_page(path, own) and is_manual(path, material))


def is_manual(path: str, material: Material) -> bool:
    """Return whether a document tells users of the whole: no test, no page that is shown, nothing of an addition."""
    profile = material.profile(path)
    folders = frozenset(path.lower().split("/")[:-1])
    shown = path.endswith((".html", ".htm")) and DOCUMENTATION.isdisjoint(folders)
    aside = profile.test or profile.example or material.stands_behind(path) or not _ADDED.isdisjoint(folders)
    aside = aside or profile.stem in _OF_ASSISTANTS
    return profile.prose and not (aside or shown)


def _is_page(path: str, own: frozenset[str]) -> bool:
    """Return whether a document, or the folder that it is the index of, is called after configuration alone."""
    folder, _, file = path.rpartition("/")
    stem = file.partition(".")[0]
    of_folder = stem.lower() in ("index", "_index", "readme") and folder
    match = _PAGE.fullmatch(folder.rpartition("/")[2] if of_folder else stem)
    return _MANUAL.search(file) is not None or (match is not None and (match["of"] or "").lower() in {"", *own})
