"""The users of a soak: each does one thing after the other on one repository, and reports what was wrong."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 600.0
"""Seconds: a command on a machine that is busy with much else takes minutes."""
QUESTIONS = (
    "where is {} defined?",
    "who calls {}?",
    "what does {} do, and where is it tested?",
    "how is {} used?",
    "when was {} changed?",
    "and where is that called from?",
    "what is this project?",
)
SCRIPTED = "scripted failure"
_CUT = "cut the reply of model 'scripted' off"


def is_scripted(said: str) -> bool:
    """Return whether a failure is one that the script of the model's server asks for."""
    return SCRIPTED in said or _CUT in said


class Wrong(Exception):
    """Something was not as it should be."""


@dataclass
class Record:
    """What was done, how long it took, and what was wrong.

    Attributes:
        seconds: of each operation, by its kind, with the moment that it began at.
        wrong: what was not as it should be, with the moment.
        scripted: failures of the model's server that the script made.
        late: searches that said that there was no time to take in what had changed.
    """

    began: float = field(default_factory=time.monotonic)
    seconds: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    wrong: list[tuple[float, str]] = field(default_factory=list)
    scripted: Counter[str] = field(default_factory=Counter)
    late: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def now(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self.began

    def run(self, kind: str, work: Callable[[], object]) -> None:
        """Do something and record it."""
        at = self.now()
        try:
            work()
        except Wrong as error:
            self._add_wrong(at, f"{kind}: {error}")
        except Exception as error:  # whatever it is, it is what the soak looks for
            self._add_wrong(at, f"{kind}: {type(error).__name__}: {error}")
        with self.lock:
            self.seconds.setdefault(kind, []).append((at, self.now() - at))

    def _add_wrong(self, at: float, what: str) -> None:
        with self.lock:
            self.wrong.append((at, what[:500]))


@dataclass(frozen=True)
class Place:
    """What the users work on.

    Attributes:
        root: the repository, which is the soak's own copy.
        port: of the server.
        environment: of every program.
        tree: held by whoever changes files, or looks for what was changed.
    """

    root: Path
    port: int
    environment: Mapping[str, str]
    record: Record
    names: tuple[str, ...]
    tree: threading.RLock = field(default_factory=threading.RLock)

    def post(self, path: str, body: object) -> Iterator[bytes]:
        """Yield the lines of an answer.

        Raises:
            Wrong: it is refused.
        """
        data = json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, {"content-type": "application/json"}
        )
        yield from self._lines(request)

    def get(self, path: str, method: str = "GET") -> bytes:
        """Return an answer."""
        return b"".join(self._lines(urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method)))

    def object(self, path: str, body: object) -> Any:
        """Return the object that answers a request."""
        return json.loads(b"".join(self.post(path, body)))

    def _lines(self, request: urllib.request.Request) -> Iterator[bytes]:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                yield from answer
        except urllib.error.HTTPError as error:
            said = error.read().decode("utf-8", "replace")
            if is_scripted(said):
                self.record.scripted[request.selector] += 1
                return
            raise Wrong(f"{request.selector} answered {error.code}: {said[:300]}") from None


class User(threading.Thread, ABC):
    """Does something, rests, and does something else, until told to stop."""

    kind = "user"
    rest = 1.0

    def __init__(self, place: Place, seed: int, stop: threading.Event) -> None:
        super().__init__(daemon=True, name=f"{self.kind}-{seed}")
        self.place = place
        self.random = random.Random(f"{self.kind}{seed}")
        self._stop_now = stop

    def run(self) -> None:
        while not self._stop_now.wait(self.random.expovariate(1 / self.rest)):
            self.place.record.run(self.kind, self.work)
        self.leave()

    @abstractmethod
    def work(self) -> None:
        """Do one thing."""

    def leave(self) -> None:
        """Close what is open."""

    def name_of_code(self) -> str:
        """Return a name that stands in the repository."""
        return self.random.choice(self.place.names)

    def question(self) -> str:
        """Return something that people ask."""
        return self.random.choice(QUESTIONS).format(self.name_of_code())


class Searcher(User):
    """Searches over the API."""

    kind, rest = "search", 1.0

    def work(self) -> None:
        asked = self.random.choice((self.name_of_code(), self.question()))
        found = self.place.object("/api/search", {"query": asked, "k": self.random.randint(1, 20)})
        if not isinstance(found.get("hits"), list):
            raise Wrong(f"no hits in {str(found)[:200]}")


