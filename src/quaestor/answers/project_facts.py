"""Answers what a project's licence, dependencies and language version are, and how the project began.

The answer quotes the files that say so. A search does badly here: "What are the dependencies?" has one telling word, so
it finds passages that repeat this word; "Who started the project?" shares no word with a page called *History*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby, islice, pairwise
from typing import TypeAlias

from quaestor.answers.drafts import CorpusLines, Draft, end_of_statement
from quaestor.answers.explain_term import holds_documents
from quaestor.answers.overview.material import DOCUMENTATION
from quaestor.answers.overview.overview_answer import own_names, with_own_name
from quaestor.answers.overview.overview_question import plain_question
from quaestor.answers.overview.prose_lines import headings
from quaestor.answers.quotes import answer
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.corpus import Corpus
from quaestor.llm.prompts.numbered_passages import number
from quaestor.search.path_roles import profile_path
from quaestor.stores import Where

_Finder: TypeAlias = Callable[[str, CorpusLines], Iterator[tuple[int, int]]]
"""Yields the first and last lines of a file that tell what is asked."""
_LONGEST = 120
_IT = (
    r"(?:it|this|(?:this|the|that|our|your)\s+(?:\w+\s+)?(?:project|repo(?:sitory)?|code\s?base|code|library|package"
    r"|program|tool|software|app(?:lication)?))"
)
_WORK = rf"(?:{_IT}|the\s+(?:text|code|content|book|data|documentation|docs))"
_LICENCE = re.compile(
    rf"(?:under\s+)?(?:what|which)\s+(?:kind\s+of\s+)?licen[cs]e\s+(?:is\s+{_WORK}(?:\s+(?:under|published|released|distributed))*(?:\s+under)?"
    rf"|does\s+{_IT}\s+(?:use|have)|{_IT}\s+(?:is\s+under|has|uses))"
    rf"|(?:what|which)(?:\s+is|'s)\s+the\s+licen[cs]e(?:\s+(?:of|for)\s+{_IT})?|(?:how|under\s+(?:what|which)\s+(?:licen[cs]e|terms))"
    rf"\s+is\s+{_IT}\s+(?:licen[cs]ed|published|released|distributed)|licen[cs]e"
    r"|(?:unter\s+)?welche[r]?\s+lizenz\s+(?:steht|hat)\s+(?:das|es|dieses\s+projekt)"
    r"|(?:sous\s+)?quelle\s+(?:est\s+(?:la\s+)?)?licence(?:\s+est\s+ce\s+projet)?"
    r"|(?:bajo\s+)?(?:qué|cuál\s+es\s+la)\s+licencia(?:\s+(?:está|tiene)\s+(?:esto|este\s+proyecto))?"
)
_THINGS = r"(?:third[- ]party\s+|external\s+|other\s+|runtime\s+|direct\s+)*(?:dependenc(?:y|ies)|libraries|packages)"
_DEPENDS = re.compile(
    rf"(?:what|which)(?:\s+are|'re)?\s+(?:its|the|all\s+the)\s+{_THINGS}(?:\s+(?:of|for|in)\s+{_IT})?"
    rf"|(?:what|which)\s+{_THINGS}\s+(?:does|do|are)\s+(?:{_IT}|there|needed)(?:\s+(?:have|use|need|depend\s+on|require))?"
    rf"|what\s+(?:else\s+)?(?:does\s+{_IT}\s+(?:depend\s+on|require)|{_IT}\s+(?:depends\s+on|requires))"
    rf"|(?:list|show)(?:\s+me)?\s+(?:its|the|all(?:\s+the)?)?\s*dependencies(?:\s+(?:of|for)\s+{_IT})?|dependencies"
)
_ORIGIN = re.compile(
    rf"who\s+(?:first\s+|originally\s+)?(?:wrote|started|created|founded|invented|made|built|developed|is\s+behind)\s+{_IT}(?:\s.*)?"
    rf"|(?:when|how|why|by\s+whom)\s+(?:was|did)\s+{_IT}\s+(?:\w+\s+)?(?:start(?:ed)?|beg[iu]n|founded|created|born|come\s+about)(?:\s.*)?"
    rf"|what\s+was\s+{_IT}\s+(?:\w+\s+)?called\s+(?:at\s+first|first|before|earlier|in\s+the\s+beginning)(?:\s.*)?"
    rf"|(?:what(?:\s+is|'s)\s+|tell\s+me\s+)?the\s+(?:history|origins?)\s+of\s+{_IT}"
)
_TELLS_ORIGIN = re.compile(
    r"(?:(?:project|brief|short|a|our|the)\s+)*(?:history|origins?|credits|authors?|acknowledge?ments|about(?:\s+(?:us|this))?)"
    r"(?:\s+(?:and|&|of)\s+.*)?",
    re.IGNORECASE,
)
"""What pages are called that tell how all of it began."""
_VERSION = re.compile(r"\W*v?\d+\.\d+")
_HEAD_OF_PAGE = 40
_ASKS_ORIGIN = (
    "who ",
    "when ",
    "how ",
    "why ",
    "by whom ",
    "what was ",
    "what is the ",
    "what's the ",
    "tell me the ",
    "the ",
)
_MOST_PAGES = 8
_PASSAGES = 5
_LICENCE_FILE = re.compile(
    r"(?:licen[cs]e|copying|unlicense)(?:[._-](?:md|txt|rst|mit|apache|bsd|lgpl|gpl|text|code|docs?|data)){0,2}",
    re.IGNORECASE,
)
_HEAD_OF_LICENCE = 6
_FIELD = re.compile(
    r"""\s*["']?(?:spdx-)?licen[cs]es?["']?\s*[:=]\s*\S|.*\.licen[cs]es?\s*=|\s*<licen[cs]es?>""", re.IGNORECASE
)
_MANIFESTS = re.compile(
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
    (r"ansible", r"main\.ya?ml|requirements\.ya?ml|galaxy\.ya?ml", r"\s*(?:min_ansible_version|requires_ansible)\s*:"),
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
    (r"c\+\+|cpp|c|cmake", r"cmakelists\.txt", r"\s*(?:cmake_minimum_required|set\s*\(\s*CMAKE_C(?:XX)?_STANDARD)"),
    (r"c\+\+|cpp", r"configure\.(?:ac|in)", r"\s*AX_CXX_COMPILE_STDCXX\b"),
    (r"perl", r"makefile\.pl|cpanfile|dist\.ini", r"\s*(?:MIN_PERL_VERSION|requires?\s+['\"]perl)"),
    (r"\.net|dotnet|c#", r"[\w.-]+\.csproj|global\.json", r"\s*(?:<TargetFrameworks?>|\"version\")"),
)
_LANGUAGE = rf"(?P<language>{'|'.join(name for name, _, _ in _LANGUAGES)})"
_LEAST = r"(?:(?:minimum|minimal|minimally|lowest|oldest|least|earliest)\s+)?"
_RUNS = (
    rf"(?:(?:is|are|does|do|can|must|should|will)\s+)?(?:{_IT}|i|we|you|one|there)?\s*(?:(?:is|are|officially|currently|at\s+least)\s+)*"
    r"(?:require[ds]?|support(?:s|ed)?|need(?:s|ed)?|have|use|run|necessary|compatible)?(?:\s+(?:on|with))?"
    rf"(?:\s+(?:to|for)\s+(?:build|run|us|install|compil|develop)\w*(?:\s+(?:{_IT}|from\s+source))?|\s+(?:by|for|in|with)\s+{_IT})?"
)
_WHICH = rf"(?:(?:what|which)(?:\s+(?:is|are))?\s+)?(?:the\s+)?{_LEAST}(?:required\s+|supported\s+)?"
_VERSIONS = re.compile(
    rf"{_WHICH}{_LANGUAGE}[ -]versions?\s*{_RUNS}"
    rf"|{_WHICH}versions?\s+of\s+{_LANGUAGE.replace('language', 'of')}\s*{_RUNS}"
    rf"|{_WHICH}versions?\s+of\s+(?P<other>[a-z][\w.+-]*)\s+(?:does|do|is|must)\s+{_IT}?\s*(?:need(?:ed)?|require[ds]?|support)"
    rf"|{_WHICH}versions?\s+of\s+{_LANGUAGE.replace('language', 'for')}\s+(?:does|is|must)\s+"
    r"(?:the\s+)?(?P<part>[\w.-]+)(?:\s+(?:chart|package|module|crate|app))?\s+(?:need(?:ed)?|require[ds]?|support)"
    rf"|welche\s+{_LANGUAGE.replace('language', 'german')}[ -]version(?:en)?"
    r"\s+(?:brauch\w*|benötig\w*|wird|werden|ist|sind|unterstütz\w*)\b.*"
)
_README = re.compile(r"readme(?:\.(?:md|rst|txt|adoc|org))?", re.IGNORECASE)
_NEEDED = re.compile(
    r"\b(?:requir\w*|needs?|needed|support\w*|compatib\w*|minimum|at\s+least|newer|later|higher|above|up|prerequisites?)\b|\d\+|>=|≥",
    re.IGNORECASE,
)
_MOST_SAID = 4
_DOCKERFILE = re.compile(r"(?:dockerfile|containerfile)(?:\.\w+)?", re.IGNORECASE)
_IMAGES = {"node.js": "node", "nodejs": "node", "go": "golang", "java": r"(?:openjdk|eclipse-temurin)", "rustc": "rust"}
"""What the images of languages are called that have another name."""
_LONGEST_FIELD = 8


