"""A page in real Chromium, and what tests do with it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, TypeVar

import pytest
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, WebDriverException
from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

Found = TypeVar("Found")

DESKTOP = (1280, 800)
PHONE = (360, 740)

LOOKS = [
    pytest.param(DESKTOP, "light", id="desktop-light"),
    pytest.param(PHONE, "dark", id="phone-dark"),
    pytest.param(DESKTOP, "dark", id="desktop-dark", marks=pytest.mark.slow),
    pytest.param(PHONE, "light", id="phone-light", marks=pytest.mark.slow),
]
"""Sizes and colours of a page: each once in every run, all together in `make slow`."""
_TRIES = 6_000
"""How often, ten times a second, something is looked for before it counts as missing: ten minutes at least."""
_ABSENT = "there is no {}; `apt-get install chromium chromium-driver` (Debian, Ubuntu) brings it"


def start_chromium() -> Chrome:
    """Start Chromium without a screen; where there is none, skip the test, or fail it if a browser is required."""
    options = ChromeOptions()
    options.binary_location = _program("chromium", "chromium-browser", "google-chrome")
    # Chromium's own walls between processes need rights that containers do not give.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=en"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=ChromeService(_program("chromedriver")))
    # On a machine that does ten other things, axe takes a minute to look at a page; the test's own limit ends a hang.
    driver.set_script_timeout(600)
    return driver


def _program(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        # Where a machine is there to run all tests, one that is left out must not look like one that passed.
        give_up = pytest.fail if os.environ.get("QUAESTOR_TEST_BROWSER") == "required" else pytest.skip
        give_up(_ABSENT.format(names[0]))
    return found


@dataclass
class Page:
    """A tab.

    Attributes:
        driver: of the browser.
        url: of the server, without a slash at the end.
        scripts: that run before those of each page.
    """

    driver: Chrome
    url: str
    scripts: list[str] = field(default_factory=list)

    def open(self, path: str = "/") -> Page:
        self.driver.get(self.url + path)
        return self

    def size(self, width: int, height: int) -> Page:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        return self

    def colours(self, scheme: str) -> Page:
        """Prefer light or dark, and no motion: what fades has a colour of its own for a moment."""
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        return self

    def before_each_page(self, script: str) -> None:
        """Run a script in each page that is opened from now on, before the page's own, until ``forget_scripts``."""
        added = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        self.scripts.append(added["identifier"])

    def forget_scripts(self) -> None:
        while self.scripts:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": self.scripts.pop()})

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str = "main") -> str:
        return self.one(selector).text

    def wait(self, condition: Callable[[], Found]) -> Found:
        """Wait until something is so; what is replaced meanwhile is looked for again."""
        for _ in range(_TRIES):
            try:
                if found := condition():
                    return found
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            except WebDriverException as error:
                # So says the driver of an element whose page is just being left.
                if "does not belong to the document" not in str(error):
                    raise
            time.sleep(0.1)
        raise AssertionError("what the page was to show is not there")

    def wait_for(self, selector: str) -> WebElement:
        return self.wait(lambda: next((found for found in self.all(selector) if found.is_displayed()), None))

    def press(self, *keys: str) -> None:
        # Not to the element itself: a driver takes what is sent to the field of a file for the file's path.
        ActionChains(self.driver).send_keys(*keys).perform()

    def ask(self, question: str) -> None:
        # On a slow machine, a driver may go on before the page's scripts have begun: Enter is a line end until then.
        self.wait(lambda: self.run("return document.readyState") == "complete")
        self.one("#question").send_keys(question, Keys.ENTER)

    def answered(self, question: str, state: str = "done") -> WebElement:
        """Ask, and wait for the turn as the server has it on record."""
        before = len(self.all(".turn[data-turn]"))
        self.ask(question)
        return self.wait_for(f".turn[data-turn='{before + 1}'][data-state='{state}']")

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    @property
    def focused(self) -> str:
        """What has the attention, as its id or its words."""
        element = self.driver.switch_to.active_element
        return element.get_attribute("id") or element.get_attribute("aria-label") or element.text

    def complaints(self) -> list[str]:
        """What the browser complained of since it was last asked: errors of scripts, refusals by the policy."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def sideways(self) -> int:
        """How many pixels the page, or its middle, is too wide."""
        return self.run(
            "const all = [document.documentElement, ...document.querySelectorAll('#main, #thread, #panel-body')];"
            "return Math.max(...all.map((one) => one.scrollWidth - one.clientWidth))"
        )

    def violations(self) -> list[str]:
        """What axe finds serious or critical."""
        self.run((resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "const done = arguments[0];"
            "axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations))"
        )
        grave = [one for one in found if one["impact"] in ("serious", "critical")]
        return [f"{one['id']}: {node['html'][:200]} {node['failureSummary']}" for one in grave for node in one["nodes"]]


StartPage = Callable[..., Page]
"""Starts a server and opens its page; see the fixture ``page``."""
