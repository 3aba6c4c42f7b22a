"""Answers that do not come to their end, or not at once: stopped, failed, left, asked again, waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from browser_parts import DESKTOP, Page, StartPage
from selenium.webdriver import Chrome
from selenium.webdriver.common.keys import Keys
from served import Running, running, write

from quaestor.core.config import Settings
from quaestor.server.http.served_from_settings import served_of
from quaestor.server.open_corpora import Corpora
from scripted_server import Recorded, Reply, ScriptedServer, endless
from server.http.workers.worker_parts import serving as started
from server.http.workers.worker_parts import until

QUESTION = "How long does the dough rest in the refrigerator?"
RESTS = "It rests for eighteen hours."


def slow(*_: object) -> Reply:
    return endless("The dough rests and rests [1]. ")


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
    one.wait(lambda: one.text(".turn[data-turn='1']") == "An earlier attempt that was stopped")
    one.driver.refresh()
    assert [turn.text.split("\n")[0] for turn in one.all(".turn")] == ["An earlier attempt that was stopped", QUESTION]
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


@pytest.mark.slow
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


def test_an_answer_goes_on_when_its_page_is_reloaded_or_left(page: StartPage) -> None:
    may_end = threading.Event()

    def held(_: object) -> Reply:
        assert may_end.wait(600)
        return Reply([RESTS])

    one = page(held)
    one.ask(QUESTION)
    one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
    one.driver.refresh()
    # It is followed from its beginning: what is being done stands there again.
    one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
    address = one.driver.current_url
    one.open("/search")
    may_end.set()
    one.driver.get(address)
    assert RESTS in one.wait_for(".turn[data-state=done]").text
    assert len(one.all(".turn")) == 1


@contextmanager
def another_tab(one: Page, address: str) -> Iterator[None]:
    """Open a second tab, and go back to the first in the end."""
    first = one.driver.current_window_handle
    one.driver.switch_to.new_window("tab")
    try:
        one.size(*DESKTOP).driver.get(address)
        yield
    finally:
        one.driver.close()
        one.driver.switch_to.window(first)


def test_a_second_tab_follows_the_answer_and_its_refused_question_stays(page: StartPage) -> None:
    may_end = threading.Event()

    def script(request: Recorded) -> Reply:
        assert may_end.wait(600)
        return Reply([RESTS if QUESTION in request.last else "Cold."])

    one = page(script)
    one.ask(QUESTION)
    one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
    with another_tab(one, one.driver.current_url):
        one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
        one.ask("And why so long?")
        one.wait_for("#refused")
        assert (
            one.text("#refused")
            == "The previous answer is still being written. Wait for it to finish, or stop it, then send this."
        )
        assert one.one("#question").get_attribute("value") == "And why so long?"
        may_end.set()
        assert RESTS in one.wait_for(".turn[data-state=done]").text
        one.press(Keys.ENTER)
        assert "Cold." in one.wait_for(".turn[data-turn='2'][data-state=done]").text
        assert not one.one("#refused").is_displayed()
    # What was asked there is here as well.
    one.wait(lambda: "Cold." in one.text(".turn[data-turn='2']"))


def test_a_question_that_the_server_refuses_stays_with_the_reason(page: StartPage) -> None:
    """Another device asks in the same conversation; then somebody deletes it; then the server is gone."""
    may_end = threading.Event()

    def script(_: Recorded) -> Reply:
        assert may_end.wait(600)
        return Reply([RESTS])

    one = page(script)
    session = httpx.post(f"{one.url}/api/sessions", json={}, timeout=600).json()["id"]
    one.open(f"/sessions/{session}")
    with httpx.stream("POST", f"{one.url}/api/sessions/{session}/turns", json={"question": QUESTION}, timeout=600):
        one.ask("And why so long?")
        one.wait_for("#refused")
        assert "Wait for its end, or stop it" in one.text("#refused")
        assert one.one("#question").get_attribute("value") == "And why so long?"
    # The page shows what the other device asked for.
    one.wait(lambda: one.text(".turn.streaming .question") == QUESTION)
    may_end.set()
    one.wait_for(".turn[data-state=done]")
    assert httpx.delete(f"{one.url}/api/sessions/{session}", timeout=600).status_code == 204
    one.press(Keys.ENTER)
    one.wait(lambda: "was deleted" in one.text("#refused"))
    assert one.one("#question").get_attribute("value") == "And why so long?"
    one.press(Keys.ENTER)
    assert RESTS in one.wait_for(".turn:last-of-type[data-turn='1'][data-state=done]").text
    assert session not in one.driver.current_url
    one.driver.get_log("browser")  # of what was refused


def test_what_is_typed_is_there_after_a_reload(page: StartPage) -> None:
    one = page([RESTS])
    one.one("#question").send_keys("How long does")
    one.driver.refresh()
    assert one.one("#question").get_attribute("value") == "How long does"
    one.answered(" the dough rest?")
    assert one.text(".turn .question") == "How long does the dough rest?"
    one.driver.refresh()
    assert one.one("#question").get_attribute("value") == ""


def test_where_nothing_can_be_kept_the_page_works_and_asks_before_it_is_left(page: StartPage) -> None:
    one = page([RESTS])
    one.before_each_page("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }")
    one.open("/")
    one.one("#question").send_keys("How long")
    # A driver answers what the browser asks, so the event that makes it ask is sent.
    assert one.run("return !dispatchEvent(new Event('beforeunload', {cancelable: true}))")
    assert one.one("#question").get_attribute("value") == "How long"
    assert RESTS in one.answered(" does it rest?").text


def is_ready(url: str) -> bool:
    try:
        return bool(httpx.get(f"{url}/healthz", timeout=600).json()["ready"])
    except httpx.TransportError:
        return False


def cut_off(server: Running) -> None:
    """Break every connection to a server."""
    for connection in list(server.server.server_state.connections):
        connection.loop.call_soon_threadsafe(connection.transport.abort)


def test_an_answer_is_there_when_the_connection_comes_back(chromium: Chrome, server: Callable[..., Running]) -> None:
    may_end = threading.Event()

    def script(_: Recorded) -> Reply:
        assert may_end.wait(600)
        return Reply([RESTS])

    serving = server(script)
    one = Page(chromium, serving.url).open()
    one.ask(QUESTION)
    one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
    cut_off(serving)
    one.wait(lambda: "The connection was lost" in one.text(".turn.streaming .now"))
    one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
    may_end.set()
    assert RESTS in one.wait_for(".turn[data-state=done]").text
    chromium.get("about:blank")
    chromium.get_log("browser")  # of what broke


@pytest.mark.slow
def test_a_server_that_is_started_again_shows_what_became_of_the_answer(chromium: Chrome, tmp_path: Path) -> None:
    folder, home = write(tmp_path / "kitchen"), tmp_path / "home"
    with ScriptedServer(slow) as model:
        settings = {"QUAESTOR_MODEL": "tiny", "QUAESTOR_BASE_URL": model.base_url}
        _ask_and_restart(chromium, folder, home, settings)


def _ask_and_restart(chromium: Chrome, folder: Path, home: Path, settings: dict[str, str]) -> None:
    with started(folder, home, workers=1, **settings) as first:
        until(lambda: is_ready(first.url))
        one = Page(chromium, first.url).open()
        begun(one)
        first.process.kill()
        one.wait(lambda: "The connection was lost" in one.text(".turn.streaming .now"))
        assert "rests and rests" in one.text(".turn.streaming .live")
        one.ask("Is it cold there?")
        one.wait(lambda: one.text("#refused").startswith("The server cannot be reached."))
    with started(folder, home, workers=1, port=int(first.url.rpartition(":")[2]), **settings):
        turn = one.wait_for(".turn[data-state=unfinished]")
        assert "This answer was interrupted: the server stopped while it was being written." in turn.text
        assert one.one("#question").get_attribute("value") == "Is it cold there?"
        assert one.one("[data-do=again]").is_displayed()
    chromium.get("about:blank")
    chromium.get_log("browser")  # of what could not be reached


@pytest.mark.slow
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
        assert threading.current_thread() is threading.main_thread() or may_begin.wait(600)
        return settings

    with Corpora([write(tmp_path / "kitchen")], late) as corpora, running(served_of(corpora, settings)) as server:
        one = Page(chromium, server.url).open()
        assert "Indexing kitchen: its files are being counted" in one.text("header")
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
