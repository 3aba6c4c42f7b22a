"""A ``.git`` that leads to another repository tells nothing of it; one that another names as its own is read."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from history_repository import Repository
from quaestor import Index
from quaestor.answers.history.history_answer import history_of
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way
from quaestor.assemble.stores_by_name import corpus_name
from quaestor.core.config import Settings, load_configuration
from quaestor.core.errors import QuaestorError
from quaestor.files.git_folder import head_commit, project_name

SECRET = "heron-of-the-outside"


@pytest.fixture
def private(tmp_path: Path) -> Repository:
    """Somebody's repository, of which others are to know nothing."""
    made = Repository(tmp_path / "private")
    made.commit(f"Speak of the {SECRET}", {"diary.md": f"# Diary\n\n{SECRET}\n"})
    made.git("remote", "add", "origin", "git@example.org:private/aviary.git")
    return made


@pytest.fixture
def archive(tmp_path: Path) -> Repository:
    """What somebody unpacked: a repository of its own, until a test changes what was in the archive."""
    made = Repository(tmp_path / "unpacked" / "archive")
    made.commit("Begin", {"guide.md": "# Guide\n\nThe kingfisher dives.\n"})
    return made


def told(folder: Path, tmp_path: Path, *questions: str, git_within: tuple[str, ...] = ()) -> str:
    """Return everything that is told of a folder's history, refusals included."""
    settings = Settings(home=str(tmp_path / "home"), git_within=git_within)
    said = [project_name(folder, git_within), head_commit(folder, git_within), corpus_name(folder, settings)]
    with Index.build(folder, settings=settings) as index:
        for question in (*questions, "what changed recently", "", f"commits about {SECRET}"):
            found = history_of(index, question)
            said += [*found.heads, *(hit.text for hit in found.hits)]
            try:
                said += [hit.chunk.text for hit in index.search(question or "kingfisher")]
                said += [document.text for document in [index.read_lines(f"commit {found.hits[0].path[7:]}")]]
            except (QuaestorError, IndexError, AttributeError):
                continue
    return "\n".join(map(str, said))


def git_file(archive: Repository, private: Repository) -> None:
    shutil.rmtree(archive.folder / ".git")
    (archive.folder / ".git").write_text(f"gitdir: {private.folder}/.git\n", encoding="utf-8")


def git_link(archive: Repository, private: Repository) -> None:
    shutil.rmtree(archive.folder / ".git")
    (archive.folder / ".git").symlink_to(private.folder / ".git")


def link_to_a_git_file(archive: Repository, private: Repository) -> None:
    shutil.rmtree(archive.folder / ".git")
    (archive.folder / "pointer").write_text(f"gitdir: {private.folder}/.git\n", encoding="utf-8")
    (archive.folder / ".git").symlink_to("pointer")


def common_folder(archive: Repository, private: Repository) -> None:
    (archive.folder / ".git" / "commondir").write_text(f"{private.folder}/.git\n", encoding="utf-8")


