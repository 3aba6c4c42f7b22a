"""What is done below an answer: saying whether it is useful, and making a change that it proposes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from served import serving, write

from quaestor.assemble import make_users
from quaestor.core.config import Settings
from quaestor.llm import tags
from scripted_server import ScriptedServer

QUOTE = "The dough rests for eighteen hours in the refrigerator."
CHANGE = {"path": "guide.md", "search": QUOTE, "replace": "The dough rests for two days."}


@dataclass(frozen=True)
class Held:
    """A session that was held.

    Attributes:
        browser: of who held it.
        at: its path.
    """

    browser: httpx.Client
    at: str

    def shown(self) -> str:
        return self.browser.get(self.at).text

    def post(self, path: str, **form: str) -> httpx.Response:
        return self.browser.post(f"{self.at}/turns/1/{path}", data=form)

    def turn(self) -> dict[str, object]:
        return dict(self.browser.get(f"/api{self.at}").json()["turns"][0])

    def exported(self) -> str:
        return self.browser.get(f"/api{self.at}/export").text


@contextmanager
def conversing(tmp_path: Path, token: str = "", **more: object) -> Iterator[Held]:
    """A client, and a session that it has held whose one turn proposes a change."""
    with ScriptedServer([tags.render("edit", CHANGE), "So be it."]) as model:
        chosen = {"model": "tiny", "base_url": model.base_url, "subroutines": "on", "tools": "text", **more}
        headers = {"authorization": f"Bearer {token}"} if token else {}
        with (
            serving(write(tmp_path / "kitchen"), home=tmp_path / "home", **chosen) as server,
            httpx.Client(base_url=server.url, timeout=600, verify=False, headers=headers) as browser,
        ):
            session = browser.post("/api/sessions", json={}).json()["id"]
            browser.post(f"/api/sessions/{session}/turns", json={"question": "Let the dough rest for two days"})
            yield Held(browser, f"/sessions/{session}")


def text(tmp_path: Path) -> str:
    return (tmp_path / "kitchen/guide.md").read_text("utf-8")


def test_a_change_is_made_once_and_only_with_consent(tmp_path: Path) -> None:
    with conversing(tmp_path, page_edits="on") as held:
        assert "Apply" in held.shown()
        assert held.post("changes/0").status_code == 400
        assert held.post("changes/1", sure="yes").status_code == 404
        assert QUOTE in text(tmp_path)
        made = held.post("changes/0", sure="yes")
        assert made.status_code == 303
        # Back to where it says that the change was made.
        assert made.headers["location"].endswith("#change-1-0")
        assert CHANGE["replace"] in text(tmp_path)
        assert "This change was made." in held.shown()
        assert "Proposed, and applied:" in held.exported()
        assert held.post("changes/0", sure="yes").status_code == 400


def test_what_was_not_shown_is_not_made(tmp_path: Path) -> None:
    with conversing(tmp_path, page_edits="on") as held:
        (tmp_path / "kitchen/guide.md").write_text(f"Another beginning.\n\n{text(tmp_path)}", "utf-8")
        refused = held.post("changes/0", sure="yes")
        assert (refused.status_code, "has changed since this was proposed" in refused.text) == (400, True)
        assert QUOTE in text(tmp_path)


def test_no_change_is_made_where_that_is_not_allowed(tmp_path: Path) -> None:
    with conversing(tmp_path) as held:
        assert "No file was changed." in held.shown()
        assert held.post("changes/0", sure="yes").status_code == 403
    _, token = make_users(Settings(home=str(tmp_path / "home"))).add("ada")
    with conversing(tmp_path, token, page_edits="on") as held:
        assert held.post("changes/0", sure="yes").status_code == 403
    assert QUOTE in text(tmp_path)


def test_what_is_said_of_an_answer_stays_and_is_exported(tmp_path: Path) -> None:
    with conversing(tmp_path) as held:
        assert held.turn()["feedback"] is None
        assert held.post("feedback", words="?").status_code == 400
        for useful, words in (("yes", ""), ("no", "It says <b>nothing</b>\nof salt.")):
            answer = held.post("feedback", useful=useful, words=words)
            assert answer.headers["location"].endswith("#turn-1")
        assert held.turn()["feedback"] == {"useful": False, "words": "It says <b>nothing</b>\nof salt."}
        assert "*Found not useful: It says <b>nothing</b> of salt.*" in held.exported()
        assert held.browser.post(f"{held.at}/turns/2/feedback", data={"useful": "yes"}).status_code == 404
