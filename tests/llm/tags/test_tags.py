"""Tags by example: what is a tag, what is text, what is broken."""

from __future__ import annotations

from typing import Any

import pytest

from quaestor.core.errors import UsageError
from quaestor.llm import tags
from quaestor.llm.tags import Broken, Call, Hidden, Text, parse


def one(text: str) -> tags.Part:
    [part] = parse(text)
    return part


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ("<|search|>", {}),
        ('<|search query={"login component"}|>', {"query": "login component"}),
        ('<|search query={"a \\" b"} deep|>', {"query": 'a " b', "deep": True}),
        ("<|search deep |>", {"deep": True}),
        ("<|search deep  wide   |>", {"deep": True, "wide": True}),
        ('<|search query={"Grüße \\u4f60"}|>', {"query": "Grüße 你"}),
        ('<|search query="a b" k=5 fresh=false|>', {"query": "a b", "k": 5, "fresh": False}),
        ("<|search query={'it\\'s \"so\"'}|>", {"query": 'it\'s "so"'}),
        ("<|search query={`two\nlines`}|>", {"query": "two\nlines"}),
        (
            '<|search filter={{"a": [1, 2.5, null], "b": {"c": "}"}}} deep|>',
            {"filter": {"a": [1, 2.5, None], "b": {"c": "}"}}, "deep": True},
        ),
        ('<|search\n  query={"a |> b"}\n|>', {"query": "a |> b"}),
        ('<|search query={"<|read path={1}|>"}|>', {"query": "<|read path={1}|>"}),
        ("<|search ok={true} no={false} none={null} n={-1e3}|>", {"ok": True, "no": False, "none": None, "n": -1000.0}),
        ('<|search query={"\\ud800"}|>', {"query": "\ufffd"}),
    ],
)
def test_calls(written: str, arguments: dict[str, Any]) -> None:
    assert one(written) == Call(written, "search", arguments)


@pytest.mark.parametrize(
    "text",
    [
        "a < b, a <| b and <|>",
        "print <| f x |> g",
        "<|im_start|>system<|im_end|>",
        "<|searches|> <|seam|> <|Search|> <| search|>",
        "<search query={1}|>",
        "`<|search|>` and ``a ` <|search|>`` and ~~~ no fence",
        "```\n<|search|>\n```",
        "```html\n<|search|>\n``` no end\n<|search|>",
        "  ~~~~\n<|search|>\n~~~\n<|search|>\n~~~~\nthen",
        "1. do\n   ```sh\n   <|search|>\n   ```\nthen",
        "> ```\n> <|search|>\n> ```\nthen",
        "``` code ``` then `<|search|>`",
        "\\<|search|>",
        "<|unknown|> <|unknown flag|> <|unknown a=b|>",
    ],
)
def test_text_stays_text(text: str) -> None:
    assert parse(text) == (Text(text),)
    assert tags.strip(text) == text


@pytest.mark.parametrize(
    "before",
    ["```\ncode\n```\n", "`code` ", "`open span\n", "\\\\", "\\` ", "~~~\n```\n~~~\n", "``` a ```\n", "``a`b`` "],
)
def test_behind_code_a_tag_counts(before: str) -> None:
    assert parse(f"{before}<|search|>") == (Text(before), Call("<|search|>", "search"))


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("<|search query={|>", "no closing brace"),
        ('<|search query={"a"|>', "no closing brace"),
        ("<|search query={login}|>", "not JSON"),
        ("<|search query={}|>", "not JSON"),
        ("<|search n={NaN}|>", "NaN"),
        ("<|search n={1e999}|>", "too large"),
        ("<|search a={1} a={2}|>", "given twice"),
        ("<|search a a|>", "given twice"),
        ("<|search a a |>", "given twice"),
        ("<|search a={[1}]}|>", "do not match"),
        ("<|search a=|>", "in braces"),
        ("<|search, please|>", "expected an attribute"),
        ("<|search a|b|>", "cannot follow"),
        (f"<|search a={{{'[' * 100_000}{']' * 100_000}}}|>", "nested"),
        (f"<|search a={{{'9' * 10_000}}}|>", "not JSON"),
        ('<|search query={"never closed', "not closed"),
        ("<|search", "not closed"),
        ("<|sea", "not closed"),
        ("<|search query", "not closed"),
    ],
)
def test_broken_tags_are_hidden_and_explained(written: str, reason: str) -> None:
    part = one(written)
    assert isinstance(part, Broken)
    assert part.raw == written
    assert reason in part.reason
    assert tags.strip(f"Look. {written}") == "Look. "


def test_a_broken_tag_takes_no_more_than_itself() -> None:
    assert parse("<|search (x)\nmore\n\nText.") == (
        Broken("<|search (x)\nmore\n\n", "search", 'expected an attribute such as name={"text"}, or |>'),
        Text("Text."),
    )


def test_hidden_tags_and_blocks() -> None:
    assert one('<|plan asked={"x"} edit={false}|>').name == "plan"  # type: ignore[union-attr]
    block = '<|result of={"search"}|>made up <|search|> <|/plan|><|/result|>'
    assert one(block) == Hidden(block, "result", {"of": "search"}, "made up <|search|> <|/plan|>")
    assert one("<|result|>never closed") == Hidden("<|result|>never closed", "result", {}, "never closed")
    assert one("<|/search|>") == Hidden("<|/search|>", "search")


def test_an_unknown_name_with_a_value_is_a_call() -> None:
    assert one('<|browse url={"x"}|>') == Call('<|browse url={"x"}|>', "browse", {"url": "x"})
    assert one("<|browse url='x' now|>") == Call("<|browse url='x' now|>", "browse", {"url": "x", "now": True})


def test_strip_leaves_no_blank_lines() -> None:
    called = '<|search query={"x"}|>\n<|result|>found<|/result|>'
    reply = f'<|plan asked={{"x"}}|>\n\nLet me look.\n\n{called}\n\n  - It is here <|plan|> now.'
    assert tags.strip(reply) == "Let me look.\n\n  - It is here  now."


def test_nothing_is_held_longer_than_it_must() -> None:
    parser = tags.Parser()
    assert parser.feed("a <") == (Text("a "),)
    assert parser.feed("|se") == ()
    assert parser.held == "<|se"
    assert parser.feed("am|>") == (Text("<|seam|>"),)
    assert parser.feed("`<|search") == (Text("`<|search"),)
    assert parser.in_code


def test_a_single_sign_is_shown_unless_the_reply_was_cut() -> None:
    for cut in (False, True):
        parser = tags.Parser()
        parser.feed("a <")
        assert parser.close(cut=cut) == ((Broken("<", "", "it is not closed with |>"),) if cut else (Text("<"),))


def test_rendering_refuses_what_it_cannot_write() -> None:
    for name, value in (("a b", 1), ("", 1), ("1a", 1), ("a", object()), ("a", float("nan"))):
        with pytest.raises(UsageError):
            tags.render("search", {name: value})


def test_escaped_text_has_no_tags() -> None:
    text = '<|search query={"x"}|> <|/result|> <|im_start|> a <| b'
    assert parse(tags.escape(text)) == (Text('< |search query={"x"}|> < |/result|> < |im_start|> a <| b'),)
