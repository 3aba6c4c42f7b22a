"""Which questions are for an overview: whole ones about all that there is, and none about a thing of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.overview.overview_question import asks_for_overview

FOR_ONE = """What is this?|what is this project?|What is this repository about?|What does this library do?
Where do I begin to read?|Where should I start reading the code?|where do i start|how is this laid out?
How is this project structured?|How is the code organised?|what are the main parts?|Give me an overview
What are the main components of this project|can you give me a quick overview of this codebase please
show me a map of the repository|overview|project overview|What is in these documents?|what's in here
What are these documents about?|Summarize this repository|explain this codebase|What files should I read first?
which documents are there?|What are the entry points?|describe the overall architecture of this project
Was ist das hier?|Was ist dieses Projekt?|Wie ist dieses Projekt aufgebaut?|Wo fange ich an zu lesen?
Gib mir einen Überblick|Worum geht es in diesem Projekt?|Qu'est-ce que c'est ?|Que fait ce projet ?
Par où commencer ?|Comment est organisé ce projet ?|Donne-moi un aperçu|¿Qué es esto?|¿Qué hace este proyecto?
¿Por dónde empiezo a leer?|¿Cómo está organizado este proyecto?|这个项目是什么？|这个项目是做什么的？
从哪里开始读代码？|项目结构是怎样的|これは何ですか？|このプロジェクトは何ですか|どこから読み始めればいいですか？"""
FOR_NONE = """what is this parameter for|What is httpx?|what is a Transport|where do I start the server
how is the cache laid out|what are the main arguments of send|what does this function do|what is this error
where should I start the worker|how is this function structured|what are the main parts of the config file
give me an overview of the retry logic|what is the structure of the index file|how do I install this|what is it
what does the code do when a request fails|how is this tested|where is this used|what files use httpx
what is this for loop doing|summarize the changelog|what is the difference between this and that|map
which files are ignored|what is in the cache folder|was ist ein Transport|wo ist das definiert|qué es un puntero
que fait cette fonction|这个函数是什么|この関数は何ですか|where does this project store passwords
what is this repository's licence|Where do I begin to read the config from the environment?"""
SUBJECTS = st.sampled_from(["project", "repository", "library", "codebase", "package", "app"])
NAMES = st.from_regex(r"[A-Za-z_]{3,12}(\.[a-z_]{2,8}|\(\)|[A-Z][a-z]{2,6})", fullmatch=True)


def lines(text: str) -> list[str]:
    return [one for line in text.split("\n") for one in line.split("|")]


@pytest.mark.parametrize("question", lines(FOR_ONE))
def test_for_an_overview(question: str) -> None:
    assert asks_for_overview(question)


@pytest.mark.parametrize("question", lines(FOR_NONE))
def test_for_something_else(question: str) -> None:
    assert not asks_for_overview(question)


@given(SUBJECTS, st.sampled_from("? . ! ??".split()), st.booleans(), st.sampled_from(["", "please ", "Hi, "]))
def test_case_greetings_and_marks_do_not_matter(subject: str, mark: str, large: bool, greeting: str) -> None:
    question = f"{greeting}what is this {subject}{mark}"
    assert asks_for_overview(question.upper() if large else question)


@given(NAMES, st.sampled_from(["what is {}", "what does {} do", "where is {} used", "how is {} structured", "{}"]))
def test_a_name_is_never_everything(name: str, form: str) -> None:
    assert not asks_for_overview(form.format(name))


@given(SUBJECTS, NAMES)
def test_what_goes_on_to_a_thing_is_about_that_thing(subject: str, name: str) -> None:
    for question in (f"what is {name} in this {subject}", f"where does this {subject} call {name}"):
        assert not asks_for_overview(question)


@given(st.text(max_size=400))
def test_any_text_is_legal(text: str) -> None:
    assert asks_for_overview(text) in (True, False)
    assert not asks_for_overview(f"{text} x" * 200)


@pytest.mark.parametrize(
    "question",
    [
        "What is this, and where should I begin?",
        "How is this laid out? Where do I start?",
        "Where do I begin to read this code base, and what are its main parts?",
    ],
)
def test_two_in_one_breath(question: str) -> None:
    assert asks_for_overview(question)


@pytest.mark.parametrize(
    "question", ["what is this and which protocols does it not support", "Where do I start? I use Go."]
)
def test_what_is_asked_beside_it_counts(question: str) -> None:
    assert not asks_for_overview(question)


@given(st.from_regex(r"Q[a-z0-9_-]{2,12}[a-z]", fullmatch=True))
def test_the_name_of_the_whole_is_everything(name: str) -> None:
    for question in (f"What is {name}?", f"what does {name} do"):
        assert asks_for_overview(question, own={name.lower()})
        assert not asks_for_overview(question, own={f"{name.lower()}x"})


def test_this_may_be_what_was_talked_about() -> None:
    assert not asks_for_overview("what is this?", first=False)
    assert asks_for_overview("what is this project?", first=False)


@pytest.mark.parametrize(
    "question",
    [
        "Main parts of the code, and the entry point of the daemon?",
        "How is the program built up, in which stages, and which files do I read first?",
        "What are the main parts of the program and where does the command line begin?",
    ],
)
def test_what_is_asked_in_the_same_breath(question: str) -> None:
    assert asks_for_overview(question)


@pytest.mark.parametrize("question", ["where does the command line begin?", "in which stages is a file parsed?"])
def test_a_stage_or_a_beginning_alone_is_a_thing_of_its_own(question: str) -> None:
    assert not asks_for_overview(question)
