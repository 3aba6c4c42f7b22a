"""Git repositories as corpora, fetched from real ones without running anything of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from history_repository import Repository
from quaestor import Index, Indexes
from quaestor.core.errors import ForbiddenError, LimitError, NotFoundError, UpstreamError, UsageError
from quaestor.core.settings import Settings
from quaestor.crawl.clone import fetch_commit, fetch_repository
from quaestor.crawl.fetched_sources import files_of, names_repository, read_git_address
from servers.site import Answer, SiteServer

PRIVATE = {"allow_private": True}


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "origin")
    repository.commit("First", {"src/retry.py": "def retry_slowly():\n    return 1\n", "notes.md": "# Notes\n\nOld.\n"})
    return repository


def address_of(repository: Repository) -> str:
    return f"file://{repository.folder}"


@pytest.mark.parametrize(
    ("source", "is_one"),
    [
        ("https://host.example/team/name.git", True),
        ("https://host.example/team/name.git#v1.0", True),
        ("git+https://host.example/team/name", True),
        ("https://github.com/pallets/click", True),
        ("https://github.com/pallets/click/tree/main/docs", False),
        ("https://host.example/docs/", False),
        ("git@host.example:team/name", True),
        ("ssh://git@host.example:2222/name", True),
        ("file:///srv/name.git", True),
        ("src/git.py", False),
        ("C:\\code", False),
        (Path("https://host.example/name.git"), False),
    ],
)
def test_which_sources_are_repositories(source: object, is_one: bool) -> None:
    assert names_repository(source) is is_one


def test_what_an_address_says() -> None:
    found = read_git_address("git@host.example:team/name.git#release/2.0")
    assert found == ("ssh", "host.example", 22, "ssh://git@host.example/team/name.git", "release/2.0", "name")
    assert read_git_address("git+https://host.example:8443/a").port == 8443


@pytest.mark.parametrize(
    "source",
    [
        "git://host.example/name",
        "ext::sh -c true",
        "https://ann:secret@host.example/name.git",
        "https://token@host.example/name.git",
        "ssh://-oProxyCommand=true/name",
        "ssh://host.example",
        "https://host.example/name.git#--upload-pack=true",
        "https://host.example/name.git#a..b",
        "https://host.example:port/name.git",
        "file://host.example/name",
    ],
)
def test_addresses_that_nothing_is_fetched_from(source: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_git_address(source)
    assert "secret" not in str(caught.value)


PARTS = st.text(st.sampled_from("git@:/#.-+ahttps[]?\n "), max_size=30)


WAYS = st.sampled_from(["https://", "ssh://git@", "git@"])


@given(PARTS | st.builds("{}{}/{}.git#{}".format, WAYS, PARTS, PARTS, PARTS))
@example("https://a.example/-/b.git#a")
def test_no_text_is_taken_for_an_address_by_mistake(text: str) -> None:
    if names_repository(text):
        try:
            found = read_git_address(text)
        except UsageError:
            return
        assert not found.host.startswith("-")
        assert not found.ref.startswith("-")
        assert "/" not in found.name


def test_a_repository_is_fetched_searched_and_brought_up_to_date(origin: Repository, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    source = address_of(origin)
    with pytest.raises(NotFoundError, match="is not indexed yet"):
        Index.open(source, settings=settings)
    with Index.build(source, settings=settings, site=PRIVATE) as index:
        assert index.search("retry_slowly")[0].path == "src/retry.py"
    origin.commit("Second", {"src/retry.py": "def retry_quickly():\n    return 2\n", "notes.md": None})
    with Index.build(source, settings=settings, site=PRIVATE) as index:
        assert (index.last_changes.changed, index.last_changes.removed) == (("src/retry.py",), ("notes.md",))
    with Indexes.open(source, settings=settings) as several:
        assert several.search("retry_quickly")[0].path == "src/retry.py"


def test_a_branch_has_files_of_its_own(origin: Repository, tmp_path: Path) -> None:
    first = origin.git("rev-parse", "HEAD")
    origin.git("checkout", "-q", "-b", "next")
    origin.commit("Next", {"next.py": "x = 1\n"})
    origin.git("tag", "v1")
    for ref, has_it in (("next", True), ("v1", True), ("main", False), (first, False)):
        source = f"{address_of(origin)}#{ref}"
        assert fetch_repository(source, tmp_path, allow_private=True).changed
        assert not fetch_repository(source, tmp_path, allow_private=True).changed
        assert (files_of(source, tmp_path) / "next.py").exists() is has_it


def test_nothing_that_a_repository_or_the_user_configured_is_run(
    origin: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    home = tmp_path / "user"
    hooks = home / "hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "reference-transaction", "post-merge"):
        (hooks / name).write_text(program.read_text(), encoding="utf-8")
        (hooks / name).chmod(0o755)
    (home / ".gitconfig").write_text(
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {program}\n\tsshCommand = {program}\n"
        f'[init]\n\ttemplateDir = {home}\n[filter "own"]\n\tsmudge = {program}\n\tprocess = {program}\n'
        f"[credential]\n\thelper = !{program}\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_SSH", str(program))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(home))
    origin.commit("Hostile", {".gitattributes": "* filter=own\n", ".gitmodules": "[submodule]\n\tupdate = !true\n"})
    (origin.folder / "link").symlink_to("/etc/passwd")
    origin.commit("Link", {})
    source = address_of(origin)
    fetch_repository(source, tmp_path / "home", allow_private=True)
    files = files_of(source, tmp_path / "home")
    assert not ran.exists()
    assert (files / "src" / "retry.py").read_text(encoding="utf-8").startswith("def retry_slowly")
    assert not (files / "link").is_symlink()
    assert (files / "link").read_text(encoding="utf-8") == "/etc/passwd"


def test_submodules_are_fetched_if_asked_for_and_that_is_remembered(origin: Repository, tmp_path: Path) -> None:
    inner, outer = (Repository(tmp_path / name) for name in ("inner", "outer"))
    inner.commit("Deep", {"deep.md": "# Deep\n\nThe deepest part.\n"})
    origin.git("submodule", "--quiet", "add", "../inner", "parts/inner")
    origin.commit("Part", {})
    outer.commit("Whole", {"whole.md": "# Whole\n"})
    outer.git("submodule", "--quiet", "add", str(origin.folder), "origin")
    outer.commit("Parts", {})
    source, home = address_of(outer), tmp_path / "home"

    fetch_repository(source, home, **PRIVATE)
    files = files_of(source, home)
    assert not list((files / "origin").iterdir())
    assert fetch_repository(source, home, submodules=True, **PRIVATE).changed
    assert (files / "origin/parts/inner/deep.md").exists()
    # The commit that is named, without history, and with nothing of it configured to be run.
    assert len(Repository(files / "origin", made=True).git("log", "--format=%h").split()) == 1
    assert not fetch_repository(source, home, **PRIVATE).changed

    # Of a submodule that is gone nothing stays, and nothing of any once they are not asked for.
    origin.git("rm", "--quiet", "parts/inner")
    origin.commit("No part", {})
    outer.git("-C", "origin", "pull", "--quiet")
    outer.commit("Newer", {})
    assert fetch_repository(source, home, **PRIVATE).changed
    assert (files / "origin/notes.md").exists()
    assert not (files / "origin/parts").exists()
    fetch_repository(source, home, submodules=False, **PRIVATE)
    assert not list((files / "origin").iterdir())


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:9/x.git", "lies in a private network"),
        ("ext::sh -c touch% /tmp/run", "cannot be fetched from"),
        ("../nowhere", "nowhere"),
    ],
)
def test_a_submodule_that_cannot_be_fetched_costs_only_itself(
    origin: Repository, tmp_path: Path, url: str, why: str
) -> None:
    whole, source = Repository(tmp_path / "whole"), address_of(Repository(tmp_path / "whole", made=True))
    said = f'[submodule "x"]\n\tpath = x\n\turl = {url}\n[submodule "y"]\n\tpath = y\n\turl = {origin.folder}\n'
    whole.commit("Whole", {".gitmodules": said, "whole.md": "# Whole\n"})
    head = origin.git("rev-parse", "HEAD")
    for path in ("x", "y"):
        whole.git("update-index", "--add", "--cacheinfo", f"160000,{head},{path}")
    whole.git("commit", "-q", "-m", "Parts")
    fetched = fetch_repository(source, tmp_path / "home", submodules=True, **PRIVATE)
    files = files_of(source, tmp_path / "home")
    assert (files / "whole.md").exists()
    assert (files / "y/notes.md").exists()
    (sentence,) = fetched.missing
    assert sentence.startswith("The submodule 'x' was not fetched: ")
    assert why in sentence


def test_no_submodule_is_fetched_to_another_folder(origin: Repository, tmp_path: Path) -> None:
    said = f'[submodule "x"]\n\tpath = ..\n\turl = {address_of(origin)}\n'.encode()
    blob = origin.git("hash-object", "-w", "--stdin", stdin=said)
    commit = origin.git("rev-parse", "HEAD")
    entries = f"100644 blob {blob}\t.gitmodules\n160000 commit {commit}\t..\n".encode()
    tree = origin.git("mktree", "--missing", stdin=entries)
    origin.git("update-ref", "HEAD", origin.git("commit-tree", tree, "-m", "Out"))
    with pytest.raises(UpstreamError, match="invalid path"):
        fetch_repository(address_of(origin), tmp_path / "home", submodules=True, **PRIVATE)
    assert not list((tmp_path / "home").rglob("notes.md"))


def test_private_places_need_consent(origin: Repository, tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match=r"lies on this machine. Give --allow-private"):
        fetch_repository(address_of(origin), tmp_path)
    with SiteServer(lambda _path, _headers: Answer("", status=404)) as site:
        with pytest.raises(ForbiddenError, match="lies in a private network"):
            fetch_repository(f"{site.url}/name.git", tmp_path)
        assert not site.asked
        with pytest.raises(UpstreamError, match="was not fetched"):
            fetch_repository(f"{site.url}/name.git", tmp_path, allow_private=True)
        assert site.asked


def test_redirects_are_not_followed(tmp_path: Path) -> None:
    with SiteServer(lambda _path, _headers: Answer("secret")) as inner:
        elsewhere = Answer("", status=302, headers={"Location": f"{inner.url}/name.git/info/refs"})
        with SiteServer(lambda _path, _headers: elsewhere) as site, pytest.raises(UpstreamError):
            fetch_repository(f"{site.url}/name.git", tmp_path, allow_private=True)
        assert not inner.asked


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("file:///nowhere/at/all.git", UpstreamError, "does not appear to be a git repository|does not exist"),
        ("https://host.invalid/name.git", UpstreamError, "The host of .* is not found. Check the address"),
        ("http://127.0.0.1:9/name.git", UpstreamError, "was not fetched .* Check that it is a repository"),
    ],
)
def test_what_cannot_be_fetched_says_what_to_do(
    tmp_path: Path, source: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        fetch_repository(source, tmp_path, allow_private=True)
    with pytest.raises(NotFoundError):
        files_of(source, tmp_path)


def test_what_a_repository_lacks_is_named(origin: Repository, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no branch, tag or commit 'nope'"):
        fetch_repository(f"{address_of(origin)}#nope", tmp_path, allow_private=True)
    empty = Repository(tmp_path / "empty")
    with pytest.raises(NotFoundError, match="has no commits"):
        fetch_repository(address_of(empty), tmp_path, allow_private=True)


def test_without_git_it_says_to_install_it(origin: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"git is not installed on this machine. Install git"):
        fetch_repository(address_of(origin), tmp_path / "home", allow_private=True)


def test_a_repository_that_takes_more_room_than_it_may_is_refused(origin: Repository, tmp_path: Path) -> None:
    origin.commit("Large", {f"{number}.txt": "x" * 200_000 for number in range(10)})  # one object, ten files
    address = read_git_address(address_of(origin))
    with pytest.raises(LimitError, match="more than 1,500,000 bytes"):
        fetch_commit(address, tmp_path / "files", allow_private=True, most_bytes=1_500_000)
    with pytest.raises(LimitError, match="more than 0 seconds"):
        fetch_commit(address, tmp_path / "late", allow_private=True, seconds=0.0)


def test_what_a_killed_process_left_is_in_nobodys_way(origin: Repository, tmp_path: Path) -> None:
    source = address_of(origin)
    fetch_repository(source, tmp_path, allow_private=True)
    files = files_of(source, tmp_path)
    for name in ("index.lock", "shallow.lock", "HEAD.lock"):
        (files / ".git" / name).touch()
    (files / "src" / "retry.py").unlink()
    origin.commit("Second", {"more.py": "y = 1\n"})
    assert fetch_repository(source, tmp_path, allow_private=True).changed
    assert (files / "more.py").exists()
    assert (files / "src" / "retry.py").exists()
    assert files.stat().st_mode & 0o077 == 0
