"""Which questions an overview answers: those about the whole, and none about a single thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.overview.overview_question import (
    OWN,
    asks_for_entry,
    asks_for_languages,
    asks_for_overview,
    asks_only_what_it_is,
    name_in_overview_question,
    plain_question,
)

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
IN_OTHER_LANGUAGES = """Quelle est la structure du projet ?|¿Cuál es la estructura del proyecto?
このプロジェクトの主な構成は？|Was ist die Struktur des Projekts?
Wie ist das Repository aufgebaut und wo sollte ich anfangen?
¿Qué hace este proyecto y por dónde empiezo?|Que fait ce projet et par où commencer ?"""
IN_OTHER_WORDS = """What problem does this gem solve?|what does this role do|what is this extension for
which file should I read first?|what file do I start with|what does each folder contain|list the packages
what are the modules|how do the pieces fit together|what is it|what is it used for?|what can it do
Where's a good place to start reading?|quick tour|overview please
main modules and what they do|explain the directory structure|which guides are there?
which folders are there and what is in them|What topics do these docs cover?|what can I learn from these documents?
who is this handbook for?|I'm new here, where do I begin?|where is the main entry point?
describe the project structure|I am new to this codebase. Which files should I read first?
Which proposals are in this collection?|what problem does this project solve?|Walk me through the repository
which packages does this monorepo consist of|in one sentence, what is this?
what are these documents about and how are they arranged|what sections are in the docs|Give me the lay of the land
I have never seen this code before. What are its main parts?|what's covered here?
how is the repository laid out: where is the source, where are the tests
how do I find my way around in these documents?|What's the best place to start reading?
Explain this project to me like I'm new|What subjects do these pages deal with?
what is the purpose of this repository|what languages is it written in?
I just cloned this. What should I look at first?|Show me around|List the main folders and what each is for
how many documents are in here and what are they about?|what is this wiki about?|Which topics does this guide cover?
what is in this documentation and for whom is it?|what is this repository about and which specs are there?
Which subjects does this specification treat?|What are the chapters?|Which are the parts?
Welche Kapitel gibt es?|这本书讲什么？|有哪些章节？|这本书一共有多少章？"""
OF_A_NAME = """What is {} and what is it used for?|high-level architecture of {}
How is {}'s source split into files?|what are the parts of {} and how do they fit together?
Which files make up the core of {}?|what does {} do, in a sentence
What are the main pieces of {}'s source, and where would I start?|what is the point of {}"""
OF_SOMETHING = """Which plugins are there?|What examples are there?|What are the plugins?
What is a module?|how is a document structured?|what are the parts of a URL?
how are chapters numbered?|what is the layout of a package directory?|how do I organise my tests?
what does the summary contain?|Where can I find the documentation?|how do I read a file?
how do I get started with plugins?|where do I put my documents?|which sections must a proposal have?
how are packages organised in a workspace?|What are the core team members?|what should I do first
where do I start if I am new at the company|How should I divide my code into modules?
what kind of documents do I need|How do I start the program?|which tools do you use|what files does the tool read
what is the first chapter about|where do the docs say how to write tests|How do I start a new chapter?"""
FOR_NONE = """which file does it read first|what does each folder of the cache contain|what does it do on Sundays
what is the client for|how does the plugin system work?|what is the module system?
what is this parameter for|What is httpx?|what is a Transport|where do I start the server
how is the cache laid out|what are the main arguments of send|what does this function do|what is this error
where should I start the worker|how is this function structured|what are the main parts of the config file
give me an overview of the retry logic|what is the structure of the index file|how do I install this
what does the code do when a request fails|how is this tested|where is this used|what files use httpx
what is this for loop doing|summarize the changelog|what is the difference between this and that|map
which files are ignored|what is in the cache folder|was ist ein Transport|wo ist das definiert|qué es un puntero
quelle est la structure de la base|was ist das und wo ist das definiert
que fait cette fonction|这个函数是什么|この関数は何ですか|where does this project store passwords
what is this repository's licence|Where do I begin to read the config from the environment?"""
SUBJECTS = st.sampled_from(["project", "repository", "library", "codebase", "package", "app"])
NAMES = st.from_regex(r"[A-Za-z_]{3,12}(\.[a-z_]{2,8}|\(\)|[A-Z][a-z]{2,6})", fullmatch=True)


def lines(text: str) -> list[str]:
    return [one for line in text.split("\n") for one in line.split("|")]


@pytest.mark.parametrize("question", lines(FOR_ONE))
def test_for_an_overview(question: str) -> None:
    assert asks_for_overview(question)


@pytest.mark.parametrize("question", lines(IN_OTHER_WORDS) + lines(IN_OTHER_LANGUAGES))
def test_in_other_words(question: str) -> None:
    assert asks_for_overview(question)


@pytest.mark.parametrize("question", lines(OF_A_NAME))
def test_of_the_whole_by_its_name_alone(question: str) -> None:
    assert asks_for_overview(question.format("Hapi"), own={"hapi"})
    assert not asks_for_overview(question.format("Hapi"))
    assert name_in_overview_question(question.format("Hapi")) == "hapi"


@pytest.mark.parametrize("question", lines(FOR_NONE) + lines(OF_SOMETHING))
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


@pytest.mark.parametrize(
    "question",
    lines(
        "What is this?|what does this library do?|What are these documents about?|explain this codebase"
        "|Was ist das hier?|Que fait ce projet ?|¿Qué es esto?|这个项目是做什么的？|これは何ですか？"
    ),
)
def test_who_asks_only_what_it_is(question: str) -> None:
    assert asks_for_overview(question)
    assert asks_only_what_it_is(question)


@pytest.mark.parametrize(
    "question",
    lines(
        "what are the main parts?|How is this laid out?|Where do I begin to read?|which documents are there?"
        "|what do these documents contain?|overview"
        "|Wie ist dieses Projekt aufgebaut?|Par où commencer ?"
        "|どこから読み始めればいいですか？|项目结构是怎样的|¿Cómo está organizado este proyecto?"
    ),
)
def test_who_asks_for_more_than_what_it_is(question: str) -> None:
    assert asks_for_overview(question)
    assert not asks_only_what_it_is(question)


@pytest.mark.parametrize(("first", "asked"), [(True, True), (False, False)])
def test_it_is_the_whole_where_nothing_was_talked_about_before(first: bool, asked: bool) -> None:
    assert asks_for_overview("How is it structured?", first=first) is asked


@pytest.mark.parametrize(
    "question",
    [
        "Where is main?",
        "What is the entry point?",
        "where does the program start",
        f"What are the entry points of {OWN}?",
    ],
)
def test_who_asks_where_a_program_begins(question: str) -> None:
    assert asks_for_entry(plain_question(question))


@pytest.mark.parametrize(
    "question",
    ["Which languages is it written in?", f"What is {OWN} written in?", "what programming language does this use"],
)
def test_who_asks_for_languages(question: str) -> None:
    assert asks_for_languages(plain_question(question))


@pytest.mark.parametrize(
    "question",
    ["Where is main used?", "where does the parser start", "Which languages are supported?", "languages", ""],
)
def test_who_asks_for_neither(question: str) -> None:
    assert not asks_for_entry(plain_question(question)) and not asks_for_languages(plain_question(question))
