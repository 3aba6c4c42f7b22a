"""Nothing that a file, a model or a person writes runs in the browser, or shows itself as more than text."""

from __future__ import annotations

import json
from urllib.request import Request, urlopen

from browser_parts import Page, StartPage

from scripted_server import Reply

RUN = "window.ran = 1"
NAMES = ["<img src=x onerror=window.ran=1>.md", "a'\"><svg onload=window.ran=1>.py", "turned\u202egpj.md"]
SNIPPET = (
    f"</code></pre><script>{RUN}</script>\n<img src=x onerror='{RUN}'>\n"
    "[click](javascript:window.ran=1)\n\u202etfel\u202c \x07bell \x1b[31m red\n{{{{ 7*7 }}}} {{% raw %}}\n"
)
FILES = dict.fromkeys(NAMES, f"# The dough <b id=made>rests</b>\n\n{SNIPPET}\n")
ANSWER = (
    f"<script>{RUN}</script><img src=x onerror='{RUN}'> [a](javascript:{RUN}) ![x](http://127.0.0.1:1/x.png)\n\n"
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>\n\n"
    f'It rests [1: "<img src=x onerror={RUN}>"] <svg/onload={RUN}> <style>*{{display:none}}</style>\n\n'
    f"```html\n<script>{RUN}</script>\n```\n\n| <i id=made onclick={RUN}> |\n|--|\n| x |\n"
)


def assert_nothing_ran(page: Page) -> None:
    """Nothing of all that ran, became an element, or turned what is around it."""
    assert page.run("return window.ran === undefined")
    made = page.run(
        "return [...document.querySelectorAll('#made, main script, #panel script, iframe, object, embed, style,"
        ' main img, [onerror], [onload], [onclick], [style], a[href^="javascript:" i]\')].map((one) => one.outerHTML)'
    )
    assert made == []
    assert not set(page.run("return document.documentElement.textContent")) & set("\u202e\u202c\x07\x1b")


def test_hostile_files_and_answers_are_text_everywhere(page: StartPage) -> None:
    one = page([Reply([ANSWER])], files=FILES)
    question = f"Does the dough rest? <img src=x onerror={RUN}><b id=made>\u202e"
    one.one("#question").send_keys(question)
    one.press("\ue007")
    one.wait_for(".turn[data-state=done]")
    assert_nothing_ran(one)
    assert "<script>window.ran = 1</script>" in one.text(".turn")
    assert "<img src=x onerror=window.ran = 1><b id=made>" in one.text("#heading")
    session = one.driver.current_url.rpartition("/")[2]

    one.one(".turn summary").click()
    one.one("a[href$='/sources']").click()
    one.wait_for("#panel .source").click()
    one.wait_for("#panel .code")
    assert_nothing_ran(one)
    assert "</code></pre><script>window.ran = 1</script>" in one.text("#panel .code")

    for path in (
        f"/sessions/{session}",
        f"/sessions/{session}/turns/1/sources",
        f"/sessions/{session}/turns/1/window",
        f"/sessions/{session}/turns/1/citations/0",
        "/sessions",
        "/search?q=dough+rests",
        "/search?q=%3Cimg+src%3Dx+onerror%3Dwindow.ran%3D1%3E%22%27",
        "/passage?path=%3Cscript%3Ewindow.ran%3D1%3C%2Fscript%3E&start=1&end=2",
        "/sessions/%3Cimg%20src=x%20onerror=window.ran=1%3E",
    ):
        one.open(path)
        assert_nothing_ran(one)
    # The last two are errors, of which browsers tell.
    one.complaints()


def test_hostile_titles_and_documents_are_text(page: StartPage) -> None:
    one = page()
    title = f"</title><script>{RUN}</script><b id=made>\u202e"
    session = json.loads(_sent(one, "POST", "/api/sessions", {"title": title}))["id"]
    _sent(
        one, "POST", "/api/documents", {"name": f"<img src=x onerror={RUN}>.md", "text": "# Notes\n\nThe oven is hot."}
    )
    for path in (f"/sessions/{session}", "/sessions", "/documents", "/"):
        one.open(path)
        assert_nothing_ran(one)
    one.open("/sessions").one("[data-do=delete]").click()
    assert "<script>window.ran = 1</script>" in one.text("#confirm")
    assert_nothing_ran(one)


def test_a_hostile_error_of_a_model_is_text(page: StartPage) -> None:
    one = page([Reply(status=400, error=f"<img src=x onerror={RUN}><b id=made>\u202e\x1b[1m")])
    assert "<img src=x onerror=window.ran = 1>" in one.answered("Does it rest?", "failed").text
    assert_nothing_ran(one)


def test_the_policy_stops_what_would_get_through(page: StartPage) -> None:
    one = page()
    one.run(
        "const script = document.createElement('script'); script.textContent = 'window.ran = 1';"
        "document.body.append(script);"
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')"
    )
    one.wait(lambda: one.run("return document.images[document.images.length - 1].complete"))
    assert one.run("return window.ran === undefined")
    assert any("Content Security Policy" in complaint for complaint in one.complaints())


def _sent(page: Page, method: str, path: str, body: dict[str, str]) -> bytes:
    data = json.dumps(body).encode()
    with urlopen(Request(page.url + path, data, {"content-type": "application/json"}, method=method)) as answer:
        return bytes(answer.read())
