"""Reads lines that declare a setting: an option, a key of a file, a field, a variable of the environment, an entry.

Each form below is one that a language or a library prescribes. Lines are cut to ``LONGEST_LINE`` characters before
they are read. Most patterns stand as text, because few questions need them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cache

from quaestor.answers.drafts import CorpusLines, innermost_definition, line_of_name
from quaestor.answers.overview.material import is_code
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Document
from quaestor.core.light_imports import lazy_regex
from quaestor.core.terms import split_identifier
from quaestor.related.stored_files import IndexedFile
from quaestor.search.path_roles import profile_path

LONGEST_LINE, _MOST_OF_CALL = 1000, 12
STRING = lazy_regex(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`")
COMMENT = lazy_regex(r"\s*(?://|#(?!\[)|/?\*|--|;|\"\"\")")
_OPENS = r"[(\[{]\s*$"
_BODY = r"\)[^()]*\{\s*$|\b(?:def|fn|func|function|class|if|for|while|switch|else|do|try)\b.*\{\s*$"
"""The end of a line that opens a block of statements rather than a list of arguments or fields."""

# --- variables of the environment

SETS = lazy_regex(
    r"(?:\b|_)(?:set_var|remove_var|(?:un)?setenv|putenv|put_env|delete_env|SetEnvironmentVariable)\b", re.IGNORECASE
)
"""Functions that set an environment variable, mostly for a test."""

_READS_VARIABLE = (
    # getenv("A"), os.environ["A"], ENV.fetch("A"), env::var("A"), envOr("A", 1), env = "A", EnvVars: []string{"A"},
    # getEnvVarOwned(allocator, "A"), $ENV{A} and process.env.A
    r"(?i)\b\w{0,20}env(?:iron(?:ment(?:variables?)?)?|_?vars?|_?or\w{0,12}|_(?:name|key|opt)|bool|int|string)?"
    r"(?:\W{0,4}(?:get|fetch|key|pop|string|var|str|bool|int|contains|has)\w{0,8})?"
    r"(?:\W{1,6}|Owned\(\w{1,20},\s?)[\"'](?P<quoted>[a-z]\w+)[\"']"
    r"|\b(?:process|meta|Bun)\.env\.(?P<plain>[a-z]\w+)\b|\$ENV\{(?P<perl>[a-z]\w+)\}"
)
_READS_NONE = (
    r"(?:\.env|environment)\(\s*[\"']\w+[\"']\s*,|\b(?:option_)?env!|[^=!<>]{0,40}?\]\s*=(?![=~>])"
    r"|[^\n]{0,40}?\{\s*[\"']\w+[\"']\s*(?::|=>)"
)
"""What sets a variable for a program that is started, or is read by a build: ``.env("A", b)``, ``env["A"] = b``."""
_OF_REQUEST = (
    r"env(?:iron)?(?:\[|\.(?:get|fetch|pop)\()[\"']"
    r"(?:HTTP|REQUEST|REMOTE|SERVER|CONTENT|SCRIPT|PATH|QUERY|RACK)_(?!ENV)"
)
"""What a web server tells of a request, in a mapping that is called environment as well."""
_VARIABLE = r"[A-Z][A-Z0-9_]+"

# --- options

_NAME = r"([a-z][\w.-]+)"
_OPTION_FORMS = (
    r"[\"'](?:\\t|\s)*(?:-\w[\s,|/]+)?--(?:\[no-?\])?" + _NAME,  # "-p, --port"
    r"\blong(?:\s*[=:(])?\s*\"" + _NAME + '"',  # clap, optparse-applicative, go-flags
    r"arg!\(--\"?" + _NAME,
    r"\bOption\s+\"\w*\"\s+\[\"" + _NAME + '"',  # Haskell's getOpt
    r"Flag\{\s*Name:\s*\"" + _NAME + '"',  # urfave/cli
    r"VarP?\([^\"\n]{1,60}\"" + _NAME + '"',
    r"\b(?:\w*[fF]lag\w*|fs|f|\w*Flags\(\))\.(?:Bool|String|Int|Uint|Float|Duration|Func|Var|TextVar)\w*"
    r"\((?:&?[\w.]+,\s*)?\"" + _NAME + '"',  # Go's flag, and pflag
    r"\bflaggy\.\w+\(&[\w.]+,\s*\"\w*\",\s*\"" + _NAME + '"',
    r"\{\s*\"" + _NAME + r"\",\s*(?:(?:required|no|optional)_argument|(?:'\w'|0),)",  # getopt_long, GOptionEntry
    r"\b(?:\w+_)?(?:add)?(?:[oO]ption|Flag)\(?\s*[:\"']" + _NAME + r"\b(?=[\"']?\s*(?:,|$))",  # Thor, yargs, Symfony
    r"\b(?:\w+_)?config_param\s+:" + _NAME,
    r"\bOption\w*\((?:[^\"\n]{0,80}?\bname\s*=\s*|'\w',\s*)?\"" + _NAME + '"',  # @Option(name = "port")
    r"\bopt\[\w+\]\((?:'\w',\s*)?\"" + _NAME + '"',  # scopt
    r"^\s*[\"']" + _NAME + r"(?:\|[\w?|-]+)?(?:[!+]|[=:][sif][@%]?)?[\"']\s*=>\s*\\",  # Perl's GetOptions
    r"^\s*\(\s*\"(?:\w,\s*)?" + _NAME + r"(?:,\w)?\"\s*,\s*(?:\"|\w+::)",  # cxxopts, Boost
)
_OF_TABLE = r"\s*\{\s*\.name\s*=\s*\"" + _NAME + '"'
_DEFAULT_OF_TABLE = r"\s*\.default\w*\s*="
"""The beginning of an entry of a table in C, and the field of its default."""
_IN_USAGE = r"^\s+(?:-\w[\s,|/]+)?--" + _NAME + r"(?:[ =][<\[]?[\w<>\[\]|]+)?\s{2,}\w"  # docopt
_IN_HELP = r"^[^\w\n]{0,12}(?:-\w[\s,|/`]+)?`{0,2}--" + _NAME + r"(?!.*;\s*$)(?![\w.]*(?:\)|->|\[|\())"
_ATTRIBUTE = r"\s*(?:#\[(?:arg|clap|structopt|command|argh|options?)\b|@(?:Option|Flag|OptionGroup)\b)"
"""An attribute that makes the field below it an option: those of clap, argh and Swift's ArgumentParser."""
_FIELD_OF_OPTIONS = (
    r"\s*(?:@(?:Option|Flag)\b.*\bvar\s+|(?:pub(?:\(\w+\))?|(?:private\s+)?va[rl])\s+)?"
    r"(?P<name>[a-z]\w*)\s*(?::|=|by\s+(?:option|flag)\()"
)
_COMPLAINS = (
    r"(?i)(?:fatal|err(?:or)?|fail|panic|warn(?:ing)?|exit)\w*(?:\s*\(|\s+[\"'])|\b(?:raise|throw|die)\b"
    r"|^(?!.*(?:opt|arg|flag|param|\bon\()).*[\"']--\w.*[\"']--\w"
)
"""What says that an option is wrong, and what calls a program with several."""
_TAKES_OPTIONS = r"(?i)opt|arg|flag|param|switch|\bon\b|help|usage|alias"
_SAYS_WHAT_FOR = r"[\"'][^\"']*\w\s\w+\s\w[^\"']*[\"']|--[\w-]+(?:[ =][\w<>\[\]|]+)?\s{2,}\w|=>\s*\\"
_CHAINED = r"\s*\.\w+\("

