"""Recognises questions how the project is built, tested, set up for work on it, or run."""

from __future__ import annotations

import re
from typing import Literal

from quaestor.answers.overview.overview_question import OWN, THE_WHOLE, WHOLE, any_of, plain_question
from quaestor.core.light_imports import lazy_regex

_LONGEST_OF_BUILDING = 120
_BUILDING = lazy_regex(
    r"how (?:do|can|could|should|would|must) (?:i|we|you|one|they|people|somebody)|how to|how (?:is|are)"
    r"|(?:what|which) (?:is the |are the )?commands?|(?:what|which) do (?:i|we) (?:run|type|call|need)"
)
_DONE_TO_IT = frozenset(
    "build built builds compile compiled compiles test tests tested testing specs lint linted".split()
)
# What is built or tested is all of it.
_ALL_OF_IT = frozenset(
    "it this that project repo repository code codebase tests specs suite source sources everything program"
    " package".split()
)
_WORDS_BETWEEN = frozenset(
    """run runs running execute executed type call need a all and the its of on here from for to in do i we you one is
    are be locally again first unit integration automated myself ourselves machine my local checkout commit committing
    before change changes how can could""".split()
)
_BUILDING_ELSEWHERE = lazy_regex(
    r"wie (?:baue|kompiliere|übersetze|teste) (?:ich|man|wir) (?:das|dies|es|das projekt|dieses projekt)"
    r"|wie (?:führe|lasse|starte) (?:ich|man|wir) (?:alle |die )?tests(?: aus| laufen)?"
    r"|comment (?:lancer|exécuter|faire tourner) (?:tous )?les tests"
    r"|comment (?:compiler|construire)(?: (?:ce|le) projet)?"
    r"|c[oó]mo (?:ejecuto|corro|lanzo|ejecutar|correr|lanzar|se ejecutan) (?:todas )?(?:las pruebas|los tests)"
    r"|c[oó]mo (?:compilo|construyo|compilar|construir|se compila)(?: (?:este|el) proyecto)?"
    r"|(?:我)?(?:如何|怎么|怎样)(?:运行|跑|执行)(?:所有|全部)?(?:的)?(?:单元)?测试"
    r"|(?:我)?(?:如何|怎么|怎样)(?:构建|编译)(?:这个|该|本)?(?:项目|代码)?"
    r"|(?:どうやって|どのように)?テスト(?:を|は)(?:どうやって|どのように)?(?:実行|走らせ)(?:しますか|する|すれば(?:いい|よい)(?:ですか)?|ますか)"
    r"|(?:このプロジェクト(?:を|は))?(?:どうやって|どのように)?(?:ビルド|コンパイル)(?:しますか|するのですか|すれば(?:いい|よい)(?:ですか)?)"
)

_ONE_TEST = lazy_regex(
    r"\b(?:an?|one|the|only)(?: (?:single|one|individual|specific|particular))? (?:unit )?test"
    r"(?: (?:file|case|class|suite|method|function))?$"
)
_ENVIRONMENT = r"(?:dev(?:elopment|eloper)?) (?:environment|set-?up|machine|workspace|install(?:ation)?|version)"
_THE_CODE = rf"(?:it|this|(?:the )?{OWN}|(?:this|the|that) {any_of(WHOLE)})"
_DEVELOPING = lazy_regex(
    r"(?:(?:how (?:do|can|could|should|would|must) (?:i|we|you|one)|how to|what do i need to(?: do to)?) )?"
    rf"(?:(?:set ?up|get|create|prepare|start|install|configure) (?:(?:an?|the|my|our|local|working) )*{_ENVIRONMENT}"
    rf"|(?:set ?up|get|prepare|install|configure|check ?out|clone) {_THE_CODE}(?: up)? for (?:local )?"
    r"(?:dev\w*|hacking)(?: and (?:run|build) (?:the tests|it))?"
    r"|(?:start|begin|get started)(?: with)? (?:developing|hacking|development)"
    rf"|(?:develop(?: on| for)?|(?:hack|work|code) (?:on|in)) {_THE_CODE})"
    rf"(?: (?:up|running|up and running|for {_THE_CODE}|of {_THE_CODE}|locally|here|myself))*"
)


