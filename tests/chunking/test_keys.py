"""Configuration is cut along its keys, and each chunk is labelled with the path of keys that leads to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor import Index
from quaestor.chunking import ChunkSettings, cut

FINE = ChunkSettings(16, 400)
COMPOSE = (
    "# What runs.\n\nservices:\n  web:\n    image: nginx\n    ports:\n      - '80:80'\n"
    "  # Keeps the orders.\n  db:\n    image: postgres\n    environment:\n      PASSWORD: x # no secret\n"
    "      # USER: y\nvolumes:\n  data:\n"
)
WORKFLOW = (
    "jobs:\n  test:\n    steps:\n    - uses: actions/checkout@v4\n    - name: Run the tests\n      run: |\n"
    "        make: it\n        key: value\n    - {name: inline}\n    - plain\n"
)
MANIFESTS = "kind: Service\nmetadata:\n  labels: {}\n  name: shop\nspec: 1\n---\nkind: List\nitems: 2\n"
VALUES = (
    "a:\n  # -- How many.\n  replicas: 2\n  {{- if .x }}\n  extra: []\n    # - name: y\n\n  # -- Next.\n  other: 1\n"
)
PACKAGE = (
    '{\n  // who\n  "name": "shop",\n  "scripts": {\n    "test": "jest"\n  },\n'
    '  "users": [\n    {\n      "id": 7,\n      "name": "Ana",\n      "age": 3\n    },\n    {"name": "Bo"}\n  ]\n}\n'
)
PYPROJECT = 'top = 1\n\n# Of the tool.\n[tool.shop]\n# A text.\ntext = """\nx = 1\n[y]\n"""\nlist = [\n  "a",\n]\n'
UNIT = "# Runs it.\n[Service]\n# Who.\nUser=git\nExecStart=/usr/bin/shop \\\n  --port=80\n\n[Install]\nWantedBy=x\n"
INI = "; first\nroot = true\n\n[http]\n# Where.\nport = 80\nhost: a\n"
LABELS = {
    "compose.yml": (
        COMPOSE,
        [
            "services.web.image",
            "services.web.ports",
            "services.db.image",
            "services.db.environment.PASSWORD",
            "volumes.data",
        ],
    ),
    "ci.yaml": (
        WORKFLOW,
        [
            *["jobs.test.steps.actions/checkout@v4", "jobs.test.steps.Run the tests.run", "jobs.test.steps.inline"],
            "jobs.test.steps",
        ],
    ),
    "shop.yaml": (
        MANIFESTS,
        [
            *["Service shop.kind", "Service shop.metadata.labels", "Service shop.metadata.name", "Service shop.spec"],
            *["kind", "items"],
        ],
    ),
    "values.yaml": (VALUES, ["a.replicas", "a.extra", "a.other"]),
    "package.json": (PACKAGE, ["name", "scripts.test", "users.Ana.id", "users.Ana.name", "users.Ana.age", "users.Bo"]),
    "pyproject.toml": (PYPROJECT, ["top", "tool.shop.text", "tool.shop.list"]),
    "shop.service": (UNIT, ["Service.User", "Service.ExecStart", "Install.WantedBy"]),
    ".env.example": ("# Where.\nURL=http://x\nPORT=80\n", ["URL", "PORT"]),
    "shop.ini": (INI, ["root", "http.port", "http.host"]),
}


def labels(text: str, path: str, settings: ChunkSettings = FINE) -> list[str]:
    return [".".join((*chunk.scope, chunk.symbol or "")) for chunk in cut(text.encode(), path, settings).chunks]


@pytest.mark.parametrize("path", LABELS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_path_of_keys_is_the_label(path: str, newline: str) -> None:
    text, expected = LABELS[path]
    assert list(dict.fromkeys(filter(None, labels(text.replace("\n", newline), path)))) == expected


def test_a_comment_belongs_to_the_key_below_it_unless_it_stands_further_in() -> None:
    chunks = {chunk.symbol: chunk.text for chunk in cut(VALUES.encode(), "values.yaml", FINE).chunks}
    assert chunks["replicas"] == "a:\n  # -- How many.\n  replicas: 2\n  {{- if .x }}\n"
    assert chunks["extra"] == "  extra: []\n    # - name: y\n\n"
    assert chunks["other"] == "  # -- Next.\n  other: 1\n"


def test_small_siblings_share_a_chunk_that_names_the_first_of_them() -> None:
    assert labels(COMPOSE, "compose.yml", ChunkSettings(250, 400)) == ["services.web", "services.db", "volumes"]
    numbers = "".join(f"k{number}: 1\n" for number in range(6))
    assert labels(numbers, "a.yml", ChunkSettings()) == ["k0, k1, k2, …"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("nginx.conf", "server {\n  listen 80;\n}\nuser www;\nevents { }\n"),
        ("data.json", "[1, 2]\n"),
        ("a.yml", "- 1\n" * 3),
        ("a.toml", ""),
    ],
)
def test_what_has_no_keys_is_cut_by_lines(path: str, text: str) -> None:
    assert {(chunk.symbol, chunk.kind) for chunk in cut(text.encode(), path).chunks} <= {(None, "block")}


def test_a_large_file_is_cut_into_fewer_pieces() -> None:
    text = "".join(f"# {'x' * 90}\nkey{number}: {'y' * 90}\n" for number in range(1_000))
    assert len(labels(text, "a.yml", ChunkSettings())) > 1.5 * len(labels(text * 2, "a.yml", ChunkSettings())) / 2


def test_a_key_is_found_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "compose.yml").write_text(COMPOSE.replace("x #", f"{'x' * 400} #"))
    (tmp_path / "shop.py").write_text("def image():\n    return 1\n\n\ndef web():\n    return 2\n" * 3)
    with Index.build(tmp_path) as index:
        hits = index.search("which image does the db service use?")
        assert (hits[0].path, hits[0].symbol) == ("compose.yml", "services.db.image")
