"""Lists the options, the environment variables and the files of settings that code names.

Options stand in the file that declares most of them. Variables of the environment stand wherever code reads them; those
of scripts and build files beside the program are told apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from quaestor.answers.drafts import CorpusLines, Draft, in_code
from quaestor.answers.overview.document_statistics import holds_documents
from quaestor.answers.overview.introduction import names_in_manifests
from quaestor.answers.overview.material import Material, is_code
from quaestor.answers.overview.overview_answer import own_names
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, parts_of
from quaestor.answers.settings.explain_option import ASIDE
from quaestor.answers.settings.setting_declarations import (
    COMMENT,
    CONFIG_WORDS,
    LONGEST_LINE,
    STRING,
    SettingKind,
    bounds_of_call,
    bounds_of_setting,
    may_set,
    options_shown,
    variables_in,
    words_of_name,
)
from quaestor.answers.settings.setting_questions import (
    Asks,
    SettingQuestion,
    extra_words,
    read_setting_question,
    stems_of_names,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import lazy_regex
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.search.path_roles import folders_to_sources, is_beside_program, profile_path
from quaestor.stores import StoredChunk

_LONGEST = 160
_ASKS_ENVIRONMENT = lazy_regex(
    r"^\W*(?:(?:what|which|list|show(?:\s+me)?|name|are\s+there(?:\s+any)?)\s+(?:(?:are|all|of|the|other)\s+)*)?"
    r"env(?:ironment)?\s?var(?:iable)?s(?:\s+(?:can|could|must|should|do|may)\s+(?:i|you|we|one)\s+(?:set|configure))?"
    r"(?:\s+(?!(?:set|control|configure|change|turn|limit|choose|make|tell|say)s?\b)[\w'-]+){0,6}"
    r"\W*$",
    re.IGNORECASE,
)
"""A question for all environment variables, without a further condition."""
_FROM_SHELL = lazy_regex(r"\$\{([A-Z][A-Z0-9_]+):?[-=?+]")
"""What a shell script takes from the environment if nothing sets it: ``${PORT:-80}``."""
_SET_IN_SHELL = lazy_regex(
    r"(?:^|[;&(\s])([A-Z][A-Z0-9_]+)\+?=(?!\"?\$\{\1:?[-=?])|\bread\b[^\n]* ([A-Z][A-Z0-9_]+)$", re.MULTILINE
)
_VARIABLE_IN_TEXT = lazy_regex(r"(?<![\w.])[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|(?<=[`$])[A-Z][A-Z0-9]{2,}\b")
_ABOUT_ENVIRONMENT = lazy_regex(
    r"environment|(?:[\w'-]+\s+){0,3}(?:environment(?:al)?\s+variables?|env\.?\s?vars?)(?:\s+[\w'-]+){0,3}",
    re.IGNORECASE,
)
_SAYS_VARIABLE = lazy_regex(r"\benv(?:ironment)?[ -]?var(?:iable)?s?\b", re.IGNORECASE)
_OF_SHOWN_VARIABLES = lazy_regex(r"(?:^|/)[\w-]*\.?env\.(?:example|sample|template|dist|default)[\w.]*$")
_ENVIRONMENT = ("env", "environ", "getenv", "environment")
_ASKS_OPTIONS = lazy_regex(
    r"^\W*(?:(?:what|which|list|show(?:\s+me)?|are\s+there(?:\s+any)?)\s+)?(?:(?:are|all|of|the|command[- ]line)\s+)*"
    r"(?:options|flags|switches|command[- ]line\s+arguments)"
    r"(?:\s+(?:are\s+there|exist|available|supported|does\s+\w+\s+(?:have|take|accept|support|know)"
    r"|do\s+i\s+have|can\s+(?:i|one|you)\s+(?:use|pass|give|set)|(?:of|on)\s+the\s+(?:command\s+line|program|tool)))?\W*$",
    re.IGNORECASE,
)
_DESCRIBED = lazy_regex(r"[\"'`][^\"'`\n]*?\w+ \w+ \w|\s{2,}\w+ \w+ \w|^\s*///\s*\w+ \w+ \w", re.MULTILINE)
"""At least three words in a string, behind a gap or in a comment: a description of the option."""
_OPTIONS = ("option", "flag", "help", "usag", "arg", "argument")
_FEWEST_OPTIONS, _MOST_SHOWN, _MOST_FILES = 4, 24, 5
_SHELLS = frozenset({"bash", "batch", "fish", "m4", "powershell", "zsh"})
_NO_PROGRAM = frozenset({"cmake", "dockerfile", "ini", "json", "make", "properties", "toml", "xml", "yaml"})
_MOST_LISTED, _MOST_READ, _MOST_CITED, _MOST_OF_SECTION = 60, 3000, 3, 24

_SCRIPTING = _SHELLS | {"perl", "python", "r", "ruby"}
_SMALL = {False: 20, True: 2}
"""A language is that of scripts beside the program if all code is this many times as much; of shells, if True."""

IN_NAMES = ("config", "conf", "cfg", "settings", "configur")
_BRINGS = r"\s*(?:import|from|use|using|export)\b|.*\b(?:log|print|error|warn|throw|raise)\w*[.(! ]"
"""A line that imports something, or prints or raises a message."""
_ENDINGS = frozenset(
    """cfg conf env exs ini js json json5 jsonc kdl lua php properties py rb rc ron toml xml yaml yml""".split()
)
_OF_ALL = frozenset("app application base common default global index local main user".split())
_LONGEST_NAME = 80

_Places = dict[str, tuple[str, int]]
"""Names of variables, each with the path and the line, from 1, where code first reads it."""


def list_environment(question: Question, corpus: Corpus) -> WayAnswer | None:
    """List the environment variables; None if the question asks for none, or where only a search may find any."""
    if len(question.text) > _LONGEST or not _ASKS_ENVIRONMENT.match(question.text):
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _explain_environment(corpus))


def _explain_environment(corpus: Corpus) -> WayAnswer | None:
    """Return a document's section on environment variables, if any, and where code first reads each of them."""
    lines, draft = CorpusLines(corpus), Draft()
    read: _Places = {}
    beside: _Places = {}
    is_beside = beside_program(corpus)
    for _, path, line, name in sorted({*_variables_read(corpus), *_variables_of_shell(corpus, lines)}):
        (beside if is_beside(path) else read).setdefault(name, (path, line))
    beside = {name: place for name, place in beside.items() if name not in read}
    documented = _section_on_environment({*read, *beside}, corpus, lines)
    if documented is not None:
        draft.quote(documented)
    if read:
        count = amount(len(read), "variable")
        draft.say(f"Code names {count} of the environment where it reads them: {_variable_list(read)}.")
        for path, line in [] if documented else list(dict.fromkeys(read.values()))[:_MOST_CITED]:
            draft.quote(lines.statement(path, line))
    for path in sorted(
        one for one in corpus.store.documents() if _OF_SHOWN_VARIABLES.search(one) and not is_beside(one)
    ):
        draft.say(f"{in_code(path)} shows which variables there are.")
    if beside:
        _tell_beside(beside, draft, lines, alone=not read)
    return draft.finish("option") if draft.hits else _without_environment(corpus)


