"""The pages beside the conversation: windows, search, sessions, documents, the way in."""

from __future__ import annotations

from pathlib import Path

from browser_parts import PHONE, StartPage
from selenium.webdriver.common.keys import Keys

from quaestor.assemble import make_users
from quaestor.core.config import Settings

LONG = {
    f"notes-{number}.md": f"# Bread {number}\n\n" + f"The dough rests {number} hours. " * 60 for number in range(12)
}


def test_a_window_shows_what_was_sent_and_what_was_left_out_and_why(page: StartPage) -> None:
    one = page(["It rests."], files=LONG)
    one.answered("How long does the dough rest?")
    one.one("a[href$='/window']").click()
    assert "What the model read for “How long does the dough rest?”" in one.text()
    widths = [float(rect.get_attribute("width")) for rect in one.all(".bar rect")]
    assert 999 < sum(widths) < 1001
    assert {"instructions", "passages", "question"} <= {part.text.split()[0] for part in one.all(".legend li")}
    colours = one.run("return [...document.querySelectorAll('.bar rect')].map((one) => getComputedStyle(one).fill)")
    assert len(set(colours)) == len(colours)
    table = one.text(".sheet table")
    assert "dropped" in table
    assert "does not fit" in table
    every = one.run("return [...document.querySelectorAll('.sheet')].map((table) => table.textContent).join()")
    assert "the instructions: always kept" in every
    assert "system" not in every
    one.all(".card > details > summary")[-1].click()
    one.all(".sent details summary")[-1].click()
    assert "How long does the dough rest?" in one.all(".sent pre")[-1].text
    one.one("main a").click()
    assert one.wait_for(".turn").is_displayed()


def test_search_needs_no_model_and_shows_lines(page: StartPage) -> None:
    one = page(path="/search")
    one.press("hours in the refrigerator", Keys.ENTER)
    link = one.wait_for(".result .place")
    assert link.text.startswith("guide.md:")
    assert "eighteen" in one.text(".result .code")
    assert one.one(".result .line").get_attribute("data-line") == "1"
    link.click()
    one.wait_for("#panel .line.marked")
    assert one.driver.current_url.startswith(f"{one.url}/search?q=hours")


def test_sessions_are_renamed_exported_and_deleted(page: StartPage) -> None:
    one = page(["It rests."])
    one.answered("How long does the dough rest?")
    one.open("/sessions")
    one.one("[data-do=rename]").click()
    assert one.focused == "confirm-text"
    one.press("Bread <b>dough</b>", Keys.ENTER)
    one.wait(lambda: one.text("#sessions a") == "Bread <b>dough</b>")
    one.wait(lambda: "Bread <b>dough</b>" in one.text("#conversations"))
    export = one.one("#sessions a[download]").get_attribute("href")
    exported = one.driver.execute_async_script("fetch(arguments[0]).then((a) => a.text()).then(arguments[1])", export)
    assert "How long does the dough rest?" in exported
    one.one("[data-do=delete]").click()
    one.press(Keys.ESCAPE)
    assert one.all("#sessions li")
    one.one("[data-do=delete]").click()
    one.one("#confirm-yes").click()
    one.wait(lambda: not one.all("#sessions li"))
    assert "no conversation" in one.open("/sessions").text()


def test_a_conversation_is_renamed_and_deleted_where_it_is_shown(page: StartPage) -> None:
    one = page(["It rests."])
    one.answered("How long does the dough rest?")
    one.wait_for("#actions [data-do=rename]").click()
    one.press("Bread", Keys.ENTER)
    one.wait(lambda: one.text("#heading") == "Bread")
    one.one("#actions [data-do=delete]").click()
    one.one("#confirm-yes").click()
    one.wait(lambda: one.driver.current_url == f"{one.url}/")


def test_documents_are_pasted_uploaded_asked_about_and_deleted(page: StartPage, tmp_path: Path) -> None:
    one = page(path="/documents")
    one.one("[name=name]").send_keys("oven.md")
    one.one("[name=text]").send_keys("# Oven\n\nThe oven reaches three hundred degrees.")
    one.one("#paste button").click()
    one.wait(lambda: "oven.md" in one.text("#documents"))
    for name, text in (("salt.md", "# Salt\n\nTwenty grams of salt."), ("empty.md", " ")):
        (tmp_path / name).write_text(text)
    one.one("[name=files]").send_keys(f"{tmp_path}/salt.md\n{tmp_path}/empty.md")
    one.one("#upload button").click()
    one.wait(lambda: "salt.md" in one.text("#documents"))
    assert "'empty.md' is empty" in one.text("#document-failed")
    one.complaints()  # of the one that was refused
    one.open("/")
    one.one("#about summary").click()
    for box in one.all("#about input"):
        box.click()
    one.wait(lambda: one.one("#indexing").get_attribute("data-ready") is not None)
    assert "three hundred degrees" in one.answered("How hot is the oven?").text
    one.open("/documents").one("[data-do=delete-document]").click()
    one.one("#confirm-yes").click()
    one.wait(lambda: len(one.all("#documents li")) == 1)


