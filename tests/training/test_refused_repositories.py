"""Evaluation corpora are never used for training, whatever the name of their clone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from index_of_files import write_files
from quaestor.core.errors import ForbiddenError, NotFoundError
from training import gather
from training.refused_repositories import canonical, refusal
from training.sources import list_blobs, open_source, read_blobs

# Those of the public code-search benchmark of MinishLab/semble, one after the other.
BENCHMARK = """
    abseil/abseil-cpp
    aio-libs/aiohttp
    Alamofire/Alamofire
    apache/commons-lang
    axios/axios
    Bash-it/bash-it
    bats-core/bats-core
    circe/circe
    colinhacks/zod
    curl/curl
    DapperLib/Dapper
    echasnovski/mini.nvim
    elixir-ecto/ecto
    elixir-plug/plug
    encode/httpx
    encode/starlette
    expressjs/express
    fastapi/fastapi
    FasterXML/jackson-databind
    fmtlib/fmt
    folke/lazy.nvim
    gin-gonic/gin
    go-chi/chi
    google/gson
    guzzle/guzzle
    haskell/aeson
    Hejsil/zig-clap
    http4s/http4s
    JamesNK/Newtonsoft.Json
    JetBrains/Exposed
    jgm/pandoc
    Kotlin/kotlinx.coroutines
    ktorio/ktor
    laravel/framework
    libuv/libuv
    MinishLab/model2vec
    neovim/nvim-lspconfig
    neuecc/MessagePack-CSharp
    nlohmann/json
    nvim-telescope/telescope.nvim
    nvm-sh/nvm
    pallets/click
    pallets/flask
    phoenixframework/phoenix
    psf/requests
    pydantic/pydantic
    rack/rack
    rails/rails
    redis/redis
    reduxjs/redux
    Seldaek/monolog
    serde-rs/serde
    sinatra/sinatra
    spf13/cobra
    tokio-rs/axum
    tokio-rs/tokio
    trpc/trpc
    typelevel/cats
    vapor/vapor
    vitest-dev/vitest
    xmonad/xmonad
    ziglang/zig
    zigtools/zls
""".split()
# Names that other projects bear as well are refused for these owners alone.
GENERAL = {"laravel/framework"}
MIT = "Permission is hereby granted, free of charge, to any person ... without restriction ..."


def repository(folder: Path, files: dict[str, str], remote: str | None = None) -> Path:
    """Make a git repository of one commit."""
    write_files(folder, files)
    empty = str(folder.parent / "no-config")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": empty, "GIT_CONFIG_SYSTEM": empty}

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *who, "-C", str(folder), *arguments], check=True, capture_output=True, env=environment)

    git("init")
    git("add", ".")
    git("commit", "-m", "Keep the first words together")
    if remote:
        git("remote", "add", "origin", remote)
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "pallets/flask",
        "PALLETS/Flask",
        "https://github.com/pallets/flask.git",
        "git@github.com:pallets/flask.git",
        "ssh://git@example.org:2222/mirror/flask/",
        "someone-else/flask",
        "psf/requests",
        "ziglang/zig",
        "simonw/til",
        "python/peps",
        "git/git",
        "nvim-mini/mini.nvim",
        "MessagePack-CSharp/MessagePack-CSharp",
    ],
)
def test_evaluation_corpora_are_refused(name: str) -> None:
    assert refusal([name])


def test_the_benchmark_has_63_repositories() -> None:
    assert len(set(map(str.lower, BENCHMARK))) == 63


@pytest.mark.parametrize("name", BENCHMARK)
def test_each_of_the_benchmark_is_refused_by_every_address(name: str) -> None:
    addresses = [
        "{}",
        "https://github.com/{}",
        "https://github.com/{}.git",
        "https://somebody:token@github.com/{}.git/",
        "https://github.com/{}.git?depth=1#main",
        '"https://github.com/{}.git"',
        "git@github.com:{}.git",
        "ssh://git@github.com/{}.git",
        "git://example.org/mirrors/{}.git",
        "/srv/git/{}.git",
        "C:\\git\\{}",
    ]
    for address in addresses:
        assert refusal([address.format(name)]), address
        assert refusal([address.format(name.upper())]), address
    if name not in GENERAL:
        bare = name.rpartition("/")[2]
        assert all(map(refusal, ([f"fork/{bare}"], [bare], [f"{bare}.git"], [f"git@example.org:fork/{bare}.git"])))


def test_gathering_refuses_all_of_the_benchmark_by_name_and_by_remote(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each as a clone in a folder of another name, once known by its name alone and once by its remote alone."""
    nameless = repository(tmp_path / "nameless", {"LICENSE": MIT, "a.py": "x = 1\n"})
    (tmp_path / "listed").write_text("".join(f"{name}\t{nameless}\n" for name in BENCHMARK))
    clones = []
    for number, name in enumerate(BENCHMARK):
        clones.append(shutil.copytree(nameless, tmp_path / f"clone{number}"))
        with (clones[-1] / ".git/config").open("a") as config:
            config.write(f'[remote "upstream"]\n\turl = https://github.com/{name}.git\n')
    out = tmp_path / "out"
    arguments = [*map(str, clones), "--listed", str(tmp_path / "listed"), "--out", str(out), "--processes", "1"]
    assert gather.main(arguments) == 0
    assert (out / "sources.tsv").read_text() == ""
    refused = [line for line in capfd.readouterr().err.splitlines() if "evaluation corpus" in line]
    assert len(refused) == 2 * len(BENCHMARK)
    assert [file.name for file in out.iterdir()] == ["sources.tsv"]


