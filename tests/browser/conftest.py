"""Chromium, and servers with a scripted model for it to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from browser_parts import DESKTOP, Page, StartPage, start_chromium
from selenium.webdriver import Chrome
from served import FILES, Running, serving, write

from scripted_server import Script, ScriptedServer


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chrome]:
    driver = start_chromium()
    yield driver
    driver.quit()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Start a server over some files, with a scripted model if there is a script."""
    with ExitStack() as stack:

        def start(script: Script | None = None, files: dict[str, str] = FILES, **more: Any) -> Running:
            if script is not None:
                model = stack.enter_context(ScriptedServer(script))
                more |= {"model": "tiny", "base_url": model.base_url, "api_key": "none", "window": 4096}
            folder = write(tmp_path / "kitchen", files)
            return stack.enter_context(serving(folder, home=tmp_path / "home", **more))

        yield start


@pytest.fixture
def page(chromium: Chrome, server: Callable[..., Running]) -> Iterator[StartPage]:
    """Open the page of a server that is started for it; nothing may have been complained of in the end."""
    pages: list[Page] = []

    def start(script: Script | None = None, path: str = "/", **more: Any) -> Page:
        opened = Page(chromium, server(script, **more).url).size(*DESKTOP).colours("light").open(path)
        pages.append(opened)
        return opened

    chromium.delete_all_cookies()
    chromium.get_log("browser")
    yield start
    complaints = [complaint for one in pages[:1] for complaint in one.complaints()]
    for one in pages:
        one.forget_scripts()
    chromium.get("about:blank")
    assert complaints == []