def test_who_has_a_token_gets_in_and_out(page: StartPage, tmp_path: Path) -> None:
    users = make_users(Settings(home=str(tmp_path / "home")))
    _, token = users.add("ada")
    one = page(path="/search?q=dough")
    assert one.driver.current_url.startswith(f"{one.url}/log-in")
    one.press("quaestor_wrong", Keys.ENTER)
    one.wait(lambda: "is unknown" in one.text())
    one.complaints()  # of the 401
    one.one("[name=token]").send_keys(token, Keys.ENTER)
    one.wait_for("#query")
    assert "ada" in one.text("#side")
    cookie = one.driver.get_cookie("quaestor_token")
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    one.open("/")
    assert "eighteen" in one.answered("How long does the dough rest in the refrigerator?").text
    one.one("[aria-label='Log out']").click()
    one.wait_for("[name=token]")
    assert one.driver.get_cookies() == []


def test_a_log_in_leads_nowhere_else(page: StartPage, tmp_path: Path) -> None:
    users = make_users(Settings(home=str(tmp_path / "home")))
    _, token = users.add("ada")
    one = page(path="/log-in?next=//elsewhere.example/")
    one.press(token, Keys.ENTER)
    one.wait_for("#question")
    assert one.driver.current_url == f"{one.url}/"


def test_on_a_phone_the_list_is_a_drawer_and_the_panel_a_sheet(page: StartPage) -> None:
    one = page().size(*PHONE)
    one.answered("How long does the dough rest in the refrigerator?")
    assert not one.one("#side").is_displayed()
    one.one("[popovertarget=side]").click()
    assert one.one("#side").is_displayed()
    one.press(Keys.ESCAPE)
    one.wait(lambda: not one.one("#side").is_displayed())
    one.one(".turn .cite").click()
    one.wait_for("#panel .line.marked")
    assert one.run("return document.getElementById('panel').matches(':modal')")
    one.press(Keys.ESCAPE)
    one.wait(lambda: not one.one("#panel").is_displayed())
    assert one.focused.startswith("Passage")


def test_usage_tells_what_was_spent_and_what_is_left(page: StartPage) -> None:
    one = page(["It rests."], limit_day_tokens=100_000)
    one.answered("How long does the dough rest?")
    one.wait(lambda: one.text("#spent") in ("Today: 1% of the limit", "Today: 2% of the limit"))
    one.one("#spent").click()
    assert " of about 67,000 words used" in one.text()
    assert 0 < float(one.one("meter").get_attribute("value")) < 0.1


def test_search_by_date_and_author_is_at_hand_and_fits_a_phone(page: StartPage) -> None:
    front = "---\nauthor: Ana Núñez\ndate: 2021-03-04\n---\n"
    one = page(path="/search", files={"bread.md": f"{front}# Bread\n\nThe dough rests.\n", "old.md": "# Dough\n"})
    one.one(".limits summary").click()
    one.one("[name=since]").click()
    one.press("2020")
    one.one("[name=q]").click()
    one.press("dough", Keys.ENTER)
    assert one.wait_for(".result .place").text.startswith("bread.md:")
    assert len(one.all(".result")) == 1
    assert "Ana Núñez · 2021-03-04" in one.text(".result")
    assert one.one("[name=since]").get_attribute("value") == "2020"
    assert not one.violations()
    one.size(*PHONE)
    assert one.run(
        "return document.getElementById('query').offsetTop === document.querySelector('[role=search] button').offsetTop"
    )
    assert one.sideways() <= 0


def test_a_conversation_is_found_by_what_was_said_in_it(page: StartPage) -> None:
    one = page(
        [
            '## Rest\n\n```\nhours = 18\n```\n\nIt **rests** for eighteen hours [1: "dough rests for eighteen hours"].'
            "\n\n- [x] mix",
            "The heron takes a goldfish.",
        ]
    )
    one.answered("How long does the dough rest?")
    one.open("/")
    one.answered("What does the bird eat?")
    one.open("/sessions")
    assert len(one.all("#sessions > li")) == 2
    one.one("[name=q]").send_keys("EIGHTEEN rest", Keys.ENTER)
    one.wait(lambda: len(one.all("#sessions > li")) == 1)
    # As it is read: without the marks of a heading, of code and of a citation.
    assert "Rest hours = 18 It rests for eighteen hours. mix" in one.text("#sessions")
    assert "kitchen" in one.text("#sessions")
    one.one("#sessions .what a").click()
    one.wait(lambda: one.text(".turn .question") == "How long does the dough rest?")
    one.open("/sessions?q=swallows")
    assert "No conversation contains this." in one.text()


def test_a_question_and_a_search_can_be_limited_to_some_documents(page: StartPage) -> None:
    one = page()
    one.one("#limits summary").click()
    one.one("#composer [name=path]").send_keys("*.py")
    assert one.text("#limits summary") == "Filter (1)"
    one.answered("How long does the dough rest in the refrigerator?")
    assert "guide.md" not in one.text(".turn .prose")
    one.one("#limits summary").click()
    one.one("#composer [name=path]").clear()
    turn = one.answered("How long does the dough rest in the refrigerator?")
    assert "guide.md" in turn.text
    one.open("/search?q=dough+rests&language=python")
    assert "guide.md" not in one.text()
    one.open("/search?q=dough+rests&language=markdown")
    assert "guide.md" in one.text(".results")


def test_a_file_opens_in_an_editor_of_this_machine(page: StartPage, tmp_path: Path) -> None:
    one = page(path="/passage?path=guide.md&start=5&end=5")
    [link] = [a for a in one.all(".passage-head ~ p a") if "VS Code" in a.text]
    assert link.get_attribute("href") == f"vscode://file{tmp_path}/kitchen/guide.md:5"
