"""What is installed for development is pinned to the byte: a version, and the hashes of the very files it may be.

``make audit`` asks databases of known weaknesses about the same list; here a server stands for them.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import audit_dependencies
import pytest

from servers.site import Answer, SiteServer

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
_ENTRY = re.compile(r"^(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[0-9][^ ;\\]*)(?: ; [^\\]+)? \\$")
_HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")


def entries() -> list[list[str]]:
    """Return the lock's entries, each as its lines without comments."""
    found: list[list[str]] = []
    for line in LOCK.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            found.append([])
        found[-1].append(line)
    return found


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry[0].partition(" ")[0])
def test_every_entry_is_a_version_with_hashes_and_comes_from_no_address(entry: list[str]) -> None:
    assert _ENTRY.match(entry[0]), entry[0]
    assert len(entry) > 1
    assert all(_HASH.match(line) for line in entry[1:]), entry[1:]


def test_no_option_of_the_list_loosens_that() -> None:
    assert not re.search(r"^\s*-(?!-hash=)", LOCK, re.MULTILINE)


def test_everything_that_a_user_may_install_is_in_the_list() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    # Torch and what else makes the shipped weights is installed by hand, by whoever trains; Ray by `make ray` alone.
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    wanted += [one for name, these in extras.items() if name not in {"training", "ray"} for one in these]
    names = {plain(re.split(r"[<>=!~;\[ ]", one)[0]) for one in wanted}
    locked = {plain(found["name"]) for entry in entries() if (found := _ENTRY.match(entry[0]))}
    assert names - locked == set()


def test_what_is_installed_is_installed_from_the_list() -> None:
    """Nothing in the recipe of the environment takes what the list does not name, but for ourselves without more."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("$(STAMP): ")[2].partition("\n\n")[0]
    installs = [line for line in recipe.splitlines() if "pip install" in line]
    assert len(installs) >= 2
    assert all("-r requirements.lock" in line or "--no-deps -e ." in line for line in installs), installs


class Databases:
    """A server that answers as both databases of weaknesses do, or fails."""

    def __init__(self, weak: Mapping[str, str], *, failing: str = "nothing") -> None:
        self._weak = weak
        self._failing = failing
        self.asked: list[str] = []

    def post(self, path: str, body: bytes) -> Answer:
        queries = json.loads(body)["queries"]
        names = [one["package"]["name"] for one in queries]
        self.asked += [f"{one['package']['name']}=={one['version']}" for one in queries]
        results = [
            {"vulns": [{"id": self._weak[name], "modified": ""}]} if name in self._weak else {} for name in names
        ]
        return self._answer(path, {"results": results})

    def get(self, path: str) -> Answer:
        _, _, name, version, _ = path.split("/")
        self.asked.append(f"{name}=={version}")
        weak = [{"id": self._weak[name], "withdrawn": None}] if name in self._weak else []
        return self._answer(path, {"vulnerabilities": [*weak, {"id": "PYSEC-0", "withdrawn": "2020-01-01"}]})

    def _answer(self, path: str, body: object) -> Answer:
        if self._failing in path:
            return Answer("no", 503)
        return Answer(json.dumps(body), kind="application/json")

    @contextmanager
    def serving(self) -> Iterator[list[str]]:
        """Yield the arguments of an audit that asks this."""
        with SiteServer(lambda path, _: self.get(path)) as server:

            def do_post(handler: Any) -> None:
                answer = self.post(handler.path, handler.rfile.read(int(handler.headers["Content-Length"])))
                data = str(answer.body).encode()
                handler.send_response(answer.status)
                handler.send_header("Content-Length", str(len(data)))
                handler.end_headers()
                handler.wfile.write(data)

            server.listening.RequestHandlerClass.do_POST = do_post  # type: ignore[attr-defined]
            yield ["--osv", server.url, "--pypi", server.url]


LOCKED = [f"{found['name']}=={found['version']}" for entry in entries() if (found := _ENTRY.match(entry[0]))]


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Leave out what is installed here, which need not be what is pinned."""
    install_in(monkeypatch, tmp_path)


