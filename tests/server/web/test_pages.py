"""Pages without a browser: what needs no script to be told."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from html_parts import seen
from served import Running, get, post, running, serving, write

from quaestor.assemble import make_users
from quaestor.core.config import Settings
from quaestor.server.http.served_from_settings import served_of
from quaestor.server.open_corpora import Corpora
from quaestor.server.web.safe_text import in_words
from scripted_server import ScriptedServer
from servers.threads import free_port


@pytest.fixture(scope="module")
def quoting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("pages")
    with serving(write(folder / "kitchen"), home=folder / "home") as server:
        yield server


def test_a_question_can_be_asked_and_its_answer_read_without_scripts(quoting: Running) -> None:
    asked = post(f"{quoting.url}/ask", data={"question": "How long does the dough rest in the refrigerator?"})
    assert asked.status_code == 303
    path, _, turn = asked.headers["location"].partition("#")
    shown = seen(get(quoting.url + path).text)
    assert turn in shown.values("id")
    assert "The dough rests for eighteen hours in the refrigerator." in shown.text
    again = post(f"{quoting.url}/ask", data={"question": "And the oven?", "session": path.rpartition("/")[2]})
    assert again.headers["location"] == f"{path}#turn-2"


def test_what_is_found_in_a_conversation_is_shown_in_whole_words(quoting: Running) -> None:
    question = (
        "Yesterday somebody told me in the bakery around the corner that the dough rests for very long there, "
        "longer than anybody else lets it wait: is what they said in the bakery right?"
    )
    post(f"{quoting.url}/ask", data={"question": question})
    post(f"{quoting.url}/ask", data={"question": "甲" * 200})
    shown = seen(get(f"{quoting.url}/sessions", params={"q": "rests yesterday"}).text).text
    [excerpt] = re.findall("…[^…<]*rests[^…<]*…", shown)
    assert set(excerpt.strip("…").split()) <= set(question.split())
    # Where nothing separates words, letters are shown.
    assert "甲" * 60 in seen(get(f"{quoting.url}/sessions", params={"q": "甲甲"}).text).text


@pytest.mark.parametrize("path", ["/", "/search?q=dough", "/documents", "/log-in", "/static/app.js", "/sessions/none"])
def test_every_answer_carries_a_policy_that_forbids_what_is_inline_or_from_elsewhere(
    quoting: Running, path: str
) -> None:
    policy = get(quoting.url + path).headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'")
    assert not {"unsafe", "http", "*", "data:"} & set(policy.replace("-", " ").replace(";", " ").split())


@pytest.mark.parametrize("path", ["/", "/search?q=dough", "/sessions", "/documents", "/log-in", "/sessions/none"])
def test_pages_hold_nothing_inline_and_nothing_from_elsewhere(quoting: Running, path: str) -> None:
    found = seen(get(quoting.url + path).text)
    assert "style" not in found.tags | found.attributes
    assert not [name for name in found.attributes if name.startswith("on")]
    assert all(
        attributes.get("src", "").startswith("/static/") for tag, attributes in found.elements if tag == "script"
    )
    assert all(value.startswith("/") for value in found.values("src"))
    ids = found.values("id")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("known", [True, False], ids=["size told", "size not told"])
@pytest.mark.parametrize("path", ["/ask", "/documents", "/log-in"])
def test_a_form_that_is_too_large_is_refused_with_a_page(quoting: Running, path: str, known: bool) -> None:
    body = b"question=" + b"x" * (quoting.served.upload_limit if path != "/log-in" else 1_000_000)
    headers = {"accept": "text/html,*/*;q=0.8", "content-type": "application/x-www-form-urlencoded"}
    answer = post(quoting.url + path, content=body if known else iter([body]), headers=headers)
    assert answer.status_code == 413
    assert answer.headers["content-type"].startswith("text/html")
    assert "bytes. Send less." in seen(answer.text).text
    program = post(f"{quoting.url}/api/search", content=b"x" * (quoting.served.body_limit + 1), headers=headers)
    assert (program.status_code, program.json()["error"]["code"]) == (413, "too_large")


def test_what_is_not_there_is_a_page_that_says_so(quoting: Running) -> None:
    answer = get(f"{quoting.url}/sessions/none")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "You have no conversation 'none'" in seen(answer.text).text
    assert get(f"{quoting.url}/sessions/none?bare=perhaps").status_code == 400
    assert get(f"{quoting.url}/passage?path=guide.md&start=x&end=2").status_code == 400


def test_lines_outside_of_the_corpus_are_not_shown(quoting: Running) -> None:
    for path in ("../../../../etc/passwd", "/etc/passwd", "guide.md/../../x"):
        answer = get(f"{quoting.url}/passage", params={"path": path, "start": 1, "end": 9})
        assert "root:" not in answer.text
        assert "is not in this index" in seen(answer.text).text


def test_lines_far_beyond_the_end_are_said_to_be_missing(quoting: Running) -> None:
    for start, end, said in (
        (900, 950, "'guide.md' has 5 lines; 888 is beyond its end."),
        (-5, 10**12, "The dough rests for eighteen hours"),
        (5, 1, "The dough rests for eighteen hours"),
    ):
        answer = get(f"{quoting.url}/passage", params={"path": "guide.md", "start": start, "end": end})
        assert answer.status_code == 200
        assert said in seen(answer.text).text


def test_files_are_asked_for_again_only_if_they_changed(quoting: Running) -> None:
    first = get(f"{quoting.url}/static/base.css")
    assert first.headers["content-type"].startswith("text/css")
    second = get(f"{quoting.url}/static/base.css", headers={"if-none-match": first.headers["etag"]})
    assert (second.status_code, second.content) == (304, b"")
    assert get(f"{quoting.url}/static/..%2Froutes.py").status_code == 404
    # Where the page says that they lie, they stay as they are; nothing of another version is kept.
    named = re.search(r"/static/\w+/base\.css", get(quoting.url).text)
    assert named and "immutable" in get(f"{quoting.url}{named[0]}").headers["cache-control"]
    other = get(f"{quoting.url}/static/0123/base.css")
    assert (other.content, other.headers["cache-control"]) == (first.content, "no-cache")
    assert get(f"{quoting.url}/static/routes.py").status_code == 404


@pytest.mark.parametrize("there", ["//e.example", "https://e.example", "/\\e.example", "javascript:x", "/a\r\nb", ""])
def test_a_log_in_leads_nowhere_else(tmp_path: Path, there: str) -> None:
    users = make_users(Settings(home=str(tmp_path / "home")))
    _, token = users.add("ada")
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server:
        answer = post(f"{server.url}/log-in", data={"token": token, "next": there})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        lost = get(f"{server.url}/search?q=dough")
        assert (lost.status_code, lost.headers["location"]) == (303, "/log-in?next=%2Fsearch")


@pytest.mark.parametrize(
    ("origin", "secure"), [("https://{host}", True), ("http://{host}", False), ("HTTPS://{host}", True), (None, False)]
)
def test_behind_tls_the_token_goes_over_tls_only(tmp_path: Path, origin: str | None, secure: bool) -> None:
    _, token = make_users(Settings(home=str(tmp_path / "home"))).add("ada")
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server:
        headers = {} if origin is None else {"Origin": origin.format(host=server.url.partition("://")[2])}
        answer = post(f"{server.url}/log-in", data={"token": token}, headers=headers)
        assert answer.status_code == 303
        assert ("; secure" in answer.headers["set-cookie"].lower()) == secure


def test_an_unknown_address_is_a_page_to_a_browser_and_json_to_a_program(quoting: Running) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    shown = get(f"{quoting.url}/no/<b>such</b>/page", headers=browser)
    assert (shown.status_code, shown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is nothing at this address" in seen(shown.text).text
    assert "such" not in shown.text
    for path, headers in (("/no/page", {}), ("/api/nothing", browser), ("/v1/nothing", browser)):
        answer = get(f"{quoting.url}{path}", headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")
    assert get(f"{quoting.url}/v1/chat/completions", headers=browser).status_code == 405


def test_a_corpus_that_is_still_indexed_is_said_to_be(tmp_path: Path) -> None:
    chosen = Settings(home=str(tmp_path / "home"), requests_per_minute=0)
    may_begin = threading.Event()

    def slow(_: Path) -> Settings:
        assert may_begin.wait(600)
        return chosen

    with Corpora([write(tmp_path / "kitchen")], slow) as corpora, running(served_of(corpora, chosen)) as server:
        shown = get(f"{server.url}/parts/indexing").text
        assert "Indexing kitchen: its files are being counted" in seen(shown).text
        assert "data-ready" not in shown
        assert get(f"{server.url}/search?q=dough").status_code == 503
        may_begin.set()
        corpora.get(wait=600)
        assert "data-ready" in get(f"{server.url}/parts/indexing").text
        assert get(f"{server.url}/search?q=dough").status_code == 200


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Why? " * 9000, "The question is too long for the model. Shorten it, or choose a model with a larger window."),
        (
            "How long does the dough rest?",
            "this turn may take about 1,000 words, and its next request could bring it to",
        ),
    ],
    ids=["too long", "too much"],
)
def test_what_does_not_fit_is_said_without_tokens(tmp_path: Path, question: str, said: str) -> None:
    with ScriptedServer(["It rests."]) as model:
        chosen = {"model": "tiny", "base_url": model.base_url, "window": 4096, "turn_tokens": 1500}
        chosen |= {"reserve": 2500} if "dough" in question else {}
        with serving(write(tmp_path / "kitchen"), home=tmp_path / "home", **chosen) as server:
            asked = post(f"{server.url}/ask", data={"question": question})
            shown = seen(get(server.url + asked.headers["location"].partition("#")[0]).text)
    assert said in shown.text
    assert not re.search(r"\d tokens", shown.text)


def test_of_a_model_whose_server_is_not_there_yet_the_page_says_so(tmp_path: Path) -> None:
    port = free_port()
    chosen = {"model": "tiny", "base_url": f"http://127.0.0.1:{port}/v1"}
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home", **chosen) as server:
        said = "The server of tiny does not respond: answers are quoted from the documents until it does."
        assert said in " ".join(seen(get(server.url).text).text.split())
        with ScriptedServer(["It rests."], port=port):
            assert "Answers are tiny’s words" in seen(get(server.url).text).text
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server:
        assert "No language model is set" in seen(get(server.url).text).text


def test_numbers_of_tokens_become_words() -> None:
    assert in_words("cut short from 1,500 tokens to 90 tokens") == "cut short from about 1,000 words to about 60 words"
