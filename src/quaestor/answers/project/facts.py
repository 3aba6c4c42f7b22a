"""Answers what a project's licence, dependencies and language version are.

The answer quotes the files that say so. A search does badly here: "What are the dependencies?" has one telling word, so
it finds passages that repeat this word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby, islice, pairwise
from typing import TypeAlias

from quaestor.answers.drafts import CorpusLines, Draft, end_of_statement
from quaestor.answers.overview.document_statistics import holds_documents
from quaestor.answers.overview.introduction import files_of_the_whole, line_of_name
from quaestor.answers.overview.material import DOCUMENTATION
from quaestor.answers.overview.overview_answer import own_names
from quaestor.answers.overview.overview_question import short_question
from quaestor.answers.overview.prose_lines import headings
from quaestor.answers.way import Question, WayAnswer
from quaestor.core.documents import Hit
from quaestor.core.light_imports import lazy_regex
from quaestor.corpus import Corpus
from quaestor.search.path_roles import profile_path

_Finder: TypeAlias = Callable[[str, CorpusLines], Iterator[tuple[int, int]]]
"""Yields the first and last lines of a file that answer the question."""
IT = (
    r"(?:it|this|(?:this|the|that|our|your)\s+(?:\w+\s+)?(?:project|repo(?:sitory)?|code\s?base|code|library|package"
    r"|program|tool|software|app(?:lication)?))"
)
WORK = rf"(?:{IT}|the\s+(?:text|code|content|book|data|documentation|docs))"
_LICENCE = lazy_regex(
    rf"(?:under\s+)?(?:what|which)\s+(?:kind\s+of\s+)?licen[cs]e\s+(?:is\s+{WORK}(?:\s+(?:under|published|released|distributed))*(?:\s+under)?"
    rf"|does\s+{IT}\s+(?:use|have)|{IT}\s+(?:is\s+under|has|uses))"
    rf"|(?:what|which)(?:\s+is|'s)\s+the\s+licen[cs]e(?:\s+(?:of|for)\s+{IT})?|(?:how|under\s+(?:what|which)\s+(?:licen[cs]e|terms))"
    rf"\s+is\s+{IT}\s+(?:licen[cs]ed|published|released|distributed)|(?:(?:what|which)\s+)?licen[cs]e"
    r"|(?:unter\s+)?welche[r]?\s+lizenz\s+(?:steht|hat)\s+(?:das|es|dieses\s+projekt)"
    r"|(?:sous\s+)?quelle\s+(?:est\s+(?:la\s+)?)?licence(?:\s+est\s+ce\s+projet)?"
    r"|(?:bajo\s+)?(?:qué|cuál\s+es\s+la)\s+licencia(?:\s+(?:está|tiene)\s+(?:esto|este\s+proyecto))?"
)
_THINGS = (
    r"(?:(?:third[- ]party|external|other|runtime|direct|python|npm|node|ruby|go|rust|java|php|system)\s+)*"
    r"(?:dependenc(?:y|ies)|libraries|packages|frameworks)"
)
_DEPENDS = lazy_regex(
    rf"(?:what|which)(?:\s+are|'re)?\s+(?:its|the|all\s+the)\s+{_THINGS}(?:\s+(?:of|for|in)\s+{IT})?"
    rf"|(?:what|which)\s+{_THINGS}\s+(?:does|do|are)\s+(?:{IT}|there|needed)(?:\s+(?:have|use|need|depend\s+on|require))?"
    rf"|what\s+(?:else\s+)?(?:does\s+{IT}\s+(?:depend\s+on|require)|{IT}\s+(?:depends\s+on|requires))"
    rf"|(?:list|show)(?:\s+me)?\s+(?:its|the|all(?:\s+the)?)?\s*dependencies(?:\s+(?:of|for)\s+{IT})?|dependencies"
)
_LICENCE_FILE = lazy_regex(
    r"(?:licen[cs]e|copying|unlicense)(?:[._-](?:md|txt|rst|mit|apache|bsd|lgpl|gpl|text|code|docs?|data)){0,2}",
    re.IGNORECASE,
)
_HEAD_OF_LICENCE = 6
_FIELD = lazy_regex(
    r"""\s*["']?(?:spdx-)?licen[cs]es?["']?\s*[:=]\s*\S|.*\.licen[cs]es?\s*=|\s*<licen[cs]es?>""", re.IGNORECASE
)
MANIFESTS = lazy_regex(
    r"package\.json|pyproject\.toml|setup\.(?:cfg|py)|cargo\.toml|composer\.json|pubspec\.ya?ml|mix\.exs|pom\.xml"
    r"|build\.gradle(?:\.kts)?|[\w-]+\.(?:gemspec|cabal|nimble|rockspec)|description|package\.swift",
    re.IGNORECASE,
)
_MOST_LINES = 30
_MOST_BLOCKS = 8

