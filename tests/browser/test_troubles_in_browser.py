"""What goes wrong around the page: phones that sleep, other devices, lost connections, full storage, wrong clocks."""

from __future__ import annotations

import json
import shutil
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import websocket
from browser_parts import DESKTOP, PHONE, Page, StartPage
from selenium.webdriver import Chrome
from selenium.webdriver.common.keys import Keys
from served import Running, serving, write
from test_again_in_browser import cut_off

from scripted_server import Recorded, Reply, in_pieces

QUESTION = "How long does the dough rest in the refrigerator?"
RESTS = "It rests for eighteen hours."


def state(one: Page, state: str) -> None:
    """Freeze the tab as a phone does that is locked, or wake it."""
    one.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": state})


@contextmanager
def without_network(one: Page) -> Iterator[None]:
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    one.driver.execute_cdp_cmd("Network.enable", {})
    one.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    try:
        yield
    finally:
        one.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**offline, "offline": False})


def typed(one: Page) -> str:
    return str(one.one("#question").get_attribute("value"))


@pytest.fixture
def alone(chromium: Chrome) -> Iterator[Chrome]:
    """A browser whose complaints are expected: of what was refused, or could not be reached."""
    chromium.delete_all_cookies()
    yield chromium
    chromium.get("about:blank")
    chromium.get_log("browser")


@contextmanager
def device(one: Page, path: str) -> Iterator[None]:
    """Open an address on another device: a browser with storage of its own. Go back to the first in the end."""
    first = one.driver.current_window_handle
    at = one.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
    address = httpx.get(f"http://{at}/json/version", timeout=600).json()["webSocketDebuggerUrl"]
    browser = websocket.create_connection(address, timeout=600, suppress_origin=True)
    context = told(browser, "Target.createBrowserContext")
    made = told(browser, "Target.createTarget", **context, url="about:blank", newWindow=True)
    one.driver.switch_to.window(made["targetId"])
    try:
        one.size(*DESKTOP).driver.get(path)
        yield
    finally:
        one.driver.switch_to.window(first)
        told(browser, "Target.disposeBrowserContext", **context)
        browser.close()


def told(browser: websocket.WebSocket, method: str, **given: object) -> dict[str, Any]:
    """Tell the whole browser something, where a driver speaks only to its tabs, and return what it says."""
    browser.send(json.dumps({"id": 1, "method": method, "params": given}))
    while (said := json.loads(browser.recv())).get("id") != 1:
        pass
    return dict(said["result"])


@pytest.mark.slow
def test_a_locked_phone_finds_the_answer_when_it_wakes(alone: Chrome, server: Callable[..., Running]) -> None:
    may_end = threading.Event()

    def held(_: Recorded) -> Reply:
        assert may_end.wait(600)
        return Reply(in_pieces(RESTS))

    serving = server(held)
    one = Page(alone, serving.url).size(*PHONE).open()
    one.ask(QUESTION)
    one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
    one.one("#question").send_keys("And where?")
    state(one, "frozen")
    # Its connection is cut while it sleeps, and the answer comes to its end.
    cut_off(serving)
    may_end.set()
    time.sleep(2)
    state(one, "active")
    assert RESTS in one.wait_for(".turn[data-state=done]").text
    assert len(one.all(".turn")) == 1
    assert typed(one) == "And where?"


@pytest.mark.slow
def test_three_devices_in_one_conversation_show_the_same_and_keep_what_is_typed(page: StartPage) -> None:
    may_end = threading.Event()

    def script(request: Recorded) -> Reply:
        assert may_end.wait(600)
        return Reply([RESTS if QUESTION in request.last else "Cold."])

    one: Page = page(script)
    one.ask(QUESTION)
    one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
    address = one.driver.current_url
    with device(one, address):
        second = one.driver.current_window_handle
        one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
        one.ask("Is it cold there?")
        one.wait(lambda: "still being written" in one.text("#refused"))
        with device(one, address):
            one.wait(lambda: "tiny reads" in one.text(".turn.streaming .now"))
            one.one("#question").send_keys("half a thought")
            may_end.set()
            assert RESTS in one.wait_for(".turn[data-state=done]").text
            assert typed(one) == "half a thought"
        assert one.driver.current_window_handle == second
        assert RESTS in one.wait_for(".turn[data-state=done]").text
        assert typed(one) == "Is it cold there?"
        one.press(Keys.ENTER)
        assert "Cold." in one.wait_for(".turn[data-turn='2'][data-state=done]").text
    assert RESTS in one.wait_for(".turn[data-turn='1'][data-state=done]").text
    # What was asked on the other is here when somebody comes back to this one.
    one.run("dispatchEvent(new Event('focus'))")
    one.wait(lambda: "Cold." in one.text(".turn[data-turn='2']"))


