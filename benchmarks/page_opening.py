"""Measures how long a long conversation takes to open, to scroll and to react on the page.

    python benchmarks/page_opening.py [TURNS]

Needs Chromium and chromedriver.

- Opening: the browser's own time, from the request for the page until all of it is loaded. The computing time of the
  page's thread is printed beside it; other work on the machine hardly changes that.
- Scrolling: from the end towards the beginning, for 300 frames, once every turn is there. A frame may compute 16.7 ms
  for 60 frames a second. A page of plain paragraphs is scrolled in the same way, in a tab beside it: if it has no more
  frames a second, the machine is the limit.
- Keys and clicks: the browser's Event Timing tells when the next frame was shown, in steps of 8 ms. Beside it is the
  computing time of the page's thread in the 300 ms after a key or a click (scripts, styles, layout, paint).
  ``tests/browser/test_at_once_in_browser.py`` tests that this frame shows what was pressed.
- Tasks: each task of that thread is traced with its processor time, from the first opening to the last click. One above
  50 ms would keep a person waiting on an idle machine, too.

The machine's load is printed as well.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import httpx
from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from quaestor.core.messages import Message
from quaestor.sessions.named_sessions import FolderSessions
from quaestor.sessions.records import Ending

_ROUNDS = 7
_GUIDE = "# Guide\n\nThe dough rests for eighteen hours in the refrigerator.\n"
_ANSWER = "Sourdough **rests** for long [1].\n\n```python\nhours = 18\n```\n\n" + "It is patient work. " * 40
_TIMES = "const [one] = performance.getEntriesByType('navigation'); return [one.responseEnd, one.loadEventEnd]"
_COUNT = "return document.querySelectorAll('.turn').length"
_SHOWN = 400
_SCROLL = """
const done = arguments[0], thread = document.getElementById("thread"), frames = [];
thread.scrollTop = thread.scrollHeight;
requestAnimationFrame(function next(now) {
  thread.scrollTop -= 120;
  frames.push(now);
  if (thread.scrollTop > 0 && frames.length < 300) requestAnimationFrame(next);
  else done(frames);
});
"""
_WATCH = """
window.reacted = {};
new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries()) {
    if (!interactionId) continue;
    reacted[interactionId] = Math.max(reacted[interactionId] ?? 0, duration);
  }
}).observe({ type: "event", durationThreshold: 16 });
"""
_QUESTION = "How long does the dough rest in the refrigerator?"
_TIMES_REACTED = 3
_LONG = 50
# The browser's own windows have threads of the same name: that of the page is the one that says this.
_MARK = "of-the-page"
_TIMES_SCROLLED = 3
_PLAIN = "<body style='margin:0'><div id=thread style='height:100vh;overflow-y:auto'>" + f"<p>{_ANSWER}</p>" * 500
_PARTS = {"scripts": "ScriptDuration", "styles": "RecalcStyleDuration", "layout": "LayoutDuration"}
_PAUSE = 0.3


def main() -> None:
    """Print one line for the server's part, one for all of it, and one each for scrolling and reacting."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / "kitchen"
        folder.mkdir()
        (folder / "guide.md").write_text(_GUIDE, encoding="utf-8")
        home = Path(name) / "home"
        session = _held(home, folder, turns)
        with _served(folder, home) as url, _browser() as browser:
            browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
            tasks = {}
            times = [_opened(browser, f"{url}/sessions/{session}") for _ in range(_ROUNDS)]
            WebDriverWait(browser, 120).until(lambda _: browser.execute_script(_COUNT) >= min(turns, _SHOWN))
            tasks["opening"] = _tasks(browser)
            tasks["scrolling"] = []
            scrolled, plain = _scrolled(browser, tasks["scrolling"])
            reacted, tasks["keys and clicks"] = _reacted(browser, turns)
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    for said, values in zip(("page received", "all loaded", "computed"), zip(*times, strict=True), strict=True):
        print(f"{turns} turns, {said:<14} median {statistics.median(values):6.0f} ms  most {max(values):6.0f} ms")
    for said, (intervals, drawn) in ((f"{turns} turns", scrolled), ("plain paragraphs", plain)):
        if intervals:
            parts = ", ".join(f"{name} {drawn[name]:.1f}" for name in _PARTS)
            print(
                f"{said}, a frame computed {drawn['all']:.1f} ms on average ({parts}) while {len(intervals):,}"
                f" of them were scrolled, {1000 / statistics.mean(intervals):.0f} a second"
            )
    for said, each in zip(("next frame", "computed"), reacted, strict=True):
        nine = sorted(each)[len(each) * 9 // 10]
        print(
            f"{turns} turns, {len(each)} keys and clicks, {said:<10} median {statistics.median(each):4.0f} ms"
            f"  nine of ten {nine:4.0f} ms  most {max(each):4.0f} ms"
        )
    for said, each in tasks.items():
        long = f"{sum(one > _LONG for one in each)} of {len(each):,} above {_LONG}"
        print(f"{turns} turns, {said}: the longest task computed {max(each, default=0):.0f} ms, {long}")
    print(load)


def _held(home: Path, folder: Path, turns: int) -> str:
    """Hold a conversation, and return its name."""
    with FolderSessions(home / "sessions").begin(root=str(folder)) as transcript:
        for number in range(turns):
            turn, _ = transcript.begin(Message("user", f"How long does dough {number} rest?"))
            transcript.end(turn, Ending("done", (Message("assistant", _ANSWER),), known=True, model="tiny"))
        return transcript.id


@contextmanager
def _served(folder: Path, home: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "quaestor", "serve", str(folder), "--port", str(port)]
    environment = {**os.environ, "QUAESTOR_HOME": str(home)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            _await(f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _await(url: str) -> None:
    """Wait until the corpus is indexed."""
    while True:
        try:
            if httpx.get(f"{url}/api/corpora").json()["corpora"][0]["ready"]:
                return
        except httpx.TransportError:
            pass


@contextmanager
def _browser() -> Iterator[Chrome]:
    options = ChromeOptions()
    # A frame below the window's edge is never shown, so that its time would be that of the next one.
    window = "--window-size=1400,1000"
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    traced = {"traceCategories": "toplevel,blink.user_timing", "enableNetwork": False, "enablePage": False}
    options.add_experimental_option("perfLoggingPrefs", traced)
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", window):
        options.add_argument(argument)
    browser = Chrome(options=options, service=ChromeService(shutil.which("chromedriver")))
    browser.set_script_timeout(300)
    try:
        yield browser
    finally:
        browser.quit()


def _opened(browser: Chrome, url: str) -> tuple[float, float, float]:
    browser.get("about:blank")
    before = _computed(browser)["all"]
    browser.get(url)
    received, loaded = browser.execute_script(_TIMES)
    browser.execute_script(f"performance.mark('{_MARK}')")
    return received, loaded, _computed(browser)["all"] - before


def _scrolled(browser: Chrome, tasks: list[float]) -> Iterator[tuple[list[float], dict[str, float]]]:
    """Scroll the conversation and plain paragraphs in turn; yield for each what lay between frames, and one's work.

    The tasks of the conversation's thread are added to ``tasks``.
    """
    page = browser.current_window_handle
    browser.switch_to.new_window("tab")
    browser.get(f"data:text/html,{quote(_PLAIN)}")
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    tabs = (page, browser.current_window_handle)
    between: dict[str, list[float]] = {tab: [] for tab in tabs}
    computed = {tab: dict.fromkeys(("all", *_PARTS), 0.0) for tab in tabs}
    for tab in tabs * _TIMES_SCROLLED:
        browser.switch_to.window(tab)
        before = _computed(browser)
        frames = browser.execute_async_script(_SCROLL)
        between[tab] += [later - earlier for earlier, later in pairwise(frames)]
        for name, after in _computed(browser).items():
            computed[tab][name] += after - before[name]
        if tab == page:
            tasks += _tasks(browser)
    browser.switch_to.window(tabs[1])
    browser.close()
    browser.switch_to.window(page)
    for tab in tabs:
        count = len(between[tab]) + _TIMES_SCROLLED
        yield between[tab], {name: value / count for name, value in computed[tab].items()}


def _reacted(browser: Chrome, turns: int) -> tuple[tuple[list[float], list[float]], list[float]]:
    """Use a conversation; return the ms until the next frame after each key and click, and what the page computed.

    Each of its tasks comes as well.
    """
    browser.execute_script(_WATCH)
    computed: list[float] = []
    tasks: list[float] = []

    def press(*keys: str) -> Callable[[], object]:
        return lambda: ActionChains(browser).send_keys(*keys).perform()

    def click(selector: str) -> Callable[[], object]:
        return lambda: ActionChains(browser).click(browser.find_elements(By.CSS_SELECTOR, selector)[-1]).perform()

    close = press(Keys.ESCAPE)
    after = [click(".turn .cite"), close, click("a[href$='/sources']"), close, click("[data-do=copy]")]
    after += [click(".feedback summary"), click(".feedback summary"), click("[data-do=edit]")]
    after += [press(Keys.CONTROL, "a"), press(Keys.DELETE), click("#limits summary"), click("#limits summary")]
    after += [click("[data-do=theme]"), click("[data-do=theme]"), click("[data-do=help]"), close]
    for number in range(turns + 1, turns + 1 + _TIMES_REACTED):
        computed += _one_by_one(browser, [click("#question"), *map(press, _QUESTION), press(Keys.ENTER)])
        WebDriverWait(browser, 120).until(partial(_is_answered, number=number))
        computed += _one_by_one(browser, after)
        # A trace holds only so much.
        tasks += _tasks(browser)
    time.sleep(1)
    return (list(browser.execute_script("return Object.values(reacted)")), computed), tasks


def _is_answered(browser: Chrome, *, number: int) -> bool:
    return bool(browser.find_elements(By.CSS_SELECTOR, f".turn[data-turn='{number}'][data-state=done]"))


def _one_by_one(browser: Chrome, acts: list[Callable[[], object]]) -> Iterator[float]:
    """Do what a person does; yield what the page's thread computed for each."""
    for act in acts:
        before = _computed(browser)["all"]
        act()
        time.sleep(_PAUSE)
        yield _computed(browser)["all"] - before


def _computed(browser: Chrome) -> dict[str, float]:
    """Return what the thread of the page computed so far, in milliseconds: all of it, and its parts."""
    found = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    metrics = {one["name"]: float(one["value"]) * 1000 for one in found}
    return {"all": metrics["TaskDuration"], **{name: metrics[metric] for name, metric in _PARTS.items()}}


def _tasks(browser: Chrome) -> list[float]:
    """Return the processor time of each task of the page's thread since the last call, in milliseconds."""
    browser.execute_script(f"performance.mark('{_MARK}')")
    # What is traced is collected by the first call, and comes with the second.
    entries = [*browser.get_log("performance"), *browser.get_log("performance")]
    said = [json.loads(entry["message"])["message"] for entry in entries]
    events = [one["params"] for one in said if one["method"] == "Tracing.dataCollected"]
    threads = {(one["pid"], one["tid"]) for one in events if one.get("name") == _MARK}
    of_page = [one for one in events if (one.get("pid"), one.get("tid")) in threads]
    return [one["tdur"] / 1000 for one in of_page if one.get("name", "").endswith("RunTask") and "tdur" in one]


if __name__ == "__main__":
    main()