def brought_worktree(archive: Repository, private: Repository) -> None:
    """A folder as those of work trees are, that names this one back, and came with the archive."""
    brought = archive.folder / "worktrees" / "brought"
    shutil.move(archive.folder / ".git", archive.folder / "rest")
    brought.mkdir(parents=True)
    (brought / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    (brought / "gitdir").write_text(f"{archive.folder}/.git\n", encoding="utf-8")
    (brought / "commondir").write_text(f"{private.folder}/.git\n", encoding="utf-8")
    (archive.folder / ".git").write_text("gitdir: worktrees/brought\n", encoding="utf-8")


def anothers_worktree(archive: Repository, private: Repository) -> None:
    private.git("worktree", "add", "-q", "--detach", str(private.folder.parent / "theirs"))
    shutil.rmtree(archive.folder / ".git")
    (archive.folder / ".git").write_text(f"gitdir: {private.folder}/.git/worktrees/theirs\n", encoding="utf-8")


def moved_name(archive: Repository, private: Repository) -> None:
    """A configuration that names the folder, in an archive; its objects lie elsewhere."""
    _replace(archive, private, "objects", "refs")
    archive.git("config", "core.worktree", str(archive.folder))


def objects_and_references(archive: Repository, private: Repository) -> None:
    _replace(archive, private, "objects", "refs")


def packs(archive: Repository, private: Repository) -> None:
    """Packed objects alone lie elsewhere, and a known commit is named."""
    private.git("gc", "-q")
    _names_commit(archive, private)
    _replace(archive, private, "objects/pack")


def one_pack(archive: Repository, private: Repository) -> None:
    private.git("gc", "-q")
    _names_commit(archive, private)
    for file in (private.folder / ".git/objects/pack").iterdir():
        (archive.folder / ".git/objects/pack" / file.name).symlink_to(file)


def loose_objects(archive: Repository, private: Repository) -> None:
    _names_commit(archive, private)
    for folder in (private.folder / ".git/objects").glob("??"):
        (archive.folder / ".git/objects" / folder.name).mkdir(exist_ok=True)
        for file in folder.iterdir():
            (archive.folder / ".git/objects" / folder.name / file.name).symlink_to(file)


def alternates(archive: Repository, private: Repository) -> None:
    _alternate(archive, private, f"{private.folder}/.git/objects\n")


def relative_alternates(archive: Repository, private: Repository) -> None:
    place = os.path.relpath(private.folder / ".git/objects", archive.folder / ".git/objects")
    _alternate(archive, private, f"# ours\n{place}\n")


def quoted_alternates(archive: Repository, private: Repository) -> None:
    _alternate(archive, private, f'"{private.folder}/.git/objects"\n')


def alternates_of_alternates(archive: Repository, private: Repository) -> None:
    between = archive.folder / "between"
    (between / "info").mkdir(parents=True)
    (between / "info/alternates").write_text(f"{private.folder}/.git/objects\n", encoding="utf-8")
    _alternate(archive, private, "../../between\n")


def linked_alternates(archive: Repository, private: Repository) -> None:
    (archive.folder / "list").write_text(f"{private.folder}/.git/objects\n", encoding="utf-8")
    _names_commit(archive, private)
    (archive.folder / ".git/objects/info").mkdir(exist_ok=True)
    (archive.folder / ".git/objects/info/alternates").symlink_to("../../../list")


def long_alternates(archive: Repository, private: Repository) -> None:
    _alternate(archive, private, "#" * (1 << 20) + f"\n{private.folder}/.git/objects\n")


def several_packs(archive: Repository, private: Repository) -> None:
    """An index of several packs that names one elsewhere."""
    private.git("gc", "-q")
    [pack] = (private.folder / ".git/objects/pack").glob("*.idx")
    place = archive.folder / ".git/objects/pack"
    for ending in (".idx", ".pack"):
        shutil.copy(pack.with_suffix(ending), place)
    archive.git("multi-pack-index", "write")
    away = os.path.relpath(pack, place).encode()
    index = (place / "multi-pack-index").read_bytes()
    (place / "multi-pack-index").write_bytes(_renamed(index, pack.name.encode(), away))
    for ending in (".idx", ".pack"):
        (place / pack.with_suffix(ending).name).unlink()
    _names_commit(archive, private)


def _renamed(index: bytes, name: bytes, other: bytes) -> bytes:
    """Return an index of several packs in which one has another name; its chunks are moved and its sum made anew."""
    count = index[6]
    table = [struct.unpack(">4sQ", index[12 + 12 * at : 24 + 12 * at]) for at in range(count + 1)]
    names = index[table[0][1] : table[1][1]]
    assert table[0][0] == b"PNAM"
    longer = b"\0".join(sorted(other if one == name else one for one in names.split(b"\0") if one)) + b"\0"
    longer += b"\0" * (-len(longer) % 4)
    grown = len(longer) - len(names)
    header = index[:12] + b"".join(
        struct.pack(">4sQ", mark, place + grown * (at > 0)) for at, (mark, place) in enumerate(table)
    )
    body = header + longer + index[table[1][1] : table[-1][1]]
    return body + hashlib.sha1(body).digest()


def head(archive: Repository, private: Repository) -> None:
    """The commit that is checked out there is told by its hash."""
    private.git("checkout", "-q", "--detach")
    (archive.folder / ".git/HEAD").unlink()
    (archive.folder / ".git/HEAD").symlink_to(private.folder / ".git/HEAD")


def configuration(archive: Repository, private: Repository) -> None:
    (archive.folder / ".git/config").unlink()
    (archive.folder / ".git/config").symlink_to(private.folder / ".git/config")


def _replace(archive: Repository, private: Repository, *names: str) -> None:
    for name in names:
        shutil.rmtree(archive.folder / ".git" / name)
        (archive.folder / ".git" / name).symlink_to(private.folder / ".git" / name)


def _alternate(archive: Repository, private: Repository, text: str) -> None:
    _names_commit(archive, private)
    (archive.folder / ".git/objects/info").mkdir(exist_ok=True)
    (archive.folder / ".git/objects/info/alternates").write_text(text, encoding="utf-8")


def _names_commit(archive: Repository, private: Repository) -> None:
    """Let a branch be at a commit that is known by its hash alone."""
    (archive.folder / ".git/refs/heads/main").write_text(private.git("rev-parse", "HEAD") + "\n", encoding="ascii")


KINDS: list[Callable[[Repository, Repository], None]] = [
    *(git_file, git_link, link_to_a_git_file, common_folder, brought_worktree, anothers_worktree, moved_name),
    *(objects_and_references, packs, one_pack, loose_objects, several_packs, head, configuration),
    *(alternates, relative_alternates, quoted_alternates, alternates_of_alternates, linked_alternates, long_alternates),
]


BY_HASH = (packs, one_pack, loose_objects, alternates, relative_alternates, quoted_alternates)
BY_HASH += (alternates_of_alternates, linked_alternates, long_alternates)
"""Kinds in which the archive itself says the hash."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.replace("_", "-"))
def test_nothing_is_told_of_another_repository(
    kind: Callable[[Repository, Repository], None], archive: Repository, private: Repository, tmp_path: Path
) -> None:
    commit = private.git("rev-parse", "HEAD")
    kind(archive, private)
    said = told(archive.folder, tmp_path, f"commit {commit}")
    assert SECRET not in said.replace(f"commits about {SECRET}", "").replace(f"of 'commits about {SECRET}'", "")
    assert "aviary" not in said
    assert kind in (several_packs, *BY_HASH) or commit not in said.replace(f"'commit {commit}'", "")


def test_a_work_tree_is_read(private: Repository, tmp_path: Path) -> None:
    private.git("worktree", "add", "-q", str(tmp_path / "tree"))
    assert SECRET in told(tmp_path / "tree", tmp_path)
    assert head_commit(tmp_path / "tree") == private.git("rev-parse", "HEAD")
    assert project_name(tmp_path / "tree") == "aviary"


def test_a_work_tree_that_is_named_by_a_relative_path_is_read(private: Repository, tmp_path: Path) -> None:
    """As git 2.48 and newer name them with ``--relative-paths``."""
    private.git("worktree", "add", "-q", str(tmp_path / "tree"))
    (private.folder / ".git/worktrees/tree/gitdir").write_text("../../../../tree/.git\n", encoding="utf-8")
    (tmp_path / "tree/.git").write_text("gitdir: ../private/.git/worktrees/tree\n", encoding="utf-8")
    assert SECRET in told(tmp_path / "tree", tmp_path)


def test_a_work_tree_that_was_moved_is_read_when_git_knows(private: Repository, tmp_path: Path) -> None:
    private.git("worktree", "add", "-q", str(tmp_path / "tree"))
    shutil.move(tmp_path / "tree", tmp_path / "moved")
    assert "git worktree repair" in told(tmp_path / "moved", tmp_path)
    Repository(tmp_path / "moved", made=True).git("worktree", "repair")
    assert f"Speak of the {SECRET}" in told(tmp_path / "moved", tmp_path)


def test_work_trees_beside_their_bare_repository_are_read(private: Repository, tmp_path: Path) -> None:
    place = tmp_path / "project"
    private.git("clone", "-q", "--bare", str(private.folder), str(place / ".bare"))
    (place / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    Repository(place, made=True).git("worktree", "add", "-q", "main")
    for folder in (place, place / "main"):
        assert f"Speak of the {SECRET}" in told(folder, tmp_path)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_submodule_is_read(archive: Repository, private: Repository, tmp_path: Path, sparse: bool) -> None:
    archive.git("submodule", "add", "-q", str(private.folder), "inner")
    archive.git("commit", "-q", "-m", "Take in")
    if sparse:  # git then keeps the name of the folder in a configuration of its own
        Repository(archive.folder / "inner", made=True).git("sparse-checkout", "set", "--no-cone", "/*")
    assert f"Speak of the {SECRET}" in told(archive.folder / "inner", tmp_path)
    archive.git("worktree", "add", "-q", str(tmp_path / "tree"))
    Repository(tmp_path / "tree", made=True).git("submodule", "update", "-q", "--init")
    assert f"Speak of the {SECRET}" in told(tmp_path / "tree" / "inner", tmp_path)


def test_a_folder_that_is_reached_through_a_link_is_read(private: Repository, tmp_path: Path) -> None:
    private.git("worktree", "add", "-q", str(tmp_path / "tree"))
    (tmp_path / "there").symlink_to(tmp_path, target_is_directory=True)
    for folder in ("tree", "private"):
        assert f"Speak of the {SECRET}" in told(tmp_path / "there" / folder, tmp_path)


@pytest.mark.parametrize("way", ["--shared", "--reference", "--separate-git-dir"])
def test_what_the_user_names_is_read(private: Repository, tmp_path: Path, way: str) -> None:
    """Nothing in these tells them from what an archive could bring."""
    elsewhere, clone = tmp_path / "elsewhere", tmp_path / "clone"
    if way == "--separate-git-dir":
        private.git("clone", "-q", f"{way}={elsewhere}", str(private.folder), str(clone))
    else:
        shutil.move(private.folder, elsewhere)
        given = [way] if way == "--shared" else [way, str(elsewhere)]
        Repository(elsewhere, made=True).git("clone", "-q", *given, str(elsewhere), str(clone))
    said = told(clone, tmp_path)
    assert f"Speak of the {SECRET}" not in said
    assert "git_within" in said
    assert str(elsewhere) in said
    assert f"Speak of the {SECRET}" in told(clone, tmp_path, git_within=(str(elsewhere),))


def test_a_project_cannot_name_such_folders(archive: Repository, private: Repository) -> None:
    (archive.folder / "quaestor.toml").write_text(f'git_within = ["{private.folder}"]\n', encoding="utf-8")
    found = load_configuration(project=archive.folder, environ={"QUAESTOR_HOME": str(archive.folder / "home")})
    assert found.settings.git_within == ()
    assert [refused.name for refused in found.refusals] == ["git_within"]


def test_a_question_for_a_history_that_is_not_read_is_told_so(
    archive: Repository, private: Repository, tmp_path: Path
) -> None:
    git_file(archive, private)
    with Index.build(archive.folder, settings=Settings(home=str(tmp_path / "home"))) as index:
        found = answer_by_way(Question("who wrote the guide?"), index)
    assert found is not None and not found.known
    assert "QUAESTOR_GIT_WITHIN" in found.text(())
