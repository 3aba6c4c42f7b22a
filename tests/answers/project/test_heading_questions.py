"""Questions made of headings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.project.heading_questions import _gerunds, names_in, question_of, subject_of_question

NAMES = frozenset({"Ferry"})


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("How long does dough rest?", "How long does dough rest?"),
        ("Installing Ferry", "How do I install Ferry?"),
        ("Ferry installation", "How do I install Ferry?"),
        ("Installation", "How do I install Ferry?"),
        ("Sharing your expertise", "How do I share my expertise?"),
        ("How to see yourself", "How do I see myself?"),
        ("Initial Configuration", "Tell me about Initial Configuration."),
        ("Initial Ferry Configuration", "Tell me about Initial Ferry Configuration."),
        ("Build Instructions", "Tell me about Build Instructions."),
        ("Introducing Principal Component Analysis", "What is principal component analysis?"),
        ("What is Community Edition?", "What is Community Edition?"),
        ("Take the Course!", ""),
        ("Docker Setup", "Tell me about Docker Setup."),
        ("Team Introductions (10 minutes)", "Tell me about Team Introductions."),
        ("Break (5 minutes)", "Tell me about break."),
        ("Getting Started", "How do I get started with Ferry?"),
        ("Running Tests", "How do I run tests?"),
        ("Writing the Validation Logic", "How do I write the validation logic?"),
        ("Connecting to or creating a database", "How do I connect to or create a database?"),
        ("Installing packages and using them", "How do I install packages and use them?"),
        ("Configuring caching and routing", "How do I configure caching and routing?"),
        ("Installing Ferry and Something", "How do I install Ferry and something?"),
        ("Create Collections", "How do I create collections?"),
        ("Review the code", "How do I review the code?"),
        ("Release notes", "Tell me about release notes."),
        ("How to Book Flights or Rail", "How do I book flights or rail?"),
        ("What to look for in a Code Review", "What should I look for in a code review?"),
        ("Queues vs. Jobs", "What is the difference between queues and jobs?"),
        ("Trains", "Tell me about trains."),
        ("How to use", "How do I use Ferry?"),
        ("When Should I Go Around?", "When should I go around?"),
        ("Troubleshooting Guide", "Tell me about Troubleshooting Guide."),
        ("Secure programming", "Tell me about secure programming."),
        ("Building blocks", "Tell me about building blocks."),
        ("Running with Docker", "How do I run Ferry with docker?"),
        ("Run with Docker", "How do I run Ferry with docker?"),
        ("Building from source", "How do I build Ferry from source?"),
        ("Working with files", "How do I work with files?"),
        ("The moving parts", ""),
        ("Wrapping is explicit", ""),
        ("How to organize my routes?", "How do I organize my routes?"),
        ("Need help?", ""),
        ("So What Is This?", ""),
        ("Why is this important?", ""),
        ("Timeouts are an extension on", ""),
        ("For development", ""),
        ("Or wrap things up in your own class", ""),
        ("Not Docker", ""),
        ("// to", ""),
        ("Why we do it so", ""),
        ("Programming Management", "Tell me about Programming Management."),
        ("Matching Period", "Tell me about Matching Period."),
        ("Ferry File Options", "Tell me about Ferry File Options."),
        ("Lead Delivery Manager", "Tell me about Lead Delivery Manager."),
        ("Merge options", "Tell me about merge options."),
        ("Merge the branches", "How do I merge the branches?"),
        ("Schedule 1", "Tell me about schedule 1."),
        ("Sharing of Personal Data", "Tell me about Sharing of Personal Data."),
        ("One of so many words that nobody would ever ask for it at all", ""),
    ],
)
def test_a_heading_becomes_what_a_reader_asks(heading: str, question: str) -> None:
    assert question_of(heading, "Ferry", NAMES) == question


def test_an_act_without_a_thing_is_no_question() -> None:
    assert question_of("Installation") == ""
    assert question_of("Running with Docker") == "Tell me about Running with Docker."
    assert question_of("Ferry Line Installation", names={"Ferry", "Line"}) == "How do I install Ferry Line?"
    assert question_of("Naming", "What to look for in a code review") == "Tell me about naming."


@given(st.text(max_size=80), st.text(max_size=40))
def test_whatever_a_heading_is_a_question_ends_as_one(heading: str, subject: str) -> None:
    question = question_of(heading, subject)
    assert not question or question.endswith(("?", "."))
    assert subject_of_question(question) in question


def test_a_name_is_what_sentences_write_with_a_capital() -> None:
    lines = [
        "# Using Ferry Lines",
        "== About the Line and the Line",
        "We use Ferry, and Ferry only; no ferry.",
        "The Line is a line, and every line is.",
    ]
    assert names_in(lines) == {"Ferry"}
    assert question_of("Using Ferry Lines", names=names_in(lines)) == "How do I use Ferry lines?"


def test_a_name_is_no_verb() -> None:
    assert question_of("Compose files", names={"Compose"}) == "Tell me about Compose files."
    assert question_of("Deploy files", names={"Compose"}) == "How do I deploy files?"


def test_gerunds_are_made_with_a_letter_twice_or_without_the_last() -> None:
    assert list(_gerunds("write")) == ["writeing", "writeeing", "writing"]
    assert list(_gerunds("run")) == ["runing", "running"]
