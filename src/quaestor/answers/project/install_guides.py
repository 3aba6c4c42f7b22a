"""Finds the sections, pages and commands of documents that tell how a project is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from quaestor.answers.overview.introduction import names_in_manifests, readme_of
from quaestor.answers.overview.material import DOCUMENTATION, Material
from quaestor.answers.overview.overview_answer import own_names
from quaestor.answers.overview.overview_question import OWN
from quaestor.answers.overview.overview_text import Source
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, headings, is_fence, parts_of, start_of_lead
from quaestor.corpus import Corpus

_MOST_LINES = 28
"""The most lines of a section that are quoted, unless a block of code ends later."""
MOST_OF_POINTER = 12
_MANAGERS = "|".join(
    """pip3? pipx uv conda mamba easy_install poetry pdm gem bundle luarocks cabal stack opam nimble shards cpanm? brew
    port apt apt-get dnf yum zypper pacman paru yay snap flatpak choco scoop winget pkgin pkg emerge apk eopkg
    xbps-install helm vcpkg conan asdf mise nix nix-env dotnet rebar3 raco mas ansible-galaxy code gh guix carton
    npm pnpm yarn bun deno cargo dart flutter swift composer bower volta go zig""".split()
)
# What brings a package to a machine or into a project: a command of a manager with a name, or lines of a manifest.
_MANAGER_COMMAND = (
    rf"(?:^|[\s`$>#(\"'|:;&])(?:{_MANAGERS})(?:\s+(?:--?[\w=./:+-]+|tool|global|pub|package|extension|krew|profile|role|archive\.\w+))*"
    r"\s+(?:install|binstall|add|i|get|require|global|fetch|pull|create-project|upgrade --install)"
    r"(?:\s+--?[\w=./:+-]+)*\s+(?!\.(?:\s|$|/|\[))[\w@\"'<{\[$~./:-]*\w"
)
_OTHER_COMMANDS = (
    r"(?:^|[\s`$>])(?:pacman|paru|yay) -S|(?:^|[\s`$>])(?:npx|bunx|uvx|dnx|emerge|pkg_add|nix-shell|nix run)\s+\S"
    r"|\bInstall-(?:Package|Module)\b|\binstall[._]packages\(|\b(?:pak|remotes|devtools)::\w+\(|\bPkg\.add\b"
    r"|\bM-x package-install|\(use-package\s|^\s*cpan\s|\b(?:curl|wget)\s[^|]*\|\s*(?:sudo\s+)?(?:ba|z|fi)?sh\b"
    r"|\bdocker (?:run|pull|compose up)\b|\bdocker-compose (?:up|run|pull)\b"
)
_LINES_OF_MANIFESTS = (
    r"<dependency>|<PackageReference\b|<script\b[^>]*\bsrc="
    r"|^\s*(?:\w*[iI]mplementation|api|compile|kapt|ksp)\b\s*[\"'({]"
    r"|\blibraryDependencies\s*\+|\bivy\"|\bmvn\"|^//> using|\.package\s*\(\s*(?:name|url)|^\s*pod\s+['\"]"
    r"|^\s*github\s+\"[\w.-]+/|\{\s*:\w+,\s*\"?[~>=\d]|^\s*gem\s+['\"]|\{deps,|^\s*dep_\w+\s*=|^DEPS\s*\+?="
    r"|\[[\w./-]+\s+\"\d[^\"]*\"\]|:mvn/version|\bFetchContent_|\bCPMAddPackage|\bfind_package\("
    r"|^\s*Plug\s+['\"]|^\s*[{\"']+[\w.-]+/[\w.-]+['\"],|^\s*source\s*=\s*\"[\w./-]+\"|^\s*dependencies:"
)
_PACKAGE_COMMAND = re.compile(rf"{_MANAGER_COMMAND}|{_OTHER_COMMANDS}|{_LINES_OF_MANIFESTS}")
_FURTHER_COMMAND = re.compile(
    r"(?:^|[\s`$>#(])(?:git clone|make|cmake|meson|\./[\w./-]+|autoreconf|ninja|python3?|pip3?|uv|bundle|rake|npm|yarn"
    r"|pnpm|cargo|go|mix|rails|bin/\w+|mvn|gradle|dotnet|kubectl|skaffold|ansible\S*|terraform|vagrant|php|cp|sudo|sh"
    r"|bash|java|zig|swift|hugo|rebar3|docker\S*|brew|apt\S*|curl|wget)\s"
    r"|^\s*(?:\$\s*)?(?:make|ninja|npm i|yarn|bundle|mix|tox)\s*$|#include\s*[<\"]|^\s*import\s+[\"(]",
)
_LINK = re.compile(r"https?://|\]\(|`_|link:|<a\s|xref:|:(?:ref|doc):`|`")
_MANNER = re.compile(
    r"(?<=\S)\s+(?:via|with|using|from|by|through|on|for|in|as|into|under|to your|to a|without)\b.*", re.IGNORECASE
)
_ADDED = re.compile(r"\s*\([^()]*\)\s*$")
_LEADS_ON = re.compile(
    r"\b(?:install|download|deploy|host|docker|cloud|set-?up)\w*\b.*(?:https?://|\]\()"
    r"|\]\([^()]*(?:install|download|deploy|host|docker|setup)",
    re.IGNORECASE,
)
_TO_GUIDE = r"(?:install\w*|getting started|get started|quick ?start|download|set-?up)"
_LINKED = re.compile(
    rf"^[\s*>|-]*\[!?\[?[^\[\]]*\b{_TO_GUIDE}\b[^\[\]]*\]\s*\((?!#)"
    r"|^.*\b(?:see|refer to|follow|visit|read|check out)\b[^.\[\]]{0,40}\[[^\[\]]*\binstall[^\[\]]*\]\s*\((?!#)"
    r"|^\[[^\[\]]*\binstall[^\[\]]*\]:\s*https?://",
    re.IGNORECASE,
)
_STORE = re.compile(r"alt=\"(?:get it|download) on", re.IGNORECASE)
_NEUTRAL = frozenset(
    f"""{OWN} how to do can i the it a an and or guide guides instructions instruction options option methods notes
    steps process quick easy basic simple recommended general latest stable release releases version versions cli
    library package packages app application gem module plugin chart crate tool server client manager managers pip
    npm yarn cargo homebrew brew docker macos mac os windows linux maven gradle composer up your own project
    loading configuration configuring requirements prerequisites links page binaries binary prebuilt precompiled
    sample code information dependency dependencies as quickly at glance first now running usage using use local
    locally software core""".split()
)
_INSTALL_WORDS = frozenset(
    """install installation installing installs download downloads downloading obtaining getting get setup set
    setting add adding include including import importing integrate integration dependency dependencies package
    binaries maven gradle composer cocoapods carthage swift 安装 インストール instalación einrichtung""".split()
)
_START_WORDS = frozenset(
    """getting started get start starting quickstart quick usage using use run running steps deploy deployment
    deploying hosting self-hosting try trying docker demo compose bootstrap bootstrapping kubernetes cluster swift
    package manager""".split()
)
_FIRST_WORDS = frozenset("getting started get start quickstart quick deploy deployment hosting self-hosting".split())
_WEAK = frozenset("get getting set setting add adding include including import importing".split())
"""Words that are as often about something else, unless the whole is named: "Get in touch"."""
_BUILD_WORDS = frozenset("build building compile compiling compilation source".split())
_WORK = re.compile(r"\b(?:develop(?:ment|ers?|ing)?|contribut\w*|hacking|tests?|testing)\b", re.IGNORECASE)
"""Words about work on the project itself."""
_ASIDE = re.compile(
    r"\b(?:uninstall\w*|plugins?|extensions?|completions?"
    r"|upgrad\w*|updat\w+|migrat\w*|troubleshoot\w*|benchmarks?|faq|change ?log|licen[cs]e|docs|documentation|editors?"
    r"|verify\w*|signatures?|themes?|credits|sponsor\w*|nightly|unstable|roadmap|support)\b",
    re.IGNORECASE,
)
_PAGES = (
    r"(?:\d+[-_ ]*)?(?:how[-_ ]?to[-_ ]?)?install(?:ation|ing)?(?:[-_ ](?:guide|instructions?|and[-_ ]setup))?",
    r"(?:\d+[-_ ]*)?(?:downloads?|set-?up|download-?install|get(?:ting)?[-_ ]?started|quick[-_ ]?start|first-steps)",
)
FOLDERS_OF_PAGES = DOCUMENTATION | frozenset(
    """source src content en latest guide guides manual book website site topics pages learn start html user users
    usage introduction overview intro get-started getting-started getting_started installation install setup admin
    chapters modules root articles tutorials self-hosting getting-started-guide""".split()
)
NO_NAMES = (_NEUTRAL | _INSTALL_WORDS | _START_WORDS | _BUILD_WORDS).union(
    "index intro introduction overview about sponsors documentation docs vision mission readme table contents".split()
)
"""Words of a README's first heading that are no name."""
_LONGEST_ENTRY = 3
"""The most lines of a manifest's entry in which the name may follow: ``<dependency>``."""
_SHORTEST_NAME = 2