# --- fields, constants and parameters

_FIELD = (
    r"^\s*(?:[\w<>\[\],.?*&]+\s+){0,4}?[@$*&:.\"'\[]{0,2}(?P<name>[A-Za-z_][\w.-]*)(?!::)[\"'\]?!]{0,2}\s*"
    r"(?::\s*(?!=)[^=\n\"']{0,60}?)?(?:=>|=(?!=)|:(?![:=]))\s*(?P<value>[^\s=].*)$"
)
_DELEGATED = r"\s*(?:\w+\s+){0,3}va[lr]\s+(?P<name>\w+)\b[^=\n]{0,80}?\bby\s+(?P<value>[A-Za-z].*)$"
"""A property of Kotlin whose value something else keeps: ``val port: Int by setting(80)``."""
_TYPED = r"^\s*(?:pub\s+)?(?P<name>[A-Z]\w*)\s+[\w.*\[\]]+(?:\s+`.*`)?\s*(?://.*)?$"
_INITIALISED = (
    r"\s*[:,]?\s*(?!(?:if|for|while|switch|catch|return)\b)(?P<name>[a-z_]\w*?)_?\s*[({](?P<value>[^(){}\n;]+)[)}]"
    r"\s*[,{]?\s*(?:\{\s*\}\s*)?$"
)
"""What a constructor of C++ gives a field in the list before its body: ``port_ (80),``."""
_DEFINED = r"\bdefine\(\s*[\"'](?P<name>\w+)[\"']\s*,\s*(?P<value>.+?)\)*;?\s*(?://.*)?$"
"""PHP's constants."""
_GIVEN = (
    r"(?i)\b(?:viper|\w*(?:conf|config|cfg|settings|options|props|properties|prefs|preferences))[.:](?:get|set)_?\w*\("
    r"\s*(?:[\"']\w+[\"'],\s*)?[\"'](?P<name>[\w.-]+)[\"']\s*,\s*(?P<value>[^()\n]+)"
)
"""What reads a setting with its default, or sets this: ``config.get("port", 80)``."""
_NAMED_DEFAULT = (
    # DEFAULT_PORT: int = 80, default_port() { 80, #define DEFAULT_PORT 80
    r"(?P<name>\b(?:\w*(?:default|DEFAULT|Default)\w*))\b(?:\s*:\s*[^=\n]{0,40})?"
    r"(?:\s*:?=(?!=)\s*|\s*\(\)\s*(?:->[^{\n]{0,30})?\{?\s*|\s+(?=[\d\"(]))(?P<value>.*)$"
)
_PARAMETER = (
    r"(?:^|[(,])\s*(?:[\w<>?\[\].]+\s+)?[$@]?(?P<name>[a-z_]\w*)\s*(?::[^=,()\n]{0,60})?\s*=\s*"
    r"(?P<value>[^=,()\n]+|[\w.]+\([^()\n]*\))\s*[,)]"
)
_IS_TYPE = r"(?:[A-Za-z_][\w.:]*(?:<.*>|\[\])?|Option<.*>)\??\s*[,;]?\s*(?://.*)?$"
LITERAL = lazy_regex(r"[\"'`\d-]|true|false|True|False|null|None|nil|\.\d")
_NO_DECLARATION = r"\s*(?://|#(?!\[|define)|\*|/\*|--\s|;|use\s|import\s|from\s|return\b|if\b|assert)"

