from __future__ import annotations

import pytest

from quaestor.files.deny import deny_content, deny_content_of_folder, deny_file, deny_folder, is_secret, largest


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.local",
        ".ENV",
        "prod.env",
        "server.pem",
        "id_rsa",
        "id_rsa.old",
        "id_ed25519",
        ".netrc",
        "tls.key",
        "bundle.p12",
        "credentials",
        "credentials.json",
        "kubeconfig",
        "terraform.tfstate",
        ".npmrc",
        ".pypirc",
        "service-account-prod.json",
        ".bash_history",
    ],
)
def test_secrets(name: str) -> None:
    assert is_secret(name)
    assert deny_file(name) == "secret"


@pytest.mark.parametrize(
    "name",
    [
        ".env.example",
        ".env.example.complete",
        "id_rsa.pub",
        "credentials.py",
        "secrets.go",
        "keyboard.ts",
        "environment.yml",
        "monkey.rs",
    ],
)
def test_what_only_sounds_secret(name: str) -> None:
    assert deny_file(name) is None


@pytest.mark.parametrize("name", ["logo.PNG", "a.tar.gz", "lib.so", "x.pyc", "paper.doc", ".DS_Store"])
def test_binaries_by_name(name: str) -> None:
    assert deny_file(name) == "binary"


@pytest.mark.parametrize("name", ["app.js.map", "index.mjs.map", "site.css.map", "jquery.min.js", "a.d.ts.map"])
def test_build_output_by_name(name: str) -> None:
    assert deny_file(name) == "build output"


@pytest.mark.parametrize(
    "name", ["main.ts", "a.svg", "Makefile", "a.b.c", "noext", ".gitignore", "x.dat", "level1.map", "min.js", "map.js"]
)
def test_ordinary_names(name: str) -> None:
    assert deny_file(name) is None


def test_docker_keeps_passwords_in_its_settings() -> None:
    assert deny_file("config.json", ".docker") == "secret"
    assert deny_file("config.json", "app") is None


def test_folders() -> None:
    nothing: set[str] = set()
    assert deny_folder(".git", nothing) == "version control"
    assert deny_folder("node_modules", nothing) == "dependencies"
    assert deny_folder("__pycache__", nothing) == "cache"
    assert deny_folder(".ssh", nothing) == "secret"
    assert deny_folder("target", {"Cargo.toml", "target"}) == "dependencies"
    for name in ("target", "build", "dist", "vendor", "bin", "lib", "obj", "env"):
        assert deny_folder(name, nothing) is None


def test_folders_that_say_what_they_are() -> None:
    assert deny_content_of_folder({"pyvenv.cfg", "lib"}) == "dependencies"
    assert deny_content_of_folder({"CACHEDIR.TAG"}) == "cache"
    assert deny_content_of_folder({"a.py"}) is None


def test_content() -> None:
    assert deny_content(b"abc\0def") == "binary"
    assert deny_content("wide".encode("utf-16")) is None
    assert deny_content("wide".encode("utf-32")) is None
    assert deny_content(b"a" * 9000 + b"\0") is None
    assert deny_content(b"\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc") == "secret"
    assert deny_content(b'KEY = "-----BEGIN PRIVATE KEY-----"') is None
    assert deny_content(b"") is None


def test_a_book_may_be_larger_than_a_source_file() -> None:
    assert largest("war-and-peace.txt", 1000) == 8 * largest("main.py", 1000)
