"""Finds how a project is built, tested and run, according to its documents, manifests, task files and CI.

Their lines are quoted; nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_text import Entry, Source, Statement
from quaestor.core.light_imports import lazy_regex

Aim = Literal["build", "test", "run"]
"""The purpose of a command."""

_MOST, _MOST_TARGETS, _MOST_DOCUMENTED, _LONGEST = 14, 14, 4, 110
_TARGET = lazy_regex(r"^([A-Za-z][\w.-]*)\s*:(?![=:])")
_RECIPE = lazy_regex(r"^@?([a-z][\w-]*)(?:\s+[^:=]*)?:(?!=)")
_TASK = lazy_regex(r"^  ([a-z][\w:-]*):\s*$")
_TELLING = lazy_regex(
    r"\b(?:all$|build|test|tests|check|lint|compile|start|dev|bench|docs?|format|install|ci|verify|spec|unit)", re.I
)
_CHECKS = lazy_regex(r"\b(?:build|assemble\w*|test|tests|check|lint|clippy|spec|verify|ct|tox|nox|ctest)\b")
_OF_DOCUMENTATION = lazy_regex(r"\b(?:help|\w*html|man|linkcheck|docs?)$|\b(?:docs|documentation)\b")
"""Commands that build a project's manual."""
_BUILDS = lazy_regex(r"\b(?:build|tests?|check|make$|compile|configure|bootstrap|autogen|ct|r?spec|rubocop|lint)\b")
_INSTALLS = lazy_regex(
    r"\b(?:npm|pnpm|yarn|bun|pip3?|uv|bundle|gem|composer|mix deps|go)\b.*\b(?:install|ci|get|sync)\b"
    r"|\bdocker compose\b.*\s(?:pull|logs|down|up)\b|\bhelm plugin\b|\bcmake -E\b"
)
"""Commands that prepare a CI job and do not build or test."""
FROM_A_REGISTRY = lazy_regex(
    r"\b(?:cargo|go|npm|pnpm|yarn|bun|composer|gem|luarocks|opam|nix\S*|helm|pipx?3?|brew|apt\S*|dnf|uv|mix|dart|dotnet)\b"
    r"(?: \w+)? (?:install|i|add|require|global|get|profile)\b(?! ?$| -e\b| --path\b| (?:-\S+ )*\.)"
)
"""Commands that install something published, rather than what is checked out."""
_NPM_SCRIPT = lazy_regex(r'^\s*"([\w:.-]+)"\s*:\s*"(.*)",?\s*$')
_RUN = lazy_regex(r"^\s*-?\s*run:\s*(?!\||>)(\S.*)$")
_RUN_BLOCK = lazy_regex(r"^(\s*)-?\s*run:\s*[|>]")
COMMAND = lazy_regex(
    r"^\s*(?:\$ |> )?((?:(?:\.{0,2}/)?(?:[\w.-]+/)+[\w-]+\.sh"
    r"|make|cargo|go|npm|npx|yarn|pnpm|bun|deno|pytest|tox|nox|uv|poetry|hatch|python3? -m"
    r"|python3? [\w./-]+\.py|\./[\w./-]+"
    r"|\./gradlew|gradle|mvn|\./mvnw"
    r"|bundle exec|rake|mix|rebar3|stack|cabal|dune|sbt|\./mill|dotnet|swift|cmake|ctest|meson|ninja|bazel|just"
    r"|task|composer"
    r"|vendor/bin|phpunit|flutter|dart|melos|julia|busted|zig|nimble|xcodebuild|ant|lein|clojure|bb|R CMD|ruff"
    r"|mypy|docker compose"
    r"|php|phpdbg|molecule|ansible-\w+|terraform|tofu|pre-commit|bats|luarocks|opam|nix|helm|vendor/bin/\w+)"
    r"(?=\s|$)(?!.*[a-z]\. [A-Z]).*)$"  # not a line of a sentence, which may begin with "make" or "go"
)
_QUOTED = (
    (
        "pyproject.toml",
        lazy_regex(r"^build-backend\s*=.*|^requires-python\s*=.*|^\[tool\.(?:pytest|hatch\.envs|tox|nox)[\w.]*\]"),
    ),
    ("cargo.toml", lazy_regex(r"^\[workspace\]|^members\s*=.*|^rust-version\s*=.*")),
    ("go.mod", lazy_regex(r"^(?:module|go)\s+\S+")),
    ("tox.ini", lazy_regex(r"^envlist\s*=.*|^commands\s*=\s*\S.*")),
    ("cmakelists.txt", lazy_regex(r"^\s*project\s*\(.*", re.IGNORECASE)),
    ("package.swift", lazy_regex(r"^// swift-tools-version.*")),
    ("mix.exs", lazy_regex(r"^\s*elixir:\s*.*")),
    ("meson.build", lazy_regex(r"^project\(.*")),
    ("configure.ac", lazy_regex(r"^AC_INIT\(.*")),
    *(
        (name, lazy_regex(r"^(?:rootProject\.name\s*=|include\b).*"))
        for name in ("settings.gradle", "settings.gradle.kts")
    ),
)
AIMS: dict[Aim, re.Pattern[str]] = {
    "build": lazy_regex(
        r"\b(?:all$|build|assemble|compile|make|configure|bootstrap|autogen|install|bundle(?! exec)|dist)",
        re.IGNORECASE,
    ),
    "test": lazy_regex(
        r"(?<!-)\b(?:check|r?spec|verify|ct|tox|nox|ctest|coverage|phpunit|busted|jest|vitest|molecule|regress\w*)\b|(?<!la)test|\brake$",
        re.IGNORECASE,
    ),
    "run": lazy_regex(
        r"^(?:run|start|serve|server|dev|up|preview|launch)\b|\b(?:start|serve|server|dev|runserver|preview)$"
        r"|\b(?:npm|pnpm|yarn|bun)(?: run)? (?:start|dev|serve|preview)\b"
        r"|\b(?:cargo|go|dotnet|swift|flutter|stack|cabal) run\b"
        r"|\bphx\.server\b|\brails s(?:erver)?\b|\brunserver\b|\bcompose up\b|\bdocker run\b",
        re.IGNORECASE,
    ),
}
_NO_TEST = lazy_regex(r"style|lint|format|\bfmt\b|phpcs|static|spell|typo|bench|speed|bloat", re.IGNORECASE)
"""Names of checks that are not tests."""
_SCRIPTS: dict[Aim, re.Pattern[str]] = {
    "build": lazy_regex(r"(?:build|compile|make)\b"),
    "test": lazy_regex(r"(?:run[-_]?)?(?:tests?|check)\b"),
    "run": lazy_regex(r"(?:run|start|serve)\.sh"),
}
_MERELY_THERE = (
    "build.gradle build.gradle.kts pom.xml build.sbt build.sc stack.yaml cabal.project rakefile composer.json"
    " gemfile mix.exs rebar.config"
    " melos.yaml dune-project makefile.am meson.build build.zig bazel.build module.bazel foundry.toml"
    " hardhat.config.ts noxfile.py"
    " shake.hs build.xml project.clj deps.edn docker-compose.yml compose.yaml erlang.mk jenkinsfile"
    " azure-pipelines.yml .travis.yml"
).split()


