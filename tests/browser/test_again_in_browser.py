"""Answers that do not come to their end, or not at once: stopped, failed, left, asked again, waited for."""

from __future__ import annotations

import threading
from pathlib import Path

from browser_parts import Page, StartPage
from selenium.webdriver import Chrome
from selenium.webdriver.common.keys import Keys
from served import running, write

from quaestor.core.config import Settings
from quaestor.server.http.served_from_settings import served_of
from quaestor.server.open_corpora import Corpora
from scripted_server import Reply, in_pieces

QUESTION = "How long does the dough rest in the refrigerator?"
RESTS = "It rests for eighteen hours."


def slow(*_: object) -> Reply:
    return Reply(in_pieces("The dough rests and rests [1]. " * 200), pause=0.02)


def begun(one: Page) -> None:
    one.ask(QUESTION)
    one.wait(lambda: "rests and rests" in one.text(".turn.streaming .live"))


def test_a_stopped_answer_keeps_what_there_was_and_can_be_asked_again(page: StartPage) -> None:
    replies = iter([slow(), RESTS])
    one = page(lambda _: next(replies))
    begun(one)
    one.press(Keys.ESCAPE)
    stopped = one.wait_for(".turn[data-state=cancelled]")
    assert "This answer was stopped before its end." in stopped.text
    assert "rests and rests" in stopped.text
    # What it cites was never checked, and can be looked at all the same.
    assert one.one(".turn .cite.unchecked").get_attribute("href").endswith("/turns/1/sources/0")
    one.one("[data-do=again]").click()
    assert RESTS in one.wait_for(".turn[data-turn='2'][data-state=done]").text
    one.wait(lambda: one.text(".turn[data-turn='1']") == "An earlier try that was stopped")
    one.driver.refresh()
    assert [turn.text.split("\n")[0] for turn in one.all(".turn")] == ["An earlier try that was stopped", QUESTION]
    one.one(".superseded summary").click()
    assert "rests and rests" in one.text(".turn[data-turn='1']")


def test_a_failed_answer_says_why_and_can_be_tried_again(page: StartPage) -> None:
    replies = iter([Reply(status=400, error="the model <i id=made>is not</i> loaded"), RESTS])
    one = page(lambda _: next(replies))
    turn = one.answered(QUESTION, "failed")
    assert "the model <i id=made>is not</i> loaded" in turn.text
    assert not one.all("#made")
    one.one("[data-do=again]").click()
    assert RESTS in one.wait_for(".turn[data-turn='2'][data-state=done]").text


def test_a_whole_answer_can_be_asked_for_again_and_only_the_last(page: StartPage) -> None:
    replies = iter([RESTS, "It rests for long.", "In short: it rests."])
    one = page(lambda _: next(replies))
    one.answered(QUESTION)
    one.answered("And then?")
    [again] = one.all("[data-do=again]")
    again.click()
    third = one.wait_for(".turn[data-turn='3'][data-state=done]")
    assert third.text.startswith("And then?")
    one.wait(lambda: len(one.all("[data-do=again]")) == 1)


def test_a_page_that_is_left_while_it_answers_shows_what_there_was(page: StartPage) -> None:
    one = page([slow()])
    begun(one)
    one.driver.refresh()
    # Whoever leaves cancels the turn; the page shows that as soon as it is on record.
    turn = one.wait_for(".turn[data-state=cancelled]")
    assert "rests and rests" in turn.text
    assert one.one("[data-do=again]").is_displayed()


def test_an_answer_of_another_tab_appears_when_it_is_there(page: StartPage) -> None:
    one = page([Reply(in_pieces("It rests for eighteen hours."), pause=0.3)])
    one.ask(QUESTION)
    one.wait_for(".turn.streaming .live")
    address, first = one.driver.current_url, one.driver.current_window_handle
    one.driver.switch_to.new_window("tab")
    try:
        one.driver.get(address)
        assert "This answer is still being written." in one.text(".turn[data-state=running]")
        assert RESTS in one.wait_for(".turn[data-state=done]").text
    finally:
        one.driver.close()
        one.driver.switch_to.window(first)


def test_a_conversation_is_listed_as_soon_as_it_has_begun(page: StartPage) -> None:
    one = page([slow()])
    begun(one)
    one.wait(lambda: one.text("#heading") == QUESTION)
    assert one.one("#conversations a[aria-current=page]").text == QUESTION
    assert one.all(".turn.streaming")
    one.press(Keys.ESCAPE)
    one.wait_for(".turn[data-state=cancelled]")


def test_what_is_asked_before_the_index_is_made_is_answered_when_it_is(chromium: Chrome, tmp_path: Path) -> None:
    settings, may_begin = Settings(home=str(tmp_path / "home"), requests_per_minute=0), threading.Event()

    def late(_: Path) -> Settings:
        assert threading.current_thread() is threading.main_thread() or may_begin.wait(60)
        return settings

    with Corpora([write(tmp_path / "kitchen")], late) as corpora, running(served_of(corpora, settings)) as server:
        one = Page(chromium, server.url).open()
        assert "Indexing kitchen: counting files" in one.text("header")
        one.ask(QUESTION)
        one.wait(lambda: "is still being made" in one.text(".turn.streaming .now"))
        chromium.switch_to.new_window("tab")
        searching = Page(chromium, server.url).open("/search?q=refrigerator")
        assert "is still being made" in searching.text("main")
        may_begin.set()
        assert "eighteen hours" in searching.wait_for(".result").text
        chromium.close()
        chromium.switch_to.window(chromium.window_handles[0])
        assert "eighteen hours" in one.wait_for(".turn[data-state=done]").text
        assert not one.one("#indexing").is_displayed()
        chromium.get("about:blank")
        chromium.get_log("browser")  # of what was asked too early


def test_a_long_conversation_begins_with_its_newest_turns(page: StartPage) -> None:
    one = page()
    session = one.driver.execute_async_script(
        "const done = arguments[0];"
        "const post = (path, body) => fetch(path, {method: 'POST', body: JSON.stringify(body),"
        " headers: {'content-type': 'application/json'}});"
        "(async () => { const {id} = await (await post('/api/sessions', {})).json();"
        " for (let n = 1; n < 55; n += 1) await (await post(`/api/sessions/${id}/turns`, {question: `${n}?`})).text();"
        " return id; })().then(done)"
    )
    one.open(f"/sessions/{session}")
    one.wait(lambda: one.all(".turn"))  # the page fetches them once it is loaded
    assert [turn.get_attribute("data-turn") for turn in one.all(".turn")] == [str(n) for n in range(5, 55)]
    one.one(".earlier a").click()
    one.wait(lambda: len(one.all(".turn")) == 54)
    assert not one.all(".earlier")