# --- files of settings and documents

_KEY = (
    # port = 80, # port: 80, export PORT=80, port 80, #port 80
    r"\s*(?:[#;]+\s*|//\s?)?(?:export\s+)?[\"']?(?P<a>[A-Za-z_][\w.-]*)[\"']?\s*[:=]\s*(?P<b>.*)$"
    r"|\s*[#;]?(?P<c>[a-z][a-z0-9_.-]*)\s(?P<d>\S+)\s*$"
)
_ENTRY = (
    # - `name`, | `name` |, ### `name`, .. option:: name, `name`::, *name* = value, --name
    r"[\s>]*(?:[|*+-]\s*|\d+[.)]\s+|#+\s+)?(?:\*\*|\[)?`{1,2}(?:-\w, )?(?P<a>-{0,2}[A-Za-z_][\w.-]*)"
    r"(?:[ =][^`]{0,40})?`"
    r"|\s*\.\.\s+[\w:-]+::\s+(?P<b>[A-Za-z_-][\w.-]*)\s*$|\s*(?:[-*+]\s+)?[*_]{1,2}(?P<c>[A-Za-z][\w.-]*?)[*_]{1,2}\s*[=:]"
    r"|[\s>|*+-]*(?:-\w,?\s+)?--(?P<d>[a-z][\w-]+)|\s*\|\s*(?P<e>[A-Za-z]\w*[_.-][\w.-]*)\s*\||#+\s+(?P<f>[a-z]\w*[_.-][\w.-]*)\s*$"
    # .B name, .It Fl name, =item C<name>, name::
    r"|\.(?:B|BI|BR|It (?:Fl|Cm|Ic|Ev|Va))\s+(?:\\?-)*(?P<g>[A-Za-z_](?:[\w.-]|\\-)*)(?:\s+Ar\b.*)?\s*$"
    r"|=item\s+(?:[A-Z]<+)?-{0,2}(?P<h>[A-Za-z_][\w.-]*)>*|(?P<i>[A-Za-z]\w*[_.-][\w.-]*)::\s*$"
)
_ABOVE_KEY = r"\s*(?:(?:#(?!\[)|;)(?![A-Za-z_][\w.-]*\s?[=:])|//|/?\*|--|@|\[)"
"""What a key is described by: a comment that sets no other key."""
_NEXT_ENTRY = (
    r"\s*(?:[#=|`-]|\.\.|\.(?!(?:br|[ABDEFILNOPQSVX][a-z]|Cm|I[RB]?|R[IB])\b|\s)|\.(?:It|El|Bl|Sh|Ss|Pp)\b|\* )"
)
"""The beginning of another entry; a macro of roff that only sets words begins none."""
_CELL = r"\s*\|[^|]*$"
"""A cell of a table that has one a line, as AsciiDoc's may."""
_LONGEST_DECLARATION, _LONGEST_ENTRY, _MOST_ABOVE, _MOST_CHAINED = 12, 12, 12, 8