def install_in(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let packages lie in a folder alone; modules of Python itself are imported as ever."""
    of_python = [one for one in sys.path if Path(one).name not in ("site-packages", "dist-packages")]
    monkeypatch.setattr(sys, "path", [*of_python, str(folder)])


@pytest.mark.usefixtures("nothing_installed")
def test_an_audit_asks_about_every_package(capsys: pytest.CaptureFixture[str]) -> None:
    databases = Databases({})
    with databases.serving() as arguments:
        code = audit_dependencies.main(arguments)
    out = capsys.readouterr().out
    assert (code, "NOT REACHED" in out) == (0, False), out
    assert sorted(databases.asked) == sorted([*LOCKED, *LOCKED]), "each is asked about in both"


@pytest.mark.usefixtures("nothing_installed")
def test_a_known_weakness_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with Databases({"numpy": "PYSEC-1"}).serving() as arguments:
        assert audit_dependencies.main(arguments) == 1
    assert "weakness: numpy " in capsys.readouterr().out


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("failing", "code"), [("querybatch", 0), ("/json", 0), ("/", 2)])
def test_what_cannot_be_reached_is_named(failing: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    with Databases({}, failing=failing).serving() as arguments:
        assert audit_dependencies.main(arguments) == code
    assert capsys.readouterr().out.count("NOT REACHED: http://127.0.0.1") == (2 if code else 1)


@pytest.mark.usefixtures("nothing_installed")
def test_a_weakness_counts_though_one_database_cannot_be_reached() -> None:
    with Databases({"numpy": "PYSEC-1"}, failing="/json").serving() as arguments:
        assert audit_dependencies.main(arguments) == 1


ADVISORY = """\
id: PYSEC-2
modified: 2024-02-05T20:20:47.716944Z
affected:
- package: {ecosystem: PyPI, name: NumPy}
  ranges:
  - {type: GIT, events: [{introduced: "0"}]}
  - {type: ECOSYSTEM, events: [{introduced: "1.5"}, {fixed: 1.9.2}, {introduced: 2.1rc1}, {last_affected: "2.2"}]}
  versions: [1.0b1]
"""


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(
    ("version", "weak"),
    [
        ("1.0b1", True),
        ("1.4", False),
        ("1.10", False),
        ("1.9.1", True),
        ("1.9.2", False),
        ("2.2", True),
        ("2.3", False),
    ],
)
def test_a_clone_of_advisories_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], version: str, weak: bool
) -> None:
    lock = tmp_path / "lock"
    lock.write_text(f"numpy=={version} \\\nother=={version} \\\n", encoding="utf-8")
    advisories = tmp_path / "advisories" / "vulns" / "numpy"
    advisories.mkdir(parents=True)
    (advisories / "PYSEC-2.yaml").write_text(ADVISORY, encoding="utf-8")
    (advisories / "PYSEC-3.yaml").write_text(ADVISORY + "withdrawn: 2024-03-01T00:00:00Z\n", encoding="utf-8")
    (tmp_path / "advisories" / "automation.yaml").write_text("on: push\n", encoding="utf-8")  # a clone's workflow
    with Databases({}, failing="/").serving() as arguments:
        code = audit_dependencies.main([*arguments, "--lock", str(lock), "--advisories", str(tmp_path / "advisories")])
    out = capsys.readouterr().out
    assert (code, "PYSEC-2" in out, "PYSEC-3" in out) == (int(weak), weak, False)
    assert "the newest of 2024-02-05" in out


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("version", "weak"), [("1.0", True), ("1.4rc1", True), ("1.5", False), ("2.0", True)])
def test_a_clone_of_safety_db_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], version: str, weak: bool
) -> None:
    lock = tmp_path / "lock"
    lock.write_text(f"numpy=={version} \\\nother=={version} \\\n", encoding="utf-8")
    listed = {"$meta": {"timestamp": 1775023247}, "NumPy": ["<1.5"], "numpy": ["==2.0"], "unknown": [">=0"]}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "insecure.json").write_text(json.dumps(listed), encoding="utf-8")
    with Databases({}, failing="/").serving() as arguments:
        code = audit_dependencies.main([*arguments, "--lock", str(lock), "--advisories", str(tmp_path)])
    out = capsys.readouterr().out
    assert (code, f"numpy {version}" in out) == (int(weak), weak)
    assert "of 2026-04-01: what became known later" in out


@pytest.mark.usefixtures("nothing_installed")
def test_an_empty_folder_is_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Databases({}, failing="/").serving() as arguments:
        assert audit_dependencies.main([*arguments, "--advisories", str(tmp_path)]) == 2
    assert f"NOT REACHED: {tmp_path}" in capsys.readouterr().out


def test_what_is_installed_and_not_as_pinned_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that were altered or added to after they were installed, one of another version, one that is whole."""
    present = {"altered": "x = 2", "longer": "x = 1\ny = 2"}
    for name, version in (("whole", "1.0"), ("altered", "1.0"), ("longer", "1.0"), ("other", "2.0")):
        text = "x = 1"
        (tmp_path / f"{name}.py").write_text(present.get(name, text), encoding="utf-8")
        about = tmp_path / f"{name}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
        digest = urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        (about / "RECORD").write_text(f"{name}.py,sha256={digest},5\n{name}.pyc,,\n", encoding="utf-8")
    install_in(monkeypatch, tmp_path)
    found = list(audit_dependencies.differences([(one, "1.0") for one in ("whole", "altered", "longer", "other")]))
    assert sorted(found) == [
        "altered: altered.py is not what was installed",
        "longer: longer.py is not what was installed alone: 6 bytes follow",
        "other 2.0 is installed, 1.0 is pinned",
    ]
    (tmp_path / "whole.py").unlink()
    assert "whole: whole.py (No such file or directory)" in audit_dependencies.differences([("whole", "1.0")])