class Asker(User):
    """Asks over OpenAI's API, with what was said before; goes away in the middle at times."""

    kind, rest = "chat completion", 3.0

    def __init__(self, place: Place, seed: int, stop: threading.Event) -> None:
        super().__init__(place, seed, stop)
        self._said: list[dict[str, str]] = []

    def work(self) -> None:
        self._said = self._said[-12:] if self.random.random() < 0.9 else []
        self._said.append({"role": "user", "content": self.question()})
        text, ended, leaves = "", False, self.random.random() < 0.1
        for line in self.place.post(
            "/v1/chat/completions", {"model": "quaestor", "messages": self._said, "stream": True}
        ):
            if line.startswith(b"data: [DONE]"):
                ended = True
            elif line.startswith(b"data: "):
                chunk = json.loads(line[6:])
                if "error" in chunk:
                    self._failed(chunk["error"]["message"])
                    return
                text += "".join(one["delta"].get("content") or "" for one in chunk["choices"])
                if leaves and text:
                    return
        if text and not ended:
            raise Wrong("a stream without an end")
        if text:
            self._said.append({"role": "assistant", "content": text})

    def _failed(self, said: str) -> None:
        if not is_scripted(said):
            raise Wrong(said)
        self.place.record.scripted["stream"] += 1


class Talker(User):
    """Has conversations that are kept: begins one, asks, reads it, takes it along, removes it."""

    kind, rest = "turn", 4.0

    def __init__(self, place: Place, seed: int, stop: threading.Event) -> None:
        super().__init__(place, seed, stop)
        self._session = ""

    def work(self) -> None:
        if not self._session:
            self._session = self.place.object("/api/sessions", {})["id"]
        last, leaves = "", self.random.random() < 0.1
        for line in self.place.post(f"/api/sessions/{self._session}/turns", {"question": self.question()}):
            if line.startswith(b"event: "):
                last = line[7:].decode().strip()
            elif last == "error" and line.startswith(b"data: "):
                self._failed(line.decode())
            if leaves and last == "text":
                self._session = ""  # the turn goes on without anybody: until its end, nothing else is asked there
                return
        if last not in ("done", "error", ""):
            raise Wrong(f"a turn that ended with {last!r}")
        self._look()

    def _failed(self, said: str) -> None:
        if not is_scripted(said):
            raise Wrong(said)
        self.place.record.scripted["turn"] += 1

    def _look(self) -> None:
        which = self.random.random()
        if which < 0.3:
            self.place.get(f"/api/sessions/{self._session}")
        elif which < 0.5:
            form = self.random.choice(("markdown", "json", "chatml"))
            self.place.get(f"/api/sessions/{self._session}/export?format={form}")
        elif which < 0.6:
            self.place.get("/api/sessions")
        elif which < 0.75:
            self.place.get(f"/api/sessions/{self._session}", "DELETE")
            self._session = ""


class Agent(User):
    """Calls the tools of ``quaestor mcp``; begins another one now and then."""

    kind, rest = "MCP call", 3.0

    def __init__(self, place: Place, seed: int, stop: threading.Event) -> None:
        super().__init__(place, seed, stop)
        self.program: subprocess.Popen[str] | None = None
        self._number = 0

    def work(self) -> None:
        if self.program is not None and self.random.random() < 0.02:
            self.leave()
        if self.program is None:
            self._begin()
        name = self.random.choice(("search", "search", "read", "related", "overview", "history", "ask"))
        arguments: dict[str, object] = {
            "search": {"query": self.question()},
            "read": {"path": "README.md"},
            "related": {"name": self.name_of_code()},
            "overview": {},
            "history": {"about": "README.md"},
            "ask": {"question": self.question()},
        }[name]
        answer = self._ask("tools/call", {"name": name, "arguments": arguments})
        if "result" not in answer:
            raise Wrong(f"{name}: {str(answer)[:300]}")

    def _begin(self) -> None:
        command = [sys.executable, "-m", "quaestor", "mcp", str(self.place.root)]
        self.program = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.place.environment,
        )
        self._ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "s", "version": "1"}},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _ask(self, method: str, params: object) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.program is not None and self.program.stdout is not None
        for line in self.program.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number:
                return dict(answer)
        self.program = None
        raise Wrong(f"the server ended at {method}")

    def _send(self, message: object) -> None:
        assert self.program is not None and self.program.stdin is not None
        self.program.stdin.write(json.dumps(message) + "\n")
        self.program.stdin.flush()

    def leave(self) -> None:
        if self.program is not None and self.program.stdin is not None:
            self.program.stdin.close()
            if self.program.wait(PATIENCE):
                raise Wrong(f"the server ended with code {self.program.returncode}")
            assert self.program.stdout is not None
            self.program.stdout.close()
        self.program = None