# --- where settings stand

CONFIG_WORDS = frozenset(
    """config configs configuration configurations configurator configure configuring conf cfg settings setting options
    option preferences preference prefs properties rc opts""".split()
)
PLAIN_CONFIG = frozenset("config configs configuration conf cfg settings preferences prefs".split())
_SAMPLE = (
    r"(?i)(?:^|/)(?:[\w.-]*(?:example|sample|default|dist)[\w-]*\.(?:conf|cfg|ini|toml|ya?ml|json|properties|env|kdl)"
    r"|[\w.-]+\.(?:conf|cfg|ini|toml|ya?ml|json|properties|env|xml|exs|kdl)[.-](?:example|sample|default|dist|template|tmpl)"
    r"|\.env\.(?:example|sample|template|dist|default)|(?:app)?settings\.json|application\.(?:ya?ml|properties|conf)"
    r"|defaults?/(?:config|settings|main)\.\w+|config/default\.\w+|(?:config|settings|conf)\.(?:toml|ya?ml|json|ini|conf|cfg|exs|kdl)|values\.ya?ml|config|(?:config|settings)[/_.-]schema\.(?:json|ya?ml))$"
    r"|^(?:(?:[\w.-]+/)*(?:config|conf|etc|contrib|docs?|share|resources|defaults?|src|lib)/(?:[\w.-]+/)*)?[\w-]+\.(?:conf|ini|cnf)$"
)
_NO_SAMPLE = (
    # what configures tools and other programs, and what is hidden
    r"(?i)(?:^|/)(?:\.(?!env)[^/]*|node_modules|locales?|i18n)/|(?:^|/)(?:tox|pytest|mypy|setup|dist|weaver|perltidy|jest|babel"
    r"|openssl|nginx|apache2?|httpd|supervisord?|logrotate|r?syslog|haproxy|postgresql|my|php|uwsgi|opendkim|logback"
    r"|doxygen|Doxyfile|codecov|renovate|dependabot)\b[^/]*$|(?:^|/)\.(?!env)[^/]*$"
)
_SHOWN = r"\.(?:[jt]sx|vue|svelte|html?|erb|blade\.php|twig|astro)$|(?:^|/)use[A-Z]\w*\.\w+$"
"""What shows a page of settings to users."""
_DESCRIBING = frozenset("proto protobuf thrift graphql sql css scss less html".split())
_NO_SETTINGS = frozenset("i18n l10n lang langs languages locale locales translations migrate migrations".split())
"""Folders of a program's wordings, and of what was changed once."""
OF_SETTINGS = frozenset(
    "config configuration configuring conf cfg settings options opts defaults preferences prefs args flags".split()
)
_OF_OBJECT = r"(?i)\s*(?:self|this|@|\w*(?:config|conf|cfg|settings|options|opts|defaults)\w*)[.\w@-]"
"""What sets a field of an object within a function: ``self.port = 80``."""
_LOCAL = r"\s+(?:let|va[lr]|my|local|auto|final)\s"
_ENTRY_OF_LITERAL = r"^\s*[\"'.:]?[\w.-]+[\"']?\s*(?:(?::(?![:=])|=>)\s*[^;]*?|=\s*[^;(]*?)[,{\[]\s*(?:(?://|#).*)?$"
"""An entry of a literal: ``port: 80,``."""


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


