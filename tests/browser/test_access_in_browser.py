"""For everybody: what axe finds, in light and dark, on a desktop and on a phone; and nothing sticks out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser_parts import DESKTOP, PHONE, Page, StartPage
from selenium.webdriver.common.keys import Keys

from quaestor.assemble import make_users
from quaestor.core.config import Settings
from scripted_server import Reply, endless

QUOTE = "The dough rests for eighteen hours in the refrigerator."
ANSWER = (
    f'# Rest\n\nSourdough **rests** [1: "{QUOTE}"] [2: "nowhere at all"], see [more](https://e.example).\n\n'
    "- one `code`\n\n> said\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n"
    "```python\n@cached\ndef rest(hours: int = 18) -> str:  # long\n"
    '    """Say."""\n    return f"{hours}\\n" if hours else None\n' + "x = 1" * 60 + "\n```\n\n"
    "It also flies to the moon together with all the swallows."
)
SIZES = [DESKTOP, PHONE]
SCHEMES = ["light", "dark"]


def assert_sound(page: Page) -> None:
    assert page.violations() == []
    assert page.sideways() <= 0


def looks(page: Page) -> Iterator[None]:
    for size in SIZES:
        for scheme in SCHEMES:
            page.size(*size).colours(scheme)
            yield


def test_the_beginning(page: StartPage) -> None:
    one = page()
    for _ in looks(one):
        assert_sound(one.open())


def test_an_answer_with_its_passage_and_sources(page: StartPage) -> None:
    one = page([ANSWER])
    one.answered("How long does the dough rest?")
    for _ in looks(one):
        one.driver.refresh()
        assert_sound(one)
        one.one(".turn .weak summary").click()
        one.one(".turn .cite").click()
        one.wait_for("#panel .code")
        assert_sound(one)
        one.press(Keys.ESCAPE)
        one.wait(lambda: not one.one("#panel").is_displayed())
        one.one("a[href$='/sources']").click()
        one.wait_for("#panel .source")
        assert_sound(one)
        one.press(Keys.ESCAPE)


@pytest.mark.slow
def test_an_answer_that_arrives_and_is_stopped_and_fails(page: StartPage) -> None:
    replies = iter([endless("It rests.\n\nIt rests.\n\n"), Reply(status=400, error="no")])
    one = page(lambda _: next(replies))
    one.ask("How long does the dough rest?")
    one.wait_for(".turn.streaming .settled p")
    for _ in looks(one):
        assert_sound(one)
    one.size(*DESKTOP)
    one.press(Keys.ESCAPE)
    one.wait_for(".turn[data-state=cancelled]")
    one.answered("And then?", "failed")
    for _ in looks(one):
        assert_sound(one)


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["/search?q=dough", "/search", "/sessions", "/documents", "/usage", "/docs", "/sessions/nothing"]
)
def test_a_page(page: StartPage, path: str) -> None:
    one = page(["It rests."])
    one.answered("How long does the dough rest?")
    if path == "/documents":
        one.open(path).one("[name=name]").send_keys("a-rather-long-name-of-a-document-that-has-to-break-somewhere.md")
        one.one("[name=text]").send_keys("# Text")
        one.one("#paste button").click()
        one.wait_for("#documents li")
    for _ in looks(one):
        one.open(path)
        assert_sound(one)
    one.complaints()  # of the page that is not there


@pytest.mark.slow
def test_the_window(page: StartPage) -> None:
    one = page(["It rests."])
    one.answered("How long does the dough rest?")
    path = one.one("a[href$='/window']").get_attribute("href").removeprefix(one.url)
    for _ in looks(one):
        one.open(path)
        one.all(".card > details > summary")[-1].click()
        one.all(".sent details summary")[-1].click()
        assert_sound(one)


@pytest.mark.slow
def test_dialogs_and_the_drawer(page: StartPage) -> None:
    one = page(["It rests."])
    one.answered("How long does the dough rest?")
    opened: list[Callable[[], None]] = [
        lambda: one.run("document.querySelector('[data-do=help]').click()"),
        lambda: one.one("#actions [data-do=rename]").click(),
        lambda: one.one("#actions [data-do=delete]").click(),
    ]
    for _ in looks(one):
        for opens in opened:
            opens()
            assert_sound(one)
            one.press(Keys.ESCAPE)
    one.one("[popovertarget=side]").click()
    assert_sound(one)


def test_the_way_in(page: StartPage, tmp_path: Path) -> None:
    users = make_users(Settings(home=str(tmp_path / "home")))
    users.add("ada")
    one = page()
    for _ in looks(one):
        assert_sound(one.open("/log-in"))


def test_everything_is_reached_by_keys_in_the_order_in_which_it_stands(page: StartPage) -> None:
    one = page([ANSWER])
    one.answered("How long does the dough rest?")
    one.driver.refresh()
    one.run("document.body.focus()")
    seen: list[str] = []
    for _ in range(60):
        one.press(Keys.TAB)
        seen.append(one.focused)
        if one.focused == "send":
            break
    order = ["Skip to the content", "New conversation", "Search", "Usage", "Rename this conversation", "Passage 1"]
    places = [next(at for at, name in enumerate(seen) if name.strip().startswith(wanted)) for wanted in order]
    assert places == sorted(places)
    assert seen[-4:] == ["question", "Filter", "attached", "send"]


def test_with_the_skip_link_one_is_past_the_list(page: StartPage) -> None:
    one = page(path="/search?q=dough")
    one.run("document.activeElement.blur()")
    one.press(Keys.TAB)
    assert one.focused == "Skip to the content"
    one.press(Keys.ENTER)
    one.wait(lambda: one.focused == "main")