def _tell_beside(beside: _Places, draft: Draft, lines: CorpusLines, *, alone: bool) -> None:
    """Add what only scripts and build files read, with a quote if there is none yet."""
    who = "Only scripts, build files and the like" if alone else "Scripts, build files and the like"
    draft.say(f"{who} beside the program read {_variable_list(beside)}.")
    for path, line in list(beside.values())[: 0 if draft.hits else 1]:
        draft.quote(lines.statement(path, line))


def _without_environment(corpus: Corpus) -> WayAnswer | None:
    """Say that no code reads a variable; None of documents, and where one names any, which a search may find."""
    told = (one.chunk.text for one in holding_any(corpus, _ENVIRONMENT) if one.document.language in PROSE)
    if holds_documents(corpus) or any(map(_SAYS_VARIABLE.search, told)):
        return None
    draft = Draft()
    draft.say("No code here reads a variable of the environment in one of the usual forms.")
    return draft.finish("option", known=False)


def _section_on_environment(read: Collection[str], corpus: Corpus, lines: CorpusLines) -> Hit | None:
    """Return the section of a document on environment variables that names most of those read, or most at all."""
    material, best = Material(corpus.store), None
    named = (path for path in material.documents if _is_page_on_environment(path))
    holding = {one for word in _ENVIRONMENT for one in corpus.store.holding((word,), _MOST_READ)}
    for path in sorted({*corpus.store.paths_of(holding), *named}):
        if material.documents[path].language in PROSE and not _is_aside(path, material):
            for part, names in _parts_on_environment(path, material.lines(path)):
                rank = len(names.intersection(read)), len(names), -folders_to_sources(path)
                if (rank[0] or not read) and (best is None or rank > best[0]):
                    best = rank, path, part
    if best is None:
        return None
    _, path, part = best
    last = min(part.last, part.first + _MOST_OF_SECTION)
    return lines.hit(path, part.first, end_of_blocks(material.lines(path), part.first, last, part.last), part.title)


