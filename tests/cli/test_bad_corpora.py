"""Bad input gives one clear sentence with the next step and the right exit code; the rest is indexed."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_parts import CART, FILES, Outcome, Run, contents, shell, write

from unprivileged import run_unprivileged

COMMANDS = [["index"], ["search", "x"], ["ask", "x"], ["stats"]]


def found(quaestor: Run, query: str, root: Path) -> list[str]:
    done = quaestor("search", "--json", "--mode", "lexical", query, root)
    assert "Traceback" not in done.err
    return [hit["path"] for hit in done.json["hits"]]


def skipped(done: Outcome) -> dict[str, str]:
    return {entry["path"]: entry["reason"] for entry in done.json["skipped"]}


# Paths


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("path", ["nowhere", "a" * 5000, "nul\0byte", "file.txt/below", "loop"])
def test_a_path_that_leads_nowhere(quaestor: Run, tmp_path: Path, command: list[str], path: str) -> None:
    write(tmp_path, {"file.txt": "text\n"})
    (tmp_path / "loop").symlink_to("loop")
    done = quaestor(*command, path)
    assert (done.code, done.out) == (2, "")
    assert "Give a" in done.sentence
    assert "\0" not in done.err


@pytest.mark.parametrize("command", COMMANDS[1:])
def test_a_site_that_was_never_fetched(quaestor: Run, command: list[str]) -> None:
    done = quaestor(*command, "https://example.org/blog")
    assert (done.code, done.out) == (2, "")
    assert "Run `quaestor index https://example.org/blog`" in done.sentence


def test_a_pipe_is_no_corpus(quaestor: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = quaestor("index", tmp_path / "pipe")
    assert done.code == 2
    assert "neither a folder nor a file" in done.sentence


def test_an_empty_folder(quaestor: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    done = quaestor("index", empty)
    assert (done.code, done.err) == (0, "Nothing here can be indexed. Give a folder that holds code or documents.\n")
    assert ": 0 documents, 0 chunks" in done.out
    assert quaestor("stats", empty).code == 0
    assert quaestor("search", "x", empty).code == 1
    assert quaestor("ask", "x", empty).code == 1


def test_a_folder_of_which_nothing_can_be_indexed(quaestor: Run, tmp_path: Path) -> None:
    write(tmp_path / "images", {"a.png": b"\x89PNG\r\n\x1a\n\0\0", "b.jpg": b"\xff\xd8\xff\xe0\0"})
    assert "`quaestor index --verbose` shows why" in quaestor("index", tmp_path / "images").err


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.zip", b"PK\x03\x04", "binary: an archive: unpack it and index the folder"),
        ("a.tar.gz", b"\x1f\x8b", "binary: an archive: unpack it and index the folder"),
        ("a.ppt", b"PK\x03\x04", "binary: save it as .pptx or .pdf to have it read"),
        ("a.png", b"\x89PNG", "binary"),
        ("a.epub", b"PK", "unreadable: the file is damaged: it is not a zip archive"),
        ("a.ipynb", b"{", "unreadable: it is not a Jupyter notebook"),
        ("id_rsa", b"x", "secret"),
    ],
)
def test_a_file_that_cannot_be_indexed(quaestor: Run, tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    done = quaestor("index", file)
    assert (done.code, done.err) == (1, f"error: {str(file)!r} is not indexed ({reason}).\n")


def test_several_files_at_once(quaestor: Run, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A", "b.md": "# B"})
    done = quaestor("index", tmp_path / "a.md", tmp_path / "b.md")
    assert (done.code, done.out) == (2, "")
    assert "Give the folder that holds them, or one at a time" in done.err


# Contents

ODD: dict[str, str | bytes] = {
    "binary.dat": bytes(range(256)) * 40,
    "nuls.txt": b"needle with\0\0 nuls\n" * 20,
    "latin.txt": "needle in größerer Straße\n".encode("latin-1"),
    "broken.py": b"def needle_broken():\n    return '\xff\xfe\xfd'\n",
    "crlf.txt": "first\r\nneedle crlf\r\n",
    "bom.md": b"\xef\xbb\xbf# Title\n\nneedle bom\n",
    "utf16.txt": "needle utf sixteen\n".encode("utf-16"),
    "empty.txt": "",
    "blank.txt": "\n \n\t\n",
    "no-newline.txt": "needle without end",
    "deep.json": "[" * 20_000 + "]" * 20_000,
    "syntax.py": "def needle_syntax(:\n  return ((((\n",
    "controls.txt": "needle \x1b]0;owned\x07\x1b[31m and \x9b5m and \u202etxet\n",
}


def test_odd_contents_cost_only_themselves(quaestor: Run, repository: Path) -> None:
    write(repository, ODD)
    done = quaestor("index", "--json", repository)
    assert (done.code, done.err) == (0, "")
    left_out = skipped(done)
    assert left_out["binary.dat"] == "binary"
    taken = set(done.json["added"])
    assert taken >= set(FILES) | {"latin.txt", "broken.py", "crlf.txt", "bom.md", "no-newline.txt", "syntax.py"}
    assert taken | set(left_out) == set(FILES) | set(ODD)
    hits = found(quaestor, "needle", repository)
    assert {"latin.txt", "crlf.txt", "bom.md", "utf16.txt", "no-newline.txt", "controls.txt"} <= set(hits)


@pytest.mark.parametrize("name", ["latin.txt", "crlf.txt", "bom.md", "utf16.txt", "no-newline.txt"])
def test_odd_contents_are_quoted_and_verified(quaestor: Run, tmp_path: Path, name: str) -> None:
    root = write(tmp_path / "odd", {name: ODD[name]})
    done = quaestor("ask", "--json", "where is the needle?", root)
    assert (done.code, done.err) == (0, "")
    assert [entry["status"] for entry in done.json["citations"]] == ["verified"]


def test_contents_cannot_steer_the_terminal(quaestor: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "evil", {"controls.txt": ODD["controls.txt"]})
    for command in (["search", "needle"], ["ask", "where is the needle?"]):
        done = quaestor(*command, root)
        assert "needle" in done.out
        assert not set("\x1b\x07\x9b\u202e") & set(done.out + done.err)


def test_one_line_of_fifty_megabytes(quaestor: Run, repository: Path) -> None:
    write(repository, {"huge.js": b"x=1;" * 12_500_000, "huge.txt": b"word " * 10_000_000})
    done = quaestor("index", "--json", repository)
    assert (done.code, skipped(done)) == (0, {"huge.js": "too large", "huge.txt": "too large"})
    assert found(quaestor, "send_with_retry", repository)[0] == "src/retry.py"


def test_one_line_as_long_as_is_allowed(quaestor: Run, repository: Path) -> None:
    write(repository, {"long.txt": b"word " * 390_000 + b"needle"})
    assert quaestor("index", repository).code == 0
    done = quaestor("search", "needle", repository, "-k", "1")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) < 300


# Names

NAMES = [
    "with space.txt",
    " leading.txt",
    "new\nline.txt",
    "tab\there.txt",
    "größe-日本語-🙂.txt",
    "esc\x1b[31mred\x1b]0;owned\x07.txt",
    "c1\x9b5m.txt",
    "turn\u202etxt.exe.txt",
    "separator\u2028here.txt",
    "quote'\"`.txt",
    "-rf.txt",
    "$(reboot).txt",
    "%s{0}.txt",
    "[red]markup[.txt",
    "back\\slash.txt",
    "literal\\xff.txt",
]


@pytest.mark.parametrize("name", NAMES)
def test_odd_names(quaestor: Run, tmp_path: Path, name: str) -> None:
    root = write(tmp_path / "names", {name: "the needle is in here\n"})
    assert found(quaestor, "needle", root) == [name]
    done = quaestor("ask", "--json", "where is the needle?", root)
    assert [(entry["path"], entry["status"]) for entry in done.json["citations"]] == [(name, "verified")]
    for command in (["search", "needle"], ["ask", "where is the needle?"], ["index", "--verbose"], ["stats"]):
        shown = quaestor(*command, root)
        assert shown.code == 0
        assert not set("\x1b\x07\x9b\u202e\u2028") & set(shown.out + shown.err)
    place = quaestor("search", "needle", root).out.splitlines()[0]
    assert place.endswith(".txt:1")


def test_a_name_that_is_no_unicode(quaestor: Run, tmp_path: Path) -> None:
    folder = tmp_path / "names"
    odd = os.fsdecode(b"odd\xff\xfe.txt")
    write(folder, {odd: "the needle is in here\n"})
    assert found(quaestor, "needle", folder) == ["odd\\xff\\xfe.txt"]
    done = quaestor("ask", "--json", "where is the needle?", folder)
    assert [entry["status"] for entry in done.json["citations"]] == ["verified"]
    (folder / odd).unlink()
    assert found(quaestor, "needle", folder) == []


@pytest.mark.slow
def test_a_folder_whose_own_name_is_odd(quaestor: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / os.fsdecode(b"root\xff \x1b[31m\n"), {"a.txt": "the needle is in here\n"})
    root = os.fsencode(folder)
    for command in ("index", "stats"):
        done = shell(command, root)
        assert (done.code, done.err) == (0, "")
        assert "\x1b" not in done.out
        assert shell(command, "--json", root).json["index"]["documents"] == 1
    assert shell("search", "--json", "needle", root).json["hits"][0]["path"] == "a.txt"


# Files that cannot be read


def test_links_and_special_files_are_not_followed(quaestor: Run, repository: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside.txt": "secret needle outside\n"})
    (repository / "out.txt").symlink_to(tmp_path / "outside.txt")
    (repository / "loop").symlink_to(repository)
    (repository / "nowhere.txt").symlink_to("gone")
    os.mkfifo(repository / "pipe.txt")
    done = quaestor("index", "--json", repository)
    assert skipped(done) == {"out.txt": "link", "loop": "link", "nowhere.txt": "link", "pipe.txt": "special"}
    assert found(quaestor, "secret needle outside", repository) == []


@pytest.mark.skipif(sys.platform != "linux", reason="modes of files are made to hold for root by a call of Linux")
def test_files_and_folders_that_may_not_be_read(repository: Path) -> None:
    write(repository, {"closed.txt": "needle\n", "shut/inside.txt": "needle\n"})
    (repository / "closed.txt").chmod(0)
    (repository / "shut").chmod(0)
    try:
        done = run_unprivileged("-m", "quaestor", "index", "--json", str(repository))
        outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
    finally:
        (repository / "shut").chmod(0o700)
    assert (outcome.code, outcome.err) == (0, "")
    assert skipped(outcome) == {"closed.txt": "unreadable", "shut/": "unreadable"}
    assert outcome.json["index"]["documents"] == 3


def test_a_hit_that_became_a_link_is_neither_read_nor_cited(quaestor: Run, repository: Path, tmp_path: Path) -> None:
    quaestor("index", repository)
    write(tmp_path, {"outside.go": CART})
    (repository / "shop/cart.go").unlink()
    (repository / "shop/cart.go").symlink_to(tmp_path / "outside.go")
    assert "shop/cart.go" not in found(quaestor, "Total prices shipping", repository)


# A folder that changes while it is indexed


def test_a_folder_that_changes_meanwhile(quaestor: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "moving", {f"f{number}.py": f"def stable_{number}():\n    pass\n" for number in range(300)})
    stop = threading.Event()

    def disturb() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            write(root, {"growing.txt": f"line {number}\n" * (number % 50), f"new{number % 20}.txt": "brief\n"})
            (root / f"new{(number + 7) % 20}.txt").unlink(missing_ok=True)
            folder = root / f"folder{number % 5}"
            folder.mkdir(exist_ok=True)
            folder.rmdir()

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(3):
            done = quaestor("index", "--json", root)
            assert (done.code, done.err) == (0, "")
    finally:
        stop.set()
        thread.join()
    write(root, {"growing.txt": "at rest at last\n"})
    assert found(quaestor, "rest at last", root) == ["growing.txt"]
    assert found(quaestor, "stable_299", root)[0] == "f299.py"
    expected = len([place for place in root.iterdir() if place.is_file()])
    assert quaestor("index", "--json", root).json["index"]["documents"] == expected


# The index itself


def index_of(home: Path) -> Path:
    [folder] = (home / "indexes").iterdir()
    return folder


def damage_header(folder: Path) -> None:
    with (folder / "index.sqlite3").open("r+b") as file:
        file.write(b"this is not a database at all" * 10)


def damage_to_nothing(folder: Path) -> None:
    (folder / "index.sqlite3").write_bytes(b"")


def make_newer(folder: Path) -> None:
    with sqlite3.connect(folder / "index.sqlite3") as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()


def make_foreign(folder: Path) -> None:
    with sqlite3.connect(folder / "index.sqlite3") as connection:
        connection.execute("UPDATE state SET embedder = 'another'")
    connection.close()


@pytest.mark.parametrize("damage", [damage_header, make_newer, make_foreign])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_index_that_cannot_be_used(
    quaestor: Run, repository: Path, home: Path, damage: Callable[[Path], None], command: list[str]
) -> None:
    quaestor("index", repository)
    damage(index_of(home))
    done = quaestor(*command, repository)
    assert (done.code, done.out) == (4, "")
    [named] = re.findall(r"`quaestor (.*?)`", done.sentence)
    # Wherever it is run: the current folder is not the repository.
    assert quaestor(*shlex.split(named)).code == 0
    assert found(quaestor, "send_with_retry", repository)[0] == "src/retry.py"


def test_an_index_that_may_not_be_written_is_searched_as_it_is(quaestor: Run, repository: Path, home: Path) -> None:
    quaestor("index", repository)
    [folder] = home.glob("indexes/*")
    for place in (folder, *folder.rglob("*")):
        place.chmod(0o555 if place.is_dir() else 0o444)
    done = run_unprivileged("-m", "quaestor", "search", "dough", str(repository))
    folder.chmod(0o755)
    assert done.returncode == 0
    assert b"docs/guide.md" in done.stdout
    assert b"--rebuild" not in done.stderr


def test_an_index_that_was_emptied_is_made_again(quaestor: Run, repository: Path, home: Path) -> None:
    quaestor("index", repository)
    damage_to_nothing(index_of(home))
    assert found(quaestor, "send_with_retry", repository)[0] == "src/retry.py"


def test_what_is_derived_is_derived_again(quaestor: Run, repository: Path, home: Path) -> None:
    many = {f"part{number}.md": sections(number) for number in range(20)}
    quaestor("index", write(repository, many))  # of few chunks nothing is derived
    derived = [one for one in index_of(home).rglob("*") if one.is_file() and not one.name.startswith("index.sqlite3")]
    for place in derived:
        place.write_bytes(b"\0" * 100)
    assert derived
    done = quaestor("search", "--json", "send_with_retry", repository)
    assert done.json["hits"][0]["path"] == "src/retry.py"


def sections(number: int) -> str:
    return "\n\n".join(f"## Part {part}\n\n" + f"word{number * part} " * 90 for part in range(30))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_data_folder_that_cannot_be(
    quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str]
) -> None:
    write(tmp_path, {"file": "not a folder"})
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "file"))
    done = quaestor(*command, repository)
    assert (done.code, done.out) == (4, "")
    assert "QUAESTOR_HOME" in done.sentence


def test_nothing_of_the_corpus_is_written_to(quaestor: Run, repository: Path) -> None:
    write(repository, ODD)
    before = contents(repository)
    for command in COMMANDS:
        quaestor(*command, repository)
    assert contents(repository) == before


def test_a_current_folder_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = "import os, sys\nos.rmdir(os.getcwd())\nfrom quaestor.cli import run\nsys.exit(run(['search', 'x']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=gone, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: The current folder no longer exists. Change to another one, or name one.\n"


def test_links_that_lead_in_a_circle_are_said_to(quaestor: Run, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    said = quaestor("search", "x", tmp_path / "loop").sentence
    assert "its links lead in a circle" in said or "levels of symbolic links" in said