class Cutting:
    """Stands between a browser and a server, and cuts each connection that sends more than so much, until mended.

    With ``silent`` it is not cut: it takes nothing more, and says nothing.
    """

    def __init__(self, url: str, most: int, *, silent: bool = False) -> None:
        self._server = int(url.rpartition(":")[2])
        self._most = most
        self._silent = silent
        self._ended = threading.Event()
        self._at = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._at.getsockname()[1]}"

    def __enter__(self) -> Cutting:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._at.close()

    def mend(self) -> None:
        self._most = sys.maxsize

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                asking, _ = self._at.accept()
                threading.Thread(target=self._both, args=(asking,), daemon=True).start()

    def _both(self, asking: socket.socket) -> None:
        with asking, socket.create_connection(("127.0.0.1", self._server)) as answering:
            back = threading.Thread(target=self._carry, args=(answering, asking, sys.maxsize), daemon=True)
            back.start()
            self._carry(asking, answering, self._most)
            back.join()

    def _carry(self, one: socket.socket, other: socket.socket, most: int) -> None:
        with suppress(OSError):
            while most > 0 and (data := one.recv(65536)):
                other.sendall(data)
                most -= len(data)
        if most <= 0 and self._silent:
            self._ended.wait()
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@pytest.mark.slow
def test_an_upload_that_breaks_off_is_named_and_can_be_repeated(alone: Chrome, server: Callable[..., Running]) -> None:
    with Cutting(server().url, 1_000_000) as between:
        one = Page(alone, between.url).size(*DESKTOP).open("/documents")
        one.run(
            "const files = new DataTransfer();"
            "files.items.add(new File([arguments[0]], 'tides.md')); files.items.add(new File(['The ebb.'], 'ebb.md'));"
            "upload.elements.files.files = files.files",
            "The flood begins at noon.\n" * 200_000,
        )
        one.one("#upload button").click()
        one.wait(lambda: "ebb.md" in one.text("#documents"))
        assert one.text("#document-failed").startswith("tides.md: The server cannot be reached.")
        assert "tides.md" not in one.text("#documents")
        between.mend()
        # What did not arrive is still chosen, and nothing else is.
        assert one.run("return [...upload.elements.files.files].map((file) => file.name)") == ["tides.md"]
        one.one("#upload button").click()
        one.wait(lambda: "tides.md" in one.text("#documents"))
        assert not one.one("#document-failed").is_displayed()


def test_an_upload_that_stands_still_says_so_and_can_be_stopped(alone: Chrome, server: Callable[..., Running]) -> None:
    with Cutting(server().url, 1_000_000, silent=True) as between:
        one = Page(alone, between.url).size(*DESKTOP).open("/documents")
        one.run(
            "const files = new DataTransfer();"
            "files.items.add(new File([arguments[0]], 'tides.pdf')); files.items.add(new File(['The ebb.'], 'ebb.md'));"
            "upload.elements.files.files = files.files",
            "The flood begins at noon.\n" * 600_000,
        )
        one.one("#upload button").click()
        one.wait(lambda: "Uploading 1 of 2: tides.pdf" in one.text("#uploading"))
        one.run("let more = 0; const now = Date.now; Date.now = () => now() + (more += 20_000)")
        one.wait(lambda: "Nothing has moved for " in one.text("#uploading"))
        one.one("#stop-upload").click()
        one.wait(lambda: "tides.pdf: You stopped it before it was uploaded." in one.text("#document-failed"))
        assert not one.one("#uploading").is_displayed()
        assert one.run("return [...upload.elements.files.files].map((file) => file.name)") == ["tides.pdf", "ebb.md"]


def test_a_file_that_stands_still_while_it_is_attached_can_be_stopped(
    alone: Chrome, server: Callable[..., Running], tmp_path: Path
) -> None:
    (tmp_path / "tides.pdf").write_text("The flood begins at noon.\n" * 600_000)
    with Cutting(server().url, 1_000_000, silent=True) as between:
        one = Page(alone, between.url).size(*PHONE).open()
        one.one("#question").send_keys("When is the flood?")
        one.one("#attached").send_keys(str(tmp_path / "tides.pdf"))
        one.wait(lambda: "Attaching tides.pdf, " in one.text("#uploading"))
        one.press(Keys.ENTER)
        one.wait(lambda: one.text("#refused").startswith("A file is still being attached."))
        one.run("let more = 0; const now = Date.now; Date.now = () => now() + (more += 20_000)")
        one.wait(lambda: "Nothing has moved for " in one.text("#uploading"))
        assert one.one("#stop-upload").size["height"] < 45
        one.one("#stop-upload").click()
        one.wait(lambda: one.text("#refused") == "tides.pdf: You stopped it before it was uploaded.")
        assert not one.one("#uploading").is_displayed()
        assert typed(one) == "When is the flood?"