def _is_aside(path: str, material: Material) -> bool:
    return any(profile_path(path).flags[:3]) or material.stands_behind(path)


def _is_page_on_environment(path: str) -> bool:
    return _ABOUT_ENVIRONMENT.fullmatch(re.sub(r"[-_]", " ", path.rpartition("/")[2].partition(".")[0])) is not None


def _parts_on_environment(path: str, texts: Sequence[str]) -> Iterator[tuple[Part, set[str]]]:
    """Yield the sections on environment variables, each with the variables that it names."""
    page = _is_page_on_environment(path)
    parts = [*parts_of(texts)]
    for part in parts:
        if _ABOUT_ENVIRONMENT.fullmatch(part.title) or (page and part is parts[0]):
            names = set(_VARIABLE_IN_TEXT.findall("\n".join(texts[part.first - 1 : part.last])))
            if names:
                yield part, names


def _variable_list(read: _Places) -> str:
    shown = [f"{in_code(name)} ({in_code(f'{path}:{line}')})" for name, (path, line) in sorted(read.items())]
    more = len(shown) - _MOST_LISTED
    return f"{', '.join(shown[:_MOST_LISTED])}{f' and {more:,} more' if more > 0 else ''}"


def explain_build_option(
    text: str, corpus: Corpus, declared: Callable[[], Iterable[tuple[str, int, str]]]
) -> WayAnswer | None:
    """Quote the build options that turn a thing on or off; None for other questions, or if none is named after it.

    Args:
        text: the question in lower case.
        corpus: the corpus that may answer it.
        declared: reads the path, the line and the name of each build option.
    """
    asked = read_setting_question(text)
    if asked is None or asked.asks is not Asks.SWITCH:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _build_options_for(asked, corpus, declared()))


def _build_options_for(
    asked: SettingQuestion, corpus: Corpus, declared: Iterable[tuple[str, int, str]]
) -> WayAnswer | None:
    lines, draft = CorpusLines(corpus), Draft()
    own = frozenset(stems_of_names(["build", *(part for name in own_names(corpus) for part in words_of_name(name))]))
    for path, line, name in declared:
        file = lines.file(path) if extra_words(name, asked, own) == 0 else None
        if file is not None and len(draft.hits) < _MOST_CITED:
            draft.quote(lines.hit(path, *bounds_of_call(file.lines, line)))
    return draft.finish("configuration") if draft.hits else None