@pytest.mark.parametrize(
    "config",
    [
        '[remote "origin"]\n\turl = "https://github.com/pallets/flask.git"\n',
        '[remote "origin"]\n\turl = me@example.org:mine\n\tpushurl = https://github.com/pallets/flask.git\n',
        '[remote "a"]\n\turl = me@example.org:mine\n[remote "b"]\n\tURL=git@github.com:me/flask\n',
        "[include]\n\tpath = more\n",
    ],
    ids=["in quotes", "to push to", "the second", "included"],
)
def test_a_remote_is_read_as_git_reads_it(tmp_path: Path, config: str) -> None:
    folder = repository(tmp_path / "mine", {"LICENSE": MIT})
    with (folder / ".git/config").open("a") as file:
        file.write(config)
    (folder / ".git/more").write_text('[remote "origin"]\n\turl = https://github.com/pallets/flask.git\n')
    with pytest.raises(ForbiddenError, match="evaluation"):
        open_source(folder, "me/mine")


def test_a_bare_clone_without_remotes_is_refused_by_its_folder(tmp_path: Path) -> None:
    bare = shutil.move(repository(tmp_path / "mine", {"LICENSE": MIT}) / ".git", tmp_path / "flask.git")
    with pytest.raises(ForbiddenError, match="evaluation"):
        open_source(Path(bare))


@pytest.mark.parametrize("name", ["jbranchaud/til", "tornadoweb/tornado", "pallets/jinja", "fork/flask-login"])
def test_others_are_not(name: str) -> None:
    assert refusal([name]) is None


def test_one_bad_name_among_many_is_enough() -> None:
    assert refusal(["me/my-copy", "https://example.org/x/y", "https://github.com/Encode/HTTPX"])


def test_names_are_compared_without_form() -> None:
    assert canonical("git@github.com:A/B.git") == canonical("https://github.com/a/b") == "a/b"


def test_a_clone_is_refused_by_its_remote(tmp_path: Path) -> None:
    folder = repository(tmp_path / "mine", {"LICENSE": MIT}, "https://github.com/aio-libs/AioHTTP.git")
    with pytest.raises(ForbiddenError, match="evaluation"):
        open_source(folder, "me/mine")


def test_a_clone_is_refused_by_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match="evaluation"):
        open_source(repository(tmp_path / "tokio", {"LICENSE": MIT}))


@pytest.mark.parametrize("licence", ["", "GNU General Public License, version 3", "Mozilla Public License 2.0"])
def test_only_permissive_licences_are_taken(tmp_path: Path, licence: str) -> None:
    with pytest.raises(ForbiddenError, match="permissive"):
        open_source(repository(tmp_path / "thing", {"LICENSE": licence, "a.py": "x = 1"}))


def test_a_copyleft_file_beside_a_permissive_one_refuses_both(tmp_path: Path) -> None:
    files = {
        "COPYING": "GNU General Public License, version 3",
        "licenses/MIT": MIT,
        "LICENSE-MIT": MIT,
        "a.py": "x = 1",
    }
    with pytest.raises(ForbiddenError, match="permissive"):
        open_source(repository(tmp_path / "thing", files))


def test_a_folder_that_is_no_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="not a git repository"):
        open_source(tmp_path)


def test_a_source_knows_its_commit_and_licence(tmp_path: Path) -> None:
    source = open_source(repository(tmp_path / "thing", {"LICENSE": MIT, "a.py": "x = 1\n"}), "me/thing")
    assert (source.name, source.licence, len(source.commit)) == ("me/thing", "MIT", 40)
    blobs = list_blobs(source.git_dir)
    assert {blob.path: data for blob, data in read_blobs(source.git_dir, blobs)}["a.py"] == b"x = 1\n"


def test_gathering_reports_refusals_and_goes_on(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = '"""A module."""\n\n\ndef wait_longer(times):\n    """Wait twice as long after each failed attempt."""\n'
    code += "    for number in range(times):\n        sleep(2 ** number)\n" + "    pause(times)\n" * 12
    good = repository(tmp_path / "good", {"LICENSE": MIT, "a.py": code})
    bad = repository(tmp_path / "flask", {"LICENSE": MIT})
    assert gather.main([str(bad), str(good), "--out", str(tmp_path / "out"), "--processes", "1"]) == 0
    rows = (tmp_path / "out" / "sources.tsv").read_text("utf-8").splitlines()
    assert [row.split("\t")[0] for row in rows] == ["good"]
    assert "evaluation corpus" in capfd.readouterr().err
