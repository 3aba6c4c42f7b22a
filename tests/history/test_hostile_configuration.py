"""Whatever a repository, its attributes or the environment names to be run: none of it runs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from history_repository import Repository, shop
from quaestor import Index
from quaestor.answers.history.history_answer import history_of
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

QUESTIONS = (
    "what changed in 1.1",
    "what changed recently",
    "when and why was send_with_retry added",
    "who wrote shop/net/sending.py",
    "what was the last change to shop/net/sending.py",
    "why was the colour option removed",
    "when was 1.1 released",
    "history of send_with_retry",
)

# Every kind of setting of git-config(1) whose value is run, or leads to what is run.
CONFIG = """
[core]
	pager = {mark} pager
	editor = {mark} editor
	fsmonitor = {mark} fsmonitor
	sshCommand = {mark} ssh
	gitProxy = {mark} proxy
	askPass = {mark} askpass
	alternateRefsCommand = {mark} alternates
	hooksPath = {hooks}
	attributesFile = {attributes}
[alias]
	log = !{mark} alias-log
	show = !{mark} alias-show
	blame = !{mark} alias-blame
[diff]
	external = {mark} external
[diff "evil"]
	command = {mark} diff-command
	textconv = {mark} textconv
	cachetextconv = true
[filter "evil"]
	clean = {mark} clean
	smudge = {mark} smudge
	process = {mark} process
	required = true
[merge "evil"]
	driver = {mark} merge
[gpg]
	program = {mark} gpg
[gpg "ssh"]
	program = {mark} gpg-ssh
	defaultKeyCommand = {mark} gpg-ssh-key
[gpg "x509"]
	program = {mark} gpg-x509
[log]
	showSignature = true
[commit]
	gpgSign = true
[credential]
	helper = !{mark} credential
[sequence]
	editor = {mark} sequence
[interactive]
	diffFilter = {mark} difffilter
[pager]
	log = {mark} pager-log
	show = {mark} pager-show
	blame = {mark} pager-blame
[man]
	viewer = evil
[remote "origin"]
	url = ext::{mark} ext
	vcs = {mark}
	promisor = true
	partialCloneFilter = blob:none
	uploadpack = {mark} uploadpack
	receivepack = {mark} receivepack
[uploadpack]
	packObjectsHook = {mark} packobjects
[receive]
	procReceiveRefs = refs
[extensions]
	partialClone = origin
	worktreeConfig = true
[trailer "evil"]
	command = {mark} trailer
	cmd = {mark} trailer-cmd
[mergetool "evil"]
	cmd = {mark} mergetool
[difftool "evil"]
	cmd = {mark} difftool
[browser "evil"]
	cmd = {mark} browser
[blame]
	ignoreRevsFile = {pipe}
[mailmap]
	file = {pipe}
[include]
	path = {included}
[includeIf "gitdir:**"]
	path = {included}
"""


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """A program that leaves a mark wherever it is run."""
    program = tmp_path / "mark"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/marks\ncat\nexit 0\n', encoding="utf-8")
    program.chmod(0o755)
    return program


@pytest.fixture
def hostile(tmp_path: Path, mark: Path) -> Repository:
    """A repository of which everything that can name a program names that one."""
    made, _ = shop(tmp_path / "repository")
    made.commit("Attributes", {".gitattributes": "* diff=evil filter=evil merge=evil\n"}, "2024-03-06")
    dot_git = made.folder / ".git"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for folder in (hooks, dot_git / "hooks"):
        for name in (
            "post-checkout",
            "pre-auto-gc",
            "fsmonitor-watchman",
            "post-index-change",
            "reference-transaction",
        ):
            (folder / name).write_text(f"#!/bin/sh\n{mark} hook-{name}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
    included = tmp_path / "included"
    included.write_text(f"[core]\n\tpager = {mark} included\n[diff]\n\texternal = {mark} included-external\n", "utf-8")
    attributes = tmp_path / "attributes"
    attributes.write_text("* diff=evil filter=evil\n", encoding="utf-8")
    # Whoever opens this waits for ever.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    config = CONFIG.format(mark=mark, hooks=hooks, attributes=attributes, included=included, pipe=pipe)
    with (dot_git / "config").open("a", encoding="utf-8") as file:
        file.write(config)
    (dot_git / "config.worktree").write_text(f"[core]\n\tpager = {mark} worktree\n\tworktree = /\n", encoding="utf-8")
    (dot_git / "info").mkdir(exist_ok=True)
    (dot_git / "info" / "attributes").write_text("* diff=evil filter=evil\n", encoding="utf-8")
    return made


@pytest.fixture
def environment(tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An environment of which every variable that git runs, or writes to, names the program."""
    for name in (
        *("GIT_PAGER", "PAGER", "GIT_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS"),
        *("SSH_ASKPASS", "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR"),
    ):
        monkeypatch.setenv(name, f"{mark} {name}")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "diff.external")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"{mark} config-count")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.pager={mark} parameters'")
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "marks"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", "/")
    monkeypatch.setenv("GIT_EXEC_PATH", str(tmp_path))
    yield


def test_the_mark_is_left_where_git_is_run_carelessly(hostile: Repository, mark: Path, tmp_path: Path) -> None:
    """What follows proves nothing unless the traps work."""
    # The pipe would hold it up before it comes to the rest.
    unheld = ["-c", "mailmap.file=", "-c", "log.mailmap=false"]
    command = ["git", "-C", str(hostile.folder), *unheld, "log", "-p", "-n1"]
    subprocess.run(command, capture_output=True, timeout=600, check=False, env={**os.environ, "GIT_PAGER": ""})
    assert (tmp_path / "marks").exists()


@pytest.mark.usefixtures("environment")
def test_nothing_that_a_repository_names_is_run(hostile: Repository, tmp_path: Path) -> None:
    before = sorted(hostile.folder.rglob("*"))
    with Index.build(hostile.folder) as index:
        for question in QUESTIONS:
            found = answer_by_way(Question(question), index)
            assert found is not None, question
            assert found.hits, question
            for hit in found.hits:
                assert index.read(hit.path) is not None
        assert history_of(index, "commits about retry").hits
    assert not (tmp_path / "marks").exists(), (tmp_path / "marks").read_text()
    assert sorted(hostile.folder.rglob("*")) == before


def test_a_git_beside_the_caller_is_not_taken(
    hostile: Repository, mark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hostile.folder / "git").symlink_to(mark)
    monkeypatch.chdir(hostile.folder)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    with Index.build(hostile.folder) as index:
        assert history_of(index).hits
    assert not (tmp_path / "marks").exists()


def test_missing_objects_of_a_partial_clone_are_not_fetched(tmp_path: Path, mark: Path) -> None:
    made, ids = shop(tmp_path / "origin")
    made.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    made.git("clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{made.folder}", str(clone))
    Repository(clone, made=True).git("config", "remote.origin.uploadpack", f"{mark} uploadpack")
    (clone / "README.md").write_text("# Shop\n", encoding="utf-8")
    with Index.build(clone) as index:
        found = history_of(index, f"commit {ids['last']}")
    assert "Try three times" in found.text(range(1, 9))
    assert found.partial
    assert not (tmp_path / "marks").exists()