def places_on_installing(material: Material, corpus: Corpus) -> Iterator[Source]:
    """Yield the places that tell how the project is installed: a short section that points elsewhere, and the best."""
    guides = _InstallGuides(material, _own_names(material, corpus))
    readme = readme_of(material, "") or ""
    if not material.is_code:
        # A handbook is not installed; a manual tells how its program is.
        yield from islice(chain(guides.own_commands(readme), guides.pages(_PAGES[0])), 1)
        return
    pointer = next(guides.sections(readme, _INSTALL_WORDS, _LINK), None)
    ways = (
        guides.sections(readme, _INSTALL_WORDS, _PACKAGE_COMMAND),
        guides.pages(_PAGES[0]),
        guides.own_commands(readme),
        guides.readmes_of_packages(),
        guides.sections(readme, _INSTALL_WORDS, _FURTHER_COMMAND),
        guides.sections(readme, _START_WORDS, _PACKAGE_COMMAND, soon=True),
        guides.pages(_PAGES[1]),
        guides.sections(readme, _START_WORDS, _FURTHER_COMMAND, soon=True),
        [pointer] if pointer else (),
        guides.sections(readme, _FIRST_WORDS, _LEADS_ON),
        guides.links(readme),
        guides.sections(readme, _BUILD_WORDS, _FURTHER_COMMAND),
        guides.sections(readme, _INSTALL_WORDS | _START_WORDS, _FURTHER_COMMAND, aside=True),
    )
    best = next(chain.from_iterable(ways), None)
    if pointer and best and best.path != pointer.path and pointer.end_line - pointer.start_line < MOST_OF_POINTER:
        yield pointer
    if best:
        yield best


