"""Dates and authors as filters over a corpus: as options, and in the question's own words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from blog import write_blog
from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.corpus import UnderstoodQuestion
from quaestor.corpus.understood_filters import why_none
from quaestor.stores import Where
from quaestor.tools import registry_of


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    place = tmp_path_factory.mktemp("blog")
    with Index.build(write_blog(place / "corpus"), settings=Settings(home=str(place / "home"))) as index:
        yield index


def test_documents_have_their_author_and_date(index: Index) -> None:
    told = {path: (one.author, one.date) for path, one in index.store.documents().items()}
    assert told["posts/memelas.md"] == ("Julia Evans", "2015-01-10")
    assert told["posts/2015-02-11-tlayudas.md"] == ("Ana Núñez", "2015-02-11")
    assert told["about.md"] == (None, None)
    assert sum(date is not None for _, date in told.values()) == 12


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"since": "2019"}, 4),
        ({"since": "2019", "before": "2020"}, 2),
        ({"before": "March 2015"}, 2),
        ({"by": "ana nunez"}, 4),
        ({"by": ["Okri", "Evans"]}, 8),
        ({"by": "Okri", "since": "2018"}, 2),
        ({"by": "Okri", "where": Where(paths=("posts/*-mole.md",))}, 0),
        ({"since": "2031"}, 0),
    ],
)
def test_options_limit_the_documents_before_the_best_are_taken(
    index: Index, options: dict[str, object], expected: int
) -> None:
    hits = index.search("where to eat in Oaxaca", 50, **options)  # type: ignore[arg-type]
    assert len({hit.path for hit in hits}) == expected
    assert len(index.search("where to eat in Oaxaca", 3, **options)) == min(3, expected)  # type: ignore[arg-type]


def test_a_date_that_is_none_is_refused(index: Index) -> None:
    with pytest.raises(UsageError, match="'soon' is not a date"):
        index.search("food", since="soon")


def test_a_question_says_when_and_by_whom(index: Index) -> None:
    hits, asked = index.find("posts by Julia Evans since 2018 about food", 20)
    assert set(asked.phrases) == {"by Julia Evans", "since 2018"}
    assert asked.text == "posts about food"
    assert {hit.document.author for hit in hits} == {"Julia Evans"}
    assert {str(hit.document.date) >= "2018" for hit in hits} == {True}
    hits, asked = index.find("posts by Julia Evans since 2018 about food", 20, filters=False)
    assert (asked.phrases, {hit.document.author for hit in hits} > {"Julia Evans"}) == ((), True)
    _, asked = index.find('posts "since 2018" about food', 20)
    assert asked == UnderstoodQuestion('posts "since 2018" about food')


def test_words_and_options_hold_together(index: Index) -> None:
    hits, asked = index.find("food since 2017", 30, where=Where(authors=("Okri",)))
    assert asked.phrases == ("since 2017",)
    assert {(hit.document.author, str(hit.document.date) >= "2017") for hit in hits} == {("Ben Okri", True)}


def test_a_filter_that_leaves_nothing_is_not_obeyed_and_told(index: Index) -> None:
    hits, asked = index.find("food since 2031", 5)
    assert hits
    assert asked._replace(unknown=()) == UnderstoodQuestion("food since 2031", missed=("since 2031",))
    # Documents pass, but none of them has the words.
    hits, asked = index.find("zwieback by Julia Evans", 5, mode="lexical")
    assert (asked.phrases, asked.missed) == ((), ("by Julia Evans",))


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (Where(since="2019"), ""),
        (Where(since="2031"), "No document is dated 2031 or later. 12 of 13 have a date, 2015-01-10 to 2020-03-11."),
        (Where(authors=("Zed",)), "No document is by 'Zed'. Authors here: Ana Núñez; Ben Okri; Julia Evans."),
        (Where(authors=("Okri",), before="2015-02"), "No document passes all of the filters."),
        (Where(languages=("markdwn",)), "No document is in 'markdwn'. Did you mean 'markdown'?"),
        (Where(languages=("cobol", "rust")), "No document is in 'cobol' or 'rust'."),
        (Where(paths=("dcos/**",)), "No document's path matches 'dcos/**'. Try an overview for what is here."),
    ],
)
def test_why_nothing_is_left(index: Index, where: Where, said: str) -> None:
    assert why_none(index.store, where) == said


def test_a_model_searches_by_date_and_author(index: Index) -> None:
    registry = registry_of(index, edits=False, where=Where(before="2018"))

    def found(**arguments: object) -> str:
        return registry.call("search", {"query": "food", "k": 20, **arguments}, budget=9000, count=len).text

    assert "tamales" not in found()
    assert "memelas" in found(by="Julia Evans")
    assert "tlayudas" not in found(by="Julia Evans")
    assert "12 of 13 have a date" in found(since="2031")
    assert "is not a date" in found(since="soon")
