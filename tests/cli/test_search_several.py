"""``quaestor search QUERY SOURCE SOURCE``: several real folders in one ranking."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cli_parts import HIT_KEYS, Run, aged, write

KITCHEN = {
    "README.md": "# Kitchen\n\n## Waffles\n\nBake waffles in the iron until they are crisp.\n",
    "src/retry.py": "def bake_again(waffle):\n    return waffle\n",
}


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    return aged(write(tmp_path / "kitchen", dict(KITCHEN)))


def found(quaestor: Run, *arguments: object) -> list[tuple[str, str]]:
    return [(hit["corpus"], hit["path"]) for hit in quaestor("search", "--json", *arguments).json["hits"]]


def test_each_hit_stands_beside_its_corpus(quaestor: Run, repository: Path, kitchen: Path) -> None:
    done = quaestor("search", "send_with_retry", repository, kitchen)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].startswith("repository  src/retry.py:")
    assert quaestor("search", "crisp waffles", repository, kitchen).out.startswith("kitchen  README.md:")
    # One source is as it was.
    assert quaestor("search", "crisp waffles", kitchen).out.startswith("README.md:")


def test_json_tells_of_each_corpus(quaestor: Run, repository: Path, kitchen: Path) -> None:
    done = quaestor("search", "--json", "src/retry.py", repository, kitchen)
    assert (done.code, done.err) == (0, "")
    result = done.json
    assert set(result) == {
        *("query", "understood", "missed", "translated", "unknown", "hits", "index", "corpora", "seconds")
    }
    assert all(set(hit) >= HIT_KEYS for hit in result["hits"])
    assert [(one["name"], one["root"], one["error"], one["documents"]) for one in result["corpora"]] == [
        ("repository", str(repository), None, 3),
        ("kitchen", str(kitchen), None, 2),
    ]
    assert set(result["corpora"][0]) == {"name", "root", "error", *result["index"]}
    assert result["index"]["documents"] == 5
    assert result["index"]["fresh"] is True
    roots = {one["name"]: Path(one["root"]) for one in result["corpora"]}
    assert all((roots[hit["corpus"]] / hit["path"]).is_file() for hit in result["hits"])
    assert {("repository", "src/retry.py"), ("kitchen", "src/retry.py")} <= {
        (hit["corpus"], hit["path"]) for hit in result["hits"]
    }
    [one] = quaestor("search", "--json", "crisp waffles", kitchen, "-k", 1).json["hits"]
    assert one["corpus"] == "kitchen"


def test_filters_hold_in_each(quaestor: Run, repository: Path, kitchen: Path) -> None:
    sources = (repository, kitchen)
    assert {path for _, path in found(quaestor, "retry waffles", *sources, "--path", "src/**")} == {"src/retry.py"}
    assert found(quaestor, "retry waffles price", *sources, "--language", "go") == [("repository", "shop/cart.go")]
    none = quaestor("search", "waffles", *sources, "--since", "2020")
    assert none.code == 1
    assert none.err.splitlines() == [
        "Nothing found for 'waffles' in 5 documents.",
        "No document is dated 2020 or later. None here has a date.",
    ]


@pytest.mark.parametrize("mode", ["ranked", "fusion", "lexical", "dense"])
def test_modes(quaestor: Run, repository: Path, kitchen: Path, mode: str) -> None:
    assert ("repository", "src/retry.py") in found(quaestor, "send_with_retry", repository, kitchen, "--mode", mode)


def test_explain_accounts_for_the_score(quaestor: Run, repository: Path, kitchen: Path) -> None:
    result = quaestor("search", "--explain", "--json", "retry", repository, kitchen).json
    for hit in result["hits"]:
        assert sum(hit["features"].values()) == pytest.approx(hit["score"], abs=0.01)
    assert "score " in quaestor("search", "--explain", "retry", repository, kitchen).out


def test_what_cannot_be_searched_costs_only_itself(
    quaestor: Run, repository: Path, kitchen: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    done = quaestor("search", "crisp waffles", repository, tmp_path / "nowhere", kitchen, tmp_path / "empty")
    assert done.code == 0
    assert done.out.startswith("kitchen  README.md:")
    told = done.err.splitlines()
    assert len(told) == 2
    assert repr(str(tmp_path / "nowhere")) in told[0]
    assert told[1] == "empty holds no documents."
    result = quaestor("search", "--json", "crisp waffles", kitchen, tmp_path / "nowhere").json
    assert [(one["name"], one["error"] is None) for one in result["corpora"]] == [
        ("kitchen", True),
        (str(tmp_path / "nowhere"), False),
    ]


def test_a_broken_index_costs_only_itself(quaestor: Run, repository: Path, kitchen: Path, home: Path) -> None:
    quaestor("index", kitchen)
    [place] = (home / "indexes").glob("kitchen-*")
    for file in place.rglob("*.sqlite*"):
        file.write_bytes(b"this is not an index" * 1000)
    done = quaestor("search", "send_with_retry", kitchen, repository)
    assert done.code == 0
    assert done.out.startswith("repository  src/retry.py:")
    assert done.err.startswith("kitchen: ")
    assert "--rebuild" in done.err


def test_exit_codes(quaestor: Run, repository: Path, kitchen: Path, tmp_path: Path) -> None:
    sources = (repository, kitchen)
    assert quaestor("search", "--mode", "lexical", "zyxquu", *sources).code == 1
    assert quaestor("search", "--mode", "lexical", "zyxquu", repository, tmp_path / "nowhere").code == 1
    assert quaestor("search", "x", tmp_path / "nowhere", tmp_path / "gone").code == 2
    shutil.rmtree(kitchen)
    assert quaestor("search", "send_with_retry", *sources).code == 0


def test_a_query_without_quotes_is_told_so(quaestor: Run, repository: Path) -> None:
    done = quaestor("search", "how", "are", "settings", "merged")
    assert done.code == 2
    assert "'how are settings merged'" in done.sentence


def test_the_same_folder_twice_is_one(quaestor: Run, kitchen: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(kitchen)
    result = quaestor("search", "--json", "crisp waffles", kitchen, tmp_path / "link", f"{kitchen}/").json
    assert [one["name"] for one in result["corpora"]] == ["kitchen"]
    assert [hit["path"] for hit in result["hits"]].count("README.md") == 1


def test_names_are_as_long_as_they_must_be(quaestor: Run, tmp_path: Path) -> None:
    one, other = (aged(write(tmp_path / name / "docs", dict(KITCHEN))) for name in ("one", "other"))
    assert set(found(quaestor, "crisp waffles", one, other)) >= {
        ("one/docs", "README.md"),
        ("other/docs", "README.md"),
    }


def test_an_edit_is_seen(quaestor: Run, repository: Path, kitchen: Path) -> None:
    quaestor("search", "waffles", repository, kitchen)
    write(kitchen, {"new.md": "# Zyxquu\n\nA zyxquu is baked last.\n"})
    assert found(quaestor, "zyxquu", repository, kitchen, "--mode", "lexical") == [("kitchen", "new.md")]
