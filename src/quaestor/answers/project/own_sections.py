"""Answers with what a README or a guide for contributors has a section on, or where CI is configured.

That is: the project's features, its platforms, its code style, how a bug is reported, how a release is made, and the
like. Where no section tells it, the document, the file or the address that is made for it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TypeAlias

from quaestor.answers.drafts import CorpusLines, Draft, end_of_statement, in_code
from quaestor.answers.overview.overview_answer import own_names, with_own_name
from quaestor.answers.overview.overview_question import short_question
from quaestor.answers.overview.prose_lines import end_of_blocks, headings, parts_of
from quaestor.answers.project.facts import IT, MANIFESTS, lines_of
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import find_words
from quaestor.core.wording import amount
from quaestor.corpus import Corpus

_MOST_LINES = 24
_RELEASE_GUIDE = r"(?:process|procedure|checklist|steps|workflow|instructions|guide)"
_MAKE = r"(?:mak\w+|cut\w*|prepar\w+|creat\w+|do|doing|publish\w*|perform\w*|ship\w*|tagg?\w*)"
_THE = r"(?:an? |the |new )*"
_CHATS = ("chat", "discord", "slack", "irc", "gitter", "matrix", "zulip", "telegram", "forum", "mailing list")
_STYLE = r"(?:cod(?:e|ing)[ -](?:style|standards?|conventions?|guidelines))"
_SYSTEM = (
    r"(?:windows|linux|mac ?os(?: ?x)?|os ?x|(?:free|open|net)?bsd|solaris|android|i(?:pad)?os|tvos|watchos|unix|haiku"
    r"|wasm|webassembly|raspberry pi)"
)
_SUPPORTS = lazy_regex(
    r"\b(?:support\w*|runs?|running|works?|working|cross-?platform|multi-?platform|portable|compatib\w*|available"
    r"|requir\w*|tested|builds?)\b",
    re.IGNORECASE,
)


_Place: TypeAlias = tuple[str, int, int, str | None]
"""A path, the first and the last line, and the heading."""


class _OwnSection(NamedTuple):
    """What a README or a guide for contributors has a section on.

    Attributes:
        asks: the questions for it; its groups are what must be said instead of ``says``.
        headed: the headings of such sections.
        says: what the section must say, as a pattern of words.
        files: the stems of the documents that are all about it, as a pattern.
        done_by: the files that do it, as a pattern.
        in_line: whether a line says as much as a section.
        field: the field of a manifest that holds an address where it is done, as a pattern.
        link: such an address in a line of a guide, as a pattern with a place for the project's names.
    """

    asks: re.Pattern[str]
    headed: re.Pattern[str]
    says: str = ""
    files: str = ""
    done_by: str = ""
    in_line: bool = False
    field: str = ""
    link: str = ""

    def is_said_in(self, texts: Sequence[str], fewest: int = 1) -> bool:
        """Return whether lines say what they must, in so many different words at least."""
        found = re.findall(rf"\b(?:{self.says})\b", "\n".join(texts), re.IGNORECASE)
        return not self.says or len({one.lower() for one in found}) >= fewest


_OWN_SECTIONS = (
    _OwnSection(
        lazy_regex(
            r"(?:(?:what|which)(?: are|'re)? |list |show me )?(?:all )?(?:the |its |some )*(?:main |key |core |best )*"
            rf"features(?: (?:does|do|are) (?:{IT}|there)(?: (?:have|offer|support|provide))?| (?:of|in) {IT})?"
        ),
        lazy_regex(
            r"\W*(?:(?:key|main|core|notable|some) )*(?:features?|highlights|capabilities)(?: list)?\W*", re.IGNORECASE
        ),
    ),
    _OwnSection(
        lazy_regex(
            r"(?:how|where) (?:(?:do|can|should|could|must) (?:i|we|you|one)|to)"
            r" (?:report|file|submit|raise|open|create)"
            rf" (?:an?|any|the)? ?(?:new )?(?:bugs?|issues?|problems?|bug reports?)(?: (?:with|in|for|about) {IT})?"
            rf"|where (?:is|are) (?:the )?(?:issue|bug)(?:s| tracker)(?: of {IT})?"
        ),
        lazy_regex(
            r"\W*(?:how to |where to )?(?:report|fil|submitt?|rais|open|found|find)\w* (?:(?:an?|any|new|the|your) )*"
            r"(?:bugs?|issues?|problems?)\b.{0,30}"
            r"|\W*(?:bugs?|issues?|bug reports?|issue tracker|bug tracker|feedback|support)"
            r"(?: (?:and|&) [\w ]{3,20})?\W*",
            re.IGNORECASE,
        ),
        field=r"""\W*(?:\w+\.metadata\W+)?(?:bugs|issues|(?:bug|issue)[_ -]?(?:tracker|reports?)(?:[_-]ur[il])?)"""
        r"""["'\]]*\s*(?:=>|[:=])\s*(?:["']?https?://|\{\s*)""",
        link=r"https?://\S*/{own}/(?:-/)?(?:issues|bugs)(?:/new\S*)?/?(?![\w/?])",
    ),
    _OwnSection(
        lazy_regex(
            r"(?:how|where|who|whom) (?:(?:do|can|could|should) (?:i|we|one)|to) (?:(?:get|find)(?: some)?"
            r" (?:help|support|in touch)|ask(?: for)?(?: (?:some|a|my))?(?: (?:help|support|questions?|advice))?)"
            rf"(?: (?:with|about|for|on) {IT})?"
            rf"|is there an? (?P<by>{'|'.join(_CHATS)})\b.{{0,20}}"
            r"|how (?:do|can) (?:i|we|one) (?:contact|reach) (?:the )?(?:maintainers?|developers?|authors?|team)"
        ),
        lazy_regex(
            r"\W*(?:(?:getting|get|need|where to get|how to get) )*(?:(?:some|community|and|&|your|any|the) )*"
            r"(?:help|support|community|contact(?: us)?|questions|discussions?|chat|in touch)"
            r"(?: (?:and|&) [\w ]{3,20})?\W*",
            re.IGNORECASE,
        ),
        files=r"support",
        link=r"https?://\S*(?:discord|gitter|slack|matrix\.to|zulip|t\.me/|forum|discussions|stackoverflow|groups\.google|libera)"
        r"|mailing list|\birc\b|\[(?:chat|community|forum|support)\b[^\]]*\]\(",
    ),
    _OwnSection(
        lazy_regex(
            rf"how (?:(?:do|can|should) (?:i|we|you|one)|to) (?:lint|format)(?: (?:{IT}|code))?"
            rf"|how is {IT} (?:linted|formatted)|is there an? (?:{_STYLE}|style ?guide)"
            rf"|(?:what|which)(?: is|'s| are)?(?: the)? (?:{_STYLE}|linters?|formatters?)"
            rf"(?: (?:is|are) (?:used|followed)| does {IT} (?:use|follow))?"
        ),
        lazy_regex(
            rf"\W*(?:{_STYLE}|style(?: ?guides?| guidelines)?|lint(?:ing|ers?)?|(?:code )?formatting|static analysis)"
            r"(?: (?:and|&) [\w ]{3,20})?\W*",
            re.IGNORECASE,
        ),
        done_by=r"\.?(?:editorconfig|eslintrc.*|eslint\.config\.\w+|prettierrc.*|prettier\.config\.\w+|stylelintrc.*|biome\.jsonc?"
        r"|rubocop\.ya?ml|standard\.ya?ml|golangci\.ya?ml|flake8|ruff\.toml|pylintrc|phpcs.*|php[-_]cs.*|phpstan\.neon.*|rustfmt\.toml"
        r"|clippy\.toml|clang-(?:format|tidy)|checkstyle\.xml|swiftlint\.ya?ml|swiftformat|scalafmt\.conf|luacheckrc|stylua\.toml"
        r"|credo\.exs|formatter\.exs|analysis_options\.yaml|detekt\.ya?ml|hlint\.ya?ml|pre-commit-config\.yaml|tslint\.json)",
    ),
    _OwnSection(
        lazy_regex(
            rf"how (?:(?:do|can|should|must|would) (?:i|we|you|one|they|maintainers) )?(?:to )?"
            rf"(?:(?:{_MAKE} )?{_THE}release(?: (?:{IT}|an?|the|new|version|out|made))*|{_MAKE} {_THE}versions?)"
            rf"|how (?:is|are|does|do) (?:{IT}|{_THE}(?:release|version)s?)"
            r" (?:made|released|cut|published|shipped|work|done)"
            rf"|(?:what(?:'s| is| are) |describe |show me )?(?:the |its )*(?:release {_RELEASE_GUIDE}|releasing)"
            rf"(?: (?:of|for) {IT})?"
        ),
        lazy_regex(
            rf"\W*(?:[\d.]+\W+)?(?:releasing\b.{{0,30}}|(?:how to |{_MAKE} )+{_THE}releases?(?: .{{0,30}})?"
            rf"|(?:how to )?release (?:{_RELEASE_GUIDE}|and publish)\b.{{0,30}}"
            r"|publishing(?: (?:an?|the|new|to) .{0,30})?)\W*",
            re.IGNORECASE,
        ),
        files=rf"(?:how[-_]?to[-_]?)?(?:release|releasing|publishing)(?:[-_]?{_RELEASE_GUIDE})?",
        done_by=r"(?:(?:scripts?|bin|tools|dev|build|contrib|utils|ci)/)?(?:make[-_]?)?release(?:\.\w{2,4})?"
        r"|\.github/workflows/(?![\w-]*doc)[\w-]*(?:release|publish)[\w-]*\.ya?ml",
    ),
    _OwnSection(
        lazy_regex(
            r"(?:how|where|who|to whom|whom) (?:(?:do|can|should|could|must|is|are) )?(?:i |we |you |one )?(?:to )?"
            r"(?:report|tell|contact|disclose|e-?mail|inform|notify|write to|submit)(?:ed|d)?"
            r"(?: (?:an?|any|the|about|of|for|to|them|with|in|possible|potential))*"
            rf" (?:security|vulnerabilit\w+)(?: (?:issue|problem|bug|hole|vulnerabilit|flaw)\w*| (?:in|with) {IT})*"
        ),
        lazy_regex(
            r"\W*(?:(?:report|disclos)\w* )?(?:(?:an?|any|the|of|responsible) )*(?:security|vulnerabilit\w+)\b.{0,30}",
            re.IGNORECASE,
        ),
        says=r"report\w*|disclos\w*|e-?mail|contact\w*",
        files=r"security(?:[-_]?policy)?",
    ),
    _OwnSection(
        lazy_regex(
            r"(?:(?:what|which)(?: are)? )?(?:the )?(?:supported )?(?:platforms?|operating systems?|os(?:es)?)"
            rf"(?: (?:are|is|does|do|can|{IT}|supported|supports?|runs?|works?|available|compatible|on|with|use|used))*"
            rf"|(?:does|will|can|is) {IT} (?:also )?(?:run|work|support|compile|build|be built|available|compatible)"
            rf"(?: (?:on|under|with|for|in))? (?P<runs_on>{_SYSTEM})|is (?P<supported>{_SYSTEM}) supported"
            rf"|can (?:i|you|we) (?:run|use|install|build|compile) {IT} (?:on|under|in) (?P<used_on>{_SYSTEM})"
        ),
        lazy_regex(
            r"\W*(?:(?:supported|target|compatible) )*(?:platforms?|operating systems?|environments?|targets?)"
            r"(?: (?:support|compatibility))?\W*|\W*(?:platform |os )?(?:support|compatibility)\W*"
            r"|\W*(?:system |host |minimum )*requirements\W*",
            re.IGNORECASE,
        ),
        says=_SYSTEM,
        in_line=True,
    ),
)
"""Questions for what a README or a guide for contributors has a section on, and the headings of such sections."""
_READ_FIRST = lazy_regex(
    r"(?:\.github/|docs?/(?:[\w.-]+/){0,2})?"
    r"(?:readme|contributing|support|index|develop(?:ment|ing)|hacking|maintain(?:ing|ers))(?:\.\w+)?",
    re.IGNORECASE,
)
_ABOUT_WORK = frozenset(".github doc docs dev development guides internal project about community contributing".split())
"""Folders of documents about work on the project."""
_RELEASED = lazy_regex(r"\W*(?:version\s+|release\s+)?v?\d+\.\d+", re.IGNORECASE)
_HEADS, _FEWEST_WORDS, _MOST_NUMBERED = 8, 8, 3
_MOST_OF_OWN = 28
_CI = lazy_regex(
    r"\.(?:github|forgejo|gitea)/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.ya?ml|\.travis\.ya?ml"
    r"|\.cirrus\.ya?ml|jenkinsfile|azure-pipelines\.ya?ml|\.?appveyor\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml"
    r"|\.woodpecker(?:/[^/]+)?\.ya?ml|\.(?:buildkite|builds|semaphore)/[^/]+\.ya?ml|\.build\.ya?ml",
    re.IGNORECASE,
)
"""The files in which services for continuous integration are told what to run."""
_RUNS_ON = lazy_regex(r"\s*-?\s*(?:[\w-]*-)?(?:runs-on|os|vmImage|image|platform|runner)s?\s*:", re.IGNORECASE)
_OF_CI = lazy_regex(r"ci|test|build|main|check", re.IGNORECASE)
_THE_CI = r"(?:the )?(?:ci|continuous integration|github actions)"
_ASKS_CI = lazy_regex(
    rf"(?:where|how) (?:is|are) {_THE_CI}(?: (?:configured|defined|set up|configuration|done|run|located))?"
    rf"|where(?: is|'s) {_THE_CI} (?:config(?:uration)?|files?|setup)|what does {_THE_CI} (?:run|do|check)"
    rf"|(?:what|which) (?:ci|continuous integration)(?: service| system| server)? (?:does {IT} use|is used(?: here)?)"
)