def build_lines(material: Material, aim: Aim | None = None) -> list[Entry]:
    """Return the lines that say how a project is built and tested, or how an aim is reached; at most 14.

    Args:
        material: the documents of the project.
        aim: the only aim for which lines are returned; None for building and testing.
    """
    entries: dict[str, Entry] = {}
    for read in (_documented_entries, _tasks, _npm, _scripts, _quoted_entries, _ci_steps):
        for entry in read(material, aim):
            entries.setdefault(f"{entry.name} {entry.says.text if entry.says else ''}", entry)
    entries.update(
        (entry.name, entry) for entry in _unquoted_manifests(material, {one.name for one in entries.values()})
    )
    return [one for one in entries.values() if one.says or aim is None][:_MOST]


# What a tool's manifest is called, the tool, and its commands to build, to test and to run what it is for.
_CUSTOMS: tuple[tuple[str, str, dict[Aim, str]], ...] = (
    ("cargo.toml", "cargo", {"build": "cargo build", "test": "cargo test", "run": "cargo run"}),
    ("go.mod", "go", {"build": "go build ./...", "test": "go test ./..."}),
    ("build.gradle", "gradle", {"build": "gradle build", "test": "gradle test"}),
    ("build.gradle.kts", "gradle", {"build": "gradle build", "test": "gradle test"}),
    ("pom.xml", "mvn", {"build": "mvn package", "test": "mvn test"}),
    ("package.swift", "swift", {"build": "swift build", "test": "swift test"}),
    ("mix.exs", "mix", {"build": "mix compile", "test": "mix test"}),
    ("dune-project", "dune", {"build": "dune build", "test": "dune test"}),
    ("stack.yaml", "stack", {"build": "stack build", "test": "stack test"}),
    ("cabal.project", "cabal", {"build": "cabal build all", "test": "cabal test all"}),
    ("build.zig", "zig", {"build": "zig build", "test": "zig build test"}),
    ("cmakelists.txt", "cmake", {"build": "cmake -B build && cmake --build build", "test": "ctest --test-dir build"}),
    ("configure.ac", "make", {"test": "make check"}),
    ("meson.build", "meson", {"build": "meson setup build && meson compile -C build", "test": "meson test -C build"}),
    ("pubspec.yaml", "dart", {"test": "dart test"}),
    ("tox.ini", "tox", {"test": "tox"}),
    ("pytest.ini", "pytest", {"test": "pytest"}),
    ("pyproject.toml", "pytest", {"test": "pytest"}),
    ("compose.yaml", "docker compose", {"run": "docker compose up"}),
    ("docker-compose.yml", "docker compose", {"run": "docker compose up"}),
    (
        "main.tf",
        "terraform",
        {"build": "terraform init && terraform validate", "run": "terraform init && terraform plan"},
    ),
)


