"""Long lists of things that stand for themselves are cut item by item, everything else as before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.chunking import ChunkSettings, cut
from quaestor.chunking.prose import list_items

LINKS = [f"[Place {number}](https://example.org/{number}): {'what is there ' * 9}" for number in range(12)]


def starts(text: str, path: str = "a.md") -> list[str]:
    """Return how each chunk begins."""
    return [chunk.text.strip()[:12] for chunk in cut(text.encode(), path).chunks]


@pytest.mark.parametrize("mark", ["-", "*", "+", " *", "•"])
@pytest.mark.parametrize("apart", ["\n", "\n\n", "\r\n\r\n"])
def test_long_lists_are_cut_item_by_item(mark: str, apart: str) -> None:
    made = starts("# Links" + apart * 2 + apart.join(f"{mark} {link}" for link in LINKS) + "\n")
    assert len(made) == 12
    assert made[0].startswith("# Links")
    assert all("[Place" in one for one in made[1:])


@pytest.mark.parametrize(
    ("path", "item"),
    [
        ("a.rst", "Term {n}\n   {words}\n\n"),
        ("a.md", "Term {n}\n: {words}\n\n"),
        ("CHANGELOG.md", "- Fix {n}: {words}\n  - detail of it\n\n  More of it.\n\n"),
        ("a.adoc", "* Fix {n}: {words}\n** detail of it\n\n"),
    ],
)
def test_glossaries_and_changelogs(path: str, item: str) -> None:
    items = "".join(item.format(n=number, words="and so on " * 20) for number in range(15))
    made = cut(f"Things\n======\n\n{items}".encode(), path).chunks
    assert len(made) == 15
    assert all(f"{number}" in chunk.text and f" {number + 1}\n" not in chunk.text for number, chunk in enumerate(made))
    assert {chunk.symbol for chunk in made} == {"Things"}


def test_what_one_release_changed_stays_together() -> None:
    items = "".join(f"- Fix {number}: {'and so on ' * 20}\n" for number in range(15))
    made = cut(f"# Changelog\n\n## 1.12.0 (2 May 2021)\n\n{items}\n### Fixed\n\n{items}".encode(), "a.md").chunks
    assert sum(chunk.span.end - chunk.span.start < 700 for chunk in made) <= 2, "but for the end of each list"
    assert len(made) < 12
    assert len(cut(f"# Links of 2021\n\n{items}".encode(), "a.md").chunks) == 15


def test_slight_items_stay_together_up_to_a_size() -> None:
    made = cut(("# Words\n\n" + "".join(f"- word number {number}\n" for number in range(200))).encode(), "a.md").chunks
    assert all(chunk.span.end - chunk.span.start <= 300 for chunk in made)
    assert len(made) < 20


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{number}. Do this, {'then that, ' * 15}\n" for number in range(1, 15)),
        "".join(f"- {'a point of the argument ' * 8}\n" for number in range(7)),
        "".join(f"{'A paragraph. ' * 40}\n\n- one\n- two\n- three\n\n" for number in range(4)),
        "```\n" + "".join(f"- line {number} {'of a listing ' * 10}\n" for number in range(20)) + "```\n",
        "",
    ],
)
def test_what_is_no_list_of_its_own(text: str) -> None:
    assert list_items(text.encode(), 0, len(text)) == []


LINES = st.sampled_from(
    [
        "- item",
        "  - nested",
        "* star",
        "text",
        "",
        "  further in",
        "Term",
        ": said of it",
        "```",
        "1. one",
        "- " + "x" * 700,
    ]
)


@given(st.lists(LINES, max_size=80), st.sampled_from(["a.md", "a.rst", "a.adoc"]), st.integers(64, 400))
def test_cutting_lists_keeps_every_byte_and_the_limit(lines: list[str], path: str, target: int) -> None:
    data = "\n".join(["Title", "=====", "", *lines]).encode()
    made = cut(data, path, ChunkSettings(target, 2 * target)).chunks
    kept = b"".join(data[chunk.span.start : chunk.span.end] for chunk in made)
    assert kept.split() == data.split()
    assert all(chunk.span.end - chunk.span.start <= 2 * target for chunk in made)
    assert all(chunk.text.encode() == data[chunk.span.start : chunk.span.end] for chunk in made)


LONG_LISTS = st.lists(
    st.sampled_from(["- item", "- " + "x" * 70, "  - nested", "  further in"]), min_size=40, max_size=80
)


@given(st.lists(LINES, max_size=80) | LONG_LISTS)
def test_items_are_places_in_order_where_lines_begin(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    items = list_items(data, 0, len(data))
    assert items == sorted(set(items))
    assert all(at == 0 or data[at - 1 : at] == b"\n" for at in items)