def answer_with_own_section(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer what the README or a guide for contributors has a section on, or where CI is configured; else None.

    That is: the project's features, its platforms, how a bug is reported, how a release is made. None also if there
    is neither a section on it, nor a document, nor such a file.
    """
    text = with_own_name(short_question(question.text), corpus, "this project")
    found = ((one, match) for one in _OWN_SECTIONS if (match := one.asks.fullmatch(text)) is not None)
    wanted, match = next(found, (None, None))
    if wanted is None and _ASKS_CI.fullmatch(text) is None:
        return None
    corpus.try_refresh()
    if wanted is None or match is None:
        return corpus.retry_reopened(lambda: _files_of_ci(corpus))
    system = next(filter(None, match.groups()), "")
    says = r"mac(?:\s?os)?|os\s?x" if system.startswith(("mac", "os")) else system
    sought = wanted._replace(says=says or wanted.says)
    return corpus.retry_reopened(lambda: _own_section(sought, corpus))


def _own_section(wanted: _OwnSection, corpus: Corpus) -> WayAnswer | None:
    """Quote the document about it, the first section with such a heading, a line of the README, or what does it."""
    lines, draft = CorpusLines(corpus), Draft()
    paths = sorted(
        filter(_READ_FIRST.fullmatch, corpus.store.documents()), key=lambda one: ("readme" not in one.lower(), one)
    )
    ways = (
        _documents_about(wanted, corpus, lines),
        _sections_on(wanted, paths, lines),
        _lines_on(wanted, paths, lines),
    )
    place = next(chain(*ways), None)
    if place is not None:
        draft.quote(lines.hit(*place))
        return draft.finish("section")
    if wanted.says == _SYSTEM:
        return _runners_of_ci(corpus, lines)
    code = (path for path, one in corpus.store.documents().items() if one.language not in PROSE)
    done_by = sorted((one for one in code if re.fullmatch(wanted.done_by, one, re.IGNORECASE)), key=_by_depth)
    if not done_by:
        return _address(wanted, corpus, paths, lines) if wanted.link else None
    draft.say(f"No document here tells how. See {', '.join(map(in_code, done_by[:_MOST_NUMBERED]))}.")
    draft.quote(lines.hit(done_by[0], 1, min(_MOST_LINES, len(lines_of(done_by[0], lines)))))
    return draft.finish("file")


def _address(wanted: _OwnSection, corpus: Corpus, guides: Sequence[str], lines: CorpusLines) -> WayAnswer | None:
    """Quote the field of a manifest, or the line of a guide, that has an address where it is done; else None."""
    own = "|".join(map(re.escape, filter(None, own_names(corpus))))
    link = re.compile(wanted.link.replace("{own}", f"(?:{own})"), re.IGNORECASE)
    field = re.compile(wanted.field or "(?!)", re.IGNORECASE)
    manifests = [path for path in corpus.store.documents() if MANIFESTS.fullmatch(path)]
    for path, says in (*((path, field.match) for path in manifests), *((path, link.search) for path in guides)):
        texts, draft = lines_of(path, lines), Draft()
        for at in [at for at, text in enumerate(texts, 1) if says(text) and wanted.is_said_in([text])][:1]:
            draft.quote(lines.hit(path, at, end_of_statement(texts, at) if path in manifests else at))
            return draft.finish("facts")
    return None


def _by_depth(path: str) -> tuple[int, str]:
    return path.count("/") + path.startswith("."), path


def _documents_about(wanted: _OwnSection, corpus: Corpus, lines: CorpusLines) -> Iterator[_Place]:
    """Yield the beginnings of the documents that are all about it; notes on releases are not about making one."""
    documents = corpus.store.documents() if wanted.files else {}
    for path in sorted(documents, key=_by_depth):
        *folders, name = path.lower().split("/")
        written = documents[path].language in PROSE or "." not in name
        if written and _ABOUT_WORK.issuperset(folders) and re.fullmatch(wanted.files, name.partition(".")[0]):
            texts = lines_of(path, lines)
            first = next((one.first for one in parts_of(texts)), 1)
            last = end_of_blocks(texts, first, min(len(texts), first + _MOST_OF_OWN), len(texts))
            notes = any(_RELEASED.match(title) for _, title in headings(texts[:_MOST_OF_OWN]))
            if not notes and wanted.is_said_in(texts[first - 1 : last]):
                yield from islice(_sections_on(wanted, [path], lines), 1, None) if wanted.says else ()
                yield path, first, last, None


def _sections_on(wanted: _OwnSection, paths: Sequence[str], lines: CorpusLines) -> Iterator[_Place]:
    """Yield the sections with such a heading that say something of it."""
    for path in paths:
        texts = lines_of(path, lines)
        for part in parts_of(texts):
            if wanted.headed.fullmatch(part.title):
                last = end_of_blocks(texts, part.first, min(part.last, part.first + _MOST_OF_OWN), part.last)
                shown = texts[part.first - 1 : last]
                if len(find_words(" ".join(shown))) >= _FEWEST_WORDS and wanted.is_said_in(shown):
                    yield path, part.first, last, part.title


def _lines_on(wanted: _OwnSection, paths: Sequence[str], lines: CorpusLines) -> Iterator[_Place]:
    """Yield the lines that say what a section would have to say of platforms."""
    fewest = 1 + (wanted.says == _SYSTEM)
    for path in paths if wanted.in_line else ():
        for at, line in enumerate(lines_of(path, lines), 1):
            if _SUPPORTS.search(line) and wanted.is_said_in([line], fewest):
                yield path, at, at, None


def _runners_of_ci(corpus: Corpus, lines: CorpusLines) -> WayAnswer | None:
    """Say that no document tells it, and quote the line that runs CI on most systems; None without several."""
    named = re.compile(rf"(?<![a-z])(?:{_SYSTEM}|ubuntu|debian|fedora|alpine)(?![a-z])", re.IGNORECASE)
    found = [
        (-len({one.lower() for one in named.findall(line)}), path, at)
        for path in filter(_CI.fullmatch, corpus.store.documents())
        for at, line in enumerate(lines_of(path, lines), 1)
        if _RUNS_ON.match(line) and len({*map(str.lower, named.findall(line))}) > 1
    ]
    if not found:
        return None
    draft = Draft()
    draft.say("No document here says so. This is where CI runs:")
    _, path, at = min(found)
    draft.quote(lines.hit(path, at, at))
    return draft.finish("file")


def _files_of_ci(corpus: Corpus) -> WayAnswer | None:
    """Name the files that tell services of continuous integration what to run, and quote how the first ones begin."""
    found = filter(_CI.fullmatch, corpus.store.documents())
    paths = sorted(found, key=lambda one: (_OF_CI.search(one.rpartition("/")[2]) is None, one))
    if not paths:
        return None
    lines, draft = CorpusLines(corpus), Draft()
    draft.say(
        f"Continuous integration is configured in {amount(len(paths), 'file')}: {', '.join(map(in_code, paths))}."
    )
    for path in paths[:_MOST_NUMBERED]:
        draft.quote(lines.hit(path, 1, min(_HEADS, len(lines_of(path, lines)))))
    return draft.finish("file")