def words_of_name(name: str) -> list[str]:
    """Return the words of a name, or of a text, in lower case: those of ``log_level`` and ``logLevel`` are the same."""
    return [part for word in re.split(r"\W+", name) for part in split_identifier(word)]


def is_called_configuration(path: str) -> bool:
    """Return whether a file, or the folder that it lies in, is named after configuration."""
    *folders, name = path.split("/")
    words = words_of_name(name.partition(".")[0])
    return (
        bool(CONFIG_WORDS.intersection(words))
        or (words[-1:] and words[-1].endswith("rc"))
        or bool(folders and PLAIN_CONFIG.intersection(words_of_name(folders[-1])))
    )


def is_sample(path: str) -> bool:
    """Return whether a file sets a program's settings, or shows how."""
    return (
        re.search(_SAMPLE, path) is not None
        and re.search(_NO_SAMPLE, path) is None
        and not profile_path(path).test
        and not profile_path(path).background
    )


def may_set(document: Document) -> bool:
    """Return whether a document is code that runs, and neither describes data nor has a program's words."""
    folders = document.path.lower().split("/")[:-1]
    shown = document.language in _DESCRIBING or re.search(_SHOWN, document.path) is not None
    return is_code(document) and not shown and _NO_SETTINGS.isdisjoint(folders)


def is_of_settings(file: IndexedFile, at: int, value: str, lines: CorpusLines) -> bool:
    """Return whether a line declares a field in a file or a type that is named after settings, and no local name."""
    line = file.lines[at - 1]
    one = innermost_definition(lines.definitions(file.document.path), at)
    local = one.kind in ("function", "method", "constructor") if one is not None else re.match(_LOCAL, line) is not None
    entry = re.search(_ENTRY_OF_LITERAL, line)
    if re.match(r"(?:\$?this|self)(?:\.|->)\w.*\(", value):
        return False  # what is worked out, and not set
    made = one is not None and one.name in one.scope[-1:] and is_in_head(file, at, lines)
    initial = made and re.match(_INITIALISED, line)
    if local and not initial and not re.match(_OF_OBJECT, line) and (not entry or is_in_head(file, at, lines)):
        return False
    names = [*one.scope[-1:], *([one.name] if not local or (entry and LITERAL.match(value)) else [])] if one else []
    return is_called_configuration(file.document.path) or any(
        not OF_SETTINGS.isdisjoint(words_of_name(name)) for name in names
    )


def variables_in(line: str) -> Iterator[str]:
    """Yield the environment variables that a line of code reads, and none that it sets or talks of."""
    if SETS.search(line) or (COMMENT.match(line) and not line.lstrip().startswith(("#[", "#define"))):
        return
    for match in re.finditer(_READS_VARIABLE, line):
        name: str = match["quoted"] or match["plain"] or match["perl"]
        before = line[: match.start()]
        of_request = re.search(_OF_REQUEST, match[0]) and not before.endswith("os.")
        begins = match.start() - before.endswith(".")
        if re.fullmatch(_VARIABLE, name) and not of_request and not re.match(_READS_NONE, line[begins:]):
            yield name


@cache
def _options_pattern(form: str) -> re.Pattern[str]:
    return re.compile("|".join((form, *_OPTION_FORMS)))


def options_shown(lines: Sequence[str], at: int) -> Iterator[str]:
    """Yield the options that a line declares, or shows at its beginning as the usage of a program does."""
    for match in _options_pattern(_IN_HELP).finditer(lines[at - 1][:LONGEST_LINE]):
        yield next(filter(None, match.groups()))
    if name := _option_of_field(lines, at):
        yield name


def declared_options(lines: Sequence[str], at: int) -> Iterator[str]:
    """Yield the options that a line of code declares, and none that it passes on to another program."""
    line = lines[at - 1][:LONGEST_LINE]
    matches = [*_options_pattern(_IN_USAGE).finditer(line)]
    begin = min(at - 1, begin_of_call(lines, at), _begin_of_chain(lines, at)) if matches else at
    around = "\n".join(lines[max(0, begin - 1) : at])
    if not re.search(_COMPLAINS, line) and (re.search(_TAKES_OPTIONS, around) or re.search(_SAYS_WHAT_FOR, line)):
        for match in matches:
            if not re.match(r"=[a-z0-9.]+[\"']", line[match.end() :]):  # "--color=always" calls a program
                yield next(filter(None, match.groups()))
    if name := _option_of_field(lines, at) or _option_of_table(lines, at):
        yield name


