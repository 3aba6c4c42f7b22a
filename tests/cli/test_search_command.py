"""``quaestor search``: for people, for programs, and after the files have changed."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from pathlib import Path

import pytest
from cli_parts import CART, HIT_KEYS, RETRY, Run, shell, write


def paths(quaestor: Run, query: str, repository: Path, *options: str) -> list[str]:
    done = quaestor("search", "--json", *options, query, repository)
    assert done.code in (0, 1)
    return [hit["path"] for hit in done.json["hits"]]


def test_output_for_people(quaestor: Run, repository: Path) -> None:
    done = quaestor("search", "send_with_retry", repository)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("src/retry.py:")
    assert "send_with_retry" in lines[0]
    line = RETRY.splitlines().index("def send_with_retry(request, send):") + 1
    assert f"{line:6d}  def send_with_retry(request, send):" in lines


def test_a_question_in_another_language_is_told_in_english(quaestor: Run, repository: Path) -> None:
    asked = "Wie oft wird das Senden der Anfrage wiederholt?"
    done = quaestor("search", asked, repository)
    assert done.err.startswith("searched for: often, send, ")
    assert done.out.startswith("src/retry.py:")
    found = quaestor("search", "--json", asked, repository)
    assert found.json["translated"][:2] == ["often", "send"]


def test_a_question_in_another_language_is_answered_by_quotes(quaestor: Run, repository: Path) -> None:
    done = quaestor("ask", "Wie oft wird das Senden der Anfrage wiederholt?", repository)
    assert done.code == 0
    assert "src/retry.py" in done.out


def test_json_is_as_contracted(quaestor: Run, repository: Path) -> None:
    done = quaestor("search", "--json", "send_with_retry", repository)
    assert (done.code, done.err) == (0, "")
    found = done.json
    keys = {"query", "understood", "missed", "translated", "unknown", "hits", "index", "seconds"}
    assert set(found) == keys
    assert found["query"] == "send_with_retry"
    assert set(found["index"]) == {
        "fresh",
        "checked_at",
        "stored",
        "commit",
        "checked_against",
        "by_meaning",
        "embedder",
        "coming",
        "documents",
        "chunks",
    }
    assert found["index"]["fresh"] is True
    assert found["index"]["documents"] == 3
    assert datetime.fromisoformat(found["index"]["checked_at"]).tzinfo is not None
    assert found["seconds"] >= 0
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)
    for hit in found["hits"]:
        assert set(hit) == HIT_KEYS
        data = (repository / hit["path"]).read_bytes()
        assert hit["sha256"] == hashlib.sha256(data).hexdigest()
        lines = data.decode().splitlines(keepends=True)[hit["start_line"] - 1 : hit["end_line"]]
        assert hit["text"].strip() in "".join(lines)
        assert hit["fresh"] is True
    best = found["hits"][0]
    assert (best["path"], best["language"]) == ("src/retry.py", "python")
    assert "send_with_retry" in best["symbol"]


def test_prose_has_its_title(quaestor: Run, repository: Path) -> None:
    best = quaestor("search", "--json", "sourdough starter eighteen hours", repository).json["hits"][0]
    assert best["path"] == "docs/guide.md"
    assert best["title"] == "Kitchen guide"


def test_explain_accounts_for_the_score(quaestor: Run, repository: Path) -> None:
    plain = quaestor("search", "send_with_retry", repository)
    explained = quaestor("search", "--explain", "send_with_retry", repository)
    assert "score " in explained.out
    assert "score " not in plain.out
    assert "features" in quaestor("search", "--explain", "--json", "retry", repository).json["hits"][0]


@pytest.mark.parametrize("options", [["--language", "go"], ["--path", "shop/**"], ["--path", "*.go", "--path", "*.rs"]])
def test_filters(quaestor: Run, repository: Path, options: list[str]) -> None:
    assert set(paths(quaestor, "busy server price dough", repository, *options)) == {"shop/cart.go"}


def test_filters_join(quaestor: Run, repository: Path) -> None:
    assert paths(quaestor, "total", repository, "--language", "go", "--path", "src/**") == []


def test_results_are_limited(quaestor: Run, repository: Path) -> None:
    assert len(paths(quaestor, "price retry dough", repository, "-k", "1")) == 1


@pytest.mark.parametrize("mode", ["ranked", "fusion", "lexical", "dense"])
def test_modes(quaestor: Run, repository: Path, mode: str) -> None:
    assert "src/retry.py" in paths(quaestor, "send_with_retry", repository, "--mode", mode)


def test_nothing_found(quaestor: Run, repository: Path) -> None:
    done = quaestor("search", "--mode", "lexical", "zyxquu", repository)
    assert (done.code, done.out) == (1, "")
    assert done.err == "Nothing found for 'zyxquu' in 3 documents.\n"
    done = quaestor("search", "--json", "--mode", "lexical", "zyxquu", repository)
    assert (done.code, done.json["hits"]) == (1, [])


def test_an_edit_is_seen(quaestor: Run, repository: Path) -> None:
    assert paths(quaestor, "zyxquu", repository, "--mode", "lexical") == []
    write(repository, {"shop/cart.go": CART + "\nfunc zyxquu() {}\n"})
    assert paths(quaestor, "zyxquu", repository, "--mode", "lexical") == ["shop/cart.go"]


def test_an_edit_that_keeps_size_and_time_apart_by_nothing_is_seen(quaestor: Run, repository: Path) -> None:
    write(repository, {"a.txt": "alpha wordone\n"})
    assert paths(quaestor, "wordone", repository, "--mode", "lexical") == ["a.txt"]
    write(repository, {"a.txt": "alpha wordtwo\n"})
    assert paths(quaestor, "wordtwo", repository, "--mode", "lexical") == ["a.txt"]
    assert paths(quaestor, "wordone", repository, "--mode", "lexical") == []


def test_a_deletion_is_seen(quaestor: Run, repository: Path) -> None:
    assert "shop/cart.go" in paths(quaestor, "Total price", repository)
    (repository / "shop/cart.go").unlink()
    found = quaestor("search", "--json", "Total price", repository).json
    assert "shop/cart.go" not in [hit["path"] for hit in found["hits"]]
    assert found["index"]["documents"] == 2


def test_a_rename_is_seen(quaestor: Run, repository: Path) -> None:
    assert paths(quaestor, "send_with_retry", repository)[0] == "src/retry.py"
    (repository / "src/retry.py").rename(repository / "src/again.py")
    found = paths(quaestor, "send_with_retry", repository)
    assert found[0] == "src/again.py"
    assert "src/retry.py" not in found


def test_without_time_to_look_results_say_whether_they_are_true(
    quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {f"many/f{number}.txt": f"word{number} common\n" for number in range(400)})
    quaestor("index", repository)
    monkeypatch.setenv("QUAESTOR_REFRESH_SECONDS", "0")
    write(repository, {f"many/f{number}.txt": f"word{number} frequent\n" for number in range(400)})
    found = quaestor("search", "--json", "-k", "1000", "--mode", "lexical", "common frequent", repository).json
    for hit in found["hits"]:
        data = (repository / hit["path"]).read_bytes()
        assert hit["fresh"] is (hashlib.sha256(data).hexdigest() == hit["sha256"])
    assert found["index"]["fresh"] is all(hit["fresh"] for hit in found["hits"])


def test_lines_are_those_of_the_file_also_after_a_form_feed(quaestor: Run, repository: Path) -> None:
    write(repository, {"odd.txt": "one\n\x0ctwo \u2028 still two\nneedle here\n"})
    done = quaestor("search", "needle", repository, "-k", "1")
    assert f"{3:6d}  needle here" in done.out.splitlines()


def test_lines_of_a_file_with_carriage_returns(quaestor: Run, repository: Path) -> None:
    write(repository, {"dos.txt": "one\r\ntwo\r\nneedle here\r\n"})
    done = quaestor("search", "needle", repository, "-k", "1")
    assert f"{3:6d}  needle here" in done.out.splitlines()
    assert "\ufffd" not in done.out


def test_the_first_search_builds_the_index(repository: Path) -> None:
    done = shell("search", "send_with_retry", str(repository), "-k", "1")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("src/retry.py:")


@pytest.mark.parametrize("mode", ["fusion", "lexical", "dense"])
def test_a_mode_without_features_says_so(quaestor: Run, repository: Path, mode: str) -> None:
    done = quaestor("search", "--explain", "--mode", mode, "retry", repository)
    assert done.code == 0
    assert "which is not made of features in this --mode" in done.out


@pytest.mark.parametrize(
    "query", ["send_with_retry", "src/retry.py", "how long does the dough rest?", "TimeoutError: busy"]
)
def test_the_shares_of_every_hit_add_up_to_its_score(quaestor: Run, repository: Path, query: str) -> None:
    found = quaestor("search", "--explain", "--json", query, repository).json["hits"]
    assert found
    for hit in found:
        assert sum(hit["features"].values()) == pytest.approx(hit["score"], abs=0.01)
        told = quaestor("search", "--explain", query, repository).out
        shown = [float(score) for score in re.findall(r"score (-?[\d.]+) = ", told)]
        assert any(score == pytest.approx(hit["score"], abs=0.001) for score in shown)


def test_words_that_stand_nowhere_are_named(quaestor: Run, repository: Path) -> None:
    done = quaestor("search", "the sourdogh startre of a zebra", repository)
    assert done.code == 0
    assert done.err == (
        "not found anywhere here: 'sourdogh' (searched for 'sourdough'), 'startre' (searched for 'starter'), 'zebra'\n"
    )
    assert done.out.startswith("docs/guide.md:")
    found = quaestor("search", "--json", "the sourdogh startre of a zebra", repository).json
    assert found["unknown"] == [
        {"word": "sourdogh", "nearest": ["sourdough"]},
        {"word": "startre", "nearest": ["starter"]},
        {"word": "zebra", "nearest": []},
    ]
    assert found["hits"][0]["path"] == "docs/guide.md"


def test_a_query_of_which_nothing_stands_finds_nothing(quaestor: Run, repository: Path) -> None:
    done = quaestor("search", "zebra crossings", repository)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "not found anywhere here: 'zebra', 'crossings'\nNothing found for 'zebra crossings' in 3 documents.\n"
    )
    done = quaestor("search", "--json", "zebra crossings", repository)
    assert (done.code, done.err, done.json["hits"]) == (1, "", [])