_LINE_BY_LINE = re.compile(r"gemfile$|configure\.|cmakelists|module\.bazel", re.IGNORECASE)
_NAME = re.compile(r"""\s*["']?(?:name|title|rootProject\.name|module|Package)["']?\s*[:=]?\s*["'(]?[@\w]""")
_LISTS = re.compile(
    r'(?<![dD]ev)(?<![dD]ev[-_])(?:depend|\brequires?\b(?!"\s*:\s*")|install_requires|\bdeps\b)', re.IGNORECASE
)
"""What tells that a manifest may have a list after all."""
_LISTS_NEEDS = re.compile(
    r"\W*(?:(?:build|runtime|system)\s+)?(?:dependenc(?:y|ies)|requirements|prerequisites)\W*", re.IGNORECASE
)
"""Headings of a README under which stands what is needed."""
_LONGEST_SECTION = 16
_MOST_NESTED = 4


def answer_project_facts(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer a question about licence, dependencies, language version or origin; None for any other."""
    text = plain_question(question.text) if len(question.text) <= _LONGEST else ""
    if text.startswith(_ASKS_ORIGIN) and (origin := _quote_origin(text, corpus)) is not None:
        return origin
    finders = _finders_for(text)
    if not finders:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: next(filter(None, (_quote(corpus, find) for find in finders)), None))


def _quote_origin(text: str, corpus: Corpus) -> WayAnswer | None:
    """Quote pages such as "History" on how the project began; None for any other question."""
    if not _ORIGIN.fullmatch(with_own_name(text, corpus, "this project")):
        return None
    corpus.try_refresh()
    pages = corpus.retry_reopened(lambda: sorted(_pages_of_origin(corpus), key=lambda path: (path.count("/"), path)))
    if not pages:
        return None
    hits = corpus.search(text, _PASSAGES, where=Where(paths=tuple(f"/{path}" for path in pages[:_MOST_PAGES])))
    quotes = answer(text, number(hits), corpus.meaning.local_embedder.encode, refused=False, hits=hits)
    lines, draft = CorpusLines(corpus), Draft()
    for quote in quotes.quotes:
        draft.quote(lines.hit(quote.path, quote.start_line, quote.end_line))
    return draft.finish("facts") if draft.hits else None


def _pages_of_origin(corpus: Corpus) -> Iterator[str]:
    """Yield the documents that are called "History", "About" and the like, where most files are documents."""
    if not holds_documents(corpus):
        return
    lines = CorpusLines(corpus)
    for path, document in corpus.store.documents().items():
        names = (document.title or "", re.sub(r"[-_]", " ", path.rpartition("/")[2].partition(".")[0]))
        if document.language not in PROSE or not any(map(_TELLS_ORIGIN.fullmatch, names)):
            continue
        # A history of versions tells what changed, not how it began.
        if not any(_VERSION.match(title) for _, title in headings(_lines(path, lines)[:_HEAD_OF_PAGE])):
            yield path


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
    return (partial(_versions_of_part, part, name),) if part else (partial(_versions, name), partial(_images, name))


def _quote(corpus: Corpus, find: _Finder) -> WayAnswer | None:
    lines, draft = CorpusLines(corpus), Draft()
    paths = sorted((path for path in corpus.store.documents() if "/" not in path), key=_by_rank)
    for path in _without_needless_readme(paths, lines) if find is _dependencies else paths:
        if path.lower() == "gemfile" and draft.hits:
            continue  # what is needed for work on it, beside what it needs itself
        for first, last in islice(find(path, lines), _MOST_BLOCKS):
            _quote_once(lines.hit(path, first, last), draft)
    if all(_README.fullmatch(hit.path) for hit in draft.hits):
        _quote_nested(corpus, find, lines, draft)
    if not draft.hits and find is _dependencies:
        return _without_dependencies(corpus, lines)
    return draft.finish("facts") if draft.hits else None


def _without_dependencies(corpus: Corpus, lines: CorpusLines) -> WayAnswer | None:
    """Say that a manifest lists none, or that documents have no manifest; None where a search may find what does."""
    draft = Draft()
    named = (path for path in _of_the_whole(corpus) if _MANIFESTS.fullmatch(_name(path)))
    for path in islice(named, 1):
        texts = _lines(path, lines)
        at = next((at for at, line in enumerate(texts, 1) if _NAME.match(line)), 0)
        if at and not any(map(_LISTS.search, texts)):
            draft.say(f"`{path}` lists no dependencies:")
            draft.quote(lines.hit(path, at, at))
            return draft.finish("facts")
    if not holds_documents(corpus):
        return None
    draft.say("No manifest here lists what this depends on.")
    return draft.finish("facts", known=False)


def _of_the_whole(corpus: Corpus) -> list[str]:
    """Return the files in the root, then those in a folder that has the whole's name."""
    own, paths = own_names(corpus), corpus.store.documents()
    inner = [path for path in paths if path.lower().split("/")[-2:-1] and path.lower().split("/")[-2] in own]
    return [*sorted(inner, key=lambda path: (path.count("/"), path)), *sorted(one for one in paths if "/" not in one)]


def _quote_once(hit: Hit, draft: Draft) -> None:
    """Quote lines, unless the same ones were quoted from another file, or there are many already."""
    if len(draft.hits) < _MOST_BLOCKS and hit.text not in (one.text for one in draft.hits):
        draft.quote(hit)


def _without_needless_readme(paths: Sequence[str], lines: CorpusLines) -> Sequence[str]:
    """Return paths, without READMEs if a manifest lists the requirements; a build's checks are no such list."""
    manifests = (path for path in paths if not (_README.fullmatch(path) or _LINE_BY_LINE.match(path)))
    has_list = any(True for path in manifests for _ in _dependencies(path, lines))
    return [path for path in paths if not _README.fullmatch(path)] if has_list else paths


def _quote_nested(corpus: Corpus, find: _Finder, lines: CorpusLines, draft: Draft) -> None:
    """Quote the shallowest manifests below the root: those of the app and of the packages that it consists of."""
    nested = [path for path in corpus.store.documents() if "/" in path and not any(profile_path(path).flags[:3])]
    if find is _dependencies:
        # What a manual or a document's code needs, the whole does not.
        nested = [path for path in nested if DOCUMENTATION.isdisjoint(path.lower().split("/")[:-1])]
        nested = [] if holds_documents(corpus) else nested
        main = [path for path in _of_the_whole(corpus) if "/" in path and _MANIFESTS.fullmatch(_name(path))]
        nested = main or nested
    shown = 0
    for path in sorted(nested, key=lambda path: (path.count("/"), path)):
        stretches = [] if _README.fullmatch(_name(path)) or shown == _MOST_NESTED else [*islice(find(path, lines), 1)]
        for first, last in stretches:
            _quote_once(lines.hit(path, first, last), draft)
        shown += len(stretches)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _by_rank(path: str) -> tuple[bool, str]:
    return path.lower() == "gemfile", path


def _licence(path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the first lines of a licence, and the line of a manifest that names it."""
    texts = _lines(path, lines) if _LICENCE_FILE.fullmatch(path) or _MANIFESTS.fullmatch(path) else ()
    if _LICENCE_FILE.fullmatch(path):
        filled = [number for number, line in enumerate(texts, 1) if line.strip()]
        yield from [(filled[0], filled[:_HEAD_OF_LICENCE][-1])] if filled else []
    else:
        yield from [(number, number) for number, line in enumerate(texts, 1) if _FIELD.match(line)][:1]


def _dependencies(path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the places that list dependencies."""
    for name, begins, goes_on in _BLOCKS:
        if re.fullmatch(name, _name(path), re.IGNORECASE):
            ranges = list(_list_ranges(_lines(path, lines), re.compile(begins), re.compile(goes_on)))
            # A list of several lines is all of it; further ones are of tests and the like.
            whole = next(([one] for one in ranges if one[1] > one[0]), ranges)
            yield from ranges if _LINE_BY_LINE.match(_name(path)) else whole
    if _README.fullmatch(path):
        yield from islice(_sections(_lines(path, lines), _LISTS_NEEDS), 1)


def _sections(texts: Sequence[str], heading: re.Pattern[str]) -> Iterator[tuple[int, int]]:
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


def _versions_of_part(part: str, wanted: str, path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the places where a manifest in a folder called ``part`` states the required version of a language."""
    if f"/{part}/" in f"/{path.lower()}":
        yield from _versions(wanted, path, lines)


def _versions(wanted: str, path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the places where a manifest or a README states the required version of a language."""
    texts: Sequence[str] = ()
    for language, manifest, pattern in _LANGUAGES:
        if re.fullmatch(language, wanted) and re.fullmatch(manifest, _name(path), re.IGNORECASE):
            texts = texts or _lines(path, lines)
            for at, line in enumerate(texts, 1):
                if re.match(pattern, line):
                    yield at, max(end_of_statement(texts, at), _end_of_field(texts, at))
    if _README.fullmatch(path):
        yield from _runs([*islice(_lines_that_say(wanted, _lines(path, lines)), _MOST_SAID)])


def _images(wanted: str, path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the first line of a Dockerfile that names an image of a language with a version."""
    image = re.compile(rf"FROM\s.*\b{_IMAGES.get(wanted, re.escape(wanted))}:v?\d", re.IGNORECASE)
    if _DOCKERFILE.fullmatch(_name(path)):
        yield from [(at, at) for at, line in enumerate(_lines(path, lines), 1) if image.match(line)][:1]


def _end_of_field(texts: Sequence[str], at: int) -> int:
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
    text = "\n".join(texts)
    return depth > 0 or text.startswith("[") or not any(one in text.replace("()", "") for one in "([{")


def _lines(path: str, lines: CorpusLines) -> Sequence[str]:
    file = lines.file(path)
    return () if file is None else file.lines
