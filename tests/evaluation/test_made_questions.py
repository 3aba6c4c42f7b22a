"""Questions made from a corpus: what they ask, where they point, and that the copy does not give the answer away."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.evaluation.made_questions import MadeSet, make_questions, texts_of
from quaestor.evaluation.made_questions.questions_from_documents import Words, letters

CODE = '''"""Sending."""


def send_all(queue, transport):
    """Send whatever waits in the queue, oldest message first."""
    while queue:
        message = queue.pop(0)
        transport.write(message)
        transport.flush()
    return transport


# Wait twice as long after every failed attempt.
def pause(attempt):
    seconds = 1
    for _ in range(attempt):
        seconds *= 2
    return min(seconds, 60)
'''
GUIDE = """# Guide

Everything about [how messages are sent](sending.md) stands there.

## Choosing a transport layer

A transport carries bytes. Pick the slow but careful one whenever a lost message would cost money.
It is the default because most people forget how often a network fails.

More is said elsewhere.
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    (root / "docs").mkdir(parents=True)
    (root / "mail.py").write_text(CODE, "utf-8")
    (root / "docs" / "guide.md").write_text(GUIDE, "utf-8")
    (root / "docs" / "sending.md").write_text("# Sending\n\nOne by one.\n", "utf-8")
    (root / "test_mail.py").write_text(CODE.replace("Send whatever", "Deliver").replace("Wait", "Rest"), "utf-8")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Pause longer between attempts that fail"],
    ):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    (root / "mail.py").write_text(CODE + "\n", "utf-8")
    one_file = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "Never wait longer than a minute"]
    subprocess.run(["git", "-C", str(root), *one_file], check=True)
    return root


def settings(home: Path) -> Settings:
    """Return settings under which even short sections are chunks of their own."""
    return Settings(home=str(home), chunk_target=100, chunk_limit=400)


def made_of(corpus: Path, home: Path, **options: int) -> MadeSet:
    with Index.build(corpus, settings=settings(home)) as index:
        return make_questions(texts_of(index), index.repository(), **options)


def test_each_kind_points_at_its_answer(corpus: Path, tmp_path: Path) -> None:
    made = made_of(corpus, tmp_path / "home")
    found = {(question.category, question.text): question.targets[0] for question in made.questions}
    asked = dict(found.keys())
    sending = found[("docstring", "Send whatever waits in the queue, oldest message first.")]
    assert (sending.path, sending.start_line, sending.end_line) == ("mail.py", 4, 10)
    pausing = found[("docstring", "Wait twice as long after every failed attempt.")]
    assert (pausing.path, pausing.start_line, pausing.end_line) == ("mail.py", 14, 18)
    heading = found[("heading", "Choosing a transport layer")]
    assert (heading.path, heading.start_line) == ("docs/guide.md", 5)
    assert found[("link", "how messages are sent")].path == "docs/sending.md"
    assert "lost message would cost money" in asked["sentence"]
    # The first commit changed too many files to say where its answer is.
    commits = {text: target.path for (category, text), target in found.items() if category == "commit"}
    assert commits == {"Never wait longer than a minute": "mail.py"}


def test_nothing_gives_an_answer_away_and_lines_stay_where_they_were(corpus: Path, tmp_path: Path) -> None:
    made = made_of(corpus, tmp_path / "home")
    for question in made.questions:
        answers = {target.path for target in question.targets if target.start_line is None}
        for path, text in made.texts.items():
            assert path in answers or letters(question.text) not in letters(text)
    assert len(made.texts["mail.py"].splitlines()) == len((CODE + "\n").splitlines())
    assert made.texts["mail.py"].splitlines()[3] == "def send_all(queue, transport):"
    assert len(made.texts["docs/guide.md"].split("\n")) == len(GUIDE.split("\n"))


def test_nothing_is_asked_in_words_that_stand_elsewhere_too(corpus: Path, tmp_path: Path) -> None:
    (corpus / "docs" / "sending.md").write_text(
        "# Sending\n\nWait twice as\nlong after *every* failed attempt. Choosing a transport-layer. "
        "Never wait longer than a minute.\n",
        "utf-8",
    )
    asked = {question.text for question in made_of(corpus, tmp_path / "home").questions}
    assert "Send whatever waits in the queue, oldest message first." in asked
    assert "Wait twice as long after every failed attempt." not in asked
    assert "Choosing a transport layer" not in asked
    assert "Never wait longer than a minute" not in asked


def test_only_the_wanted_kinds_are_asked_and_taken_out(corpus: Path, tmp_path: Path) -> None:
    with Index.build(corpus, settings=settings(tmp_path / "home")) as index:
        made = make_questions(texts_of(index), index.repository(), kinds=["heading"])
    assert {question.category for question in made.questions} == {"heading"}
    assert made.texts["mail.py"] == CODE + "\n"


def test_a_repository_cannot_make_its_history_run_anything(corpus: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for name in (
        "gpg.program",
        "core.fsmonitor",
        "diff.external",
        "core.pager",
        "core.sshCommand",
        "diff.evil.textconv",
    ):
        subprocess.run(["git", "-C", str(corpus), "config", name, str(program)], check=True)
    subprocess.run(["git", "-C", str(corpus), "config", "log.showSignature", "true"], check=True)
    (corpus / ".gitattributes").write_text("*.py diff=evil\n")
    assert any(question.category == "commit" for question in made_of(corpus, tmp_path / "home").questions)
    assert not ran.exists()


def test_the_same_corpus_and_seed_give_the_same_questions(corpus: Path, tmp_path: Path) -> None:
    assert made_of(corpus, tmp_path / "one", seed=3) == made_of(corpus, tmp_path / "two", seed=3)
    assert len(made_of(corpus, tmp_path / "one", each=1).questions) <= 5


def test_documents_may_be_kept_out_of_the_questions(corpus: Path, tmp_path: Path) -> None:
    with Index.build(corpus, settings=settings(tmp_path / "home")) as index:
        made = make_questions(texts_of(index), index.repository(), about=lambda path: path == "mail.py")
    assert {target.path for question in made.questions for target in question.targets} == {"mail.py"}
    assert made.texts["docs/guide.md"] == GUIDE


def test_a_copy_is_laid_out_and_found_again(corpus: Path, tmp_path: Path) -> None:
    made = made_of(corpus, tmp_path / "home")
    made.lay_out(tmp_path / "copy")
    with Index.build(tmp_path / "copy", settings=Settings(home=str(tmp_path / "home"))) as index:
        question = next(one for one in made.questions if one.text.startswith("Send whatever"))
        assert "mail.py" in [hit.path for hit in index.search(question.text, 3)]


texts = st.dictionaries(st.sampled_from("abcd"), st.text("xyz .\n", max_size=12), min_size=1)


@given(texts, st.text("xyz -", max_size=4), st.sets(st.sampled_from("abcd")))
def test_words_stand_where_they_stand(documents: dict[str, str], query: str, besides: set[str]) -> None:
    expected = any(letters(query) in letters(text) for path, text in documents.items() if path not in besides)
    assert Words(documents).occur_elsewhere(query, besides) == (expected and bool(letters(query)))