def beside_program(corpus: Corpus) -> Callable[[str], bool]:
    """Return a function that tells whether a file only serves work on the program.

    So do scripts beside a program that is written in another language, if they are a small part of all code.
    """
    documents = corpus.store.documents()
    sizes = Counter[str]()
    for path, one in documents.items():
        if is_code(one) and not is_beside_program(path):
            sizes[one.language] += one.size
    total = sum(sizes.values())
    small = {one for one in _SCRIPTING if _SMALL[one in _SHELLS] * sizes[one] < total}
    return lambda path: is_beside_program(path) or documents[path].language in small


_Read = tuple[int, str, int, str]
"""The folders above a file, its path, the line, and the variable that is read there: what sorts well."""


def _variables_read(corpus: Corpus) -> Iterator[_Read]:
    """Yield each place where code reads an environment variable."""
    for stored in holding_any(corpus, _ENVIRONMENT):
        path, language = stored.document.path, stored.document.language
        if language in PROSE or language in _NO_PROGRAM or any(profile_path(path).flags):
            continue
        for number, line in enumerate(stored.chunk.text.split("\n"), stored.chunk.span.start_line):
            for name in variables_in(line[:LONGEST_LINE]):
                yield folders_to_sources(path), path, number, name


def _variables_of_shell(corpus: Corpus, lines: CorpusLines) -> Iterator[_Read]:
    """Yield each place where a shell script has a default for a variable that no shell script sets."""
    paths = [path for path, one in corpus.store.documents().items() if one.language in _SHELLS]
    files = [(path, file) for path in paths if (file := lines.file(path)) and not any(profile_path(path).flags)]
    found_set = {name for _, file in files for names in _SET_IN_SHELL.findall(file.text) for name in names}
    for path, file in files:
        for number, line in enumerate(file.lines, 1):
            for name in [] if COMMENT.match(line) else _FROM_SHELL.findall(line[:LONGEST_LINE]):
                if name not in found_set:
                    yield folders_to_sources(path), path, number, name


def list_options(question: Question, corpus: Corpus) -> WayAnswer | None:
    """List the command-line options; None if no file declares several, or the question asks for none."""
    if len(question.text) > _LONGEST or not _ASKS_OPTIONS.match(question.text):
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _list_options(corpus))


def _list_options(corpus: Corpus) -> WayAnswer | None:
    """Return the options in the file that declares most of them, and quote the beginning of these declarations."""
    lines, draft = CorpusLines(corpus), Draft()
    files = {path: file.lines for path in _giving_options(corpus) if (file := lines.file(path)) is not None}
    described = {path: _count_described(texts, _options_of(texts)) for path, texts in files.items()}
    most = max(described.values(), default=0)
    lines_by_option = {path: _options_of(texts) for path, texts in files.items() if described[path] == most}
    path = max(lines_by_option, key=lambda one: (len(lines_by_option[one]), -folders_to_sources(one), one), default="")
    if len(lines_by_option.get(path, ())) < _FEWEST_OPTIONS:
        return None
    numbers = sorted(lines_by_option[path].values())
    first = max(numbers, key=lambda one: (sum(0 <= at - one < _MOST_SHOWN for at in numbers), -one))
    draft.quote(lines.hit(path, first, max(one for one in numbers if one - first < _MOST_SHOWN)))
    options = [f"{in_code(f'--{name}')} ({line})" for name, line in sorted(lines_by_option[path].items())]
    more = len(options) - _MOST_LISTED
    draft.say(
        f"{in_code(path)} gives {amount(len(options), 'option')}: {', '.join(options[:_MOST_LISTED])}"
        f"{f' and {more:,} more' if more > 0 else ''} (line numbers in brackets)."
    )
    return draft.finish("option")


