"""What language a question is in: never another one for a question in English."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.search.language import CARRIED, language_of, without_grammar

ENGLISH = """how does the retry policy close a connection
what was the reason that workers die
why does 日本語 break the tokenizer
where do we split 中文 and 日本語 into words
sqrt sin no_std crate
file async I/O operations
comment on the main function in C
comment header layout
comment parser of un lock files
den of lions, war of words, son of man
naïve Bayes for Zürich
HandlerStack
std::vector<int>
`der` and `die` in the test data: which is used for the article?
what does "où est la gare" translate to in the example
TypeError: 'NoneType' object is not iterable
un-comment la-land""".splitlines()


@pytest.mark.parametrize("question", ENGLISH)
def test_english_is_english(question: str) -> None:
    assert language_of(question) not in CARRIED


@given(st.lists(st.sampled_from("how does the a retry was die son main sale on la no se como son".split()), max_size=8))
def test_words_of_two_languages_are_english_beside_english_ones(words: list[str]) -> None:
    assert language_of(" ".join(["why is it that", *words])) == ""


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie schließe ich eine Verbindung?", "de"),
        ("wo wird das zertifikat geprüft", "de"),
        ("Warum schlägt der Test fehl?", "de"),
        ("comment fermer une connexion", "fr"),
        ("Comment installer un certificat ?", "fr"),
        ("comment choisir la couleur", "fr"),
        ("À quoi sert l'option « secure » ?", "fr"),
        ("qu'est-ce qu'une file d'attente", "fr"),
        ("¿Cómo se cierra la conexión?", "es"),
        ("donde se guarda el certificado", "es"),
        ("如何关闭连接", "zh"),
        ("Client.send 在哪里重试?", "zh"),
        ("接続はどこで閉じられますか", "ja"),
        ("KSP のエラー", "ja"),
        ("연결을 어떻게 닫습니까", "ko"),
        ("dove si chiude la connessione", "it"),
    ],
)
def test_other_languages_are_told_by_script_and_by_grammar(question: str, language: str) -> None:
    assert language_of(question) == language


@given(st.text(max_size=300))
def test_any_text_is_in_some_language_or_none(text: str) -> None:
    assert language_of(text) in CARRIED | {"", "it", "pt", "ko", "ru"}


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Faut-il l'accord des gens qui figurent dans data-set.csv ?", ["accord", "gens", "figurent", "data-set.csv"]),
        ("Wie lange muss ich warten?", ["lange", "warten"]),
        ("¿Cuánto cuesta la licencia?", ["cuesta", "licencia"]),
        ("what does the die cost, and what was the son of man", None),
    ],
)
def test_words_of_grammar_are_left_out_but_of_english(question: str, left: list[str] | None) -> None:
    kept = without_grammar(question)
    assert kept == question if left is None else re.findall(r"\w[\w.-]*", kept) == left
