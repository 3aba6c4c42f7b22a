"""How long a long conversation takes to open on the page, and to scroll: python benchmarks/page_opening.py [TURNS]

Needs Chromium and chromedriver. The time is the browser's own, from asking for the page until all of it is loaded; what
the page's own thread computes is beside it, which is the same while others use the machine. Scrolled is from the end to
the beginning, once every turn is there: what a frame computes must stay below 16.7 ms for 60 of them in a second.
"""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
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
const done = arguments[0], thread = document.getElementById("thread");
let frames = 0;
thread.scrollTop = thread.scrollHeight;
requestAnimationFrame(function next() {
  thread.scrollTop -= 120;
  frames += 1;
  if (thread.scrollTop > 0) requestAnimationFrame(next);
  else done(frames);
});
"""


def main() -> None:
    """Print one line for the server's part, and one for all of it."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / "kitchen"
        folder.mkdir()
        (folder / "guide.md").write_text(_GUIDE, encoding="utf-8")
        home = Path(name) / "home"
        session = _held(home, folder, turns)
        with _served(folder, home) as url, _browser() as browser:
            browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
            times = [_opened(browser, f"{url}/sessions/{session}") for _ in range(_ROUNDS)]
            frames = _scrolled(browser, min(turns, _SHOWN))
    for said, values in zip(("page received", "all loaded", "computed"), zip(*times, strict=True), strict=True):
        print(f"{turns} turns, {said:<14} median {statistics.median(values):6.0f} ms  most {max(values):6.0f} ms")
    print(f"{turns} turns, a frame computed {frames[1]:.1f} ms on average while {frames[0]:,} of them were scrolled")


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
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    browser = Chrome(options=options, service=ChromeService(shutil.which("chromedriver")))
    browser.set_script_timeout(300)
    try:
        yield browser
    finally:
        browser.quit()


def _opened(browser: Chrome, url: str) -> tuple[float, float, float]:
    browser.get("about:blank")
    before = _computed(browser)
    browser.get(url)
    received, loaded = browser.execute_script(_TIMES)
    return received, loaded, _computed(browser) - before


def _scrolled(browser: Chrome, turns: int) -> tuple[int, float]:
    """Scroll through a whole conversation, and return the frames and what each computed, in milliseconds."""
    WebDriverWait(browser, 120).until(lambda _: browser.execute_script(_COUNT) >= turns)
    before = _computed(browser)
    frames = int(browser.execute_async_script(_SCROLL))
    return frames, (_computed(browser) - before) / frames


def _computed(browser: Chrome) -> float:
    """Return what the thread of the page computed so far, in milliseconds."""
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(float(one["value"]) * 1000 for one in metrics if one["name"] == "TaskDuration")


if __name__ == "__main__":
    main()
