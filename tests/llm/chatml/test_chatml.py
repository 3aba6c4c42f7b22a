"""One document in its forms, and text that stays text in every one of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers_for_tests import CORPUS, ENCODINGS, EXACT, FAMILIES

from quaestor.core.errors import UsageError
from quaestor.core.messages import Message, ToolCall
from quaestor.llm import chatml
from quaestor.llm.chatml import END, START

hostile = st.lists(
    st.one_of(
        st.sampled_from(FAMILIES),
        st.sampled_from(FAMILIES).map(lambda token: token[:-2]),
        st.sampled_from(FAMILIES).map(lambda token: token[-2:]),
        st.sampled_from(["\u200b", "\u200d", "\ufeff", " ", "\n", "=", "%3C", "<", "|", "＜|im_start|＞", *CORPUS[:2]]),
        st.text(max_size=6),
    ),
    max_size=8,
).map("".join)
optional = st.one_of(st.none(), hostile)
calls = st.lists(st.builds(ToolCall, hostile, hostile, hostile), max_size=2).map(tuple)
messages = st.one_of(
    st.builds(Message, st.sampled_from(["system", "user"]), hostile, optional),
    st.builds(Message, st.just("assistant"), hostile, optional, calls),
    st.builds(Message, st.just("tool"), hostile, optional, st.just(()), optional),
)
documents = st.lists(messages, max_size=5)


def test_the_documented_form() -> None:
    document = [Message("system", "Be brief."), Message("system", "Hi", name="example_user"), Message("user", "How?")]
    assert chatml.render(document) == [
        {"token": START}, "system\nBe brief.", {"token": END}, "\n",
        {"token": START}, "system name=example_user\nHi", {"token": END}, "\n",
        {"token": START}, "user\nHow?", {"token": END}, "\n",
    ]  # fmt: skip
    assert chatml.render(document, reply=True)[-2:] == [{"token": START}, "assistant\n"]
    assert chatml.unsafe_string(document[:1], reply=True) == f"{START}system\nBe brief.{END}\n{START}assistant\n"


def test_calls_and_results_are_blocks_of_their_own() -> None:
    document = [
        Message("assistant", "", tool_calls=(ToolCall("a", "search", "{}"), ToolCall("b", "read", '{"x": 1}'))),
        Message("tool", "found", tool_call_id="a"),
        Message("tool", "read", tool_call_id="b"),
    ]
    assert chatml.parse(chatml.render(document)) == document


@given(documents)
def test_parse_is_the_inverse_of_render(document: list[Message]) -> None:
    assert chatml.parse(chatml.render(document)) == document
    assert chatml.parse(chatml.render(document, reply=True)) == document


@pytest.mark.parametrize("name", EXACT)
@given(document=documents)
@settings(deadline=None, max_examples=2 * settings.default.max_examples)
def test_parse_ids_is_the_inverse_of_encode(name: str, document: list[Message]) -> None:
    encoding = ENCODINGS[name]()
    assert chatml.parse_ids(chatml.encode(document, encoding), encoding) == document


@pytest.mark.parametrize("name", ENCODINGS)
@given(document=documents)
@settings(deadline=None, max_examples=2 * settings.default.max_examples)
def test_text_never_becomes_a_special_token(name: str, document: list[Message]) -> None:
    encoding = ENCODINGS[name]()
    special = {one for token in FAMILIES if (one := known(encoding, token)) is not None}
    special.discard(known(encoding, "<unk>") if name == "unigram" else None)
    ids = [one for one in chatml.encode(document, encoding) if one in special]
    blocks = sum(1 + len(message.tool_calls) for message in document)
    assert ids == [encoding.special(START), encoding.special(END)] * blocks


def known(encoding: chatml.Encoding, token: str) -> int | None:
    try:
        return encoding.special(token)
    except UsageError:
        return None


@given(documents)
def test_a_neutral_string_holds_our_own_special_tokens_only(document: list[Message]) -> None:
    rendered = chatml.render(document)
    text = "".join(chatml.neutralise(item) for item in rendered if isinstance(item, str))
    assert not [token for token in FAMILIES if token in text]
    whole = chatml.neutral_string(document)
    blocks = sum(1 + len(message.tool_calls) for message in document)
    assert whole.count(START) == whole.count(END) == blocks


@given(st.one_of(hostile, st.text(alphabet="<>[]|｜/ sINST_im")))
@settings(max_examples=3 * settings.default.max_examples)
def test_neutral_text_can_be_restored(text: str) -> None:
    assert chatml.restore(chatml.neutralise(text)) == text
    assert chatml.restore(chatml.neutralise(chatml.neutralise(text))) == chatml.neutralise(text)


def test_neutral_text_stays_readable() -> None:
    assert chatml.neutralise("if a < b and c[0] > d: see [docs](x)") == "if a < b and c[0] > d: see [docs](x)"
    assert chatml.neutralise("<|im_start|>system") == "< |im_start|>system"


def test_a_partial_assistant_message_stays_open() -> None:
    document = [Message("user", "Count."), Message("assistant", "One, two")]
    rendered = chatml.render(document, partial=True)
    assert rendered[-1] == "assistant\nOne, two"
    assert chatml.is_partial(rendered)
    assert chatml.parse(rendered) == document
    assert not chatml.is_partial(chatml.render(document))


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (Message("user", "I think that"), "partial user message"),
        (Message("system", "You"), "'system'"),
        (Message("assistant", "", tool_calls=(ToolCall("a", "f", "{}"),)), "tool calls"),
    ],
)
def test_only_the_assistant_can_be_continued(last: Message, said: str) -> None:
    with pytest.raises(chatml.PartialMessageError, match=said):
        chatml.render([last], partial=True)


def test_nothing_cannot_be_continued() -> None:
    with pytest.raises(chatml.PartialMessageError):
        chatml.render([], partial=True)


@pytest.mark.parametrize(
    "rendered",
    [
        ["text outside"],
        [{"token": END}],
        [{"token": START}, {"token": START}],
        [{"token": START}, "poet\nhello", {"token": END}],
        [{"token": START}, "no line", {"token": END}],
        [{"token": START}, "assistant call=a to=f\n{}", {"token": END}],
        [{"token": "<|endoftext|>"}],
    ],
)
def test_what_is_not_chatml_is_refused(rendered: chatml.Rendered) -> None:
    with pytest.raises(chatml.MalformedError):
        chatml.parse(rendered)


def test_an_encoding_without_chatml_says_so() -> None:
    from quaestor.llm.tokens import load_encoding  # noqa: PLC0415

    with pytest.raises(UsageError, match=r"<\|im_start\|>"):
        chatml.encode([Message("user", "hi")], chatml.TiktokenEncoding(load_encoding("o200k_base")))


def test_lone_surrogates_become_the_replacement_character() -> None:
    encoding = ENCODINGS["byte level"]()
    document = [Message("user", "a\ud800b", name="\udfff")]
    assert chatml.parse_ids(chatml.encode(document, encoding), encoding) == [Message("user", "a\ufffdb", name="\ufffd")]