# What begins a list of dependencies, and what a further line of it looks like.
_BLOCKS: tuple[tuple[str, str, str], ...] = (
    (r"package\.json", r'\s*"(?:dependencies|peerDependencies)"\s*:\s*\{', r"\s*\S"),
    (r"composer\.json", r'\s*"require"\s*:\s*\{', r"\s*\S"),
    (r"pyproject\.toml", r"dependencies\s*=\s*\[|\[tool\.poetry\.dependencies\]", r"\s*[^\s\[]"),
    (r"setup\.(?:cfg|py)", r"\s*install_requires\s*=", r"\s+\S"),
    (r"requirements\.txt", r"[A-Za-z]", r"\S|$"),
    (r"cargo\.toml", r"\[(?:workspace\.)?dependencies\]", r"[^\[]"),
    (r"go\.mod", r"require\b", r"\s*\S"),
    (
        r"gemfile|[\w-]+\.gemspec",
        r"\s*(?:gem\s|\w+\.add_(?:runtime_)?dependency)",
        r"\s*(?:gem\s|\w+\.add_\w*dependency)",
    ),
    (r"mix\.exs", r"\s*defp?\s+deps\b", r"\s*\S"),
    (r"build\.gradle(?:\.kts)?", r"dependencies\s*\{", r"\s*\S"),
    (r"pom\.xml", r"\s*<dependencies>", r"\s*\S"),
    (r"[\w-]+\.cabal|package\.ya?ml", r"\s*(?:build-depends|dependencies)\s*:", r"\s*\S"),
    (r"pubspec\.ya?ml", r"dependencies\s*:", r"\s+\S"),
    (r"package\.swift", r"\s*dependencies\s*:\s*\[", r"\s*\S"),
    (r"configure\.(?:ac|in)", r"\s*(?:PKG_CHECK_MODULES|AC_CHECK_LIB)\b", r"\s*\S"),
    (r"cmakelists\.txt", r"\s*find_package\s*\(", r"\s*\S"),
    (r"description", r"(?:Imports|Depends)\s*:", r"\s+\S"),
    (r"libs\.versions\.toml", r"\[libraries\]", r"[^\[]"),
    (r"(?:versions|terraform|providers|main)\.tf", r"\s*required_providers\s*\{", r"\s*\S"),
    (r"module\.bazel", r"bazel_dep\b", r"\s*\S"),
    (r"dune-project|[\w-]+\.opam", r"\s*\(depends\b|depends\s*:\s*\[", r"\s*\S"),
    (r"[\w.-]+\.rockspec", r"dependencies\s*=\s*\{", r"\s*\S"),
    (r"build\.zig\.zon", r"\s*\.dependencies\s*=\s*\.\{", r"\s*\S"),
    (r"environment\.ya?ml", r"dependencies\s*:", r"\s*-|\s+\S"),
    (r"shard\.yml", r"dependencies\s*:", r"\s+\S"),
    (r"pipfile", r"\[packages\]", r"[^\[]"),
    (r"project\.clj|deps\.edn", r"\s*\{?:dep(?:endencie)?s\s*[\[{]", r"\s*\S"),
    (r"build\.sbt", r"\s*libraryDependencies\b", r"\s*\S"),
    (r"rebar\.config", r"\{deps,", r"\s*\S"),
    (r"vcpkg\.json", r'\s*"dependencies"\s*:\s*\[', r"\s*\S"),
    (r"[\w.-]+\.[cf]sproj", r"\s*<PackageReference\b", r"\s*<PackageReference\b"),
    (r"podfile|cpanfile", r"\s*(?:pod|requires)\s", r"\s*(?:pod|requires)\s"),
)

