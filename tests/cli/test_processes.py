"""The command as a process among others: pipes that close, Ctrl-C, terminals, encodings."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_parts import in_terminal, shell, write

from scripted_server import Reply

Start = Callable[..., Any]
COMMAND = [sys.executable, "-m", "quaestor"]


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A repository whose hits do not fit into a pipe."""
    bodies = [[f"needle w{note}x{line} and line {line}\n" for line in range(40)] for note in range(150)]
    return write(tmp_path / "large", {f"notes/n{note}.txt": "".join(body) for note, body in enumerate(bodies)})


@pytest.mark.parametrize("options", [[], pytest.param(["--json"], marks=pytest.mark.slow)])
def test_a_reader_who_goes_away_ends_it_quietly(large: Path, options: list[str]) -> None:
    subprocess.run([*COMMAND, "index", str(large)], check=True, capture_output=True)
    process = subprocess.Popen(
        [*COMMAND, "search", "needle", str(large), "-k", "1000", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        assert process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.wait() == 130


def interrupt(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    return process.returncode, errors


def test_ctrl_c_while_a_model_thinks(scripted_server: Start, tmp_path: Path) -> None:
    write(tmp_path / "corpus", {"a.txt": "what is asked about\n"})
    server = scripted_server([Reply(pieces=["Late."], delay=5)])
    arguments = ["ask", "--model", "tiny", "--base-url", server.base_url, "what is asked?", str(tmp_path / "corpus")]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not server.requests and process.poll() is None:
        time.sleep(0.01)
    code, errors = interrupt(process)
    assert code == 130
    assert errors.strip().startswith(b"stopped; a single question is not recorded")


def test_ctrl_c_while_a_model_writes_a_change(scripted_server: Start, tmp_path: Path) -> None:
    write(tmp_path / "corpus", {"a.txt": "what is asked about\n"})
    server = scripted_server([Reply(silent=True)])
    arguments = ["edit", "--model", "tiny", "--base-url", server.base_url, "change it", str(tmp_path / "corpus")]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not server.requests and process.poll() is None:
        time.sleep(0.01)
    code, errors = interrupt(process)
    assert (code, errors.strip()) == (130, b"stopped; nothing was changed")


def test_ctrl_c_while_indexing_loses_nothing(home: Path, tmp_path: Path) -> None:
    body = "".join(f"def function_{number}(a, b):\n    return a + b + {number}\n\n\n" for number in range(400))
    root = write(tmp_path / "many", {f"m{number}.py": f"# {number}\n{body}" for number in range(150)})
    process = subprocess.Popen([*COMMAND, "index", str(root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not list(home.glob("indexes/*/index.sqlite3")) and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)
    code, errors = interrupt(process)
    assert code in (130, 0)
    assert b"Traceback" not in errors
    done = shell("index", "--json", str(root))
    assert (done.code, done.json["index"]["documents"]) == (0, 150)


def test_watching_takes_in_what_changes(repository: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "index", "--watch", "--json", str(repository)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    seen: list[str] = []
    while "src/new.py" not in seen:
        write(repository, {"src/new.py": f"NEW = {time.monotonic_ns()}\n"})
        changes = json.loads(process.stdout.readline())
        seen += [*changes["added"], *changes["changed"]]
    (repository / "src/new.py").rename(repository / "src/other.py")
    (repository / "shop/cart.go").unlink()
    added, removed = set(), set()
    while not (added >= {"src/other.py"} and removed >= {"src/new.py", "shop/cart.go"}):
        changes = json.loads(process.stdout.readline())
        added |= set(changes["added"])
        removed |= set(changes["removed"])
    code, errors = interrupt(process)
    assert (code, errors.strip()) == (130, b"")


def shown(arguments: list[str], **environment: str) -> str:
    """Return what a command shows on a terminal."""
    code, text = in_terminal([*COMMAND, *arguments], **environment)
    assert code in (0, 2)
    return text


def test_colours_are_for_terminals_and_no_color_is_honoured(repository: Path) -> None:
    search = ["search", "send_with_retry", str(repository)]
    assert "\x1b[" in shown(search)
    assert "\x1b[" not in shown(search, NO_COLOR="1")
    assert "\x1b[" not in shell(*search).out
    assert "\x1b[" in shown(["search", "x", "/nowhere/at/all"])
    assert "\x1b[" not in shown(["search", "x", "/nowhere/at/all"], NO_COLOR="1")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_terminal_that_knows_only_ascii(tmp_path: Path, options: list[str]) -> None:
    root = write(tmp_path / "wide", {"größe.txt": "Die Größe ist 5 µm → klein\n"})
    done = shell("ask", "Wie groß ist die Größe?", str(root), *options, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.code in (0, 1)
    assert done.err == ""
    assert done.out.count("earched for in English: big, large, size") == 1
    if options:
        assert done.json["question"] == "Wie groß ist die Größe?"


def test_a_question_that_is_no_unicode(repository: Path) -> None:
    done = shell("search", b"send_with_retry \xff\xfe", str(repository), "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["hits"][0]["path"] == "src/retry.py"
