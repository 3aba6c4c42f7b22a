"""Which folders and files a line of a document names, how much that counts, and what it says of them."""

from __future__ import annotations

from typing import cast

import pytest
from overview_parts import Texts

from quaestor.answers.overview.material import Material
from quaestor.answers.overview.named_paths import _maps, _PathReader
from quaestor.stores import Store

FILES = dict.fromkeys(
    """README.md Makefile .tool.yml logo.svg src/shop/__init__.py src/shop/retry.py src/shop/orders/order.py
    src/shop/send_orders.py tools/release.py docs/guide.md docs/parts/one.md tests/test_retry.py tests/order.py
    a/config.py b/config.py deep/er/config.yml x/y/page.py vendor/lib/only_here.py""".split(),
    "x = 1\n",
)


class OneText(Material):
    """Material in which every document has the same text."""

    text = ""

    def lines(self, path: str) -> list[str]:
        return self.text.split("\n")


@pytest.fixture(scope="module")
def material() -> OneText:
    return OneText(cast("Store", Texts(FILES)))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("- `src/shop/`: sends orders", ["src/shop 1 1-1 = sends orders"]),
        ("- `src.shop`: sends orders", ["src/shop 1 1-1 = sends orders"]),
        ("| `retry.py` | tries again | no, more |", ["src/shop/retry.py 1 1-1 = tries again"]),
        ("- `src/shop/` - sends orders. \n  by night", ["src/shop 1 1-1 = sends orders."]),
        ("- `retry.py`\n\n  Tries again and again, so:", ["src/shop/retry.py 1"]),
        ("```\n- retry.py is tried\n```", ["src/shop/retry.py 0.5"]),
        ("| `retry.py` | tries again |\n  and again", ["src/shop/retry.py 1 1-1 = tries again"]),
        (
            "- `src/shop/` - sends orders\n  by night\n  and day.\n  Not this.",
            ["src/shop 1 1-3 ~ sends orders by night and day."],
        ),
        (
            "- `retry.py`\n  Tries again and again, it does.",
            ["src/shop/retry.py 1 1-2 ~ Tries again and again, it does."],
        ),
        (
            "- `retry.py`\n\n  Tries again and again, it does.",
            ["src/shop/retry.py 1 3-3 = Tries again and again, it does."],
        ),
        ("- `retry.py`\n- Tries again and again.", ["src/shop/retry.py 1"]),
        (
            "- src/shop/\n  - retry.py - tries again\n  - orders/\n    - order.py: what is ordered\n"
            "- tools/ - for releases\n  - release.py: makes one",
            [
                "src/shop 1",
                "src/shop/retry.py 1 2-2 = tries again",
                "src/shop/orders 1",
                "src/shop/orders/order.py 1 4-4 = what is ordered",
                "tools 1 5-5 = for releases",
                "tools/release.py 1 6-6 = makes one",
            ],
        ),
        (
            "| `src/shop/` | sends orders | no |\n|---|---|---|\n| retry.py | tries again |",
            ["src/shop 1 1-1 = sends orders", "src/shop/retry.py 1 3-3 = tries again"],
        ),
        ("## `tools/`\n\nScripts for a release of it.\n", ["tools 1 3-3 = Scripts for a release of it."]),
        ("## tools\n\nScripts for a release of it.\n", ["tools 1 3-3 = Scripts for a release of it."]),
        (
            "src/shop/   # sends orders\n  retry.py   # tries again",
            ["src/shop 1 1-1 = sends orders", "src/shop/retry.py 1 2-2 = tries again"],
        ),
        (
            "```\nsrc/\n├── shop/   sends orders\n│   └── retry.py   # tries again\n└── tools\n```",
            ["src 0.5", "src/shop 1 3-3 = sends orders", "src/shop/retry.py 1 4-4 = tries again", "tools 1"],
        ),
        ("The folder src/shop sends `retry.py` and tools.", ["src/shop 0.3", "src/shop/retry.py 0.3"]),
        (
            "- `src/shop/retry.py` and `tools/release.py`: two of them",
            ["src/shop/retry.py 1 1-1 = two of them", "tools/release.py 1 1-1 = two of them"],
        ),
        ("- see `retry.py` for what is tried", ["src/shop/retry.py 1"]),
        ("- one two three `retry.py`: is tried again", ["src/shop/retry.py 1"]),
        ("- one two three four `retry.py`: is tried again", ["src/shop/retry.py 0.3"]),
        ("- `shop.retry`: tries again", ["src/shop/retry.py 1 1-1 = tries again"]),
        ("- `src.shop.retry`: tries again", ["src/shop/retry.py 1 1-1 = tries again"]),
        ("- `send_orders`: sends the orders", ["src/shop/send_orders.py 1 1-1 = sends the orders"]),
        ("- `config.py`: ambiguous it is", []),
        ("- `order.py`: what is ordered", ["src/shop/orders/order.py 1 1-1 = what is ordered"]),
        ("- `only_here.py`: of another project", []),
        (
            "- [`retry.py`](src/shop/retry.py): tries again",
            ["src/shop/retry.py 0.3", "src/shop/retry.py 1"],
        ),
        (
            "- [the tries](https://github.com/me/shop/blob/main/src/shop/retry.py): tries again",
            ["src/shop/retry.py 0.3"],
        ),
        ("- [the tries](https://example.org/src/shop/retry.py): tries again", []),
        ("$ src/shop/retry.py runs it here", ["src/shop/retry.py 0.5"]),
        ("- `retry.py run` - runs it here", ["src/shop/retry.py 1"]),
        ("- `retry.py` --option is given here", ["src/shop/retry.py 1 1-1 = option is given here"]),
        ("- retry.py() is called here", []),
        ("- `retry.py`, which tries again", ["src/shop/retry.py 1"]),
        ("- `retry.py` was here before)", ["src/shop/retry.py 1"]),
        ("- `retry.py`: tries:", ["src/shop/retry.py 1"]),
        ("- `retry.py`: <b>tries</b> again", ["src/shop/retry.py 1 1-1 ~ tries again"]),
        ("- `retry.py`: folder, it (tries) again)", ["src/shop/retry.py 1 1-1 = it (tries) again"]),
        ("- [ ] `retry.py`: tries again", ["src/shop/retry.py 1 1-1 = tries again"]),
        ("1. `retry.py`: tries again", ["src/shop/retry.py 1 1-1 = tries again"]),
        ("12) `retry.py`: tries again", ["src/shop/retry.py 1 1-1 = tries again"]),
        (
            "- `docs/parts/`\n  - one.md — the first part",
            ["docs/parts 1", "docs/parts/one.md 1 2-2 = the first part"],
        ),
        ("- **docs** (the guide): what is told", ["docs 1"]),
        ("- `x/y/page`: a page of it", []),
        ("- `page.py`\n  a page of it, told below.", ["x/y/page.py 1 1-2 ~ a page of it, told below."]),
        ("`retry.py` – tries again", ["src/shop/retry.py 0.5"]),
        ("    retry.py   tries again", []),
        ("- `.tool.yml`: settings of it", [".tool.yml 1 1-1 = settings of it"]),
        ("- Makefile: builds all of it", ["Makefile 1 1-1 = builds all of it"]),
        ("- make: builds all of it", []),
        ("- `/src/shop/`: sends orders", ["src/shop 1 1-1 = sends orders"]),
        ("- `./src/shop`: sends orders", ["src/shop 1 1-1 = sends orders"]),
        ("- `docs:` of no folder", []),
        ("- **feat**: A new feature.\n- **docs**: Changes of documents.", []),
        ("| `feat` | A new feature. |\n| `docs` | Changes of documents. |", []),
        ("- feature\n- **docs**: all that is told", ["docs 1 2-2 = all that is told"]),
        ("- feat\n\n- **docs**: all that is told", ["docs 1 3-3 = all that is told"]),
        ("-  `src/shop/`:\n   sends the orders by night", ["src/shop 1 2-2 = sends the orders by night"]),
        ("~~~\nretry.py   # tries again\n~~~\nretry.py   # tries again", []),
    ],
)
def test_paths_that_a_text_names(material: OneText, text: str, named: list[str]) -> None:
    """Each with its weight and, if it is described, the lines, whether it is so to the letter (=), and the words."""
    material.text = text
    found = []
    for one in _PathReader(material, "docs/map.md", 1.0).read_names():
        says, source = one.says, one.says and one.says.source
        of = (
            f" {source.start_line}-{source.end_line} {'=' if says.verbatim else '~'} {says.text}"
            if says and source
            else ""
        )
        found.append(f"{one.path} {one.weight:g}{of}")
    assert found == named


def test_which_documents_may_describe_the_layout() -> None:
    names = """README.md CONTRIBUTING.md layout.md notes.md docs/architecture.md docs/2-internals.md docs/a/layout.md
    docs/a/b/c/d/internals.md docs/a/b/c/d/e/internals.md docs/contributing/rules.md src/readme.md src/HACKING.md
    tests/architecture.md examples/architecture.md vendor/x/architecture.md architecture.py STRUCTURE guide.md
    a/guide.md a/b/guide.md""".split()
    found = _maps(OneText(cast("Store", Texts(dict.fromkeys(names, "A map.\n")))))
    assert found == [
        *((one, 1.0) for one in ("CONTRIBUTING.md", "README.md", "STRUCTURE", "guide.md", "layout.md")),
        *((one, 0.9) for one in ("docs/2-internals.md", "docs/architecture.md")),
        ("docs/contributing/rules.md", 0.7),
        *((one, 0.6) for one in ("a/guide.md", "src/HACKING.md", "docs/a/b/c/d/internals.md")),
    ]
    many = dict.fromkeys((f"docs/{n:02}-layout.md" for n in range(30)), "A map.\n")
    assert [path for path, _ in _maps(OneText(cast("Store", Texts(many))))] == [*many][:24]
