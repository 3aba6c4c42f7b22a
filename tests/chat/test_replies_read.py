"""Any reply gives the same parts however its stream is cut: no hidden text is shown, and no text is lost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from chat_parts import Scripted, ask
from hypothesis import given
from hypothesis import strategies as st
from loop_parts import Runs, of_kind

from quaestor import Index
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Called, Done, Text
from quaestor.chat.reply_reader import ReplyReader, repeats_itself
from quaestor.llm import tags
from quaestor.llm.models import Finished
from quaestor.llm.models.capabilities import Capabilities
from quaestor.tools import registry_of

PIECES = ["<|", "|>", "<|search", ' query={"', '"}', "|>", "<|plan ", 'asked={"x"}', "<|result|>", "<|/result|>", "`"]
PIECES += ["```\n", "\n", "text ", '{"name": "search", "arguments": {"query": "x"}}', "[1]", "<tool_call>", "{", "\\"]
SOUP = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
NAMES = ("search", "read")


def read(pieces: Sequence[str], *, marks: bool, finished: Finished) -> tuple[str, ReplyReader]:
    reading = ReplyReader(NAMES, tags.Parser({*NAMES, *tags.Tag}), tags.Shown(), marks=marks)
    shown = "".join(map(reading.feed, pieces))
    return shown + reading.finish(finished), reading


@given(SOUP, st.booleans(), st.sampled_from(["stop", "length", "tool_calls"]), st.data())
def test_a_reply_is_read_the_same_however_it_is_cut(text: str, marks: bool, reason: str, data: st.DataObject) -> None:
    finished = Finished(reason=reason)  # type: ignore[arg-type]
    whole, first = read([text], marks=marks, finished=finished)
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8))), len(text)]
    cut, second = read([text[a:b] for a, b in pairwise(cuts)], marks=marks, finished=finished)
    assert cut == whole
    assert (second.calls, second.plan, second.goes_on) == (first.calls, first.plan, first.goes_on)
    assert second.full_text == first.full_text
    assert first.visible_text == whole
    if not first.calls:
        assert first.full_text in (text, text + tags.CLOSING)


@given(SOUP)
def test_what_is_shown_is_what_stripping_leaves(text: str) -> None:
    shown, reading = read([text], marks=True, finished=Finished(reason="length"))
    parser, visible = tags.Parser({*NAMES, *tags.Tag}), tags.Shown()
    stripped = visible.take(parser.feed(text)) + visible.take(parser.close(cut=True))
    assert stripped.startswith(shown)
    assert text.startswith(reading.full_text)
    assert reading.calls or (shown, reading.full_text) == (stripped, text)


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("continues", [False, True])
def test_turns_of_any_soup_come_to_their_end(corpus: Index, native: bool, continues: bool) -> None:
    runs = Runs(corpus)

    @given(st.lists(SOUP, min_size=1, max_size=4))
    def check(replies: list[str]) -> None:
        model = Scripted(*replies)
        model.capabilities = Capabilities(native_tools=native, continues_assistant=continues)
        conversation = Conversation(corpus, model, subroutines=runs.registry)
        events = ask(conversation, "why?")
        assert isinstance(events[-1], Done)
        shown = "".join(event.text for event in of_kind(events, Text))
        assert shown.strip() == events[-1].answer.strip() or not events[-1].known
        assert len(of_kind(events, Called)) <= conversation.settings.calls

    check()


def test_every_subroutine_has_its_tag(corpus: Index) -> None:
    assert set(registry_of(corpus).names) <= set(tags.Tag)


def test_the_brief_suits_the_corpus(corpus: Index) -> None:
    def begun(index: Index) -> str:
        return Conversation(index, Scripted("Yes.")).messages[0].content.partition(".")[0]

    assert "corpus of code and documents" in begun(corpus)
    (corpus.root / "more.md").write_text("# More\n\nThere is more of it.\n", encoding="utf-8")
    corpus.refresh()
    assert "a corpus of documents" in begun(corpus)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>\nHm, <|search|> ...\n</think>\n\nIt is so.", "It is so."),
        ("\n <think>x</think>It is so.", "It is so."),
        ("<think>never ended", ""),
        ("It thinks: <think>x</think>.", "It thinks: <think>x</think>."),
        ("<thinking>x", "<thinking>x"),
        ("<thin", "<thin"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_thoughts_before_a_reply_are_left_out(text: str, shown: str, size: int) -> None:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    found, reading = read(pieces, marks=True, finished=Finished("stop"))
    assert (found, reading.calls) == (shown, [])


@given(
    st.text(st.sampled_from("abc. \n"), max_size=500), st.text(st.sampled_from("defg .\n"), min_size=1, max_size=600)
)
def test_a_passage_without_end_is_noticed(before: str, passage: str) -> None:
    said = any(map(str.isalnum, passage))
    assert repeats_itself(before + passage * (2_400 // len(passage) + 1)) == said
    assert not repeats_itself(f"{before}\n```\n{passage * 2_400}"), "rows of an open block of code may be alike"


@given(st.integers(1, 10_000))
def test_what_counts_on_does_not_repeat_itself(first: int) -> None:
    assert not repeats_itself("".join(f"{number}. One of the steps.\n" for number in range(first, first + 300)))


def test_three_times_the_same_is_no_repetition_without_end() -> None:
    assert not repeats_itself("It is so, and it stays so whatever happens. " * 3)
    assert not repeats_itself(f"| name | value |\n|{'-' * 700}")