def asks_how_to_build(question: str) -> bool:
    """Return whether a question asks how the whole project is built or tested, and nothing else.

    "How do I run the tests?" and "which command builds this?" are such questions. "How do I test my app?" and "how is
    the index built?" are not, because they have a subject of their own.

    Args:
        question: the question in English, German, French, Spanish, Chinese or Japanese.
    """
    if len(question) > _LONGEST_OF_BUILDING:
        return False
    text = _ONE_TEST.sub("the tests", plain_question(question))
    if _BUILDING_ELSEWHERE.fullmatch(text):
        return True
    begin = _BUILDING.match(text)
    words = re.findall(r"[\w']+", text[begin.end() :]) if begin else ()
    allowed = _DONE_TO_IT | _ALL_OF_IT | _WORDS_BETWEEN
    done = not _DONE_TO_IT.isdisjoint(words) and allowed.issuperset(words)
    return done and (not _ALL_OF_IT.isdisjoint(words) or words in (["build"], ["compile"]))


def asks_for_one_test(question: str) -> bool:
    """Return whether a question that ``asks_how_to_build`` accepts asks how a single test is run."""
    match = _ONE_TEST.search(plain_question(question))
    return match is not None and re.match(r"the (?:unit )?test", match[0]) is None


def asks_how_to_develop(text: str) -> bool:
    """Return whether a plain question, with ``OWN`` for the project's name, asks how to set up work on it."""
    return _DEVELOPING.fullmatch(text) is not None


_TESTING = lazy_regex(r"\btest|\bspecs?\b|\bsuite\b|prueba|测试|テスト")
_COMPILING = lazy_regex(r"\bbuil|\bcompil|\bbau|\bübersetz|\bconstrui|构建|编译|ビルド|コンパイル")


def aim_of_building(question: str) -> Literal["build", "test"] | None:
    """Return the aim of a question that ``asks_how_to_build`` accepts: to build or to test; None for both."""
    text = plain_question(question)
    tests, builds = _TESTING.search(text) is not None, _COMPILING.search(text) is not None
    if tests == builds:
        return None
    return "test" if tests else "build"


_RUN_WORDS = r"(?:run|start|launch|execute|boot|set up and run|get)"
_RUNNING = lazy_regex(
    rf"(?:how (?:do|can|could|should|would|must) (?:i|we|you|one)|how to|what do i do to) {_RUN_WORDS} {THE_WHOLE}"
    r"(?: up)?(?: and running| running| to run| started)?(?: locally| here| myself| on my (?:machine|computer|laptop))*"
    rf"|how (?:is|are) {THE_WHOLE} (?:run|started|launched)(?: locally)?"
    r"|wie (?:starte|benutze) (?:ich|man|wir) (?:das|dies|es|das projekt|die anwendung)"
    r"|comment (?:lancer|démarrer) (?:ce|le) (?:projet|programme)"
    r"|c[oó]mo (?:ejecuto|inicio|arranco|ejecutar|iniciar) (?:esto|este proyecto|el proyecto|la aplicación)"
    r"|(?:我)?(?:如何|怎么|怎样)(?:运行|启动)(?:这个|该|本)?(?:项目|程序|应用)?"
    r"|(?:このプロジェクト(?:を|は))?(?:どうやって|どのように)?(?:実行|起動)(?:しますか|するのですか)"
)


def asks_how_to_run(question: str) -> bool:
    """Return whether a question asks how the project is run or started: "How do I run it?", "how to start the app".

    Args:
        question: the question in English, German, French, Spanish, Chinese or Japanese, with ``OWN`` for the name
            of the whole.
    """
    return len(question) <= _LONGEST_OF_BUILDING and _RUNNING.fullmatch(plain_question(question)) is not None
