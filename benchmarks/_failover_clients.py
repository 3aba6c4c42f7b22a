"""The clients of a failover run: each remembers what was acknowledged, and checks it afterwards."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import httpx

_PARTS = 4
_PATIENCE = 120.0
_PAUSE = 0.2


class Editor(threading.Thread):
    """Writes newer versions of files; every paragraph of a file says which version it is of.

    Attributes:
        versions: the version of each file, by path.
    """

    def __init__(self, root: Path, count: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.versions: dict[str, int] = {}
        self._root = root
        self._draw = random.Random(seed)
        self._over = threading.Event()
        for number in range(count):
            self._write(f"part{number}.md", 0)

    def run(self) -> None:
        """Edit until it is stopped."""
        while not self._over.wait(_PAUSE):
            for path in self._draw.sample(sorted(self.versions), 5):
                self._write(path, self.versions[path] + 1)

    def stop(self) -> None:
        """Write nothing more."""
        self._over.set()
        self.join()

    def _write(self, path: str, version: int) -> None:
        words = " ".join(f"word{self._draw.randrange(500)}" for _ in range(120))
        text = "\n".join(f"# Part {part}\n\nversion {version} of {path}: {words}\n" for part in range(_PARTS))
        draft = self._root.parent / f"draft {path}"
        draft.write_text(text, encoding="utf-8")
        draft.replace(self._root / path)
        self.versions[path] = version


def stored_version(texts: Sequence[str]) -> int:
    """Return the version of a document by the texts of its chunks.

    Raises:
        ValueError: they are of several, or not all there.
    """
    said = [line.split()[1] for text in texts for line in text.splitlines() if line.startswith("version ")]
    if len(said) != _PARTS or len(set(said)) != 1:
        raise ValueError(f"torn or doubled: versions {said}")
    return int(said[0])


class Client(threading.Thread):
    """Talks, uploads and searches by turns, at one server and then the other.

    Attributes:
        turns: acknowledged turns, the questions by session.
        uploads: names of acknowledged documents.
        counts: what was answered and what failed, by kind.
        gap: the longest time in seconds between two searches that were answered.
    """

    def __init__(self, urls: Sequence[str], name: str) -> None:
        super().__init__(daemon=True)
        self.turns: dict[str, list[str]] = {}
        self.uploads: list[str] = []
        self.counts: dict[str, int] = {}
        self.gap = 0.0
        self._name = name
        self._servers = [httpx.Client(base_url=url, timeout=60) for url in urls]
        self._over = threading.Event()
        self._session = ""
        self.start()

    def run(self) -> None:
        """Use the servers until it is stopped."""
        number, answered = 0, time.monotonic()
        while not self._over.is_set():
            number += 1
            api = self._servers[number % len(self._servers)]
            if self._try("searches", lambda api=api: self._search(api)):
                self.gap, answered = max(self.gap, time.monotonic() - answered), time.monotonic()
            self._try("turns", lambda api=api, number=number: self._ask(api, number))
            if number % 4 == 0:
                self._try("uploads", lambda api=api, number=number: self._upload(api, number))

    def stop(self) -> None:
        """Do nothing more."""
        self._over.set()
        self.join()

    def missing(self) -> Iterator[str]:
        """Yield what was acknowledged and is not there."""
        for session, questions in list(self.turns.items()):
            acknowledged = list(questions)
            there = _patiently(lambda session=session: self._questions(session))
            yield from (f"turn {one!r} of session {session}" for one in acknowledged if there.count(one) != 1)
        acknowledged = list(self.uploads)
        names = _patiently(self._documents)
        yield from (f"upload {name!r}" for name in acknowledged if names.count(name) != 1)

    def _try(self, kind: str, act: Callable[[], None]) -> bool:
        try:
            act()
        except (httpx.HTTPError, ValueError) as error:
            reason = f"{kind} failed: {_reason(error)}"
            self.counts[reason] = self.counts.get(reason, 0) + 1
            time.sleep(_PAUSE)
            return False
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return True

    def _search(self, api: httpx.Client) -> None:
        answer = api.post("/api/search", json={"query": "version of part"}).raise_for_status()
        if not answer.json()["hits"]:
            raise ValueError("nothing was found")

    def _ask(self, api: httpx.Client, number: int) -> None:
        if number % 5 == 1 or not self._session:
            self._session = api.post("/api/sessions", json={}).raise_for_status().json()["id"]
        question = f"{self._name} asks {number}: which version is part{number % 7}?"
        with api.stream("POST", f"/api/sessions/{self._session}/turns", json={"question": question}) as answer:
            if answer.is_error:
                answer.read()
            answer.raise_for_status()
            lines = list(answer.iter_lines())
            if "event: done" not in lines:
                raise ValueError(_last_error(lines))
        self.turns.setdefault(self._session, []).append(question)

    def _upload(self, api: httpx.Client, number: int) -> None:
        name = f"{self._name}{number}.md"
        api.post("/api/documents", json={"name": name, "text": f"# Note {number}\n\nA note."}).raise_for_status()
        self.uploads.append(name)

    def _questions(self, session: str) -> list[str]:
        """Return the questions of a session that were answered."""
        found = self._servers[0].get(f"/api/sessions/{session}").raise_for_status().json()
        return [turn["question"] for turn in found["turns"] if turn["state"] == "done"]

    def _documents(self) -> list[str]:
        found = self._servers[0].get("/api/documents").raise_for_status().json()
        return [document["name"] for document in found["documents"]]


def _reason(error: Exception) -> str:
    """Return why a request failed: nobody answered, or what the answer said."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"{error.response.status_code} {error.response.json()['error']['code']}"
    return str(error) if isinstance(error, ValueError) else "no answer of a server that was killed"


def _last_error(lines: Sequence[str]) -> str:
    """Return what the last event of a turn says that went wrong, and whether it may be asked again."""
    if "event: error" not in lines:
        return "cut off"
    said = json.loads(lines[lines.index("event: error") + 1].removeprefix("data: "))
    return f"event {said['code']}{', to be asked again' if said['retryable'] else ''}"


def _patiently(ask: Callable[[], list[str]]) -> list[str]:
    """Return an answer, asked for again while servers come and go."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        with suppress(httpx.HTTPError):
            return ask()
        time.sleep(_PAUSE)
    return ask()
