"""Lists the command-line options and the environment variables of a program, and reads lines that declare settings.

Options stand in the file that declares most of them. Variables of the environment stand wherever code reads them; those
of scripts and build files beside the program are told apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum

from quaestor.answers.drafts import CorpusLines, Draft, in_code, innermost_definition, line_of_name
from quaestor.answers.explain_option import ASIDE, COMMENT, LONGEST_LINE, SETS
from quaestor.answers.explain_term import holds_documents
from quaestor.answers.overview.material import Material, is_code
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, parts_of
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile
from quaestor.search.path_roles import folders_to_sources, is_beside_program, profile_path
from quaestor.stores import StoredChunk

_LONGEST = 160
_ASKS_ENVIRONMENT = re.compile(
    r"^\W*(?:(?:what|which|list|show(?:\s+me)?|name|are\s+there(?:\s+any)?)\s+(?:(?:are|all|of|the|other)\s+)*)?"
    r"env(?:ironment)?\s?var(?:iable)?s(?:\s+(?:can|could|must|should|do|may)\s+(?:i|you|we|one)\s+(?:set|configure))?"
    r"(?:\s+(?!(?:set|control|configure|change|turn|limit|choose|make|tell|say)s?\b)[\w'-]+){0,6}"
    r"\W*$",
    re.IGNORECASE,
)
"""A question for all environment variables, without a further condition."""
_READS_VARIABLE = re.compile(
    # getenv("A"), os.environ["A"], ENV.fetch("A"), env::var("A"), envOr("A", 1), env = "A", EnvVars: []string{"A"},
    # getEnvVarOwned(allocator, "A"), $ENV{A} and process.env.A
    r"\b\w{0,20}env(?:iron(?:ment(?:variable)?)?|_?vars?|_?or\w{0,12}|_(?:name|key|opt)|bool|int|string)?"
    r"(?:\W{0,4}(?:get|fetch|key|pop|string|var|str|bool|int)\w{0,8})?"
    r"(?:\W{1,6}|Owned\(\w{1,20},\s?)[\"'](?P<quoted>[a-z]\w+)[\"']"
    r"|\b(?:process|meta|Bun)\.env\.(?P<plain>[a-z]\w+)\b|\$ENV\{(?P<perl>[a-z]\w+)\}",
    re.IGNORECASE,
)
_READS_NONE = re.compile(
    r"(?:\.env|environment)\(\s*[\"']\w+[\"']\s*,|\b(?:option_)?env!|[^=!<>]{0,40}?\]\s*=(?![=~>])|[^\n]{0,40}?\{\s*[\"']\w+[\"']\s*(?::|=>)"
)
"""What sets a variable for a program that is started, or is read by a build: ``.env("A", b)``, ``env["A"] = b``."""
_OF_REQUEST = re.compile(
    r"env(?:iron)?(?:\[|\.(?:get|fetch|pop)\()[\"'](?:HTTP|REQUEST|REMOTE|SERVER|CONTENT|SCRIPT|PATH|QUERY|RACK)_(?!ENV)"
)
"""What a web server tells of a request, in a mapping that is called environment as well."""
_FROM_SHELL = re.compile(r"\$\{([A-Z][A-Z0-9_]+):?[-=?+]")
"""What a shell script takes from the environment if nothing sets it: ``${PORT:-80}``."""
_SET_IN_SHELL = re.compile(
    r"(?:^|[;&(\s])([A-Z][A-Z0-9_]+)\+?=(?!\"?\$\{\1:?[-=?])|\bread\b[^\n]* ([A-Z][A-Z0-9_]+)$", re.MULTILINE
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")
_VARIABLE_IN_TEXT = re.compile(r"(?<![\w.])[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|(?<=[`$])[A-Z][A-Z0-9]{2,}\b")
_ABOUT_ENVIRONMENT = re.compile(
    r"environment|(?:[\w'-]+\s+){0,3}(?:environment(?:al)?\s+variables?|env\.?\s?vars?)(?:\s+[\w'-]+){0,3}",
    re.IGNORECASE,
)
_SAYS_VARIABLE = re.compile(r"\benv(?:ironment)?[ -]?var(?:iable)?s?\b", re.IGNORECASE)
_OF_SHOWN_VARIABLES = re.compile(r"(?:^|/)[\w-]*\.?env\.(?:example|sample|template|dist|default)[\w.]*$")
_ENVIRONMENT = ("env", "environ", "getenv", "environment")
_ASKS_OPTIONS = re.compile(
    r"^\W*(?:(?:what|which|list|show(?:\s+me)?|are\s+there(?:\s+any)?)\s+)?(?:(?:are|all|of|the|command[- ]line)\s+)*"
    r"(?:options|flags|switches|command[- ]line\s+arguments)"
    r"(?:\s+(?:are\s+there|exist|available|supported|does\s+\w+\s+(?:have|take|accept|support|know)"
    r"|do\s+i\s+have|can\s+(?:i|one|you)\s+(?:use|pass|give|set)|(?:of|on)\s+the\s+(?:command\s+line|program|tool)))?\W*$",
    re.IGNORECASE,
)
_GIVES_OPTION = re.compile(
    r"^[^\w\n]{0,12}(?:-\w[\s,|/`]+)?`{0,2}--(?P<shown>[a-z][\w-]+)|[\"'](?:-\w[\s,|/]+)?--(?P<string>[a-z][\w-]+)"
    r"|\blong\s*=\s*\"(?P<long>[a-z][\w-]+)\"|arg!\(--\"?(?P<macro>[a-z][\w-]+)"
    r"|\bOption\s+\"\w*\"\s+\[\"(?P<getopt>[a-z][\w-]+)\"|(?:Flag\{\s*Name:\s*|VarP?\([^\"\n]{1,60})\"(?P<flag>[a-z][\w-]+)\""
    r"|\bflags?\.(?:Bool|String|Int|Uint|Float|Duration|Func)\w*\((?:&[\w.]+,\s*)?\"(?P<go>[a-z][\w.-]+)\""
    r"|\bflaggy\.\w+\(&[\w.]+,\s*\"\w*\",\s*\"(?P<flaggy>[a-z][\w-]+)\""
)
_DESCRIBED = re.compile(r"[\"'`][^\"'`\n]*?\w+ \w+ \w|\s{2,}\w+ \w+ \w|^\s*///\s*\w+ \w+ \w", re.MULTILINE)
"""At least three words in a string, behind a gap or in a comment: a description of the option."""
_OPTIONS = ("option", "flag", "help", "usag", "arg", "argument")
_FEWEST_OPTIONS, _MOST_SHOWN, _MOST_FILES = 4, 24, 5
_SHELLS = frozenset({"bash", "fish", "m4", "powershell", "zsh"})
_NO_PROGRAM = frozenset({"cmake", "dockerfile", "ini", "json", "make", "properties", "toml", "xml", "yaml"})
_MOST_LISTED, _MOST_READ, _MOST_CITED, _MOST_OF_SECTION = 60, 3000, 3, 24

_SCRIPTING = _SHELLS | {"perl", "python", "r", "ruby"}
_SMALL = {False: 20, True: 2}
"""How many times as much code there is than of a language that only scripts beside the program are in."""

_FLAG = re.compile(
    r"[\"'](?:-\w[\s,|/]+)?--(?:\[?no-?\]?)?(?P<a>[a-z][\w-]+)(?=[\"'=\[,|]|\s{2,}|\s[A-Z<\[]+|\\\\[tn])|\blong\s*=\s*\"(?P<b>[a-z][\w-]+)\"|(?:Flag\{\s*Name:\s*|VarP?\([^\"\n]{1,60})\"(?P<c>[a-z][\w-]+)\""
    r"|\b(?:\w*[fF]lag\w*|fs|f|\w*Flags\(\))\.(?:Bool|String|Int|Uint|Float|Duration|Func|Var|TextVar)\w*"
    r"\((?:&?[\w.]+,\s*)?\"(?P<d>[a-z][\w.-]+)\""
    r"|\{\s*\"(?P<e>[a-z][\w-]+)\",\s*(?:required_argument|no_argument|optional_argument)|\bOption\s+\"\w*\"\s+\[\"(?P<f>[a-z][\w-]+)\""
)
_GIVEN = re.compile(r"=[a-z0-9.]+[\"']")
"""The value with which a program is called, behind an option: ``"--color=always"``."""
_IN_PARAGRAPH = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?[^\W\d_]")
_FIELD = re.compile(
    r"^\s*(?:[\w<>\[\],.?*&]+\s+){0,4}?[@$*&:.\"'\[]{0,2}(?P<name>[A-Za-z_][\w.-]*)(?!::)[\"'\]?!]{0,2}\s*"
    r"(?::\s*(?!=)[^=\n\"']{0,60}?)?(?:=>|=(?!=)|:(?![:=]))\s*(?P<value>[^\s=].*)$"
)
_TYPED = re.compile(r"^\s*(?:pub\s+)?(?P<name>[A-Z]\w*)\s+[\w.*\[\]]+(?:\s+`.*`)?\s*(?://.*)?$")
_NAMED_DEFAULT = re.compile(
    r"(?P<name>\b(?:\w*(?:default|DEFAULT|Default)\w*))\b(?:\s*:\s*[^=\n]{0,40})?(?:\s*:?=(?!=)\s*|\s*\(\)\s*(?:->[^{\n]{0,30})?\{?\s*|\s+(?=[\d\"(]))(?P<value>.*)$"
)
_PARAMETER = re.compile(
    r"(?:^|[(,])\s*(?:[\w<>?\[\].]+\s+)?[$@]?(?P<name>[a-z_]\w*)\s*(?::[^=,()\n]{0,60})?\s*=\s*(?P<value>[^=,()\n]+|[\w.]+\([^()\n]*\))\s*[,)]"
)
_KEY = re.compile(
    # port = 80, # port: 80, export PORT=80, port 80, #port 80
    r"\s*(?:[#;]+\s?|//\s?)?(?:export\s+)?[\"']?(?P<a>[A-Za-z_][\w.-]*)[\"']?\s*[:=]\s*(?P<b>.*)$"
    r"|\s*[#;]?(?P<c>[a-z][a-z0-9_.-]*)\s(?P<d>\S+)\s*$"
)
_ENTRY = re.compile(
    # - `name`, | `name` |, ### `name`, .. option:: name, `name`::, *name* = value, --name
    r"[\s>]*(?:[|*+-]\s*|\d+[.)]\s+|#+\s+)?(?:\*\*|\[)?`{1,2}(?P<a>-{0,2}[A-Za-z_][\w.-]*)(?:[ =][^`]{0,40})?`"
    r"|\s*\.\.\s+[\w:-]+::\s+(?P<b>[A-Za-z_-][\w.-]*)\s*$|\s*\*(?P<c>[A-Za-z_][\w.-]*)\*\s*[=:]"
    r"|[\s>|*+-]*(?:-\w,?\s+)?--(?P<d>[a-z][\w-]+)|\s*\|\s*(?P<e>[A-Za-z]\w*[_.-][\w.-]*)\s*\||#+\s+(?P<f>[a-z]\w*[_.-][\w.-]*)\s*$"
    # .B name, .It Fl name, =item C<name>, name::
    r"|\.(?:B|BI|BR|It (?:Fl|Cm|Ic|Ev|Va))\s+(?:\\?-)*(?P<g>[A-Za-z_][\w.-]*)\s*$"
    r"|=item\s+(?:[A-Z]<+)?-{0,2}(?P<h>[A-Za-z_][\w.-]*)>*|(?P<i>[A-Za-z]\w*[_.-][\w.-]*)::\s*$"
)
_IS_TYPE = re.compile(r"(?:[A-Za-z_][\w.:]*(?:<.*>|\[\])?|Option<.*>)\??\s*[,;]?\s*(?://.*)?$")
LITERAL = re.compile(r"[\"'`\d-]|true|false|True|False|null|None|nil|\.\d")
_NO_DECLARATION = re.compile(r"\s*(?://|#(?!\[|define)|\*|/\*|--\s|;|use\s|import\s|from\s|return\b|if\b|assert)")
_COMPLAINS = re.compile(
    r"(?:fatal|err(?:or)?|fail|panic|warn(?:ing)?|exit)\w*(?:\s*\(|\s+[\"'])|\b(?:raise|throw|die)\b"
    r"|^(?!.*(?:opt|arg|flag|param|\bon\()).*[\"']--\w.*[\"']--\w",
    re.IGNORECASE,
)
"""What says that an option is wrong, and what calls a program with several."""
_TAKES_OPTIONS = re.compile(r"opt|arg|flag|param|switch|\bon\b|help|usage", re.IGNORECASE)
_SAYS_WHAT_FOR = re.compile(r"[\"'][^\"']*\w\s\w+\s\w[^\"']*[\"']|--[\w-]+\s{2,}\w")
_LONGEST_DECLARATION, _LONGEST_ENTRY, _FARTHEST = 12, 8, 60
_NEXT_ENTRY = re.compile(r"\s*(?:[#=|`-]|\.\.|\.(?!br\b|\s)|\* )")

_Places = dict[str, tuple[str, int]]
"""Names of variables, each with the path and the line, from 1, where code first reads it."""


class SettingKind(IntEnum):
    """What a setting is declared by, the surest first."""

    OPTION = 0
    ENTRY = 1
    FIELD = 2
    KEY = 3
    VARIABLE = 4
    SETTER = 5
    CONSTANT = 6
    PARAMETER = 7


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
        for path, line in [] if documented else list(read.values())[:_MOST_CITED]:
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


def variables_in(line: str) -> Iterator[str]:
    """Yield the environment variables that a line of code reads, and none that it sets or talks of."""
    if SETS.search(line) or (COMMENT.match(line) and not line.lstrip().startswith(("#[", "#define"))):
        return
    for match in _READS_VARIABLE.finditer(line):
        name: str = match["quoted"] or match["plain"] or match["perl"]
        before = line[: match.start()]
        of_request = _OF_REQUEST.search(match[0]) and not before.endswith("os.")
        begins = match.start() - before.endswith(".")
        if _VARIABLE.fullmatch(name) and not of_request and not _READS_NONE.match(line, begins):
            yield name


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
    """Return how many options are described, in their line or next to it."""
    near = ("\n".join(lines[max(0, at - 2) : at + 1]) for at in options.values())
    return sum(_DESCRIBED.search(text) is not None for text in near)


def _options_of(lines: Sequence[str]) -> dict[str, int]:
    """Return the options that lines declare, each with the number of the first line that does, from 1."""
    line_of_option: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        for match in _GIVES_OPTION.finditer(line[:LONGEST_LINE]):
            line_of_option.setdefault(next(filter(None, match.groups())), number)
    return line_of_option


def holding_any(corpus: Corpus, words: Sequence[str]) -> Iterable[StoredChunk]:
    """Return the chunks that hold any of some terms; of a term in very many chunks, only the first ones."""
    return corpus.store.get({one: None for word in words for one in corpus.store.holding((word,), _MOST_READ)}).values()


def settings_at(file: IndexedFile, at: int, *, sample: bool) -> Iterator[tuple[SettingKind, str, str]]:
    """Yield the kind, the name and the value of each setting that a line declares, perhaps in a sample of settings."""
    line = file.lines[at - 1][:LONGEST_LINE].rstrip("\r")
    if file.document.language in PROSE:
        if (match := _ENTRY.match(line)) and not _goes_on(file.lines, at):
            yield SettingKind.ENTRY, next(filter(None, match.groups())).lstrip("-"), ""
    elif sample:
        if match := _KEY.match(line):
            yield SettingKind.KEY, match["a"] or match["c"], (match["b"] or match["d"] or "").strip()
    elif is_code(file.document) and not _NO_DECLARATION.match(line):
        yield from _options_at(file, at, line)
        yield from _settings_in_code(line)


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """Return whether a line goes on with the paragraph above, and happens to begin with an option or a name. Pure."""
    line, above = lines[at - 1], lines[at - 2] if at > 1 else ""
    begins = line.lstrip().startswith(("--", "`", "*")) and not line.lstrip().startswith("* ")
    deeper = len(line) - len(line.lstrip()) >= len(above) - len(above.lstrip())
    return begins and deeper and _IN_PARAGRAPH.match(above) is not None and "  " not in line.strip()


def _options_at(file: IndexedFile, at: int, line: str) -> Iterator[tuple[SettingKind, str, str]]:
    """Yield the options that a line declares, and none that it passes on to another program."""
    around = f"{file.lines[at - 2] if at > 1 else ''}\n{line}"
    if not _COMPLAINS.search(line) and (_TAKES_OPTIONS.search(around) or _SAYS_WHAT_FOR.search(line)):
        for match in _FLAG.finditer(line):
            if _GIVEN.match(line, match.end()):
                continue
            yield SettingKind.OPTION, next(filter(None, match.groups())), ""


def _settings_in_code(line: str) -> Iterator[tuple[SettingKind, str, str]]:
    for name in variables_in(line):
        yield SettingKind.VARIABLE, name, line.partition(name)[2].strip("\"')] ,|?")
    # What ends with the name and a pair of brackets is a call.
    if (match := _NAMED_DEFAULT.search(line)) and match["value"].strip(" ;,)"):
        yield SettingKind.CONSTANT, match["name"], match["value"].strip()
    if match := _FIELD.match(line) or _TYPED.match(line):
        value = match.groupdict().get("value") or ""
        yield SettingKind.FIELD, match["name"], "" if _IS_TYPE.fullmatch(value) and not LITERAL.match(value) else value
    for match in _PARAMETER.finditer(line):
        yield SettingKind.PARAMETER, match["name"], match["value"].strip()


def end_of_declaration(texts: Sequence[str], at: int) -> int:
    """Return the line that closes the brackets that a line opens; the line itself if that is too far away."""
    depth = 0
    for number in range(at, min(len(texts), at + _LONGEST_DECLARATION) + 1):
        depth += sum(map(texts[number - 1].count, "([{")) - sum(map(texts[number - 1].count, ")]}"))
        if depth <= 0:
            return number
    return at


def end_of_entry(texts: Sequence[str], at: int) -> int:
    """Return the last line of an entry of a list, a table or a reference: those below it that are indented deeper."""
    heading = texts[at - 1].lstrip().startswith(("#", ".", "`", "=item"))
    indent = len(texts[at - 1]) - len(texts[at - 1].lstrip())
    last = at
    for number in range(at + 1, min(len(texts), at + _LONGEST_ENTRY) + 1):
        line = texts[number - 1]
        if line.strip() and len(line) - len(line.lstrip()) <= indent and not heading:
            break
        if number > at + 1 and _NEXT_ENTRY.match(line):
            break
        last = number if line.strip() else last
    return last


def is_in_head(file: IndexedFile, at: int, lines: CorpusLines) -> bool:
    """Return whether a line is part of the head of a definition, where parameters have defaults, and no call."""
    one = innermost_definition(lines.definitions(file.document.path), at)
    if one is None or one.body is None:
        return False
    first = line_of_name(file.lines, one.span.start_line, min(one.span.end_line, len(file.lines)), one.name)
    opened = file.lines[one.body.start_line - 1].rstrip().endswith("{")
    return first <= at <= max(first, one.body.start_line - (not opened))


def name_within(file: IndexedFile, at: int, name: str, lines: CorpusLines, *, sample: bool) -> str:
    """Return a name behind that of what it stands in: a type, a section, or a key that is indented less."""
    if not sample:
        one = innermost_definition(lines.definitions(file.document.path), at)
        return name if one is None or one.name == name else f"{one.name}.{name}"
    indent = len(file.lines[at - 1]) - len(file.lines[at - 1].lstrip())
    for above in range(at - 2, max(-1, at - _FARTHEST), -1):
        line = file.lines[above]
        section = re.match(r"\s*#?\s*\[+([\w.-]+)\]", line)
        opened = re.match(r"\s*[\"']?([\w.-]+)[\"']?\s*[:=]?\s*\{?\s*$", line) if indent else None
        if section or (opened and len(line) - len(line.lstrip()) < indent):
            return f"{(section or opened)[1]}.{name}"  # type: ignore[index]
    return name
