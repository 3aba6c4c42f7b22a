"""What every store promises of filters: they hold before the best are taken, each alone and together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_factories import Entry, entry, put, vector_of

from quaestor.stores import Bylines, Store, Where


def post(path: str, date: str | None = None, author: str | None = None, text: str = "retry the call") -> Entry:
    made = entry(path, [text], "markdown")
    return replace(made, document=made.document._replace(date=date, author=author))


POSTS = (
    post("posts/a.md", "2019-12-31", "Ana Núñez"),
    post("posts/b.md", "2020", "Ben Okri, Ana Núñez"),
    post("posts/c.md", "2020-03", "Ben Okri"),
    post("posts/d.md", "2021-06-01", "Nunez, Ana"),
    post("notes/e.md", None, None),
)


def found(store: Store, where: Where | None) -> set[str]:
    """Return the paths that both retrievers find; they must agree."""
    lexical = [chunk for chunk, _ in store.lexical(["retry"], 50, where)]
    dense = [chunk for chunk, _ in store.dense(vector_of("retry"), 50, where)]
    assert set(lexical) == set(dense)
    return {one.document.path[-4:-3] for one in store.get(lexical).values()}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Where(since="2020"), "bcd"),
        (Where(since="2020-01-02"), "cd"),
        (Where(since="2020-04"), "d"),
        (Where(before="2020"), "a"),
        (Where(before="2021-06-01"), "abc"),
        (Where(since="2020", before="2021"), "bc"),
        (Where(since="2030"), ""),
        (Where(authors=("ana nunez",)), "abd"),
        (Where(authors=("NÚÑEZ",)), "abd"),
        (Where(authors=("okri", "Nobody")), "bc"),
        (Where(authors=("an",)), ""),
        (Where(authors=("Ana",), since="2020"), "bd"),
        (Where(authors=("Ana",), paths=("notes/**",)), ""),
        (Where(since="2020", within=Where(before="2021", within=Where(authors=("Ben",)))), "bc"),
        (Where(paths=("posts/**",), within=Where(paths=("*.md",), since="2021")), "d"),
        (Where(paths=("posts/**",), within=Where(paths=("notes/**",))), ""),
        (Where(languages=("markdown",), within=Where(languages=("python",))), ""),
        (Where(), "abcde"),
    ],
)
def test_dates_and_authors(store: Store, where: Where, expected: str) -> None:
    put(store, *POSTS)
    assert found(store, where) == set(expected)


def test_filters_on_bylines_apply_before_the_best_are_taken(store: Store) -> None:
    put(store, *(post(f"old/{number}.md", "2001-01-01", "Ana") for number in range(40)))
    put(store, post("new/a.md", "2021-01-01", "Ben", "retry the call that failed somewhere in a much longer text"))
    for where in (Where(since="2020"), Where(authors=("ben",))):
        assert [one.document.path for one in store.get(c for c, _ in store.lexical(["retry"], 5, where)).values()] == [
            "new/a.md"
        ]
        assert len(store.dense(vector_of("retry"), 5, where)) == 1


def test_definitions_within_a_filter(store: Store) -> None:
    put(store, *(entry(f"src/{number}.py", ["retry once", "retry twice"]) for number in range(30)))
    put(store, entry("lib/a.py", ["other", "retry", "more"]), entry("lib/b.py", ["retry"]))
    found = list(store.defining(["RETRY"], 5, Where(paths=("lib/**",))))
    assert sorted(one.document.path for one in store.get(found).values()) == ["lib/a.py", "lib/b.py"]
    assert len(store.defining(["retry"], 5, Where(paths=("src/**",)))) == 5
    assert list(store.defining(["retry"], 5, Where(paths=("nowhere/**",)))) == []
    assert list(store.defining(["retry"], 0, Where(paths=("lib/**",)))) == []


def test_a_byline_that_changed_is_filtered_by_anew(store: Store) -> None:
    one = post("a.md", "2019", "Ana")
    put(store, one)
    assert found(store, Where(since="2020")) == set()
    with store.writing() as writer:
        writer.touch(one.document._replace(date="2020", author="Ben"))
    assert found(store, Where(since="2020", authors=("Ben",))) == {"a"}
    assert found(store, Where(authors=("Ana",))) == set()


def test_bylines(store: Store) -> None:
    assert store.bylines() == Bylines()
    put(store, *POSTS)
    assert store.bylines() == Bylines(
        5, 4, "2019-12-31", "2021-06-01", {"Ana Núñez": 1, "Ben Okri, Ana Núñez": 1, "Ben Okri": 1, "Nunez, Ana": 1}
    )
    assert store.bylines(Where(since="2020", authors=("Okri",))) == Bylines(
        2, 2, "2020", "2020-03", {"Ben Okri, Ana Núñez": 1, "Ben Okri": 1}
    )


_PARTS = st.sampled_from(["", "2020"]).map(lambda since: Where(since=since, before="2021"))


@given(st.lists(_PARTS, min_size=1))
def test_the_parts_of_a_filter_are_those_that_it_was_made_of(parts: list[Where]) -> None:
    whole: Where | None = None
    for part in reversed(parts):
        whole = part._replace(within=whole)
    assert whole is not None
    assert list(whole.parts()) == parts
