"""Questions of which only a part is about the corpus: that part is found, and the rest does no harm."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quaestor import Index
from quaestor.core.config import Settings

DOCUMENTS = {
    "acme/_client.py": "class Client:\n    def failover(self, server):\n        raise ConnectionError(server)\n",
    "acme/_retry.py": "def retry(times):\n    return times + 1\n",
    "docs/guide.md": "# Guide\n\nThe client goes to the next server if one is down.\n",
}
FRAMES = [
    f'  File "/home/me/shop/views{number}.py", line {number}, in view{number}\n    ask()' for number in range(1, 100)
]
OURS = '  File "/home/me/site-packages/acme/_client.py", line 3, in failover\n    raise ConnectionError(server)'


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    place = tmp_path_factory.mktemp("mixed")
    for path, text in DOCUMENTS.items():
        file = place / "corpus" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with Index.build(place / "corpus", settings=Settings(home=str(place / "home"))) as index:
        yield index


def trace(frames: list[str]) -> str:
    return "\n".join(("why does this fail?", "Traceback (most recent call last):", *frames, "ConnectionError: a:80"))


@pytest.mark.parametrize(
    "question",
    [
        trace([*FRAMES, OURS]),
        trace([OURS, *FRAMES]),
        "wo wird der failover gemacht, and what does the client raise?",
        "how does zorblify do failover in the client?",
        "what does acme/_client.py do?",
        r"what does acme\_client.py do?",
        "what is acme._client",
        "what fails in /home/me/site-packages/acme/_client.py?",
        "/home/me/site-packages/acme/_client.py:3",
        "what in the client failover raises if /home/me/shop/till.py calls it?",
    ],
)
def test_the_part_that_is_ours_is_found(index: Index, question: str) -> None:
    hits, _ = index.find(question, 3)
    assert hits[0].path == "acme/_client.py"
    assert index.unmentioned_names(question) == ()