class Typist(User):
    """Runs commands."""

    kind, rest = "command", 12.0

    def work(self) -> None:
        command = self.random.choice(
            (
                ("search", self.question(), "--json"),
                ("ask", self.question()),
                ("index",),
                ("stats", "--json"),
                ("history", "README.md"),
                ("related", self.name_of_code()),
                ("overview",),
            )
        )
        done = subprocess.run(
            [sys.executable, "-m", "quaestor", *command],
            cwd=self.place.root,
            env=self.place.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        # 1: nothing was found; 3: the model's server failed, as it was told to.
        if "Traceback" in done.stderr or done.returncode not in (0, 1, 3):
            raise Wrong(f"{command[0]} ended with {done.returncode}: {done.stderr[-300:]}")
        if done.returncode == 3 and not is_scripted(done.stderr):
            raise Wrong(f"{command[0]} ended with 3: {done.stderr[-300:]}")


class Editor(User):
    """Changes files, and looks whether that is found at once."""

    kind, rest = "edit", 6.0

    def work(self) -> None:
        with self.place.tree:
            mark = f"soak_{self.random.getrandbits(48):012x}"
            file = self._changed(mark)
            self._expect(mark, file)
            if self.random.random() < 0.5 and file.name.startswith("soak_"):
                file.unlink()
                self._expect(mark, None)

    def _changed(self, mark: str) -> Path:
        """Bring a name into a file that is there, or into a new one."""
        files = sorted(self.place.root.rglob("*.py"))
        text = f"\n\ndef {mark}(value):\n    return value\n"
        if self.random.random() < 0.6 and files:
            file = self.random.choice(files)
            file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")
            return file
        folder = self.random.choice(files).parent if files else self.place.root
        file = folder / f"soak_{mark[-6:]}.py"
        file.write_text(text, encoding="utf-8")
        return file

    def _expect(self, mark: str, file: Path | None) -> None:
        """Look for a mark; where there was no time to take it in, that must be said, and it is looked for again."""
        wanted = [] if file is None else [file.relative_to(self.place.root).as_posix()]
        while True:
            found = self.place.object("/api/search", {"query": mark, "k": 5})
            holding = [hit["path"] for hit in found["hits"] if mark in hit["text"]]
            if holding[:1] == wanted:
                return
            if found["index"]["fresh"]:
                raise Wrong(f"{mark} should be in {wanted} and was found in {holding}")
            self.place.record.late += 1
            time.sleep(1)


class Historian(User):
    """Commits, goes back and forth in the history, throws changes away."""

    kind, rest = "git", 20.0

    def work(self) -> None:
        with self.place.tree:
            which = self.random.random()
            if which < 0.5:
                self._git("add", "-A")
                self._git("commit", "-q", "--allow-empty", "-m", f"Soak {self.random.getrandbits(32)}")
            elif which < 0.8:
                self._git("stash", "-q", "--include-untracked")
                self._git("checkout", "-q", f"HEAD~{self.random.randint(1, 3)}")
                self.place.object("/api/search", {"query": self.question(), "k": 5})
                self._git("checkout", "-q", "-")
                self._git("stash", "drop", "-q")
            else:
                self._git("reset", "-q", "--hard")
                self._git("clean", "-fdq")

    def _git(self, *arguments: str) -> None:
        command = ["git", "-c", "user.name=Soak", "-c", "user.email=soak@example.org", *arguments]
        done = subprocess.run(command, cwd=self.place.root, capture_output=True, text=True, check=False)
        if done.returncode and arguments[0] != "stash":
            raise Wrong(f"git {arguments[0]}: {done.stderr[-200:]}")


CROWD: tuple[tuple[type[User], int], ...] = (
    (Searcher, 2),
    (Asker, 2),
    (Talker, 2),
    (Agent, 1),
    (Typist, 1),
    (Editor, 1),
    (Historian, 1),
)


def copied(repository: Path, folder: Path) -> Path:
    """Return a clone of a repository in a folder."""
    if shutil.which("git") is None:
        raise SystemExit("git is needed")
    root = folder / repository.name
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(repository), str(root)], check=True, env={**os.environ})
    return root
