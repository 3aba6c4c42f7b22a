"""Questions about a name are told by all the words beside it, in any order and in six languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.search.callers_question import read_callers_question
from quaestor.search.names_in_question import NAME_MARK, names_of_code, plain_name, read_name_question, shape_of

NAMES = st.from_regex(r"[a-z]{3,8}(?:_[a-z]{3,8}){1,2}|[A-Z][a-z]{3,8}[A-Z][a-z]{3,8}", fullmatch=True)
USES = """Give me every place that uses {}|Where in the code is {} used?|In how many places is {} used?
Is {} still used?|Is the function {} dead code?|Can I remove {} safely?|Does anyone call {}?
If I rename {}, what do I have to update?|What is affected by a change to {}?|I need to know where {} is used
Wo wird die Funktion {} verwendet?|Wird {} noch irgendwo benutzt?|Was geht kaputt, wenn ich {} ändere?
Alle Verwendungen von {}|Où est utilisée la classe {} ?|Quels fichiers utilisent {} ?
Qu'est-ce qui casse si je change {} ?|¿Dónde se usa la clase {}?|¿Todavía se usa {}?|¿Puedo borrar {}?
谁调用了{}？|{}在哪里使用？|修改 {} 会影响哪些代码？|{}はどこで使われていますか？|どの関数が {} を呼び出しますか？"""
SUBTYPES = """What are the subclasses of {}?|Which classes are derived from {}?|does anything implement {}?
Find all implementations of {}|Welche Klassen erben von {}?|Quelles classes implémentent {} ?
¿Qué clases heredan de {}?|哪些类实现了 {}？|{} を継承しているクラスは？"""
PLACES = """In which file is {} defined?|Which file defines {}?|where can I find the definition of {}?
where is the {} function defined?|Wo ist die Klasse {} definiert?|In welcher Datei ist {} definiert?
Où {} est-elle définie ?|¿Dónde se define {}?|{} 定义在哪个文件？|{}はどこに定義されていますか？"""
RETURNS = """What does {} return?|What is the return type of {}?|Was gibt die Funktion {} zurück?|Que renvoie {} ?
¿Qué devuelve {}?|{} 的返回值是什么？|{} は何を返しますか？"""
SIGNATURES = """Which arguments does {} take?|Show me the signature of {}|what are the parameters of {}
Welche Parameter hat {}?|Quels arguments prend {} ?|¿Cuáles son los parámetros de {}?
{} 有哪些参数？|{} の引数は何ですか？"""

WORKINGS = """How does {} work?|how is the function {} implemented?|Wie funktioniert {}?|Comment fonctionne {} ?
¿Cómo funciona {}?|{} 是如何工作的？|{} はどのように動作しますか？"""


def forms(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from([form for line in text.split("\n") for form in line.split("|")])


@given(NAMES, forms(USES))
def test_who_uses_a_name(name: str, form: str) -> None:
    found = read_callers_question(form.format(name))
    assert found is not None
    assert (found.target, found.kind, found.relation, found.plain) == (name, "uses", "", False)


@given(NAMES, forms(SUBTYPES))
def test_what_inherits_from_a_name(name: str, form: str) -> None:
    found = read_callers_question(form.format(name))
    assert found is not None
    assert (found.target, found.kind, found.relation) == (name, "uses", "subtypes")


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Which modules import OrderDesk?", "imports"),
        ("Where is OrderDesk raised?", "raises"),
        ("¿Dónde se lanza OrderDesk?", "raises"),
        ("who catches OrderDesk?", "catches"),
        ("哪里捕获了 OrderDesk？", "catches"),
    ],
)
def test_uses_of_one_kind(text: str, relation: str) -> None:
    found = read_callers_question(text)
    assert found is not None
    assert (found.target, found.relation) == ("OrderDesk", relation)


@pytest.mark.parametrize(
    ("forms_of", "aspect"), [(PLACES, "place"), (RETURNS, "returns"), (SIGNATURES, "signature"), (WORKINGS, "working")]
)
def test_what_is_asked_of_a_name(forms_of: str, aspect: str) -> None:
    for form in (form for line in forms_of.split("\n") for form in line.split("|")):
        text = form.format("send_order")
        assert read_callers_question(text) is None, text
        found = read_name_question(text)
        assert found is not None, text
        assert (found.target, found.aspect) == ("send_order", aspect), text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("what functions are called by send_order?", "callees"),
        ("which functions does send_order use", "callees"),
        ("What does shop/desk.py import?", "callees"),
        ("Was ruft send_order auf?", "callees"),
        ("send_order 调用了哪些函数？", "callees"),
        ("is send_order tested?", "tests"),
        ("Welche Tests testen send_order?", "tests"),
        ("Is send_order only used in tests?", "uses"),
        ("Where is send_order?", None),
        ("send_order はどこで定義されていますか？", None),
        ("What does OrderDesk inherit from?", None),
        ("Where is OrderDesk implemented?", None),
        ("Who removed send_order?", None),
        ("what changed in send_order?", None),
        ("when is send_order called", None),
        ("How do I use send_order?", None),
        ("Wie verwende ich send_order?", None),
        ("どのように send_order を使いますか？", None),
    ],
)
def test_what_is_no_question_of_uses(text: str, kind: str | None) -> None:
    found = read_callers_question(text)
    assert (found and found.kind) == kind


@pytest.mark.parametrize(
    ("text", "target", "inside", "outside"),
    [
        ("Is send_order used outside of its own module?", "send_order", "", "."),
        ("in which files is send_order used in the tills folder?", "send_order", "tills", ""),
        ("How many times is send_order called in src/till.py?", "send_order", "src/till.py", ""),
        ("Where in this repository is send_order called?", "send_order", "", ""),
        ("Which classes are derived from OrderDesk?", "OrderDesk", "", ""),
    ],
)
def test_where_uses_are_asked_for(text: str, target: str, inside: str, outside: str) -> None:
    found = read_callers_question(text)
    assert found is not None
    assert (found.target, found.inside, found.outside) == (target, inside, outside)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("where is crontab defined?", "crontab"),
        ("what does crontab return?", "crontab"),
        ("which arguments does the function crontab take?", "crontab"),
        ("where is the timeout defined?", None),
        ("In which file is the Timeout defined?", "Timeout"),
        ("what is the default timeout?", None),
        ("which functions return Client?", None),
    ],
)
def test_a_plain_word_is_a_name_where_that_is_said_of_code_alone(text: str, word: str | None) -> None:
    found = read_name_question(text)
    assert (found and (found.target, found.plain)) == (word and (word, True))


@pytest.mark.parametrize(
    ("text", "word"),
    [("who calls crontab?", "crontab"), ("Is crontab still used?", "crontab"), ("what uses Session?", "Session")],
)
def test_a_plain_word_is_used_if_it_is_defined(text: str, word: str) -> None:
    found = read_callers_question(text)
    assert found is not None
    assert (found.target, found.plain) == (word, True)


@pytest.mark.parametrize(
    ("text", "target", "line"),
    [
        ("what does shop/desk.py:120 do?", "shop/desk.py", 120),
        ("desk.py:120", "desk.py", 120),
        ("what is at desk.py#L120-L130?", "desk.py", 120),
        ("What is on line 7 of shop/desk.py?", "shop/desk.py", 7),
        ("explain shop/desk.py line 7", "shop/desk.py", 7),
        ("what is shop/desk.py?", "shop/desk.py", 0),
    ],
)
def test_a_line_of_a_file(text: str, target: str, line: int) -> None:
    found = read_name_question(text)
    assert found is not None
    assert (found.target, found.line) == (target, line)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what does lists:map/2 do?", ("lists:map",)),
        ("who calls Shop.Orders.send!/3", ("Shop.Orders.send!",)),
        ("what is releases/v2/notes?", ("releases/v2/notes",)),
        ("send_orderはどこ", ("send_order",)),
        ("either/or 3/4", ("either/or", "3/4")),
    ],
)
def test_names_beside_their_arity_and_other_scripts(text: str, names: tuple[str, ...]) -> None:
    assert names_of_code(text) == names


@given(st.text(max_size=300))
def test_any_text_has_a_shape_with_as_many_marks_as_names(text: str) -> None:
    shape, names = shape_of(text)
    assert shape.count(NAME_MARK) == len(names)
    assert plain_name(text) == "" or plain_name(text) in text