def _giving_options(corpus: Corpus) -> Sequence[str]:
    """Return the few files that declare most options, without shell scripts, which mostly call other programs."""
    counts, described = Counter[str](), Counter[str]()
    for stored in holding_any(corpus, _OPTIONS):
        path, language = stored.document.path, stored.document.language
        if not (any(profile_path(path).flags) or ASIDE.search(path) or language in _NO_PROGRAM or language in _SHELLS):
            texts = stored.chunk.text.split("\n")
            options = _options_of(texts)
            counts[path] += len(options)
            described[path] += _count_described(texts, options)
    return sorted(counts, key=lambda path: (-described[path], -counts[path]))[:_MOST_FILES]


def _count_described(lines: Sequence[str], options: Mapping[str, int]) -> int:
    """Return how many options are described, in their line, next to it or in what declares them."""
    bounds = ((at, *bounds_of_setting(lines, at, SettingKind.OPTION, "")) for at in options.values())
    near = ("\n".join(lines[max(0, min(at - 1, first) - 1) : max(at + 1, last)]) for at, first, last in bounds)
    return sum(_DESCRIBED.search(text) is not None for text in near)


def _options_of(lines: Sequence[str]) -> dict[str, int]:
    """Return the options that lines declare, each with the number of the first line that does, from 1."""
    line_of_option: dict[str, int] = {}
    for number in range(1, len(lines) + 1):
        for name in options_shown(lines, number):
            line_of_option.setdefault(name, number)
    return line_of_option


def holding_any(corpus: Corpus, words: Sequence[str]) -> Iterable[StoredChunk]:
    """Return the chunks that hold any of some terms; of a term in very many chunks, only the first ones."""
    return corpus.store.get({one: None for word in words for one in corpus.store.holding((word,), _MOST_READ)}).values()


def lines_of_code(corpus: Corpus, words: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Yield the path, the number and the text of the lines of programs in chunks that hold any of some words."""
    is_beside = beside_program(corpus)
    for stored in holding_any(corpus, (*words,)):
        path, document = stored.document.path, stored.document
        if is_code(document) and may_set(document) and not any(profile_path(path).flags) and not is_beside(path):
            for number, line in enumerate(stored.chunk.text.split("\n"), stored.chunk.span.start_line):
                if not COMMENT.match(line) and not re.match(_BRINGS, line):
                    yield path, number, line[:LONGEST_LINE]


def files_of_settings_named(corpus: Corpus) -> list[tuple[str, str, int]]:
    """Return the names of files of settings that code has as text, each with its path and line, the surest first."""
    own = _own_words(corpus)
    found: dict[str, tuple[bool, int, str, int]] = {}
    for path, number, line in lines_of_code(corpus, (*IN_NAMES, *own)):
        for name in (one[1:-1] for one in STRING.findall(line)):
            if len(name) <= _LONGEST_NAME and _is_file_of_settings(name, own):
                place = own.isdisjoint(words_of_name(name)), folders_to_sources(path), path, number
                found[name] = min(place, found.get(name, place))
    return [(name, path, number) for name, (*_, path, number) in sorted(found.items(), key=lambda one: one[1])]


def _own_words(corpus: Corpus) -> frozenset[str]:
    names = (*own_names(corpus), *names_in_manifests(Material(corpus.store)))
    return frozenset(word for name in names for word in words_of_name(name) if len(word) > 1)


def _is_file_of_settings(name: str, own: frozenset[str]) -> bool:
    """Return whether text is the name of a file of settings: "/etc/shop/config", ".shoprc", "shop.toml". Pure."""
    folder, _, base = re.sub(r"^[?~$]+|\\+", "/", name).rpartition("/")
    stem, _, ending = base.lstrip(".").partition(".")
    words = words_of_name(stem)
    if any(one.isspace() for one in name) or not words or not (CONFIG_WORDS | own | _OF_ALL).issuperset(words):
        return base.startswith(".") and base.endswith("rc") and base[1:-2] in own
    placed = re.search(r"(?:^|/)(?:etc|\.?config)(?:/|$)", folder) is not None
    return ending in _ENDINGS if ending else placed and not CONFIG_WORDS.isdisjoint(words)
