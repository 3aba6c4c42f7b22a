"""How a project is built and tested, as its manifests, task files and CI say. Lines are quoted; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from quaestor.answers.overview.material import Material
from quaestor.answers.overview.statements import Entry, Source, Statement

_MOST = 14
_MOST_TARGETS = 14
_LONGEST = 110
_TARGET = re.compile(r"^([A-Za-z][\w.-]*)\s*:(?![=:])")
_RECIPE = re.compile(r"^@?([a-z][\w-]*)(?:\s+[^:=]*)?:(?!=)")
_TASK = re.compile(r"^  ([a-z][\w:-]*):\s*$")
_TELLING = re.compile(
    r"\b(?:build|test|tests|check|lint|compile|start|dev|bench|docs?|format|install|ci|verify|spec|unit)", re.I
)
_CHECKS = re.compile(r"\b(?:build|test|tests|check|lint|clippy|spec|verify|ct|tox|nox|ctest)\b")
_BUILDS = re.compile(r"\b(?:build|tests?|check|make$|compile|configure|bootstrap|autogen|ct|r?spec|rubocop|lint)\b")
_NPM_SCRIPT = re.compile(r'^\s*"([\w:.-]+)"\s*:\s*"(.*)",?\s*$')
_RUN = re.compile(r"^\s*-?\s*run:\s*(?!\||>)(\S.*)$")
_RUN_BLOCK = re.compile(r"^(\s*)-?\s*run:\s*[|>]")
_COMMAND = re.compile(
    r"^\s*(?:\$ |> )?((?:make|cargo|go|npm|npx|yarn|pnpm|bun|deno|pytest|tox|nox|uv|poetry|hatch|python3? -m"
    r"|python3? [\w./-]+\.py|\./[\w./-]+"
    r"|\./gradlew|gradle|mvn|\./mvnw"
    r"|bundle exec|rake|mix|rebar3|stack|cabal|dune|sbt|\./mill|dotnet|swift|cmake|ctest|meson|ninja|bazel|just"
    r"|task|composer"
    r"|vendor/bin|phpunit|flutter|dart|melos|julia|busted|zig|nimble|xcodebuild|ant|lein|clojure|bb|R CMD|ruff"
    r"|mypy|docker compose)"
    r"(?=\s|$).*)$"
)
_QUOTED = (
    (
        "pyproject.toml",
        re.compile(r"^build-backend\s*=.*|^requires-python\s*=.*|^\[tool\.(?:pytest|hatch\.envs|tox|nox)[\w.]*\]"),
    ),
    ("cargo.toml", re.compile(r"^\[workspace\]|^members\s*=.*|^rust-version\s*=.*")),
    ("go.mod", re.compile(r"^(?:module|go)\s+\S+")),
    ("tox.ini", re.compile(r"^envlist\s*=.*|^commands\s*=\s*\S.*")),
    ("cmakelists.txt", re.compile(r"^\s*project\s*\(.*", re.IGNORECASE)),
    ("package.swift", re.compile(r"^// swift-tools-version.*")),
    ("mix.exs", re.compile(r"^\s*elixir:\s*.*")),
    ("meson.build", re.compile(r"^project\(.*")),
    ("configure.ac", re.compile(r"^AC_INIT\(.*")),
)
_MERELY_THERE = (
    "build.gradle build.gradle.kts pom.xml build.sbt build.sc stack.yaml cabal.project rakefile composer.json"
    " gemfile mix.exs rebar.config"
    " melos.yaml dune-project makefile.am meson.build build.zig bazel.build module.bazel foundry.toml"
    " hardhat.config.ts noxfile.py"
    " shake.hs build.xml project.clj deps.edn docker-compose.yml compose.yaml erlang.mk jenkinsfile"
    " azure-pipelines.yml .travis.yml"
).split()


def build_lines(material: Material) -> list[Entry]:
    """Return the lines that say how a project is built and tested; at most 14."""
    found: dict[str, Entry] = {}
    for read in (_documented_entries, _tasks, _npm, _quoted_entries, _ci_steps):
        for entry in read(material):
            found.setdefault(f"{entry.name} {entry.says.text if entry.says else ''}", entry)
    found.update((entry.name, entry) for entry in _unquoted_manifests(material, {one.name for one in found.values()}))
    return list(found.values())[:_MOST]


def _tasks(material: Material) -> Iterator[Entry]:
    """Yield the targets of task files, one line a file."""
    kinds: tuple[tuple[str, re.Pattern[str]], ...] = (
        ("makefile", _TARGET),
        ("gnumakefile", _TARGET),
        ("justfile", _RECIPE),
        ("taskfile.yml", _TASK),
        ("noxfile.py", re.compile(r"^def ([a-z]\w*)\(session")),
        ("rakefile", re.compile(r"""^\s*task\s+:?["']?([\w:]+)""")),
    )
    for name, pattern in kinds:
        for path in material.paths_named(name, 0):
            targets: dict[str, int] = {}
            lines = material.lines(path)
            for number, line in enumerate(lines, 1):
                if found := pattern.match(line):
                    targets.setdefault(found[1], number)
            telling = [one for one in targets if _TELLING.search(one)] or list(targets)
            shown = telling[:_MOST_TARGETS]
            if shown:
                number = targets[shown[0]]
                first = _first_of(lines[number - 1], path, number, ", ".join(shown))
                yield Entry(path, first, also=tuple(shown[1:]))


