"""Documents that stand behind others: by their paths, and unless a question asks for their kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.search.background import is_generated, kinds_asked_for, language_of
from quaestor.search.path_roles import profile_path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("CHANGELOG.md", "changelog"),
        ("NEWS", "changelog"),
        ("docs/release-notes/1.0.md", "changelog"),
        ("docs/whatsnew/v1.2.rst", "changelog"),
        ("src/history.rs", ""),
        ("lib/news.py", ""),
        ("LICENSE", "legal"),
        ("LICENSE-MIT", "legal"),
        ("AUTHORS.rst", "legal"),
        ("src/license.go", ""),
        ("vendor/lib/json.c", "vendored"),
        ("dist/axios.js", "vendored"),
        ("packages/app/node_modules/x/index.js", "vendored"),
        ("api/service_pb2.py", "generated"),
        ("web/jquery.min.js", "generated"),
        ("lib/generated/parser.go", "generated"),
        ("README.zh-CN.md", "zh"),
        ("docs/de/guide.md", "de"),
        ("src/de/parser.py", ""),
        ("docs/it.md", ""),
        ("locale/messages.po", "translation"),
        ("po/messages.pot", "translation"),
        ("po/it.po", "it"),
        ("_articles/pcm/finding-users.md", "pcm"),
        ("docs/guide.md", ""),
        # Codes of languages within names in English.
        ("docs/account-id.md", ""),
        ("guide/how-it-works.md", ""),
        ("faq/why-no-themes.md", ""),
        ("manual/data-gov-uk-architecture.md", ""),
        ("book/no-std/start.md", ""),
        ("README_it.md", "it"),
        ("docs/README-pt-br.md", "pt"),
        ("docs/zh-hans/guide.md", "zh"),
        ("doc/help-de.html", "de"),
        # What an organisation was, and how releases are made.
        ("docs/history.rst", "changelog"),
        ("pages/office/history.md", ""),
        ("guides/deployment/releases.md", ""),
        ("docs/releases/1.0.txt", "changelog"),
        ("content/news/opening.md", ""),
        ("handbook/notice-period.md", ""),
        ("docs/contributors-guide.md", ""),
    ],
)
def test_a_path_tells_its_kind(path: str, kind: str) -> None:
    assert profile_path(path).background == kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("what is new in 0.8", "changelog"),
        ("when was the retry option added", "changelog"),
        ("in which version did send change", "changelog"),
        ("which licence is this under", "legal"),
        ("who are the authors", "legal"),
        ("what is vendored here", "vendored"),
        ("where are translations loaded", "translation"),
        ("which files are generated", "generated"),
        ("wie wird die Verbindung geschlossen", "de"),
        ("comment est fermée la connexion", "fr"),
        ("cómo se cierra la conexión", "es"),
        ("接続はどこで閉じられますか", "ja"),
        ("连接在哪里关闭", "zh"),
    ],
)
def test_a_question_asks_for_a_kind(question: str, kind: str) -> None:
    assert kind in kinds_asked_for(question)


@pytest.mark.parametrize(
    "question",
    [
        "where is a failed request sent again",
        "what happens when a file has changed",
        "how does the client die on a bad header",
        "Which version of the protocol does the parser speak",
    ],
)
def test_most_questions_ask_for_none(question: str) -> None:
    assert kinds_asked_for(question) <= {"changelog"} if "version" in question else not kinds_asked_for(question)


def test_a_note_tells_what_a_program_wrote() -> None:
    assert is_generated("generated")
    assert is_generated("lock file")
    assert not is_generated("not UTF-8")
    assert not is_generated(None)


@given(st.text(max_size=200))
def test_any_text_is_legal(text: str) -> None:
    assert isinstance(language_of(text), str)
    assert isinstance(kinds_asked_for(text), frozenset)
