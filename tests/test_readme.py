"""The README tells the truth: its commands run, its transcript is that of `make demo`, its links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from quaestor.core.settings import RULES, variables_of
from quaestor.stores.embedded.lock import WriteLock

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"<!-- run -->\n```(sh|python)\n(.*?)```", TEXT, re.DOTALL)
DEMO = re.compile(r"(?<=<!-- demo -->\n```text\n).*?(?=```\n<!-- /demo -->)", re.DOTALL)
LINKS = re.findall(r"\]\(([^)#:]+)\)", TEXT)
UNKNOWN = 1


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The command on the PATH, no settings from outside, and a data folder with indexes that all workers share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "readme"
    folder.mkdir(exist_ok=True)
    with WriteLock(folder).hold(200):
        environment = _environment(folder)
        if not (folder / "home").exists():
            for place in (".", "src", "docs"):
                done = run(["quaestor", "index", place], environment)
                assert (done.returncode, done.stderr) == (0, "")
    return environment


def _environment(folder: Path) -> dict[str, str]:
    command = folder / "bin" / "quaestor"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m quaestor "$@"\n')
    command.chmod(0o755)
    foreign = ("QUAESTOR_", "OPENAI_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {
        **kept,
        # What commands are shown to do they do with part of the repository as well.
        "QUAESTOR_IGNORE": "/benchmarks/:/training/:/tests/*:!/tests/cli/:/README.md:/CHANGELOG.md:/Makefile:"
        "/quaestor.toml:accounts/:answers/:chat/:chunking/:convert/:crawl/:edits/:evaluation/:history/:indexing/:mcp/:server/:"
        "sessions/:stores/:tuning/:window/:benchmarks.md:internals.md:reliability.md",
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "QUAESTOR_HOME": str(folder / "home"),
        "PYTHONUTF8": "1",
    }


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


def commands(block: str) -> list[str]:
    """Return the commands of a shell block, without its remarks."""
    return [line for line in block.splitlines() if line and not line.startswith("#")]


SHELL = [command for language, block in BLOCKS if language == "sh" for command in commands(block)]
PYTHON = [block for language, block in BLOCKS if language == "python"]


# An evaluation makes an index for each chunker; `tests/cli/test_eval_command.py` makes small ones in every run.
@pytest.mark.parametrize(
    "command", [pytest.param(one, marks=pytest.mark.slow if one.startswith("quaestor eval") else []) for one in SHELL]
)
def test_commands_run(command: str, environment: dict[str, str]) -> None:
    done = run(["sh", "-c", command], environment)
    # A question may go unanswered, and that is an answer; nothing else may fail.
    allowed = (0, UNKNOWN) if command.startswith("quaestor ask") else (0,)
    assert done.returncode in allowed, done.stderr or done.stdout
    assert done.stderr == ""
    assert done.stdout


@pytest.mark.parametrize("code", PYTHON)
def test_python_runs(code: str, environment: dict[str, str]) -> None:
    done = run([sys.executable, "-W", "error", "-c", code], environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_there_is_something_to_run() -> None:
    assert len(SHELL) >= 10
    assert PYTHON


def demo() -> list[str]:
    """Return the commands that `make demo` shows."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return [line.replace("$$", "$") for line in re.findall(r"@echo '(\$\$ .*)'", makefile)]


def test_the_demo_runs_what_it_shows() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    ran = re.findall(r"^\t@\$\(BIN\)/(quaestor .*)$", makefile, re.MULTILINE)
    assert [f"$ {command}" for command in ran] == demo()


def test_the_transcript_is_that_of_the_demo(environment: dict[str, str], tmp_path: Path) -> None:
    if "WRITE_README" in os.environ:
        parts = []
        environment = {**environment, "QUAESTOR_HOME": str(tmp_path)}
        del environment["QUAESTOR_IGNORE"]  # the demo indexes all of the repository
        for line in demo():
            done = run(["sh", "-c", line.removeprefix("$ ")], environment)
            parts.append(f"{line}\n{done.stdout.replace(str(ROOT), '~/quaestor').rstrip()}\n")
        README.write_text(DEMO.sub(lambda _: "\n".join(parts), TEXT), encoding="utf-8")
    [transcript] = DEMO.findall(README.read_text(encoding="utf-8"))
    assert [line for line in transcript.splitlines() if line.startswith("$ ")] == demo()
    places = re.findall(r"^(?:  \[\d+\] )?(\S+\.\w+):\d+ ", transcript, re.MULTILINE)
    assert places
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_links_lead_somewhere() -> None:
    assert LINKS
    assert [link for link in LINKS if not (ROOT / link).exists()] == []


def test_what_documents_call_a_file_is_there() -> None:
    """Our modules by their path, as ``docs/internals.md`` has them."""
    places = (ROOT, ROOT / "src" / "quaestor", ROOT / "tests", ROOT / "benchmarks")
    gone = [
        f"{page.name}: {name}"
        for page in (*ROOT.glob("docs/*.md"), ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md")
        for name in re.findall(r"`([\w-]+/[\w/.-]+\.py)`", page.read_text(encoding="utf-8"))
        if not any((place / name).exists() for place in places)
    ]
    assert gone == []


def test_every_page_of_the_documentation_is_in_its_navigation() -> None:
    listed = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(page.relative_to(ROOT / "docs").as_posix() for page in ROOT.glob("docs/**/*.md"))


def test_the_reading_order_names_what_is_there() -> None:
    [listing] = re.findall(r"## Reading order\n.*?```text\n(.*?)```", TEXT, re.DOTALL)
    first, *lines = listing.splitlines()
    named = [Path(first) / line.split()[0] if line.startswith("  ") else Path(line.split()[0]) for line in lines]
    assert [str(path) for path in named if not (ROOT / path).exists()] == []
    assert len(named) > 5


def test_variables_exist() -> None:
    known = {variable for name in RULES for variable in variables_of(name)} | {"NO_COLOR"}
    named = set(re.findall(r"`((?:QUAESTOR|OPENAI)_[A-Z_]+[A-Z])`", TEXT))
    assert named <= known
    assert named