def _first_of(line: str, path: str, number: int, brief: str) -> Statement:
    """Return names that a file defines, with the line of the first as evidence."""
    return Statement(line.strip()[:_LONGEST], Source(path, number, number), verbatim=True, brief=brief)


def _npm(material: Material) -> Iterator[Entry]:
    """Yield the scripts of the root's package.json, by name."""
    for path in material.paths_named("package.json", 0):
        inside, kept = False, list[tuple[str, int]]()
        for number, line in enumerate(material.lines(path), 1):
            if re.match(r'^\s*"scripts"\s*:', line):
                inside = True
            elif inside and line.strip().startswith("}"):
                break
            elif inside and (found := _NPM_SCRIPT.match(line)) and _TELLING.search(found[1]):
                kept.append((found[1], number))
        if kept:
            names = [name for name, _ in kept[:_MOST_TARGETS]]
            number = kept[0][1]
            first = _first_of(material.lines(path)[number - 1], path, number, f"npm run {', '.join(names)}")
            yield Entry(path, first, also=tuple(names[1:]))


def _quoted_entries(material: Material) -> Iterator[Entry]:
    for name, pattern in _QUOTED:
        for path in material.paths_named(name, 0):
            lines = material.lines(path)
            for number in [at for at, line in enumerate(lines, 1) if pattern.match(line)][:2]:
                yield _line(path, number, lines[number - 1])


def _ci_steps(material: Material) -> Iterator[Entry]:
    """Yield what CI runs to build and test."""
    workflows = [
        path
        for path in material.documents
        if path.removeprefix(material.folder).lstrip("/").startswith((".github/workflows/", ".gitlab-ci", ".circleci/"))
        or path in (".travis.yml", ".cirrus.yml")
    ]
    workflows.sort(key=lambda path: (not re.search(r"ci|test|build|main|check", path.rpartition("/")[2]), path))
    seen: set[str] = set()
    for path in workflows[:6]:
        for number, text in _runs(material.lines(path)):
            command = text.strip()
            if command not in seen and _COMMAND.match(command) and _CHECKS.search(command):
                seen.add(command)
                yield _line(path, number, command)
            if len(seen) >= 4:
                return


def _runs(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield (line, command) of the steps of a workflow."""
    block = -1
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip())
        if block >= 0 and line.strip() and indent <= block:
            block = -1
        if block >= 0 and line.strip():
            yield number, line
        elif found := _RUN.match(line):
            yield number, found[1]
        elif opened := _RUN_BLOCK.match(line):
            block = len(opened[1])


_GUIDES = frozenset("contributing agents claude development hacking readme".split())


def _documented_entries(material: Material) -> Iterator[Entry]:
    """Yield the commands that the README and the guide for contributors give, at most four."""
    names = {path: path.rpartition("/")[2].lower().split(".")[0] for path in material.beside(material.folder)}
    paths = sorted((path for path in names if names[path] in _GUIDES), key=lambda path: (names[path] == "readme", path))
    kept = 0
    seen: set[str] = set()
    for path in paths:
        for number, line in enumerate(material.lines(path), 1):
            found = _COMMAND.match(line) or _inline(line)
            if found and _BUILDS.search(found[1]) and len(found[1]) < 80 and not found[1].endswith("\\"):
                command = found[1].strip()
                if command.split("#")[0].strip() in seen or kept >= 4:
                    continue
                seen.add(command.split("#")[0].strip())
                kept += 1
                yield _line(path, number, command)


def _inline(line: str) -> re.Match[str] | None:
    """Return a command that an item of a list gives in code marks."""
    marked = re.match(r"^\s*(?:[-*|]|\d\.)\s.*?`([^`]+)`", line)
    return _COMMAND.match(marked[1]) if marked else None


def _unquoted_manifests(material: Material, quoted: Collection[str]) -> Iterator[Entry]:
    """Yield the manifests of which no line was quoted."""
    for name in _MERELY_THERE:
        for path in material.paths_named(name, 0):
            if path not in quoted:
                yield Entry(path)


def _line(path: str, number: int, text: str) -> Entry:
    shown = " ".join(text.split())
    if len(shown) > _LONGEST:
        shown = shown[:_LONGEST].rpartition(" ")[0]
    return Entry(path, Statement(shown, Source(path, number, number), verbatim=True))
