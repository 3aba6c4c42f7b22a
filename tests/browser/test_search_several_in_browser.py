"""Searching several corpora on the page: all of them, or those that are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_parts import DESKTOP, LOOKS, Page
from selenium.webdriver import Chrome
from selenium.webdriver.common.keys import Keys
from served import serving, write

GARDEN = {"guide.md": "# Garden guide\n\n## Beans\n\nBeans are sown in May, and watered at dusk.\n"}
LONG = "a-rather-long-name-of-a-folder-that-has-to-break-somewhere-on-a-phone"


@pytest.fixture
def several(chromium: Chrome, tmp_path: Path) -> Iterator[Page]:
    """The search page of a server of three corpora; nothing may have been complained of in the end."""
    roots = [write(tmp_path / "kitchen"), write(tmp_path / "garden", GARDEN), write(tmp_path / LONG, {"a.md": "# A\n"})]
    chromium.delete_all_cookies()
    chromium.get_log("browser")
    with serving(*roots, home=tmp_path / "home") as server:
        one = Page(chromium, server.url).size(*DESKTOP).colours("light").open("/search")
        yield one
        complaints = one.complaints()
        chromium.get("about:blank")
    assert complaints == []


def corpora(one: Page) -> set[str]:
    return {badge.text for badge in one.all(".result .badge.corpus")}


def test_all_are_searched_until_some_are_chosen(several: Page) -> None:
    one = several
    one.press("guide to beans and dough", Keys.ENTER)
    assert one.wait_for(".result .place")
    assert {"kitchen", "garden"} <= corpora(one)
    one.one(".choice input[value=garden]").click()
    one.one("form[role=search] .button.primary").click()
    one.wait(lambda: corpora(one) == {"garden"} or not one.all(".result .badge.corpus"))
    assert one.one(".choice input[value=garden]").is_selected()
    assert not one.one(".choice input[value=kitchen]").is_selected()
    assert len(one.all(".result")) == 1
    one.one(".result .place").click()
    one.wait_for("#panel .line.marked")
    assert "Beans are sown in May" in one.text("#panel")
    # The panel says of which corpus it shows a file: others have one of the same name.
    assert one.text("#panel .where") == "garden\nguide.md:1-5"


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
def test_it_is_sound_and_fits(several: Page, size: tuple[int, int], scheme: str) -> None:
    one = several.size(*size).colours(scheme).open("/search?q=guide+to+beans+and+dough&corpus=kitchen&corpus=garden")
    assert one.wait_for(".result .badge.corpus")
    assert one.sideways() <= 0
    assert one.violations() == []
