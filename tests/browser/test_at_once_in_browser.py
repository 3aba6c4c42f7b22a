"""What is pressed shows at once that it was, however long the server takes to answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_parts import Page, StartPage
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from quaestor.sessions.named_sessions import FolderSessions

QUOTE = "The dough rests for eighteen hours in the refrigerator."
# Requests of scripts wait until they are let go.
HELD = """
window.atOnce ??= window.fetch;
window.held = [];
window.fetch = (...asked) => new Promise((resolve) => held.push(resolve)).then(() => atOnce(...asked));
"""
LET_GO = "window.fetch = atOnce; held.splice(0).forEach((go) => go())"
# Nothing moves by itself: a caret that blinks would be a change.
STILL = "document.activeElement.blur(); document.documentElement.style.caretColor = 'transparent';"


def changes(one: Page, selector: str) -> bool:
    """Press something, and return whether anybody sees that it was pressed, while the server says nothing."""
    one.run(STILL)
    pressed = one.all(selector)[-1]
    one.run("arguments[0].scrollIntoView({block: 'center'})", pressed)
    before = one.driver.get_screenshot_as_png()
    one.run("arguments[0].click()", pressed)
    one.run(STILL)
    return before != one.driver.get_screenshot_as_png()


def holding(one: Page, path: str) -> Page:
    """Open a page whose scripts' requests wait from when it is loaded."""
    one.open(path)
    one.wait(lambda: not one.all("#starters") or one.all("#starters button"))
    one.run(HELD)
    return one


def test_what_is_pressed_shows_it_before_the_server_answers(page: StartPage) -> None:
    one: Page = page([f'It rests for long [1: "{QUOTE}"].\n\n```python\nhours = 18\n```'] * 9)
    one.answered("How long does the dough rest?")
    address = one.driver.current_url.removeprefix(one.url)
    for selector in (".turn .cite", "a[href$='/sources']", "[data-do=copy]", "[data-do=again]"):
        assert changes(holding(one, address), selector), selector
    holding(one, address).one(".feedback summary").click()
    one.one(".feedback [value=no]").click()
    assert changes(one, ".feedback form .button")
    one.run(LET_GO)
    one.wait(lambda: "Not useful" in one.text(".feedback summary"))
    holding(one, address).one("#question").send_keys("And where?")
    assert changes(one, "#send")
    one.run(LET_GO)
    one.wait_for(".turn[data-turn='2'][data-state=done]")
    holding(one, "/documents").one("[name=name]").send_keys("oven.md")
    one.one("[name=text]").send_keys("The oven is hot.")
    assert changes(one, "#paste button")
    one.run(LET_GO)
    one.wait_for("[data-do=delete-document]")


@pytest.mark.slow
def test_what_leads_to_another_page_shows_that_it_was_pressed(page: StartPage, tmp_path: Path) -> None:
    one: Page = page([f'It rests for long [1: "{QUOTE}"].'])
    one.answered("How long does the dough rest?")
    [session] = FolderSessions(tmp_path / "home/sessions").list()
    marked = "arguments[0].click(); return getComputedStyle(arguments[0]).boxShadow !== 'none'"
    for selector in ("a[href$='/window']", "#conversations a", "#side a[href='/usage']"):
        one.open(f"/sessions/{session.id}")
        assert one.run(marked, one.one(selector)), selector
    # Back again, nothing is marked; nor is what leads nowhere else.
    one.driver.back()
    assert not one.all("[aria-busy=true]")
    assert not one.run(marked, one.one("a[download]"))
    one.open("/search").one("#query").send_keys("dough")
    assert one.run(marked, one.driver.find_element(By.CSS_SELECTOR, "main form button"))


def test_what_comes_too_late_stays_away(page: StartPage) -> None:
    """A panel that was closed while it was loading stays closed; of two the last that was asked for is shown."""
    one: Page = page([f'It rests for long [1: "{QUOTE}"].'])
    one.answered("How long does the dough rest?")
    holding(one, one.driver.current_url.removeprefix(one.url)).one(".turn .cite").click()
    assert one.text("#panel-title") == "Loading"
    one.press(Keys.ESCAPE)
    one.one("a[href$='/sources']").click()
    one.run("held.reverse(); held.shift()()")
    one.wait_for("#panel .source")
    one.run(LET_GO)
    one.run("return new Promise((resolve) => setTimeout(resolve, 300))")
    assert one.text("#panel-title") == "Sources"
    one.press(Keys.ESCAPE)
    assert not one.one("#panel").is_displayed()


def test_a_long_conversation_leaves_the_browser_little_to_look_through(page: StartPage) -> None:
    """Chromium lays out each turn that holds a form when another comes, and walks to a caret below a dialog."""
    one: Page = page([f'It rests for long [1: "{QUOTE}"].'] * 3)
    one.answered("How long does the dough rest?")
    one.answered("And where?")
    holding(one, one.driver.current_url.removeprefix(one.url))
    assert len(one.all(".feedback")) == 2
    assert not one.all(".feedback form")
    one.one(".feedback summary").send_keys(Keys.ENTER)
    assert one.one(".feedback form").is_displayed()
    one.run(LET_GO)
    one.one("#question").send_keys("And when?")
    one.run("getSelection().collapse(document.querySelector('.question'), 0)")
    one.one("[data-do=help]").send_keys(Keys.ENTER)
    assert one.one("#help").is_displayed()
    assert one.run("return getSelection().rangeCount") == 0
    one.press(Keys.ESCAPE)
    one.one("#question").send_keys(" In summer?")
    assert one.one("#question").get_attribute("value") == "And when? In summer?"
