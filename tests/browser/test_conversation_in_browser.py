"""A conversation, as a person has it."""

from __future__ import annotations

import re
import threading
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from browser_parts import PHONE, Page, StartPage
from pypdf import PdfReader
from selenium.webdriver.common.keys import Keys

from quaestor.core.messages import Message
from quaestor.llm import tags
from quaestor.sessions.named_sessions import FolderSessions
from quaestor.sessions.records import Ending
from scripted_server import Recorded, Reply, counted, endless, in_pieces

QUOTE = "The dough rests for eighteen hours in the refrigerator."
ANSWER = (
    f'Sourdough **rests for long** [{{n}}: "{QUOTE}"].\n\n'
    "```python\nhours = 18\n```\n\n"
    'It also flies to the moon with the swallows [{n}: "words that stand nowhere at all"].\n'
)


def answering(request: object) -> str:
    """Cite the passage that holds the quote, whatever its number."""
    text = " ".join(str(message["content"]) for message in request.messages)  # type: ignore[attr-defined]
    before = text[: text.index(QUOTE)]
    return ANSWER.format(n=before.rpartition('<passage n="')[2].partition('"')[0])


def slow(*_: object) -> Reply:
    return endless("The dough rests and rests. ")


def test_an_answer_arrives_and_becomes_what_the_server_has_on_record(page: StartPage) -> None:
    one = page(answering)
    turn = one.answered("How long does the dough rest?")
    assert one.driver.current_url.rpartition("/")[0] == f"{one.url}/sessions"
    assert turn.find_element("tag name", "strong").text == "rests for long"
    assert one.text(".turn .t-number") == "18"
    assert one.text("#heading") == "How long does the dough rest?"
    assert "Written by tiny" in turn.text
    assert one.driver.title.startswith("How long")
    one.driver.refresh()
    assert one.text(".turn .prose strong") == "rests for long"


def test_text_is_shown_while_it_arrives_and_nothing_of_it_is_markup(page: StartPage) -> None:
    one = page([endless("<b id=made>bold</b> and [1] more" + " and more" * 9)])
    one.ask("How long does the dough rest?")
    one.wait(lambda: "<b id=made>bold</b> and [1] more" in one.text(".turn.streaming .live"))
    assert not one.all("#made")
    assert one.one("#stop").is_displayed()
    one.press(Keys.ESCAPE)
    one.wait_for(".turn[data-state=cancelled]")


def test_paragraphs_that_are_whole_are_rendered_while_the_rest_arrives(page: StartPage) -> None:
    one = page([endless('It **rests** [1: "x"].\n\n```python\nrest = 18\nx = 1\n')])
    one.ask("How long does the dough rest?")
    one.wait_for(".turn.streaming .settled strong")
    assert one.text(".turn.streaming .settled .cite") == "1"
    one.wait(lambda: "rest = 18" in one.text(".turn.streaming .live pre"))
    one.one("#stop").click()
    one.wait_for(".turn[data-state=cancelled]")


def test_a_proposed_change_is_drawn_and_stays(page: StartPage, tmp_path: Path) -> None:
    change = {"path": "guide.md", "search": QUOTE, "replace": "The dough rests for <b>two</b> days."}
    one = page([tags.render("edit", change)], subroutines="on", tools="text")
    turn = one.answered("Let the dough rest for two days")
    assert turn.is_displayed()
    # The difference is on record: it is there after a reload as well, whatever became of the file since.
    for _ in range(2):
        shown = one.one(".turn .proposal")
        assert "Proposes to change guide.md" in shown.text
        assert "No file was changed." in shown.text
        assert shown.find_element("css selector", ".t-deleted").text == f"-{QUOTE}"
        assert shown.find_element("css selector", ".t-inserted").text == "+The dough rests for <b>two</b> days."
        assert not shown.find_elements("tag name", "b")
        (tmp_path / "kitchen/guide.md").write_text("Something else.", encoding="utf-8")
        one.driver.refresh()


