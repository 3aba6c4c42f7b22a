"""Telling the questions about how all of it is built or tested. Pure: words in, truth out.

"How do I run the tests?" and "which command builds this?" are such questions. "How do I test my app?" and "how is the
index built?" are not: they name a thing of their own.
"""

from __future__ import annotations

import re

from quaestor.answers.overview.overview_question import plain_question

_LONGEST = 120
_BEGINS = re.compile(
    r"how (?:do|can|could|should|would|must) (?:i|we|you|one|they|people|somebody)|how to|how (?:is|are)"
    r"|(?:what|which) (?:is the |are the )?commands?|(?:what|which) do (?:i|we) (?:run|type|call|need)"
)
_DONE = frozenset("build built builds compile compiled compiles test tests tested testing specs lint linted".split())
# What is built or tested is all of it.
_WHOLE = frozenset(
    "it this that project repo repository code codebase tests specs suite source sources everything program"
    " package".split()
)
_FURTHER = frozenset(
    """run runs running execute executed type call need a all and the its of on here from for to in do i we you one is
    are be locally again first unit integration automated myself ourselves machine my local checkout commit committing
    before change changes how can could""".split()
)
_ELSEWHERE = re.compile(
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


def asks_how_to_build(question: str) -> bool:
    """Return whether a question is how all of it is built or tested, and about nothing else.

    Args:
        question: in English, German, French, Spanish, Chinese or Japanese.
    """
    if len(question) > _LONGEST:
        return False
    text = plain_question(question)
    if _ELSEWHERE.fullmatch(text):
        return True
    begin = _BEGINS.match(text)
    words = re.findall(r"[\w']+", text[begin.end() :]) if begin else ()
    return (
        not _DONE.isdisjoint(words) and not _WHOLE.isdisjoint(words) and (_DONE | _WHOLE | _FURTHER).issuperset(words)
    )
