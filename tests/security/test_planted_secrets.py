"""Secrets that lie in and around a repository never leave: not to a model, an agent, a terminal, a log or a browser.

Each secret is a word of its own, so that it is seen which one got out. What somebody wrote into a source file is no
secret to a program that is asked about source files; keep such a file out with `.quaestorignore`.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from native_parts import client
from served import serving

from history_repository import Repository
from quaestor import Index
from quaestor.cli import run
from quaestor.core.config import Settings
from quaestor.files.deny import deny_content
from quaestor.server.http.json_log import JsonLines
from scripted_server import Reply, StartServer, scripted_server  # noqa: F401 - a fixture

WORD = "purplegateway"
"""Stands beside each secret, so that a search for it would come upon all of them."""

KEY = "-----BEGIN {}PRIVATE KEY-----\n{}\n-----END {}PRIVATE KEY-----\n"
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ" + "A" * 14
PLANTED = {
    ".env": "TOKEN={}\n",
    ".env.production": "TOKEN={}\n",
    "service/.env": "TOKEN={}\n",
    ".npmrc": "//registry/:_authToken={}\n",
    ".netrc": "machine x password {}\n",
    ".git-credentials": "https://user:{}@host\n",
    ".aws/credentials": "aws_secret_access_key={}\n",
    ".ssh/id_ed25519": "{}\n",
    ".docker/config.json": '{{"auths": "{}"}}\n',
    "credentials.json": '{{"key": "{}"}}\n',
    "deploy/terraform.tfstate": '{{"password": "{}"}}\n',
    "deploy/secrets.yaml": "password: {}\n",
    "server.key": KEY.format("", "{}", ""),
    "notes/pasted.txt": KEY.format("RSA ", "{}\n" + BODY, "RSA "),
    "notes/marked.txt": "\ufeff" + KEY.format("EC ", "{}\n" + BODY, "EC "),
    "notes/attributes.txt": "Bag Attributes\n    friendlyName: x\nKey Attributes: <No Attributes>\n"
    + KEY.format("", "{}\n" + BODY, ""),
    "notes/putty.txt": "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n{}\n",
    "private.md": "# Private\n\n{}\n",
    "build/left.md": "# Left out\n\n{}\n",
    ".git/config.local": "{}\n",
    ".git/description": "{}\n",
}
IGNORED = "private.md\nbuild/\n"


def secret_of(path: str) -> str:
    return "s3cret" + "".join(letter for letter in path if letter.isalnum())


SECRETS = {secret_of(path) for path in PLANTED} | {"s3cretremote", "s3cretapikey", "s3cretoutside", "s3cretcommitted"}


def leaks(text: str) -> set[str]:
    return {secret for secret in SECRETS if secret in text}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = Repository(tmp_path / "repository")
    made.git("remote", "add", "origin", "https://user:s3cretremote@host.example/purple/gateway.git")
    key = {".env": f"{WORD}=s3cretcommitted\n", "server.key": KEY.format("", "s3cretcommitted", "")}
    made.commit(f"Add the {WORD} with its key", key)
    made.commit("Take the key out again", dict.fromkeys(key))
    made.commit("Begin", {".gitignore": IGNORED, "guide.md": f"# Guide\n\nThe {WORD} retries four times.\n"})
    for path, form in PLANTED.items():
        (made.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (made.folder / path).write_text(form.format(f"{secret_of(path)} {WORD}"), encoding="utf-8")
    (tmp_path / "outside.md").write_text(f"# Outside\n\ns3cretoutside {WORD}\n", encoding="utf-8")
    (made.folder / "link.md").symlink_to(tmp_path / "outside.md")
    return made.folder


QUESTIONS = [WORD, f"what is the token of the {WORD}?", "TOKEN password auths PRIVATE KEY", "credentials.json", ".env"]


def test_the_index_holds_none(root: Path, tmp_path: Path) -> None:
    Index.build(root, settings=Settings(home=str(tmp_path / "home"))).close()
    texts = {file: file.read_bytes().decode("latin-1") for file in (tmp_path / "home").rglob("*") if file.is_file()}
    assert any(f"The {WORD} retries four times." in text for text in texts.values())
    # Names are told, as reasons for what was left out; what stands in the files is not.
    assert {file: leaks(text) for file, text in texts.items() if leaks(text)} == {}


def test_no_command_prints_one(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("QUAESTOR_API_KEY", "s3cretapikey")
    monkeypatch.chdir(root)
    asked = [["search", WORD, "--json"], ["ask", QUESTIONS[1]], ["history", WORD], ["history", "--json", "key"]]
    asked += [["stats", "--json"], ["overview", "--json"], ["doctor", "--json"], ["related", "guide.md"]]
    for arguments in asked:
        run(arguments)
        assert leaks("".join(capfd.readouterr())) == set(), arguments


def test_a_server_sends_and_logs_none(
    root: Path,
    tmp_path: Path,
    scripted_server: StartServer,  # noqa: F811
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "quaestor")
    refusing = Reply(status=401, error="bad key s3cretapikey")
    model = scripted_server(["It retries [1].", refusing])
    settings = {"model": "tiny", "base_url": model.base_url, "api_key": "s3cretapikey", "subroutines": "off"}
    told = []
    with serving(root, home=tmp_path / "home", **settings) as server, client(server.url) as api:
        for question in QUESTIONS:
            told.append(api.post("/api/search", json={"query": question}).text)
            told.append(api.get("/search", params={"q": question}).text)
            told.append(api.post("/api/ask", json={"question": question}).text)
        for path in [*PLANTED, "link.md", "../outside.md", str(tmp_path / "outside.md"), ".git/config"]:
            told.append(api.get("/api/passage", params={"path": path}).text)
            told.append(api.get("/passage", params={"path": path, "start": 1, "end": 9}).text)
        for address in (
            "/api/stats",
            "/api/overview",
            "/api/history",
            "/api/corpora",
            "/metrics",
            "/openapi.json",
            "/",
        ):
            told.append(api.get(address).text)
        told.append(api.get("/api/history", params={"about": "key"}).text)
    assert leaks("\n".join(told)) == set()
    assert model.requests
    # The key goes to its own server, in the one header that is for it.
    assert leaks(json.dumps([request.body for request in model.requests])) == set()
    assert leaks("\n".join(JsonLines().format(record) for record in caplog.records)) == set()


@pytest.mark.parametrize("path", [path for path in PLANTED if path.startswith("notes/")])
def test_keys_are_told_by_what_they_are(path: str) -> None:
    assert deny_content(PLANTED[path].format(secret_of(path)).encode()) == "secret"


@pytest.mark.parametrize(
    "text",
    [
        "# Keys\n\nA key begins with `-----BEGIN PRIVATE KEY-----` and ends alike.\n",
        'KEY = """\n-----BEGIN PRIVATE KEY-----\n' + BODY + '\n-----END PRIVATE KEY-----\n"""\n' + "x = 1\n" * 200,
        "-----BEGIN CERTIFICATE-----\n" + BODY + "\n-----END CERTIFICATE-----\n",
        "-----BEGIN PUBLIC KEY-----\n" + BODY + "\n-----END PUBLIC KEY-----\n",
    ],
)
def test_what_only_tells_of_keys_is_read(text: str) -> None:
    assert deny_content(text.encode()) is None
