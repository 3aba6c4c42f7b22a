"""One's own documents in a browser that runs no scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_parts import LOOKS, Page, StartPage
from selenium.webdriver import Chrome


@pytest.fixture
def scriptless(chromium: Chrome) -> Iterator[None]:
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    yield
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.usefixtures("scriptless")
@pytest.mark.parametrize(("size", "colours"), LOOKS)
def test_documents_are_added_and_deleted(page: StartPage, tmp_path: Path, size: tuple[int, int], colours: str) -> None:
    opened = page(path="/documents").size(*size).colours(colours)
    tides, odd = tmp_path / "tides.md", tmp_path / "odd.bin"
    tides.write_text("# Tides\n\nThe flood begins at noon.\n", "utf-8")
    odd.write_bytes(b"\x00\x01\x02")
    opened.one("#upload input").send_keys(f"{tides}\n{odd}")
    opened.one("#upload button").click()
    assert "odd.bin" in opened.wait_for("#document-failed").text
    assert "tides.md" in opened.text("#documents")
    assert [said for said in opened.complaints() if "415" not in said] == []
    opened.one("#paste input").send_keys("ebb.md")
    opened.one("#paste textarea").send_keys("The ebb begins at six.")
    opened.one("#paste button").click()
    opened.wait(lambda: "ebb.md" in opened.text("#documents"))
    _looks_right(opened)
    first = opened.one("#documents li")
    deleted = first.get_attribute("data-title")
    first.find_element("css selector", ".delete input").click()
    first.find_element("css selector", ".delete button").click()
    opened.wait(lambda: deleted not in opened.text("#documents"))
    assert len(opened.all("#documents li")) == 1


def _looks_right(opened: Page) -> None:
    """There is no control that needs a script, nothing is too wide, and every button is large enough for a finger."""
    assert not any(element.is_displayed() for element in opened.all("[data-do]"))
    assert opened.sideways() <= 0
    assert all(button.size["height"] >= 24 for button in opened.all("#main button") if button.is_displayed())
