"""What is copied by selecting it, and what is printed: it can be pasted and read elsewhere."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO

import pytest
from browser_parts import Page, StartPage
from pypdf import PdfReader
from test_conversation_in_browser import QUOTE, clipboard

from scripted_server import Recorded

ANSWER = (
    'It rests at $T_0 = 4$ degrees [{n}: "{quote}"].\n\n$$\n\\frac{{a}}{{b}} < c\n$$\n\n'
    "```python\nhours = 18\n\ndays = 0\n```\n\nThe **moon** is \\(\\sqrt{{2}}\\) miles away.\n"
)
CODE = "def rests():\n    return True\n\n\ndef waits():\n    return False\n"


def answering(request: Recorded) -> str:
    text = " ".join(str(message["content"]) for message in request.messages)
    number = text[: text.index(QUOTE)].rpartition('<passage n="')[2].partition('"')[0]
    return ANSWER.format(n=number, quote=QUOTE)


def copied(one: Page, selector: str) -> str:
    """Select an element, as a mouse does from its beginning to its end, and copy it."""
    one.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"], "origin": one.url})
    one.run(
        "document.activeElement.blur(); getSelection().selectAllChildren(document.querySelector(arguments[0]))",
        selector,
    )
    key = {"type": "keyDown", "key": "c", "modifiers": 2, "commands": ["copy"]}
    one.driver.execute_cdp_cmd("Input.dispatchKeyEvent", key)
    return clipboard(one)


def test_what_is_selected_is_copied_as_it_was_written(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough rest?")
    words = copied(one, ".turn")
    assert words.startswith("How long does the dough rest?\n")
    for expected in (
        "It rests at $T_0 = 4$ degrees [1].",
        "$$\\frac{a}{b} < c$$",
        "hours = 18\n\ndays = 0",
        "The moon is $\\sqrt{2}$ miles away.",
    ):
        assert expected in words
    assert not any(button in words for button in ("Copy", "Sources", "Ask again", "Written by"))
    assert one.run("return document.body.lastElementChild.id") == "status"


def test_code_is_copied_with_its_blank_lines_and_without_numbers(page: StartPage) -> None:
    one = page(path="/passage?path=rest.py&start=1&end=6", files={"rest.py": CODE})
    one.wait_for(".code .line")
    assert copied(one, ".code").rstrip() == CODE.rstrip()


def test_sentences_without_support_are_listed_as_they_are_drawn(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough rest?")
    one.one(".turn .weak summary").click()
    item = next(one for one in one.all(".turn .weak li") if "miles" in one.text)
    assert item.find_elements("css selector", "math msqrt")
    assert item.find_element("tag name", "strong").text == "moon"
    assert "\\" not in item.text and "*" not in item.text


@pytest.mark.slow
def test_printed_code_covers_nothing_and_marks_say_where_they_point(page: StartPage) -> None:
    one = page(answering, files={"guide.md": f"# Guide\n\n{QUOTE}\n", "rest.py": CODE * 20})
    one.answered("How long does the dough rest?")
    assert "1: guide.md:3" in printed(one)
    one.open("/search?q=rests+waits")
    one.wait_for(".result .code")
    one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        overflow = "return [...document.querySelectorAll('.code')].map((one) => one.scrollHeight - one.clientHeight)"
        assert set(one.run(overflow)) == {0}
    finally:
        one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def printed(one: Page) -> str:
    data = b64decode(one.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    return " ".join(" ".join(page.extract_text() for page in PdfReader(BytesIO(data)).pages).split())
