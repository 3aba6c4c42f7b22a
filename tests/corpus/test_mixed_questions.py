"""Questions of which only a part is about the corpus: that part is found, and the rest does no harm."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from index_of_files import index_of
from quaestor import Index

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
    with index_of(tmp_path_factory.mktemp("mixed") / "corpus", DOCUMENTS) as index:
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