class _InstallGuides:
    """Finds the places that tell how a project is installed."""

    def __init__(self, material: Material, names: frozenset[str]) -> None:
        self._material = material
        self._names = names
        any_name = "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"
        self._own_name = re.compile(rf"(?<![\w-])(?:{any_name})(?![\w-])", re.IGNORECASE)

    def sections(
        self,
        path: str,
        words: frozenset[str],
        shows: re.Pattern[str],
        *,
        aside: bool = False,
        soon: bool = False,
    ) -> Iterator[Source]:
        """Yield the sections of a document whose headings have only such words, and which show a command.

        Args:
            path: the document.
            words: the words, beside those that any such heading may have.
            shows: the command.
            aside: whether they are about work on the project.
            soon: whether a section has to begin with a command.
        """
        lines = self._material.lines(path)
        parts = [*parts_of(lines)]
        for part in parts[1 if len(parts) > 1 and parts[0].last == parts[-1].last else 0 :]:
            if _is_aside(part, parts[0]) == aside and self._is_about(part.title, words):
                building = (one for one in parts[1:] if one.first < part.first <= one.last)
                part = next((one for one in building if self._is_about(one.title, _BUILD_WORDS)), part)
                last = min(part.last, part.first + _MOST_LINES) if soon else part.last
                if place := excerpt(path, lines, part.first, last, shows, early=words is _INSTALL_WORDS):
                    yield place

    def links(self, path: str) -> Iterator[Source]:
        """Yield the first line of a document with a link to how all of it is installed."""
        lines = self._material.lines(path)
        parts = [*parts_of(lines)]
        asides = [(one.first, one.last) for one in parts if _is_aside(one, parts[0])]
        for at in range(1, len(lines) + 1):
            if self._leads_to_guide(lines, at) and not any(first <= at <= last for first, last in asides):
                yield Source(path, at, at)
                return

    def _leads_to_guide(self, lines: Sequence[str], at: int) -> bool:
        """Return whether a line is a link to a guide, or a badge of a shop, beside one of the project's own names."""
        if _LINKED.match(lines[at - 1]):
            return True
        around = "\n".join(lines[max(at - 3, 0) : at + 2])
        return _STORE.search(lines[at - 1]) is not None and self._own_name.search(around) is not None

    def _is_about(self, title: str, words: frozenset[str]) -> bool:
        named = self._own_name.sub(OWN, _MANNER.sub("", _ADDED.sub("", title)))
        title_words = frozenset(re.findall(r"[^\W_][\w-]*", named.lower()))
        telling = title_words & words - _WEAK or title_words & {OWN, "it", "up", "started"}
        return bool(telling) and not title_words.isdisjoint(words) and title_words <= words | _NEUTRAL

    def own_commands(self, path: str) -> Iterator[Source]:
        """Yield the place of a document that first shows a command with one of the project's own names."""
        lines = self._material.lines(path)
        parts = [*parts_of(lines)]
        for at, line in enumerate(lines, 1):
            if not _PACKAGE_COMMAND.search(line):
                continue
            around = [one for one in parts if one.first <= at <= one.last]
            entry = lines[at - 1 : at + _LONGEST_ENTRY * line.rstrip().endswith((">", "{", "(", "[", "=", ":"))]
            if not self._own_name.search("\n".join(entry)) or (around and _is_aside(around[-1], parts[0])):
                continue
            inner = around[-1] if around else Part("", 1, len(lines), ())
            end = min((one.first - 2 for one in parts if one.first > at), default=inner.last)
            yield Source(path, start_of_lead(lines, at, inner.first), _end_of_commands(lines, at, end))
            return

    def pages(self, name: str) -> Iterator[Source]:
        """Yield what stands first in the documents of such a name that show a command, the shallowest first."""
        called = re.compile(name, re.IGNORECASE)
        for path in sorted(self._material.documents, key=lambda path: (path.count("/"), path)):
            if is_called(path, called) and self._is_own_page(path, path.lower().split("/")[:-1]):
                lines = self._material.lines(path)
                title = self._material.documents[path].title or next((one for _, one in headings(lines)), "")
                if not title or self._is_about(title, _INSTALL_WORDS | _START_WORDS):
                    first = next((one.first for one in parts_of(lines)), 1)
                    candidates = (
                        excerpt(path, lines, first, len(lines), shows, early=name is _PAGES[0])
                        for shows in (_PACKAGE_COMMAND, _FURTHER_COMMAND, _LINK)
                    )
                    yield from [one for one in candidates if one][:1]

    def _is_own_page(self, path: str, folder: Sequence[str]) -> bool:
        profile = self._material.profile(path)
        known = all(one in FOLDERS_OF_PAGES or one in self._names for one in folder)
        return known and (profile.prose or "." not in path) and not (profile.test or self._material.stands_behind(path))

    def readmes_of_packages(self) -> Iterator[Source]:
        """Yield the installation sections of the READMEs of the folders that have the project's own name."""
        for path in self._material.paths_named("readme.md", 3):
            if "/" in path and path.lower().split("/")[-2] in self._names:
                yield from self.sections(path, _INSTALL_WORDS, _PACKAGE_COMMAND)
                yield from self.own_commands(path)
                yield from self.sections(path, _INSTALL_WORDS, _LINK)