def customary_commands(material: Material, aim: Aim, entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the usual commands of the tools whose manifests lie in the root, unless ``entries`` has a call of them."""
    for name, tool, commands in _CUSTOMS:
        tool_name = re.compile(rf"\b{tool}\w*\b")
        if any(one.says and tool_name.search(one.says.text) for one in entries):
            continue
        for path in material.paths_named(name, 0) if aim in commands else ():
            lines = material.lines(path)
            first = r"\[tool\.pytest\b" if name == "pyproject.toml" else r"\s*[\w\[<.(]"
            number = next((at for at, line in enumerate(lines, 1) if re.match(first, line)), 0)
            command = f"./{tool}w{commands[aim].removeprefix(tool)}" if f"{tool}w" in material.all else commands[aim]
            if number:
                yield _line(path, number, lines[number - 1])._replace(name=command)


def _tasks(material: Material, aim: Aim | None) -> Iterator[Entry]:
    """Yield the targets of task files, one line for each file."""
    kinds: tuple[tuple[str, str, re.Pattern[str]], ...] = (
        ("makefile", "make", _TARGET),
        ("gnumakefile", "make", _TARGET),
        ("justfile", "just", _RECIPE),
        ("taskfile.yml", "task", _TASK),
        ("noxfile.py", "nox -s", re.compile(r"^def ([a-z]\w*)\(session")),
        ("rakefile", "rake", re.compile(r"""^\s*task\s+:?["']?(\w+(?::\w+)*)""")),
    )
    for name, runner, pattern in kinds:
        for path in material.paths_named(name, 0):
            targets: dict[str, int] = {}
            lines = material.lines(path)
            for number, line in enumerate(lines, 1):
                if match := pattern.match(line):
                    targets.setdefault(match[1], number)
            matching = [one for one in targets if _lead_in_pattern(aim).search(one)] or ([] if aim else list(targets))
            matching.sort(key=lambda name: _distance(name, aim))
            shown = matching[:_MOST_TARGETS]
            if shown:
                number = targets[shown[0]]
                first = _first_of(lines[number - 1], path, number, f"{runner} {', '.join(shown)}")
                yield Entry(path, first, also=tuple(shown[1:]), command=f"{runner} {shown[0]}")


def _distance(name: str, aim: Aim | None) -> int:
    """Return how far a task's name is from an aim, or from the nearer of building and testing: 0 if it is its name."""
    if aim is None:
        return min(_distance(name, "build"), _distance(name, "test"))
    if name in (aim, f"{aim}s"):
        return 0
    return 1 if name.startswith(aim) or (aim == "build" and name == "all") else 2 if AIMS[aim].match(name) else 3


def _first_of(line: str, path: str, number: int, brief: str) -> Statement:
    """Return names that a file defines, with the line of the first as evidence."""
    # Quote marks with a backslash before them end nothing, so that no part of the line can be quoted.
    whole = "\\" not in line
    return Statement(line.strip()[:_LONGEST], Source(path, number, number), verbatim=whole, brief=brief)


def _lead_in_pattern(aim: Aim | None) -> re.Pattern[str]:
    return AIMS[aim] if aim else _TELLING