# How people call a language, the manifests of its projects, and the lines of these that tell its version.
_LANGUAGES: tuple[tuple[str, str, str], ...] = (
    (r"python|cpython", r"pyproject\.toml|setup\.(?:cfg|py)", r"""\s*(?:requires-python|python_requires|python)\s*="""),
    (r"node(?:\.?js)?|npm|deno|bun", r"package\.json", r'\s*"engines"\s*:'),
    (r"node(?:\.?js)?", r"\.nvmrc|\.node-version", r"\S*\d"),
    (r"npm|pnpm|yarn|bun", r"package\.json", r'\s*"packageManager"\s*:'),
    (r"go|golang", r"go\.mod", r"(?:go|toolchain)\s+\S"),
    (r"rust|rustc|cargo", r"cargo\.toml", r"\s*rust-version\s*="),
    (
        r"java|jdk|jre|jvm",
        r"pom\.xml|build\.gradle(?:\.kts)?",
        r"\s*<(?:maven\.compiler\.(?:release|source)|java\.version)>"
        r"|\s*(?:sourceCompatibility|jvmToolchain|jvmTarget|languageVersion)\b",
    ),
    (r"kotlin|java|jdk|agp", r"libs\.versions\.toml", r"(?:kotlin|java|jdk|jvm\w*|agp)\s*="),
    (
        r"ansible",
        r"main\.ya?ml|requirements\.ya?ml|galaxy\.ya?ml|runtime\.ya?ml",
        r"\s*(?:min_ansible_version|requires_ansible)\s*:",
    ),
    (r"terraform|opentofu", r"(?:versions|terraform|main)\.tf", r"\s*required_version\s*="),
    (r"ocaml", r"dune-project|[\w-]+\.opam", r'.*\(ocaml\b|\s*"ocaml"'),
    (r"zig", r"build\.zig\.zon", r"\s*\.minimum_zig_version"),
    (r"lua", r"[\w.-]+\.rockspec", r'.*["\']lua\b'),
    (r"kotlin", r"pom\.xml|build\.gradle(?:\.kts)?", r"\s*(?:<kotlin\.version>|kotlin\(.*\)\s*version\b)"),
    (r"php", r"composer\.json", r'\s*"php"\s*:'),
    (r"ruby", r"gemfile|[\w-]+\.gemspec", r"\s*(?:ruby\s|\w+\.required_ruby_version)"),
    (r"elixir|erlang|otp", r"mix\.exs|rebar\.config", r"\s*(?:elixir:|\{minimum_otp_vsn)"),
    (r"dart|flutter", r"pubspec\.ya?ml", r"environment\s*:"),
    (r"swift|xcode", r"package\.swift", r"//\s*swift-tools-version"),
    (r"ios|ipados", r"package\.swift|project\.pbxproj|podfile", r"\s*(?:\.iOS\(|IPHONEOS_|platform\s+:ios\b)"),
    (r"macos", r"package\.swift|project\.pbxproj|podfile", r"\s*(?:\.macOS\(|MACOSX_|platform\s+:osx\b)"),
    (r"kubernetes|k8s", r"chart\.ya?ml", r"kubeVersion\s*:"),
    (r"ghc|haskell", r"[\w-]+\.cabal", r"\s*tested-with\s*:"),
    (
        r"c\+\+|cpp|c|cmake",
        r"cmakelists\.txt",
        r"\s*(?:cmake_minimum_required|set\s*\(\s*CMAKE_C(?:XX)?_STANDARD)|.*\b(?:CXX_STANDARD\s+\d|c(?:xx)?_std_\d)",
    ),
    (r"android", r"[\w.-]+\.gradle(?:\.kts)?|libs\.versions\.toml", r"\s*minSdk(?:Version)?\b"),
    (r"c\+\+|cpp", r"configure\.(?:ac|in)", r"\s*AX_CXX_COMPILE_STDCXX\b"),
    (r"perl", r"makefile\.pl|cpanfile|dist\.ini", r"\s*(?:MIN_PERL_VERSION|requires?\s+['\"]perl)"),
    (r"\.net|dotnet|c#", r"[\w.-]+\.csproj|global\.json", r"\s*(?:<TargetFrameworks?>|\"version\")"),
)
_LANGUAGE = rf"(?P<language>{'|'.join(name for name, _, _ in _LANGUAGES)})"
_LEAST = r"(?:(?:minimum|min|minimal|minimally|lowest|oldest|least|earliest)\s+)?"
_RUNS = (
    rf"(?:(?:is|are|does|do|can|must|should|will)\s+)?(?:{IT}|i|we|you|one|there)?\s*(?:(?:is|are|officially|currently|at\s+least)\s+)*"
    r"(?:require[ds]?|support(?:s|ed)?|need(?:s|ed)?|have|use|run|necessary|compatible)?(?:\s+(?:on|with))?"
    rf"(?:\s+(?:to|for)\s+(?:build|run|us|install|compil|develop)\w*(?:\s+(?:{IT}|from\s+source))?|\s+(?:by|for|in|with)\s+{IT})?"
)
_WHICH = rf"(?:(?:what|which)(?:\s+(?:is|are))?\s+)?(?:the\s+)?{_LEAST}(?:required\s+|supported\s+)?"
_VERSIONS = lazy_regex(
    rf"{_WHICH}{_LANGUAGE}[ -](?:versions?|standards?)\s*{_RUNS}"
    rf"|{_WHICH}versions?\s+of\s+{_LANGUAGE.replace('language', 'of')}\s*{_RUNS}"
    rf"|{_WHICH}versions?\s+of\s+(?P<other>[a-z][\w.+-]*)\s+(?:does|do|is|must)\s+{IT}?\s*(?:need(?:ed)?|require[ds]?|support)"
    rf"|{_WHICH}versions?\s+of\s+{_LANGUAGE.replace('language', 'for')}\s+(?:does|is|must)\s+"
    r"(?:the\s+)?(?P<part>[\w.-]+)(?:\s+(?:chart|package|module|crate|app))?\s+(?:need(?:ed)?|require[ds]?|support)"
    rf"|welche\s+{_LANGUAGE.replace('language', 'german')}[ -]version(?:en)?"
    r"\s+(?:brauch\w*|benötig\w*|wird|werden|ist|sind|unterstütz\w*)\b.*"
)
README = lazy_regex(r"readme(?:\.(?:md|rst|txt|adoc|org))?", re.IGNORECASE)
_NEEDED = lazy_regex(
    r"\b(?:requir\w*|needs?|needed|support\w*|compatib\w*|minimum|at\s+least|newer|later|higher|above|up|prerequisites?)\b|\d\+|>=|≥",
    re.IGNORECASE,
)
_MOST_SAID = 4
_DOCKERFILE = lazy_regex(r"(?:dockerfile|containerfile)(?:\.\w+)?", re.IGNORECASE)
_IMAGES = {"node.js": "node", "nodejs": "node", "go": "golang", "java": r"(?:openjdk|eclipse-temurin)", "rustc": "rust"}
"""Names of container images that differ from the name of the language."""
_LONGEST_FIELD = 8
_EXTRAS = lazy_regex(r"(?<=\w)\[[\w,. -]*\]")
"""The extras of a package: ``Django[argon2]``."""
_LINE_BY_LINE = lazy_regex(r"gemfile$|configure\.|cmakelists|module\.bazel", re.IGNORECASE)
_LISTS_NEEDS = lazy_regex(
    r"\W*(?:(?:build|runtime|system)\s+)?(?:dependenc(?:y|ies)|requirements|prerequisites)\W*", re.IGNORECASE
)
"""Headings of a README above the requirements."""
_LONGEST_SECTION = 16
_MOST_NESTED = 4


