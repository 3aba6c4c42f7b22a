"""What goes with a question beside its words: corpora, a model, files that are attached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from browser_parts import DESKTOP, LOOKS, Page
from selenium.webdriver import Chrome
from served import serving, write

from scripted_server import Recorded, ScriptedServer

GARDEN = {"guide.md": "# Garden guide\n\n## Beans\n\nBeans are sown in May, and watered at dusk.\n"}
LONG = "a-rather-long-name-of-a-folder-that-has-to-break-somewhere-on-a-phone"


def answering(request: Recorded) -> str:
    return f"It is sown in May, says {request.body['model']} [1]."


@pytest.fixture
def composer(chromium: Chrome, tmp_path: Path) -> Iterator[Page]:
    """The page of a server of three corpora and two models; nothing may have been complained of in the end."""
    roots = [write(tmp_path / "kitchen"), write(tmp_path / "garden", GARDEN), write(tmp_path / LONG, {"a.md": "# A\n"})]
    chromium.delete_all_cookies()
    chromium.get_log("browser")
    with ScriptedServer(answering, models=("tiny", "a-larger-model")) as model:
        chosen = {"model": "tiny", "further_models": "a-larger-model", "base_url": model.base_url, "window": 8192}
        with serving(*roots, home=tmp_path / "home", **chosen) as server:
            one = Page(chromium, server.url).size(*DESKTOP).colours("light").open()
            yield one
            complaints = one.complaints()
            chromium.get("about:blank")
    assert complaints == []


def tick(one: Page, *names: str) -> None:
    if not one.one("#about").get_attribute("open"):
        one.one("#about summary").click()
    for box in one.all("#about input"):
        if box.is_selected() != (box.get_attribute("value") in names):
            box.click()


def test_a_conversation_is_about_the_corpora_that_are_ticked(composer: Page) -> None:
    one = composer
    assert one.text("#about summary") == "kitchen"
    assert one.text("#welcome h2") == "Ask about kitchen"
    tick(one, "kitchen", "garden")
    assert one.text("#welcome h2") == "Ask about kitchen, garden"
    assert one.text("#about summary") == "kitchen, garden"
    turn = one.answered("When are beans sown?")
    assert "says tiny" in turn.text
    assert one.text(".asked-about") == "kitchen, garden"
    one.one("a[href$='/sources']").click()
    assert "garden/guide.md" in one.wait_for("#panel .source").text
    one.one("#panel .source").click()
    one.wait(lambda: "Beans are sown in May" in one.text("#panel"))
    one.driver.refresh()
    assert one.text(".asked-about") == "kitchen, garden"
    tick(one.open(), "kitchen", "garden", LONG)
    assert one.text("#about summary") == "Everything here"


def test_the_model_that_is_chosen_answers_and_stays_chosen(composer: Page) -> None:
    one = composer
    one.one("#model").send_keys("a-larger-model")
    assert "says a-larger-model" in one.answered("When are beans sown?").text
    assert one.open().one("#model").get_attribute("value") == "a-larger-model"
    one.one("#model").send_keys("tiny")
    one.driver.back()
    one.wait_for(".turn[data-state=done]")
    assert one.one("#model").get_attribute("value") == "a-larger-model"


def test_files_are_attached_and_named_in_the_question(composer: Page, tmp_path: Path) -> None:
    one = composer
    (tmp_path / "my oven.md").write_text("# Oven\n\nThe oven reaches three hundred degrees.\n")
    (tmp_path / "empty.md").write_text(" ")
    one.one("#question").send_keys("How hot is it?")
    one.one("#attached").send_keys(f"{tmp_path}/my oven.md\n{tmp_path}/empty.md")
    one.wait(lambda: "'empty.md' is empty" in one.text("#refused"))
    one.complaints()  # of the one that was refused
    named = 'How hot is it? @"my-documents/my oven.md"'
    assert one.one("#question").get_attribute("value").strip() == named
    # What is attached is kept as all else that is typed.
    one.driver.refresh()
    assert one.one("#question").get_attribute("value").strip() == named
    one.one("#send").click()
    one.wait_for(".turn[data-state=done]")
    one.complaints()  # its first index may have been waited for
    one.one("a[href$='/sources']").click()
    assert "my-documents/my oven.md" in one.wait_for("#panel .source").text
    one.one("#panel .source").click()
    one.wait(lambda: "three hundred degrees" in one.text("#panel"))


def test_the_form_alone_asks_the_same(composer: Page) -> None:
    fields = {"question": "How hot is it?", "corpus": ["kitchen", "garden"], "model": "a-larger-model"}
    files = {"attached": ("oven.md", b"# Oven\n\nThe oven reaches three hundred degrees.\n")}
    with httpx.Client(base_url=composer.url, timeout=600, verify=False, follow_redirects=True) as browser:
        while (shown := browser.post("/ask", data=fields, files=files)).status_code == 503:
            files = {}
        assert "says a-larger-model" in shown.text
        assert "kitchen, garden" in shown.text


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
def test_it_is_sound_and_fits(composer: Page, size: tuple[int, int], scheme: str) -> None:
    one = composer.size(*size).colours(scheme).open()
    tick(one, "kitchen", LONG)
    one.one("#limits summary").click()
    assert one.sideways() <= 0
    assert one.violations() == []
    assert one.one("#send").is_displayed()
