"""Any text is a legal query: it gives one valid JSON object and exit code 0 or 1, and never anything else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from cli_parts import FILES, HIT_KEYS, Run, aged, write
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hostile_queries import HOSTILE, each_hostile_query
from quaestor.cli import run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One index for all queries; none of them changes it."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUAESTOR_HOME", str(folder / "home"))
        yield aged(write(folder / "repository", dict(FILES)))


def in_json(folder: Path, command: str, *arguments: str) -> tuple[int, dict[str, object]]:
    """Run a command with --json on the module's index; its stdout must hold one object, and its stderr nothing."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUAESTOR_HOME", str(folder.parent / "home"))
        code = run([command, "--json", *arguments, str(folder)])
    printed = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    assert printed[1] == ""
    assert printed[0].endswith("}\n")
    found = json.loads(printed[0])
    assert isinstance(found, dict)
    return code, found


def check_search(corpus: Path, query: str) -> None:
    code, found = in_json(corpus, "search", "--", query)
    assert found["query"] == query
    hits = found["hits"]
    assert isinstance(hits, list)
    assert code == (0 if hits else 1)
    assert all(set(hit) == HIT_KEYS for hit in hits)


def check_ask(corpus: Path, question: str) -> None:
    code, found = in_json(corpus, "ask", "--", question)
    assert found["question"] == question
    assert code == (0 if found["known"] else 1)
    citations = found["citations"]
    assert isinstance(citations, list)
    assert bool(citations) is found["known"]
    for citation in citations:
        assert citation["status"] == "verified"
        text = (corpus / citation["path"]).read_text(encoding="utf-8")
        assert citation["quote"] in text
        assert 1 <= citation["start_line"] <= citation["end_line"] <= text.count("\n")


@each_hostile_query
def test_hostile_searches(corpus: Path, query: str) -> None:
    check_search(corpus, query)


@each_hostile_query
def test_hostile_questions(corpus: Path, query: str) -> None:
    check_ask(corpus, query)


WORDS = st.sampled_from(
    ["retry", "Cart", "send_with_retry", "dough", "503", "OR", "(", '"', "src/retry.py", "::", "~2"]
)
TEXTS = st.text(max_size=80) | st.lists(WORDS | st.text(max_size=6), max_size=8).map(" ".join)
# What the ways to answer read a question by, with and without a name between: what follows each of them may be nothing.
ASKED = st.sampled_from(
    """what does do is who calls uses where defined how do I change set the default of why was when added raised error
    exit code 3 environment variables section 4.2 read file class function subtypes callers imports returns arguments
    last version 0.8 commit overview configure turn off" = : :: ? . , ` `` `` () `()` '' # / .py () src/ Cart
    shop/cart.py retry wer ruft qui appelle quién 谁 调用""".split()
)
QUESTIONS = TEXTS | st.lists(ASKED | WORDS, max_size=9).map(" ".join) | st.lists(ASKED, max_size=4).map("".join)


@given(query=TEXTS)
@example(query="-")
@example(query="--json")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_search_is_answered_in_json(corpus: Path, query: str) -> None:
    check_search(corpus, query)


@given(question=QUESTIONS)
@example(question="`")
@example(question="what does `()` do?")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_question_is_answered_in_json(corpus: Path, question: str) -> None:
    check_ask(corpus, question)


@given(pattern=st.text(alphabet="*?[]{}!/\\.ab-^", max_size=12))
@example(pattern="[")
@example(pattern="**/" * 20 + "x")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_pattern_of_paths_is_answered_in_json(corpus: Path, pattern: str) -> None:
    code, found = in_json(corpus, "search", "--path", pattern, "--", "retry")
    assert code == (0 if found["hits"] else 1)


@pytest.mark.parametrize("query", [query for query in HOSTILE if len(query) < 100 and query.isprintable()])
def test_hostile_searches_for_people(quaestor: Run, corpus: Path, query: str) -> None:
    done = quaestor("search", "--", query, corpus)
    assert done.code in (0, 1)
    assert bool(done.out) is (done.code == 0)
    assert done.err or done.code == 0