def _option_of_table(lines: Sequence[str], at: int) -> str:
    """Return the option that begins an entry with a default in a table of C's; empty if there is none."""
    match = re.match(_OF_TABLE, lines[at - 1][:LONGEST_LINE])
    below = lines[at : at + _LONGEST_DECLARATION] if match else ()
    return match[1] if match and any(re.match(_DEFAULT_OF_TABLE, line) for line in below) else ""


def settings_at(file: IndexedFile, at: int, *, sample: bool) -> Iterator[tuple[SettingKind, str, str]]:
    """Yield the kind, the name and the value of each setting that a line declares, perhaps in a sample of settings."""
    line = file.lines[at - 1][:LONGEST_LINE].rstrip("\r")
    if sample:
        if match := re.match(_KEY, line):
            yield SettingKind.KEY, match["a"] or match["c"], (match["b"] or match["d"] or "").strip()
    elif file.document.language in PROSE:
        if (match := re.match(_ENTRY, line)) and not _goes_on(file.lines, at):
            yield SettingKind.ENTRY, next(filter(None, match.groups())).lstrip("-").replace("\\", ""), ""
    elif is_code(file.document):
        for name in variables_in(line):
            yield SettingKind.VARIABLE, name, line.partition(name)[2].strip("\"')] ,|?")
        if re.match(_NO_DECLARATION, line):
            return
        for name in declared_options(file.lines, at):
            yield SettingKind.OPTION, name, ""
        yield from _settings_in_code(line)
        if file.document.language == "cpp" and (match := re.match(_INITIALISED, line)):
            yield SettingKind.FIELD, match["name"], match["value"].strip()
        if file.document.language == "hcl" and (match := re.match(r'variable\s+"([\w-]+)"', line)):
            yield SettingKind.OPTION, match[1], ""


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """Return whether a line goes on with the paragraph above, and happens to begin with an option or a name. Pure."""
    line, above = lines[at - 1], lines[at - 2] if at > 1 else ""
    begins = line.lstrip().startswith(("--", "`", "*")) and not line.lstrip().startswith("* ")
    deeper = indent_of(line) >= indent_of(above)
    of_paragraph = re.match(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?[^\W\d_]", above) is not None
    return begins and deeper and of_paragraph and "  " not in line.strip()


def _option_of_field(lines: Sequence[str], at: int) -> str:
    """Return the option that a field declares by an attribute above it or by its value; empty if it declares none."""
    match = re.match(_FIELD_OF_OPTIONS, lines[at - 1][:LONGEST_LINE])
    if match is None:
        return ""
    above = _start_of_attribute(lines, at)
    attribute = "\n".join(lines[above - 1 : at - (above < at)])
    if attribute.lstrip().startswith("#["):
        declares = match[0].endswith(":") and re.search(r"\blong\b(?!\s*=\s*\")", attribute) is not None
    else:
        named = "--" in lines[at - 1]
        declares = not named and (above < at or re.search(r"@|\bby\b", match[0]) is not None)
    return match["name"].replace("_", "-") if declares else ""


def _start_of_attribute(lines: Sequence[str], at: int) -> int:
    """Return the line where the attribute begins that stands above a field; the field's line itself without one."""
    for above in range(at - 1, max(0, at - 1 - _MOST_ABOVE), -1):
        if re.match(_ATTRIBUTE, lines[above - 1]):
            return above
        if not lines[above - 1].strip() or re.match(r"\s*(?:pub\s+)?\w+:\s.*,\s*$", lines[above - 1]):
            break
    return at


def _settings_in_code(line: str) -> Iterator[tuple[SettingKind, str, str]]:
    for pattern in (_NAMED_DEFAULT, _GIVEN):
        match = re.search(pattern, line)
        if match and match["value"].strip(" ;,)"):  # what ends with the brackets is a call
            yield SettingKind.CONSTANT, match["name"], match["value"].strip()
    forms = (re.search(_DEFINED, line), *(re.match(form, line) for form in (_DELEGATED, _FIELD, _TYPED)))
    if (match := next(filter(None, forms), None)) is not None:
        value = match.groupdict().get("value") or ""
        is_type = re.fullmatch(_IS_TYPE, value) and not LITERAL.match(value)
        yield SettingKind.FIELD, match["name"], "" if is_type else value
    for match in re.finditer(_PARAMETER, line):
        yield SettingKind.PARAMETER, match["name"], match["value"].strip()


# --- where a declaration begins and ends


def bounds_of_setting(lines: Sequence[str], at: int, kind: SettingKind, value: str) -> tuple[int, int]:
    """Return the first and the last line of what declares a setting, with the comment above it."""
    if kind is SettingKind.ENTRY or (kind is SettingKind.KEY and not value):
        return at, end_of_entry(lines, at)
    if kind is SettingKind.OPTION and _option_of_table(lines, at):
        return at, end_of_call(lines, at, at)
    if kind is SettingKind.OPTION and not _option_of_field(lines, at):
        begin = _begin_of_chain(lines, at)
        first, last = bounds_of_call(lines, at) if begin == at else (begin, begin)
        return first - (first > 1 and lines[first - 2].lstrip().startswith("desc ")), _end_of_chain(lines, first, last)
    first = _start_of_attribute(lines, at)
    above = _ABOVE_KEY if kind is SettingKind.KEY else r"\s*(?:#(?!\[)|//|/?\*|--|;|@|\[)"
    while first > 1 and at - first < _MOST_ABOVE and re.match(above, lines[first - 2]):
        first -= 1
    last = end_of_declaration(lines, at)
    if kind is SettingKind.KEY and first == at == last:  # what is said of a key may stand below it
        while last < min(len(lines), at + _MOST_ABOVE) and re.match(r"#+ +[A-Za-z'\"]", lines[last]):
            last += 1
    return first, last


def bounds_of_call(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Return the first and the last line of the call or literal that a line is part of; the line itself if of none."""
    first = begin_of_call(lines, at)
    return first, end_of_call(lines, first, at)


def begin_of_call(lines: Sequence[str], at: int) -> int:
    """Return the line where the call or literal begins that continues on a line; the line itself if none does."""
    for first in range(at - 1, max(0, at - 1 - _MOST_OF_CALL), -1):
        if re.search(_OPENS, lines[first - 1]):
            return at if re.search(_BODY, lines[first - 1]) else first
        if not re.search(r"[,\"'(]\s*$", lines[first - 1]):
            break
    return at


def end_of_call(lines: Sequence[str], start: int, at: int) -> int:
    """Return the last line of the call or literal that begins at ``start``, past ``at``; ``at`` if it is too long."""
    depth = 0
    for number in range(start, min(len(lines), start + 2 * _MOST_OF_CALL) + 1):
        bare = STRING.sub("", lines[number - 1])
        depth += sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
        if number >= at and depth <= 0:
            return number
    return at


def _begin_of_chain(lines: Sequence[str], at: int) -> int:
    """Return the line that makes the option to which ``.long("port")`` gives its name; other lines themselves."""
    named = re.match(r"\s*\.long\(", lines[at - 1])
    above = (one for one in range(at - 1, max(0, at - _MOST_ABOVE), -1) if named and lines[one - 1].strip())
    return next((one for one in above if indent_of(lines[one - 1]) < indent_of(lines[at - 1])), at)


def _end_of_chain(lines: Sequence[str], first: int, at: int) -> int:
    """Return the last of the deeper lines below a call that call something of its result: ``.default(80)``."""
    last = at
    while last < len(lines) and last - at < _MOST_CHAINED and re.match(_CHAINED, lines[last]):
        if indent_of(lines[last]) <= indent_of(lines[first - 1]):
            break
        last = max(last + 1, end_of_declaration(lines, last + 1))
    return last


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
    cell = re.match(_CELL, texts[at - 1]) is not None
    indent = indent_of(texts[at - 1])
    last = at
    for number in range(at + 1, min(len(texts), at + _LONGEST_ENTRY) + 1):
        line = texts[number - 1]
        if cell and not line.strip():
            break
        deeper = indent_of(line) > indent
        if line.strip() and not (deeper or heading or cell):
            break
        if number > at + 1 and re.match(_NEXT_ENTRY, line) and not cell and not (deeper and heading):
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


def indent_of(line: str) -> int:
    """Return the number of blanks that a line begins with."""
    return len(line) - len(line.lstrip())
