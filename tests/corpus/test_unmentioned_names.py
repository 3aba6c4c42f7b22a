"""Names that nothing in a corpus mentions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from index_of_files import index_of
from quaestor import Index

DOCUMENTS = {
    "docs/guide.md": "# Guide\n\nA `match` has one arm for each case. Read the PDF, or ask over http.\n",
    "docs/POSTGRES.md": "# Setting up\n\nRun `createdb` first. The file is config.toml. See 31 options, http%3A.\n",
    "src/acme/_client.py": "def connect():\n    return 1\n",
    # Many chunks have the parts of ``hasElements`` and of ``deflate64`` more often than the one that has them whole.
    **{
        f"docs/list{number}.md": "A list has an element, elements it has; of 64 bytes deflate 8, of 64 deflate 9.\n"
        for number in range(60)
    },
    "src/made.py": "def made(of):\n    hasElements = len(of)\n    " + "total = 1\n    " * 40 + "return deflate64(of)\n",
    "src/client.py": "import json\n\n\nclass HTTPClient:\n    def send_batch(self):\n        return json.dumps([])\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("unmentioned") / "corpus", DOCUMENTS) as index:
        yield index


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How do I stream from a Kafka topic into Postgres?", ("Kafka",)),
        ("Is there an HTTP/3 client?", ("HTTP/3",)),
        ("what does build.rs do beside config.toml?", ("build.rs",)),
        ("how does the httpClient call sendBatch, and what is HttpClient.send_batch?", ()),
        ("is there a sendBatches2 or a send_batch?", ("sendBatches2",)),
        # An acronym that is also a word is mentioned in capitals; in code, any letters will do.
        ("Does it run on an ARM board?", ("ARM",)),
        ("Does it read a PDF or the JSON?", ()),
        ("how do I read it?", ()),
        ("Where is hasElements set, and what does deflate64 do with hasNoElements?", ("hasNoElements",)),
        ("Which exit code is returned on Ctrl-C or after Ctrl+Break?", ()),
        # A path or a module is known by its end, whatever separates its parts; one of another machine says nothing.
        ("what does acme/_client.py do?", ()),
        (r"what does acme\_client.py do?", ()),
        ("what is acme._client for?", ()),
        ("what fails in /home/me/site-packages/acme/_client.py?", ()),
        (r"what fails in C:\Users\me\acme\_client.py?", ()),
        ("what fails in site-packages/acme/_client.py:12?", ()),
        ("what calls /home/me/shop/till.py here?", ()),
        ("what does bmce/_client.py do?", ("bmce/_client.py",)),
        ("what does acme/_till.py do?", ("acme/_till.py",)),
        ("Is it open on Saturday, or in October?", ()),
        # What stands between letters of a script without blanks is a name as it is between blanks.
        ("怎样用 GraphQL 或 send_batch？", ("GraphQL",)),
        ("sendBatch は HTTP/3 で動きますか", ("HTTP/3",)),
        ("", ()),
    ],
)
def test_what_is_named_and_nowhere_mentioned(index: Index, question: str, names: tuple[str, ...]) -> None:
    assert index.unmentioned_names(question) == names