def answer_project_facts(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer a question about licence, dependencies or a version that is needed; None for any other."""
    text = short_question(question.text)
    finders = _finders_for(text)
    if not finders:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: next(filter(None, (_quote(corpus, find) for find in finders)), None))


def _finders_for(text: str) -> tuple[_Finder, ...]:
    """Return the functions that find the lines that a question asks for; each is used if the one before finds none."""
    if _LICENCE.fullmatch(text):
        return (_licence,)
    if _DEPENDS.fullmatch(text):
        return (_dependencies,)
    match = _VERSIONS.fullmatch(text)
    if match is None:
        return ()
    part = match["part"] or ""
    name = next((one for one in match.groups() if one and one != part), "")
    if part:
        return (partial(_versions_of_part, part, name),)
    return partial(_versions, name), partial(_images, name), partial(_pinned, name)


def _quote(corpus: Corpus, find: _Finder) -> WayAnswer | None:
    lines, draft = CorpusLines(corpus), Draft()
    paths = sorted((path for path in corpus.store.documents() if "/" not in path), key=_by_rank)
    for path in _without_needless_readme(paths, lines) if find is _dependencies else paths:
        if path.lower() == "gemfile" and draft.hits:
            continue  # what is needed for work on it, beside what it needs itself
        for first, last in islice(find(path, lines), _MOST_BLOCKS):
            quote_once(lines.hit(path, first, last), draft)
    if all(README.fullmatch(hit.path) for hit in draft.hits):
        _quote_nested(corpus, find, lines, draft)
    if not draft.hits and find is _dependencies:
        return _without_dependencies(corpus, lines)
    return draft.finish("facts") if draft.hits else None


def _without_dependencies(corpus: Corpus, lines: CorpusLines) -> WayAnswer | None:
    """Say that a manifest lists none, or that documents have no manifest; None where a search may find what does."""
    draft = Draft()
    path = next((one for one in _files_of_the_whole(corpus) if MANIFESTS.fullmatch(name_of_file(one))), "")
    if path and (at := line_of_name(lines_of(path, lines))):
        draft.say(f"`{path}` lists no dependencies:")
        draft.quote(lines.hit(path, at, at))
        return draft.finish("facts")
    if not holds_documents(corpus):
        return None
    draft.say("No manifest here lists what this depends on.")
    return draft.finish("facts", known=False)


def _files_of_the_whole(corpus: Corpus) -> list[str]:
    return files_of_the_whole(corpus.store.documents(), own_names(corpus))


def quote_once(hit: Hit, draft: Draft) -> None:
    """Quote lines, unless the same ones were quoted from another file, or there are many already."""
    if len(draft.hits) < _MOST_BLOCKS and hit.text not in (one.text for one in draft.hits):
        draft.quote(hit)


def _without_needless_readme(paths: Sequence[str], lines: CorpusLines) -> Sequence[str]:
    """Return paths, without READMEs if a manifest lists the requirements; a build's checks are no such list."""
    manifests = (path for path in paths if not (README.fullmatch(path) or _LINE_BY_LINE.match(path)))
    has_list = any(True for path in manifests for _ in _dependencies(path, lines))
    return [path for path in paths if not README.fullmatch(path)] if has_list else paths


def _quote_nested(corpus: Corpus, find: _Finder, lines: CorpusLines, draft: Draft) -> None:
    """Quote the shallowest manifests below the root: those of the app and of the packages that it consists of."""
    nested = [path for path in corpus.store.documents() if "/" in path and not any(profile_path(path).flags[:3])]
    if find is _dependencies:
        # What a manual or the code beside documents needs, the whole does not.
        nested = [] if holds_documents(corpus) else [one for one in nested if DOCUMENTATION.isdisjoint(one.split("/"))]
        main = (one for one in _files_of_the_whole(corpus) if "/" in one and MANIFESTS.fullmatch(name_of_file(one)))
        nested = list(main) or nested
    shown = 0
    for path in sorted(nested, key=lambda path: (path.count("/"), path)):
        left_out = README.fullmatch(name_of_file(path)) or shown == _MOST_NESTED
        stretches = [] if left_out else [*islice(find(path, lines), 1)]
        for first, last in stretches:
            quote_once(lines.hit(path, first, last), draft)
        shown += len(stretches)


def name_of_file(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def _by_rank(path: str) -> tuple[bool, str]:
    return path.lower() == "gemfile", path


def _licence(path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the first lines of a licence, and the line of a manifest that names it."""
    texts = lines_of(path, lines) if _LICENCE_FILE.fullmatch(path) or MANIFESTS.fullmatch(path) else ()
    if _LICENCE_FILE.fullmatch(path):
        filled = [number for number, line in enumerate(texts, 1) if line.strip()]
        yield from [(filled[0], filled[:_HEAD_OF_LICENCE][-1])] if filled else []
    else:
        yield from [(number, number) for number, line in enumerate(texts, 1) if _FIELD.match(line)][:1]


def _dependencies(path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the places that list dependencies."""
    for name, begins, goes_on in _BLOCKS:
        if re.fullmatch(name, name_of_file(path), re.IGNORECASE):
            ranges = list(_list_ranges(lines_of(path, lines), re.compile(begins), re.compile(goes_on)))
            # A list of several lines is all of it; further ones are of tests and the like.
            whole = next(([one] for one in ranges if one[1] > one[0]), ranges)
            yield from ranges if _LINE_BY_LINE.match(name_of_file(path)) else whole
    if README.fullmatch(path):
        yield from islice(sections_headed(lines_of(path, lines), _LISTS_NEEDS), 1)


def sections_headed(texts: Sequence[str], heading: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the first lines of the sections under headings of a kind, without empty lines at the ends."""
    starred = [(at, line[2:].strip()) for at, line in enumerate(texts, 1) if _is_starred_heading(texts, at)]
    heads = [*sorted([*headings(texts), *starred]), (len(texts) + 1, "")]
    for (line, title), (end, _) in pairwise(heads):
        filled = [at for at in range(line + 1, min(end, line + _LONGEST_SECTION)) if texts[at - 1].strip(" =-~")]
        if filled and heading.fullmatch(title):
            yield filled[0], filled[-1]


def _is_starred_heading(texts: Sequence[str], at: int) -> bool:
    """Return whether a line is a heading as plain text has them: a star, a title, and empty lines around both."""
    around = (*texts[max(at - 2, 0) : at - 1], *texts[at : at + 1])
    return texts[at - 1].startswith("* ") and not any(line.strip() for line in around)


def _versions_of_part(part: str, language: str, path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the places where a manifest in a folder called ``part`` states the required version of a language."""
    if f"/{part}/" in f"/{path.lower()}":
        yield from _versions(language, path, lines)


def _versions(language: str, path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the places where a manifest or a README states the required version of a language."""
    texts: Sequence[str] = ()
    for names, manifest, pattern in _LANGUAGES:
        if re.fullmatch(names, language) and re.fullmatch(manifest, name_of_file(path), re.IGNORECASE):
            texts = texts or lines_of(path, lines)
            for at, line in enumerate(texts, 1):
                if re.match(pattern, line):
                    yield at, max(end_of_statement(texts, at), end_of_field(texts, at))
    if README.fullmatch(path):
        yield from _runs([*islice(_lines_that_say(language, lines_of(path, lines)), _MOST_SAID)])


def _images(language: str, path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the first line of a Dockerfile that names an image of a language with a version."""
    image = re.compile(rf"FROM\s.*\b{_IMAGES.get(language, re.escape(language))}:v?\d", re.IGNORECASE)
    if _DOCKERFILE.fullmatch(name_of_file(path)):
        yield from [(at, at) for at, line in enumerate(lines_of(path, lines), 1) if image.match(line)][:1]


def _pinned(package: str, path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the lines of a manifest that name a package with a version."""
    pin = re.compile(rf"(?<![\w@/.-]){re.escape(package)}(?![\w-]).{{0,80}}?\d", re.IGNORECASE)
    if any(re.fullmatch(name, name_of_file(path), re.IGNORECASE) for name, _, _ in _BLOCKS):
        yield from [(at, at) for at, line in enumerate(lines_of(path, lines), 1) if pin.search(line)][:1]


def end_of_field(texts: Sequence[str], at: int) -> int:
    """Return the last of the indented lines below a line that ends with a colon, or that line."""
    last = at
    if texts[at - 1].rstrip().endswith(":"):
        while last < min(len(texts), at + _LONGEST_FIELD) and texts[last].startswith((" ", "\t")):
            last += 1
    return last


def _lines_that_say(language: str, texts: Sequence[str]) -> Iterator[int]:
    """Yield the lines of a README that state a required version, by their words or by their heading."""
    version = re.compile(rf"(?<![\w.]){re.escape(language)}\b\W{{0,6}}(?:version\s+|SE\s+)?v?\d", re.IGNORECASE)
    heads = {line: bool(_NEEDED.search(heading)) for line, heading in headings(texts)}
    needed = False
    for at, line in enumerate(texts, 1):
        needed = heads.get(at, needed)
        if version.search(line) and (needed or _NEEDED.search(line)):
            yield at


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last number of each run of consecutive numbers."""
    for _, run in groupby(enumerate(numbers), lambda one: one[1] - one[0]):
        numbers_of_run = [at for _, at in run]
        yield numbers_of_run[0], numbers_of_run[-1]


def _list_ranges(texts: Sequence[str], begins: re.Pattern[str], goes_on: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(texts):
        if not begins.match(texts[at]):
            at += 1
            continue
        first, depth = at, _brackets_opened(texts[at])
        while at + 1 < len(texts) and at - first < _MOST_LINES and _goes_on(texts[first : at + 1], depth):
            if not goes_on.match(texts[at + 1]):
                break
            at += 1
            depth += _brackets_opened(texts[at])
        yield first + 1, at + 1
        at += 1


def _brackets_opened(line: str) -> int:
    return sum(line.count(one) for one in "([{") - sum(line.count(one) for one in ")]}")


def _goes_on(texts: Sequence[str], depth: int) -> bool:
    """Return whether a list may continue on the next line: under its heading, or inside its brackets."""
    text = _EXTRAS.sub("", "\n".join(texts))
    return depth > 0 or text.startswith("[") or not any(one in text.replace("()", "") for one in "([{")


def lines_of(path: str, lines: CorpusLines) -> Sequence[str]:
    """Return a document's lines; none if there is no such document."""
    file = lines.file(path)
    return () if file is None else file.lines
