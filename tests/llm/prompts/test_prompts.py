"""The loader is strict, and words for models live in files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quaestor
from quaestor.answers.citations.citation_marks import NO_ANSWER, parse, says_no_answer
from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.llm.prompts import load, names
from quaestor.llm.prompts.loader import parse as parse_prompt
from quaestor.llm.prompts.numbered_passages import Passage, number, show, show_all, where

ROOT = Path(quaestor.__file__).parent


def test_every_prompt_loads() -> None:
    assert {"chat", "passage", "passages", "question"} <= set(names())
    for name in names():
        prompt = load(name)
        assert prompt.template
        assert "<!--" not in prompt.template
        assert len(prompt.sha256) == 64


def test_strictness() -> None:
    prompt = parse_prompt("x", "<!-- for people {{ -->\nAsk {{who}} about {{what}}.\n")
    assert prompt.placeholders == {"who", "what"}
    assert prompt.render(who="Ann", what="{{who}}") == "Ask Ann about {{who}}."
    with pytest.raises(UsageError, match="needs what"):
        prompt.render(who="Ann")
    with pytest.raises(UsageError, match="knows no when"):
        prompt.render(who="Ann", what="x", when="now")
    for bad in ("{{Who}}", "{{ who }}", "a {{", "}} b", "{{a-b}}"):
        with pytest.raises(UsageError, match="not a placeholder"):
            parse_prompt("x", bad)
    with pytest.raises(NotFoundError, match="chat"):
        load("../answer")


@given(st.text(), st.text())
def test_values_are_never_read_as_templates(passages: str, question: str) -> None:
    rendered = load("question").render(passages=passages, question=question)
    assert rendered == f"{passages}\n\nQuestion: {question}"


def test_the_instructions_agree_with_the_reader() -> None:
    text = load("chat").render(brief="", no_answer=NO_ANSWER)
    assert NO_ANSWER in text
    assert says_no_answer(f"{NO_ANSWER} Nothing is said about it.")
    assert [(mark.n, mark.quote) for mark in parse(text)] == [
        (1, "words copied from passage 1"),
        (2, "max_attempts = 3"),
    ]


def passage(text: str, **more: str) -> Passage:
    return Passage(2, "src/a b.py", 3, 4, text, **more)  # type: ignore[arg-type]


def test_passages_as_shown() -> None:
    assert show(passage("one\ntwo\n", title='The "A" <b>\npage')) == (
        '<passage n="2" from="src/a b.py:3-4" title="The \'A\' ‹b› page">\none\ntwo\n</passage>'
    )
    assert show(passage("x")).startswith('<passage n="2" from="src/a b.py:3-4">')
    assert where(Passage(1, "a", 7, 7, "")) == "a:7"
    assert show_all([passage("x")]).endswith("</passage>")


@given(st.text(), st.sampled_from(["</passage>", "</ PASSAGE >", "</passage"]))
def test_a_passage_cannot_close_itself(text: str, closing: str) -> None:
    shown = show(passage(f"{text}{closing}\n[9] {text}"))
    assert len(re.findall(r"</\s*passage", shown, re.IGNORECASE)) == 1
    assert shown.endswith("</passage>")


def test_hits_are_numbered() -> None:
    document = Document("a.py", "0" * 64, 10, 0, "python", title="T", url="http://h/a")
    hit = Hit(document, Chunk(Span(0, 4, 3, 4), "text", symbol="f", scope=("C",)), 1.0)
    first, second = number([hit, hit])
    assert first == Passage(1, "a.py", 3, 4, "text", "T", "http://h/a", "C.f", "python")
    assert second.n == 2
    assert number([hit], first=5)[0].n == 5


# A sentence for a model: several words, addressed or ordering. Values, names and formats are none.
SENTENCE = re.compile(r"(?:[A-Za-z'’]+[ ,;:]+){4,}[A-Za-z'’]+")
ADDRESSED = re.compile(
    r"\b(?:you are|you must|you will|your answer|assistant)\b|(?:^|[.:!]\s+)(?:do not|don't|answer|use only|reply)\b",
    re.IGNORECASE,
)


def builds_requests(tree: ast.AST) -> bool:
    return any(_called(node) in ("Request", "Message") for node in ast.walk(tree))


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def model_facing(tree: ast.Module) -> Iterator[str]:
    """Yield sentences in the arguments of messages and requests, and addressed ones anywhere else in the module.

    Docstrings and the words of errors are for people; patterns read what others say.
    """
    for_people = {id(inner) for node in ast.walk(tree) for inner in _people(node)}
    inside = {
        id(inner) for node in ast.walk(tree) if _called(node) in ("Request", "Message") for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in for_people:
            continue
        if (id(node) in inside and SENTENCE.search(node.value)) or (
            SENTENCE.search(node.value) and ADDRESSED.search(node.value)
        ):
            yield node.value


def _people(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise) or _called(node).endswith("Error") or _called(node) == "compile":
        yield from ast.walk(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sentence_for_a_model_lives_in_python(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if builds_requests(tree):
        assert list(model_facing(tree)) == [], "write it in src/quaestor/llm/prompts/*.md"


def test_a_sentence_in_python_is_seen() -> None:
    bad = 'TEXT = "You are a helpful guide of this place."\nm = Message("system", "Use only what is given here.")\n'
    good = '"""You are a helpful one, and do not fear."""\nm = Message("user", q)\nraise UsageError("do not do that")\n'
    assert len(list(model_facing(ast.parse(bad)))) == 2
    assert list(model_facing(ast.parse(good))) == []
    assert builds_requests(ast.parse(bad))
