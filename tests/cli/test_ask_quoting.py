"""``quaestor ask`` without a model: quotes from the files, checked, or a plain no."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_parts import GUIDE, Run, shell

from quaestor.answers.quotes.pick_quotes import NOT_FOUND, NOTHING
from quaestor.answers.quotes.quotes_in_markdown import LEAD, UNSURE

QUESTION = "how many attempts does send_with_retry make?"
UNKNOWN = "zyxquu blorft quaggle?"


def test_an_answer_is_quoted_and_checked(quaestor: Run, repository: Path) -> None:
    done = quaestor("ask", QUESTION, repository)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(LEAD)
    answer, _, sources = done.out.partition("\nSources\n")
    assert "`src/retry.py:" in answer
    assert "✓ found there" in sources
    assert "~" not in sources
    assert "✗" not in sources


def test_json_is_as_contracted(quaestor: Run, repository: Path) -> None:
    done = quaestor("ask", "--json", QUESTION, repository)
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert {"question", "answer", "citations", "known", "model", "usage", "window"} <= set(found)
    assert found["question"] == QUESTION
    assert found["known"] is True
    assert found["model"] == "extractive"
    assert found["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "reported": False}
    assert found["window"]["limit"] == 8192
    assert found["citations"]
    for citation in found["citations"]:
        assert set(citation) == {"n", "path", "url", "start_line", "end_line", "quote", "status"}
        assert citation["status"] == "verified"
        lines = (repository / citation["path"]).read_text().splitlines(keepends=True)
        assert citation["quote"] in "".join(lines[citation["start_line"] - 1 : citation["end_line"]])
        assert f"[{citation['n']}]" in found["answer"]


def test_an_unknown_answer_is_said_to_be_unknown(quaestor: Run, repository: Path) -> None:
    done = quaestor("ask", UNKNOWN, repository)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith(NOTHING)
    assert "Not found in this corpus." in done.out
    assert "Sources" not in done.out


def test_what_a_question_is_about_and_no_passage_mentions_is_named(quaestor: Run, tmp_path: Path) -> None:
    """A near miss: payloads are the subject of many files, and none of them speaks of what is asked."""
    for name in ("take", "send", "keep", "drop", "read", "sort", "join", "copy", "move", "pack", "list", "show"):
        text = (
            f"def {name}_payload(job):\n    # {name.title()}s the payload of a job.\n    return {name}(job.payload)\n"
        )
        (tmp_path / f"{name}.py").write_text(text)
    done = quaestor("ask", "Where is the payload encrypted?", tmp_path)
    assert done.code == 1
    assert done.out.startswith(NOT_FOUND.format("'encrypted'"))
    assert "Nearest passages:" in done.out
    assert quaestor("ask", "Where is the payload sorted?", tmp_path).code == 0


def test_who_is_asked_back_is_not_told_that_nothing_was_found(quaestor: Run, repository: Path) -> None:
    done = quaestor("ask", "how do I turn that off?", repository)
    assert done.code == 1
    assert done.out.startswith("What do you mean by “that”?")
    assert "Not found" not in done.out and "Nearest" not in done.out


def test_an_empty_folder_is_said_to_be_empty(quaestor: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = quaestor("ask", QUESTION, tmp_path / "empty")
    assert (done.code, done.err) == (
        1,
        "There are no documents here. `quaestor stats` tells what was left out, and why.\n",
    )
    assert "Not found in this corpus." in done.out


def test_a_name_that_nothing_mentions_is_not_answered_from_what_is_near(quaestor: Run, repository: Path) -> None:
    done = quaestor("ask", "how many attempts does send_with_retry make on Kafka?", repository)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("No language model is configured, and nothing here mentions 'Kafka'.")
    assert "Nearest passages:\n  src/retry.py:" in done.out


def test_an_unknown_answer_in_json(quaestor: Run, repository: Path) -> None:
    done = quaestor("ask", "--json", UNKNOWN, repository)
    assert done.code == 1
    found = done.json
    assert found["known"] is False
    assert found["citations"] == []
    assert isinstance(found["nearest"], list)


def test_the_nearest_passages_are_shown(quaestor: Run, repository: Path) -> None:
    # One word of many that the corpus knows: found, and too little to answer from.
    question = "zyxquu blorft quaggle frumious bandersnatch vorpal manxome uffish batter?"
    done = quaestor("ask", question, repository)
    assert done.code == 1
    assert "Nearest passages:\n  " in done.out
    [*nearest] = quaestor("ask", "--json", question, repository).json["nearest"]
    assert nearest
    assert all(place.rpartition(":")[2].isdigit() for place in nearest)


def test_the_nearest_passage_is_shown_as_quotes_are_and_its_long_lines_in_part(quaestor: Run, tmp_path: Path) -> None:
    folder = tmp_path / "bread"
    folder.mkdir()
    (folder / "batter.rst").write_text(f"Batter\n======\n\nSee :ref:`dough <dough>`.\n\nStir {'and stir ' * 60}.\n")
    done = quaestor("ask", "zyxquu blorft quaggle frumious bandersnatch vorpal manxome uffish batter?", folder)
    assert done.code == 1
    assert "      See dough.\n" in done.out
    assert all(len(line) < 320 for line in done.out.splitlines())
    assert done.out.endswith("…\n")


ABOUT = {
    "boats": "The ferry leaves the harbour at noon and carries forty cars.",
    "bread": "Dough rests for eighteen hours in the refrigerator before it is baked.",
    "tower": "The lighthouse was built in 1888 and is painted white and red.",
    "school": "Lessons begin at eight and end at one, with a break at ten.",
    "library": "Readers borrow up to five books for four weeks; renewals are made at the desk.",
    "market": "On Saturdays farmers sell cheese, apples and eggs in the square.",
    "museum": "The museum shows ship models and charts. It is closed on Mondays.",
    "bus": "Line seven runs every twenty minutes between station and beach.",
    "pool": "The swimming pool is heated from May to September.",
    "theatre": "Plays are performed in the old granary; tickets are sold at the door.",
    "park": "Dogs are kept on a lead in the park, except on the meadow by the river.",
    "hospital": "Visitors are welcome in the afternoon. Flowers are not allowed in intensive care.",
}


@pytest.mark.parametrize(
    ("question", "lead"), [("how many cars does the ferry carry?", LEAD), ("are pets allowed?", UNSURE)]
)
def test_an_answer_that_may_be_none_says_so(quaestor: Run, tmp_path: Path, question: str, lead: str) -> None:
    for name, text in ABOUT.items():
        (tmp_path / f"{name}.md").write_text(f"# {name.capitalize()}\n\n{text}\n")
    done = quaestor("ask", question, tmp_path)
    assert done.code == 0
    assert done.out.startswith(lead)


def test_an_edit_is_answered_from(quaestor: Run, repository: Path) -> None:
    question = "how many hours does the dough rest in the refrigerator?"
    assert "rests for eighteen hours" in quaestor("ask", question, repository).out
    (repository / "docs/guide.md").write_text(GUIDE.replace("eighteen", "twenty"))
    assert "rests for twenty hours" in quaestor("ask", question, repository).out


@pytest.mark.parametrize("limit", ["0", "1001", "many"])
def test_impossible_options_are_usage_errors(quaestor: Run, repository: Path, limit: str) -> None:
    done = quaestor("ask", "-k", limit, QUESTION, repository)
    assert (done.code, done.out) == (2, "")
    assert "Error: Invalid value for '-k'" in done.err


def test_as_a_process(repository: Path) -> None:
    done = shell("ask", QUESTION, str(repository))
    assert (done.code, done.err) == (0, "")
    assert "✓ found there" in done.out


def test_an_empty_question_is_refused(quaestor: Run, repository: Path) -> None:
    done = quaestor("ask", "  ", repository)
    assert (done.code, done.out) == (2, "")
    assert "The question is empty." in done.err