def test_citations_open_the_passage_with_its_mark_and_close_to_where_one_was(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough rest?")
    good, bad = one.all(".turn .cite")
    assert ("verified" in good.get_attribute("class"), "unverified" in bad.get_attribute("class")) == (True, True)
    good.click()
    one.wait_for("#panel .line.marked")
    assert one.text("#panel .line.marked").strip() == QUOTE
    assert one.one("#panel .line.marked").get_attribute("data-line") == "5"
    assert one.text("#panel .badge") == "found there"
    assert "guide.md:5" in one.text("#panel")
    assert one.focused == "panel-title"
    one.press(Keys.ESCAPE)
    one.wait(lambda: not one.one("#panel").is_displayed())
    assert one.focused.startswith("Passage")
    bad.click()
    one.wait(lambda: "not found" in one.text("#panel .badge"))
    assert "Do not rely on them" in one.text("#panel")


def test_sentences_without_support_are_marked_and_listed(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough rest?")
    assert "flies to the moon" in one.text(".turn .unsupported")
    one.one(".turn .weak summary").click()
    assert "flies to the moon" in one.text(".turn .weak li")


@pytest.mark.slow
def test_sources_lead_to_passages_and_back(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough rest?")
    one.one("a[href$='/sources']").click()
    source = one.wait_for("#panel .source")
    assert "guide.md" in one.text("#panel")
    source.click()
    one.wait_for("#panel .line.marked")
    one.one("#panel-back").click()
    one.wait_for("#panel .source")
    assert not one.one("#panel-back").is_displayed()


def test_without_a_model_the_answer_is_quoted_and_says_so(page: StartPage) -> None:
    one = page()
    assert "answers are quoted" in one.text(".notice:not([hidden])")
    turn = one.answered("How long does the dough rest in the refrigerator?")
    assert "eighteen hours" in turn.text
    assert "Quoted from the documents" in turn.text
    assert one.text(".turn .cite.verified") == "1"
    assert not one.all("a[href$='/window']")


def test_enter_sends_and_shift_enter_begins_a_line(page: StartPage) -> None:
    one = page(answering)
    one.one("#question").send_keys("How long", Keys.SHIFT + Keys.ENTER)
    one.one("#question").send_keys("does the dough rest?", Keys.ENTER)
    one.wait_for(".turn[data-state=done]")
    assert one.text(".turn .question") == "How long\ndoes the dough rest?"


def test_keys_reach_the_field_the_help_and_the_theme_stays(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough rest?")
    one.run("document.activeElement.blur()")
    one.press("/")
    assert (one.focused, one.one("#question").get_attribute("value")) == ("question", "")
    one.run("document.activeElement.blur()")
    one.press("?")
    assert one.one("#help").is_displayed()
    one.press(Keys.ESCAPE)
    assert not one.one("#help").is_displayed()
    one.wait(lambda: not one.run("return document.querySelector('#help').open"))
    one.run("document.querySelector('[data-do=theme]').click()")
    one.wait(lambda: one.run("return document.documentElement.dataset.theme") == "dark")
    one.driver.refresh()
    one.wait(lambda: one.run("return document.documentElement.dataset.theme") == "dark")
    assert one.run("return getComputedStyle(document.body).backgroundColor") == "rgb(23, 24, 27)"
    one.one("[data-do=theme]").click()


def test_what_is_said_aloud_is_whole_paragraphs_and_no_more(page: StartPage) -> None:
    one = page(answering)
    one.run(
        "window.said = []; new MutationObserver((all) => all.forEach((one) => one.addedNodes.forEach("
        "(node) => said.push(node.textContent)))).observe(document.getElementById('spoken'), {childList: true})"
    )
    one.answered("How long does the dough rest?")
    said = one.run("return window.said")
    assert [words.split()[0] for words in said] == ["Sourdough", "(code)", "It"]
    assert one.one("#status").get_attribute("textContent") == "The answer is complete"


def test_an_answer_goes_to_the_clipboard(page: StartPage) -> None:
    one = page(answering)
    one.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"], "origin": one.url})
    one.answered("How long does the dough rest?")
    one.one("[data-do=copy]").click()
    one.wait(lambda: one.one("#status").get_attribute("textContent") == "Copied")
    copied = clipboard(one)
    assert copied.startswith("Sourdough **rests for long** [1].\n\n```python\nhours = 18\n```\n\nIt also flies")
    assert copied.endswith("the swallows [1].\n\n- [1] guide.md:5; guide.md:1-5 (not found there)\n")
    one.one(".code-block [data-do=copy-code]").click()
    one.wait(lambda: one.text(".code-block [data-do=copy-code]") == "Copied")
    assert clipboard(one).strip() == "hours = 18"
    one.one(".turn .cite").click()
    one.wait_for("#panel .quote")
    one.one("#panel [data-do=copy-quote]").click()
    one.wait(lambda: one.text("#panel [data-do=copy-quote]") == "Copied")
    assert clipboard(one) == f"> {QUOTE}\n>\n> — guide.md:5"


def clipboard(one: Page) -> str:
    return str(one.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])"))


def test_an_answer_is_read_from_its_top(page: StartPage) -> None:
    long = "\n\n".join(f"Paragraph {number} of the answer." for number in range(60))
    may_begin, may_end = threading.Event(), threading.Event()

    def script(request: Recorded) -> Reply | str:
        if "And then?" not in request.last:
            return long
        assert may_begin.wait(600)
        return Reply(in_pieces(long, 40), may_end=may_end)

    one: Page = page(script)
    one.answered("How long does the dough rest?")
    one.ask("And then?")
    one.wait(lambda: re.search(r"tiny reads.* · \d+ s$", one.text(".turn.streaming .now"), re.DOTALL))
    may_begin.set()
    one.wait_for("[data-do=newest]")
    may_end.set()
    one.wait_for(".turn[data-turn='2'][data-state=done]")
    assert top_of(one, ".turn[data-turn='2'] .question") == top_of(one, "#thread") + 24
    # So does a conversation that is opened again.
    one.driver.refresh()
    one.wait(lambda: top_of(one, ".turn[data-turn='2'] .question") == top_of(one, "#thread") + 24)
    one.one("[data-do=newest]").click()
    one.wait(lambda: not one.one("[data-do=newest]").is_displayed())


def top_of(one: Page, selector: str) -> int:
    return round(one.run("return document.querySelector(arguments[0]).getBoundingClientRect().top", selector))


@pytest.mark.slow
def test_the_panel_keeps_its_heading_and_leaves_the_thread_its_room(page: StartPage) -> None:
    words = "A loaf that waits becomes better, and who waits with it learns what time is for. " * 8
    files = {"guide.md": "# Guide\n\n" + "\n\n".join([words] * 12 + [QUOTE] + [words] * 12)}
    one: Page = page(answering, files=files)
    one.answered("How long does the dough rest in the refrigerator?")
    for width, modal in ((1280, False), (1200, True), (360, True)):
        one.size(width, 800)
        one.all(".turn .cite")[0].click()
        one.wait_for("#panel .line.marked")
        assert bool(one.all("#panel:modal")) is modal
        assert modal or one.run("return document.getElementById('thread').clientWidth") >= 560
        assert one.sideways() == 0
        one.run("document.getElementById('panel-body').scrollTop = 9999")
        # The lines scroll below what is said of them.
        assert top_of(one, "#panel .passage-head") == top_of(one, "#panel-body")
        assert "guide.md" in one.text("#panel .passage-head")
        one.press(Keys.ESCAPE)


@pytest.mark.slow
def test_nothing_of_the_conversation_lies_above_a_panel(page: StartPage) -> None:
    long = "\n\n".join(f"Paragraph {number} of the answer [1]." for number in range(60))
    one: Page = page([long])
    one.answered("How long does the dough rest?")
    one.one(".turn .cite").click()
    one.wait_for("#panel .passage-head")
    # A window that becomes narrow meanwhile: the panel becomes a sheet above the conversation.
    one.size(*PHONE)
    arrow = one.wait_for("[data-do=newest]")
    place = "const r = arguments[0].getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;"
    assert one.run(place + "return Boolean(document.elementFromPoint(x, y).closest('#panel'))", arrow)


def test_a_question_can_be_edited_and_asked_again(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough rest?")
    one.answered("And where?")
    one.one("#question").send_keys("half a thought")
    one.all("[data-do=edit]")[0].click()
    field = one.one("#question")
    assert (field.get_attribute("value"), one.focused) == ("How long does the dough rest?", "question")
    field.send_keys(Keys.CONTROL, "z")
    assert field.get_attribute("value") == "half a thought"
    one.all("[data-do=edit]")[0].click()
    field.send_keys(" `Why`?", Keys.ENTER)
    again = one.wait_for(".turn[data-turn='3'][data-state=done] .question")
    # What is written in backticks is drawn as code; the question keeps them.
    assert again.get_property("textContent") == "How long does the dough rest? `Why`?"
    assert one.text(".turn[data-turn='3'] .question code").strip("`") == "Why"


def test_what_a_corpus_can_be_asked_is_offered_and_each_is_answered(page: StartPage) -> None:
    one: Page = page()
    offered = one.wait(lambda: [button.get_property("textContent") for button in one.all("#starters button")])
    # A name is drawn as code; what is asked keeps its backticks.
    assert "What does `send_with_retry` do?" in offered
    assert "send_with_retry" in [code.text.strip("`") for code in one.all("#starters code")]
    for number, question in enumerate(offered):
        one.open("/")
        one.wait(lambda: one.all("#starters button"))
        one.all("#starters button")[number].click()
        turn = one.wait_for(".turn[data-state=done]")
        assert turn.find_element("css selector", ".question").get_property("textContent") == question
        assert turn.find_elements("css selector", ".cite.verified")
    one.size(*PHONE).open("/")
    assert one.sideways() == 0


def test_an_answer_is_saved_as_a_page_of_its_own(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough <b>rest</b>?")
    path = one.one(".turn a[href$='/file']").get_attribute("href")
    saved = httpx.get(path, timeout=600)
    assert saved.headers["content-disposition"].endswith('.html"')
    one.driver.get("about:blank")
    one.run("document.open(); document.write(arguments[0]); document.close()", saved.text)
    assert one.text("h1") == "How long does the dough <b>rest</b>?"
    assert QUOTE in one.text("#source-1 blockquote")
    assert "guide.md:5" in one.text("#source-1 h3")
    assert not one.all("b, script, link")


def test_the_page_fits_a_phone_held_sideways_and_double_size(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough rest?")
    # At 200 %, a window of 1280 by 800 has the room of one of half its size.
    for width, height in ((844, 390), (740, 360), (640, 400)):
        one.size(width, height)
        assert one.sideways() == 0
        assert one.one("#question").is_displayed()
        assert one.run("return document.getElementById('thread').clientHeight") > height / 3
        # Where the list of conversations stands beside, it is reached by scrolling, however low the window is.
        listed = one.run("return document.getElementById('conversations').clientHeight")
        assert listed > 40 or not one.one("#side").is_displayed()
        assert one.violations() == []


def test_a_printed_conversation_holds_all_of_it(page: StartPage) -> None:
    long = "```python\n" + "x = 1  # " + "words and words, " * 30 + "\n```\n\n" + "\n\n".join(counted("It rests", 80))
    one = page([long])
    one.answered("How long does the dough rest?")
    printed = one.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
    pages = [page.extract_text() for page in PdfReader(BytesIO(b64decode(printed))).pages]
    assert len(pages) > 1
    text = " ".join(" ".join(pages).split())
    assert text.count("It rests,") == 80
    # Long lines of code are wrapped, and what is clicked is left out.
    assert text.count("words and words,") == 30
    assert not re.search("Copy|Ask again|Sources|Ask a question", text)


def test_all_of_a_long_conversation_comes_and_what_is_read_stays_where_it_is(page: StartPage, tmp_path: Path) -> None:
    one = page(files={"guide.md": QUOTE})
    with FolderSessions(tmp_path / "home/sessions").begin(root=str(tmp_path / "kitchen")) as transcript:
        for number in range(1, 51):
            turn, _ = transcript.begin(Message("user", f"Question {number}?"))
            reply = Message("assistant", "It is patient work. " * (5 * number))
            transcript.end(turn, Ending("done", (reply,), known=True, model="tiny"))
    asked = "return [...document.querySelectorAll('.turn .question')].map((one) => one.textContent)"
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    one.open(f"/sessions/{transcript.id}")
    received = (
        "const asked = new XMLHttpRequest(); asked.open('GET', location, false); asked.send(); return asked.response"
    )
    assert re.findall(r'id="turn-(\d+)"', one.run(received)) == [str(number) for number in range(43, 51)]
    one.wait(lambda: len(one.all(".turn")) == 50)
    assert one.run(asked) == [f"Question {number}?" for number in range(1, 51)]
    assert not one.all(".earlier")
    one.wait(lambda: 0 <= one.run(top, "#turn-50") < 150)
    # What is out of sight is found all the same, and links lead there.
    assert one.run("return find('Question 7?')")
    one.run("location.hash = 'turn-3'")
    one.wait(lambda: -5 <= one.run(top, "#turn-3") < 150)
    assert one.violations() == []


def test_the_page_weighs_little(page: StartPage) -> None:
    one = page(answering)
    one.answered("How long does the dough rest?")
    one.open("/")
    one.wait(lambda: one.all("#starters button"))
    weights = one.run(
        "return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
        ".map((entry) => [new URL(entry.name).pathname, entry.decodedBodySize])"
    )
    assert {"chat.js", "base.css"} <= {path.rpartition("/")[2] for path, _ in weights}
    weight = sum(size for _, size in weights)
    print(f"\nthe page weighs {weight:,} bytes in {len(weights)} files, uncompressed")
    assert weight <= 150_000
