"""What a question asks for, by its wording."""

from __future__ import annotations

import pytest

from quaestor.core.questions import asks_amount, asks_for_several, says_amount, without_frame


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("which settings are read from the environment?", True),
        ("What HTTP methods can be cached", True),
        ("list the hooks", True),
        ("Where should I eat in Oaxaca?", True),
        ("where are all the places that open a file", True),
        ("with several servers, what is tried first?", False),
        ("what happens when a cache is full?", False),
        ("what does the cache do", False),
        ("how long does every request wait", False),
        ("which class is the parser", False),
        ("", False),
    ],
)
def test_a_question_for_several_things_is_known_by_its_wording(question: str, asks: bool) -> None:
    assert asks_for_several(question) == asks


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Can you tell me where options are parsed?", "where options are parsed?"),
        ("Hi! Could you please explain to me how the cache works?", "how the cache works?"),
        ("I'd like to know how help text is printed", "how help text is printed"),
        ("any idea why it fails?", "why it fails?"),
        ("Where do I start reading if I want to understand how options are parsed?", "how options are parsed?"),
        ("Können Sie mir bitte sagen, wo die Optionen gelesen werden?", "wo die Optionen gelesen werden?"),
        ("Peux-tu me dire où sont lues les options ?", "où sont lues les options ?"),
        ("¿Podrías decirme dónde se leen las opciones?", "dónde se leen las opciones?"),
    ],
)
def test_what_only_leads_to_a_question_is_taken_off(question: str, asked: str) -> None:
    assert without_frame(question) == asked
    assert without_frame(asked) == asked


@pytest.mark.parametrize(
    "question", ["Can you show me how?", "Can I tell who wrote it?", "tell me", "Where do I start the server?", ""]
)
def test_a_question_that_says_nothing_else_stays_whole(question: str) -> None:
    assert without_frame(question) == question


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("How many boats may I rent?", True),
        ("and for how long?", True),
        ("How far ahead must I book?", True),
        ("Wie viele Boote gibt es?", True),
        ("Was kostet ein Boot?", True),
        ("Combien de temps dure la location ?", True),
        ("¿Cuánto cuesta un bote?", True),
        ("租一条船多少钱？", True),
        ("租期可以是几天？", True),
        ("ボートは何人乗れますか？", True),
        ("料金はいくらですか？", True),
        ("怎么租船？", False),
        ("何年にできましたか？", False),
        ("Where do boats lie and what does a berth cost per month?", True),
        ("What does it cost to copy a list?", False),
        ("and what does it cost?", True),
        ("what do they cost", True),
        ("What does a lookup cost, and when?", False),
        ("What is the yearly fee for a berth?", True),
        ("What is a fee for?", False),
        ("What does the fee pay for?", False),
        ("How do I rent a boat?", False),
        ("How is the length of a boat measured?", False),
        ("Wie miete ich ein Boot?", False),
    ],
)
def test_asking_for_an_amount(question: str, asks: bool) -> None:
    assert asks_amount(question) == asks


@pytest.mark.parametrize(
    ("question", "text", "says"),
    [
        ("How many boats are there?", "There are 12 boats.", True),
        ("How many boats are there?", "A dozen boats lie here.", True),
        ("How many boats are there?", "- 3 boats\n- 4 oars", True),
        ("How many boats may I rent?", "As many as you like.", True),
        ("How many boats are there?", "1. Choose a boat.\n2. Row.", False),
        ("How many boats are there?", "Since 2019 we rent boats, see [the list](boats/12.md).", False),
        ("How many boats are there?", "![boats](boats.png){width=250px} See § 8 and Art. 12.", False),
        ("How many boats are there?", "One of the boats is red.", False),
        ("How long may I keep a boat?", "Bring it back within a day.", True),
        ("How long may I keep a boat?", "Keep it until sunset.", True),
        ("Wie lange darf ich ein Boot behalten?", "Höchstens eine Stunde.", True),
        ("Combien de temps puis-je garder un bateau ?", "Au plus une semaine.", True),
        ("¿Cuántos botes hay?", "Hay cuatro botes.", True),
        ("How often are boats cleaned?", "They are cleaned on the first Tuesday of the month.", True),
        ("How often are boats cleaned?", "They are cleaned on Mondays, and in the third place.", True),
        ("How many days of leave are there?", "You get 30 working days of it.", True),
        ("How many paid sick days are there?", "There are twelve (12) weeks of them.", True),
        ("How many days of leave are there?", "Take as many as you need.", True),
        ("How many days of leave are there?", "A 14-day leave is usual.", True),
        ("How many days of leave are there?", "One of 4 offices gives days off.", False),
        ("How many days of leave are there?", "It is a week.", True),
        ("How many days of leave are there?", "| Leave | Days | 25 |", True),
        ("How many days of leave are there?", "It is a few days.", False),
        ("How many days of leave are there?", "Ask both offices for all days.", False),
        ("How many boats leave for days?", "There are 4 of them.", True),
        ("How many owners must agree?", "A simple majority is enough.", True),
        ("Wie viele Eigner müssen zustimmen?", "Es reicht eine Zweidrittelmehrheit.", True),
        ("How many owners must agree?", "The major owners agree.", False),
        ("How often are boats cleaned?", "They are cleaned before Monday, and first of all.", False),
        ("How much does a boat cost?", "Rent a boat at one of 3 places.", False),
        ("How much does a boat cost?", "It is 5 € an hour.", True),
        ("How much do I pay for a boat?", "Boats are free of charge.", True),
        ("Was kostet ein Boot?", "Die 3 Boote sind kostenlos.", True),
        ("Was kostet ein Boot?", "Es gibt 3 Boote.", False),
        ("What does a boat cost?", "Rent a boat at one of 3 places.", False),
        ("What is the fee for a boat?", "The fee is 5 euros.", True),
        ("How much does a boat cost?", "$ boats rent --for=$NAME", False),
        ("How much does a boat cost?", "$40, or a tenth of the price.", True),
        ("How much does a boat cost?", "It is 10 % of the deposit.", True),
        ("最多可以坐几个人？", "船上有12个座位。", True),
        ("最多可以坐几个人？", "最多可以坐四个人。", True),
        ("最多可以坐几个人？", "2019年开始出租一种船。", False),
        ("料金はいくらですか？", "一時間500円です。", True),
        ("料金はいくらですか？", "ボートは3隻あります。", False),
        ("どのくらい借りられますか？", "一日だけです。", True),
    ],
)
def test_saying_an_amount(question: str, text: str, says: bool) -> None:
    assert says_amount(question, text) == says


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where is broadcasting explained?", "Where is broadcasting?"),
        ("In which chapter are the rules of passage covered", "Where is the rules of passage?"),
        ("Which notebook covers support vector machines?", "Where is support vector machines?"),
        ("Can you tell me where the anchor is documented?", "where the anchor is documented?"),
        ("Which function explains an error?", "Which function explains an error?"),
        ("Where is it explained?", "Where is it explained?"),
    ],
)
def test_who_asks_where_something_is_told_seeks_what_it_is(question: str, asked: str) -> None:
    assert without_frame(question) == asked