def test_a_file_whose_attaching_breaks_off_leaves_the_question_as_it_was(
    alone: Chrome, server: Callable[..., Running], tmp_path: Path
) -> None:
    one = Page(alone, server().url).size(*DESKTOP).open()
    (tmp_path / "oven.md").write_text("The oven is hot.")
    one.one("#question").send_keys("How hot is it?")
    with without_network(one):
        one.one("#attached").send_keys(str(tmp_path / "oven.md"))
        one.wait(lambda: "oven.md: The server cannot be reached" in one.text("#refused"))
        # Nor is a question lost that is sent now.
        one.press(Keys.ENTER)
        one.wait(lambda: one.text("#refused").startswith("The server cannot be reached"))
        assert typed(one) == "How hot is it?"
    one.one("#attached").send_keys(str(tmp_path / "oven.md"))
    one.wait(lambda: typed(one).strip() == "How hot is it? @my-documents/oven.md")


def test_feedback_that_does_not_arrive_stays_written(alone: Chrome, server: Callable[..., Running]) -> None:
    one = Page(alone, server([RESTS]).url).size(*DESKTOP).open()
    one.answered(QUESTION)
    one.one(".feedback summary").click()
    one.one(".feedback [value=no]").click()
    one.one("[name=words]").send_keys("Salt?")
    with without_network(one):
        one.press(Keys.ENTER)
        one.wait(lambda: "The server cannot be reached" in one.text("#refused"))
    assert one.one("[name=words]").get_attribute("value") == "Salt?"
    one.one("[name=words]").send_keys(Keys.ENTER)
    one.wait(lambda: "Not useful" in one.text(".feedback summary"))


def test_full_storage_is_said_and_loses_nothing_that_is_on_the_page(page: StartPage) -> None:
    one: Page = page([RESTS])
    one.run(
        "for (let size = 4_000_000; size >= 1; size = Math.floor(size / 2))"
        " try { for (let n = 0; n < 9; n++) localStorage.setItem(`x${size}-${n}`, 'x'.repeat(size)) } catch {}"
    )
    one.one("#question").send_keys("How long does the dough rest in the refrigerator")
    assert "storage is full" in one.wait_for("#unkept").text
    assert one.run("return !dispatchEvent(new Event('beforeunload', {cancelable: true}))")
    assert typed(one) == "How long does the dough rest in the refrigerator"
    assert RESTS in one.answered("?").text
    assert not one.one("#unkept").is_displayed()
    one.run("localStorage.clear()")


@pytest.mark.parametrize("years", [pytest.param(-30, marks=pytest.mark.slow), 30])
def test_a_clock_that_is_wrong_changes_nothing(page: StartPage, years: int) -> None:
    one: Page = page(lambda _: Reply(in_pieces(RESTS), delay=2.5))
    one.before_each_page(
        f"const off = {years} * 31557600000, real = Date; Date = class extends real {{"
        "constructor(...given) { given.length ? super(...given) : super(real.now() + off) }"
        "static now() { return real.now() + off } }"
    )
    one.open().ask(QUESTION)
    one.wait(lambda: one.text(".turn.streaming .now").endswith(" · 2 s"))
    assert RESTS in one.wait_for(".turn[data-state=done]").text
    one.open("/sessions")
    assert str(time.gmtime().tm_year) in one.text("#sessions")


def test_a_corpus_that_is_gone_is_said_by_its_name(alone: Chrome, tmp_path: Path) -> None:
    kitchen, garden = write(tmp_path / "kitchen"), write(tmp_path / "garden", {"a.md": "# Beans\n\nSown in May.\n"})
    with serving(kitchen, garden, home=tmp_path / "home") as server:
        one = Page(alone, server.url).size(*DESKTOP).open("/?corpus=kitchen")
        one.answered(QUESTION)
        shutil.rmtree(kitchen)
        one.ask("And then?")
        one.wait(lambda: "kitchen" in one.text("#refused, .turn[data-state=failed] .note"))
        said = one.text("#refused, .turn[data-state=failed] .note")
        assert str(tmp_path) not in said
        assert "quaestor " not in said
        assert "And then?" in typed(one) + one.text("#thread")


def test_without_scripts_one_asks_and_reads_and_searches(page: StartPage) -> None:
    one: Page = page([RESTS, "Cold."])
    one.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        one.open()
        assert "Without JavaScript, an answer is shown when it is complete." in one.text()
        one.one("#question").send_keys(QUESTION)
        one.one("#send").click()
        assert RESTS in one.wait_for(".turn[data-state=done]").text
        one.one("#question").send_keys("And where?")
        one.one("#send").click()
        one.wait(lambda: "Cold." in one.text(".turn[data-turn='2']"))
        one.driver.get(one.one("a[href$='/sources']").get_attribute("href"))
        assert "guide.md" in one.wait_for("main .source").text
        one.open("/search?q=refrigerator")
        assert "eighteen hours" in one.wait_for(".result").text
    finally:
        one.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