def _npm(material: Material, aim: Aim | None) -> Iterator[Entry]:
    """Yield the scripts of the root's package.json and composer.json, by name."""
    for path in (*material.paths_named("package.json", 0), *material.paths_named("composer.json", 0)):
        inside, scripts = False, list[tuple[str, int]]()
        for number, line in enumerate(material.lines(path), 1):
            if re.match(r'^\s*"scripts"\s*:', line):
                inside = True
            elif inside and line.strip().startswith("}"):
                break
            elif inside and (match := _NPM_SCRIPT.match(line)) and _lead_in_pattern(aim).search(match[1]):
                scripts.append((match[1], number))
        if scripts:
            scripts.sort(key=lambda one: _distance(one[0], aim))
            names = [name for name, _ in scripts[:_MOST_TARGETS]]
            number = scripts[0][1]
            runner = _runner_of(material, path)
            first = _first_of(material.lines(path)[number - 1], path, number, f"{runner} run {', '.join(names)}")
            yield Entry(path, first, also=tuple(names[1:]), command=f"{runner} run {names[0]}")


def _scripts(material: Material, aim: Aim | None) -> Iterator[Entry]:
    """Yield the shell scripts in the root that are named after what they do, each with its first command."""
    aims: tuple[Aim, ...] = (aim,) if aim else ("build", "test")
    for path in sorted(one for one in material.documents if "/" not in one and one.endswith(".sh")):
        if any(_SCRIPTS[one].match(path) for one in aims):
            lines = material.lines(path)
            number = next((at for at, line in enumerate(lines, 1) if re.match(r"\s*(?!set\s)[^\s#]", line)), 0)
            if number:
                yield _line(path, number, lines[number - 1])._replace(name=f"./{path}")


def _runner_of(material: Material, path: str) -> str:
    """Return the program that runs the scripts of a package.json, as it or a lock file beside it says."""
    if path.endswith("composer.json"):
        return "composer"
    stated = re.search(r'"packageManager"\s*:\s*"(pnpm|yarn|bun)@', "\n".join(material.lines(path)))
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun"}
    return stated[1] if stated else next((locks[one] for one in locks if one in material.all), "npm")


def _quoted_entries(material: Material, aim: Aim | None) -> Iterator[Entry]:
    if aim is not None:
        return  # what a manifest says of itself is no command
    for name, pattern in _QUOTED:
        for path in material.paths_named(name, 0):
            lines = material.lines(path)
            for number in [at for at, line in enumerate(lines, 1) if pattern.match(line)][:2]:
                yield _line(path, number, lines[number - 1])


def _ci_steps(material: Material, aim: Aim | None) -> Iterator[Entry]:
    """Yield what CI runs to build and test."""
    checks = AIMS[aim] if aim else _CHECKS
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
            command = text.split(" #")[0].strip()
            if (
                command not in seen
                and not (_INSTALLS.search(command) or FROM_A_REGISTRY.search(command))
                and not _OF_DOCUMENTATION.search(command)
                and COMMAND.match(command)
                and checks.search(command)
                and not (aim == "test" and _NO_TEST.search(command))
            ):
                seen.add(command)
                yield _line(path, number, command.rstrip("\\ "))
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
        elif match := _RUN.match(line):
            yield number, match[1]
        elif opened := _RUN_BLOCK.match(line):
            block = len(opened[1])


GUIDES = frozenset("contributing agents claude development hacking readme".split())


def _documented_entries(material: Material, aim: Aim | None) -> Iterator[Entry]:
    """Yield the commands that the README and the guide for contributors give, at most four."""
    names = {path: path.rpartition("/")[2].lower().split(".")[0] for path in material.beside(material.folder)}
    paths = sorted((path for path in names if names[path] in GUIDES), key=lambda path: (names[path] == "readme", path))
    wanted = AIMS[aim] if aim else _BUILDS
    entries: dict[str, Entry] = {}
    for path in paths:
        for number, line in enumerate(material.lines(path), 1):
            match = COMMAND.match(line) or _inline(line)
            unfit = match is not None and (
                FROM_A_REGISTRY.search(match[1]) or (aim == "test" and _NO_TEST.search(match[1]))
            )
            if match and not unfit and wanted.search(match[1]) and len(match[1]) < 80 and not match[1].endswith("\\"):
                command = match[1].strip()
                entries.setdefault(command.split("#")[0].strip(), _line(path, number, command))
    ordered = sorted(entries, key=lambda command: _OF_DOCUMENTATION.search(command) is not None)
    yield from (entries[command] for command in ordered[:_MOST_DOCUMENTED])


def _inline(line: str) -> re.Match[str] | None:
    """Return a command that an item of a list gives in code marks."""
    marked = re.match(r"^\s*(?:[-*|]|\d\.)\s.*?`([^`]+)`", line)
    return COMMAND.match(marked[1]) if marked else None


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
    return Entry(path, Statement(shown, Source(path, number, number), verbatim=shown in text))