def _own_names(material: Material, corpus: Corpus) -> frozenset[str]:
    """Return what the project is called in lower case: by its folder, its title and its manifests."""
    names = [name for name in own_names(corpus) if not NO_NAMES.issuperset(name.split())]
    return frozenset(name for name in (*names, *names_in_manifests(material)) if len(name) >= _SHORTEST_NAME)


def _is_aside(part: Part, title: Part) -> bool:
    """Return whether a section is about something beside the use of the whole, such as work on it."""
    above = (one for one in part.above if one != title.title)
    return part != title and (any(map(_WORK.search, (part.title, *above))) or _ASIDE.search(part.title) is not None)


def excerpt(
    path: str, lines: Sequence[str], first: int, last: int, shows: re.Pattern[str], *, early: bool = False
) -> Source | None:
    """Return the beginning of some lines that shows a command; what stands around a command that comes late.

    Args:
        path: the document.
        lines: its lines.
        first: the first line that may be shown, 1-based.
        last: the last one, inclusive.
        shows: what the lines have to show.
        early: whether any other command is as good to begin with.
    """
    shown_at = next((at for at in range(first, last + 1) if shows.search(lines[at - 1])), None)
    if shown_at is None:
        return None
    if early:
        soon = range(first, min(shown_at, first + _MOST_LINES))
        shown_at = next((at for at in soon if _FURTHER_COMMAND.search(lines[at - 1])), shown_at)
    while first < shown_at and not lines[first - 1].strip():
        first += 1
    if shown_at >= first + _MOST_LINES:
        near = [at for at, _ in headings(lines) if shown_at - MOST_OF_POINTER <= at <= shown_at]
        first = near[-1] if near else start_of_lead(lines, shown_at, first)
    return Source(path, first, end_of_blocks(lines, first, min(last, first + _MOST_LINES - 1), last))


def _end_of_commands(lines: Sequence[str], at: int, end: int) -> int:
    """Return the last line of the blocks of code that follow one another in a section."""
    commands = [one for one in range(at, min(end, at + _MOST_LINES) + 1) if _PACKAGE_COMMAND.search(lines[one - 1])]
    last = max(commands, default=at)
    return end_of_blocks(lines, at, last, end, opened=sum(map(is_fence, lines[: at - 1])) % 2)


def is_called(path: str, name: re.Pattern[str]) -> bool:
    """Return whether a document or, if it is the index of a folder, its folder has such a name."""
    folder, _, file = path.rpartition("/")
    stem = file.partition(".")[0]
    of_folder = stem.lower() in ("index", "_index", "readme") and folder
    return name.fullmatch(folder.rpartition("/")[2] if of_folder else stem) is not None
