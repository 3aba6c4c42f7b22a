"""Documents that rank behind all others: by their paths, and unless a question asks for their kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor import Index
from quaestor.search.background_documents import earlier_editions, is_generated, kinds_asked_for, language_of
from quaestor.search.path_roles import profile_path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("CHANGELOG.md", "changelog"),
        ("NEWS", "changelog"),
        ("docs/changelog-news.rst", "changelog"),
        ("docs/news-letter.md", ""),
        ("docs/release-notes/1.0.md", "changelog"),
        ("docs/whatsnew/v1.2.rst", "changelog"),
        ("docs/versionhistory.rst", "changelog"),
        ("docs/release-history.md", "changelog"),
        ("doc/ReleaseNotes4.13.md", "changelog"),
        ("doc/announce/release-3.6.rst", "changelog"),
        ("docs/release-1.2/install.md", ""),
        ("docs/release.md", ""),
        ("docs/html5.md", ""),
        ("src/history.rs", ""),
        ("lib/news.py", ""),
        ("LICENSE", "legal"),
        ("LICENSE-MIT", "legal"),
        ("AUTHORS.rst", "legal"),
        ("src/license.go", ""),
        ("licenses.md", "legal"),
        ("packages/app/LICENSE.md", "legal"),
        ("docs/open-source/licenses.md", ""),
        ("vendor/lib/json.c", "vendored"),
        ("dist/axios.js", "vendored"),
        ("packages/app/node_modules/x/index.js", "vendored"),
        ("api/service_pb2.py", "generated"),
        ("web/jquery.min.js", "generated"),
        ("lib/generated/parser.go", "generated"),
        ("README.zh-CN.md", "zh"),
        ("README.ja-JP.md", "ja"),
        ("zh-traditional/guide.md", "zh"),
        ("docs/de/guide.md", "de"),
        ("src/de/parser.py", ""),
        ("docs/it.md", ""),
        ("locale/messages.po", "translation"),
        ("po/messages.pot", "translation"),
        ("po/it.po", "translation"),
        ("src/locale/de_DE/LC_MESSAGES/django.po", "translation"),
        ("web/locales/de.json", "translation"),
        ("web/locales/en.json", "translation"),
        ("web/src/locale/de.js", "translation"),
        ("web/src/locale/de/format.ts", "translation"),
        ("web/src/locale/index.ts", ""),
        ("framework/messages/zh-CN/texts.php", "translation"),
        ("framework/messages/config.php", ""),
        ("public/intl/messages/zh-CN.json", "translation"),
        ("web/messages/pt-BR.json", "translation"),
        ("web/messages/en.json", ""),
        ("lang/de/auth.php", "translation"),
        ("lang/pt_BR.json", "translation"),
        ("lang/en/auth.php", ""),
        ("src/lang/parser.py", ""),
        ("src/intl/number_format.cpp", ""),
        ("app/src/main/res/values-ja/strings.xml", "translation"),
        ("app/src/main/res/values-zh-rCN/strings.xml", "translation"),
        ("app/src/main/res/values/strings.xml", ""),
        ("app/src/main/res/values-night/colors.xml", ""),
        ("app/src/main/res/values-v21/styles.xml", ""),
        ("app/de.lproj/Localizable.strings", "translation"),
        ("app/en.lproj/Localizable.strings", ""),
        ("docs/de/guide/index.md", "de"),
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
        ("welche Lizenz hat es", "legal"),
        ("quels sont les auteurs", "legal"),
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


def test_of_several_editions_the_last_stays_in_front() -> None:
    paths = [
        "old/ack-2.24",
        "old/ack-v3.9.0",
        "old/ack-v3.10.0",
        "lib/ack-1.0",
        "policy-v1.2.html",
        "policy-v1.10.html",
    ]
    assert sorted(earlier_editions(paths, "how is the exit status decided")) == [0, 1, 4]
    assert sorted(earlier_editions([*paths, "policy.html"], "how is the exit status decided")) == [0, 1, 4, 5]


@pytest.mark.parametrize(
    "question", ["how did 2.24 decide the exit status", "what did the old version exit with", "was there a pager in v2"]
)
def test_a_question_about_versions_finds_all_of_them(question: str) -> None:
    assert not earlier_editions(["ack-2.24", "ack-3.0"], question)


def test_what_editions_and_generated_files_say_stands_behind(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text('def finish(found):\n    """Choose the exit status."""\n    return 1 - found\n')
    for version in ("1.2", "1.10"):
        text = f'def where_is_the_exit_status_chosen_{version[-1]}():\n    """Where the exit status is chosen."""\n'
        (tmp_path / f"tool-{version}.py").write_text(text)
    (tmp_path / "status.h").write_text(
        "/* Generated by scanner 1 */\n/* Where the exit status is chosen. */\nint status;\n"
    )
    guide = "<html><!-- Generated by a site's maker --><p>Where the exit status is chosen, read on.</p></html>"
    (tmp_path / "guide.html").write_text(guide)
    with Index.build(tmp_path) as index:
        paths = [hit.path for hit in index.search("Where is the exit status chosen?")]
    assert set(paths[:2]) == {"tool.py", "guide.html"}
    assert sorted(paths[2:]) == ["status.h", "tool-1.10.py", "tool-1.2.py"]


@pytest.mark.parametrize(
    ("path", "question", "comes_first"),
    [
        ("users/releases.md", "How often are releases made?", True),
        ("club/history.md", "what is the history of the releases made here", True),
        ("releases.md", "How often are releases made?", False),
        ("vendor/users/releases.md", "How often are releases made?", False),
        ("users/changes.md", "How often are changes made to releases?", False),
        ("users/releases.md", "How often are boats made?", False),
    ],
)
def test_a_document_in_a_folder_is_about_what_it_is_called(
    tmp_path: Path, path: str, question: str, comes_first: bool
) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("# Made\n\nReleases, changes, boats and history are made here, often on Tuesdays.\n")
    (tmp_path / "boats.md").write_text("# Boats\n\nThey are made.\n")
    with Index.build(tmp_path) as index:
        hits = index.search(question, 2)
    assert (hits[0].path == path) is comes_first


def test_what_bears_no_version_is_no_edition() -> None:
    paths = [
        "report-2023.md",
        "report-2024.md",
        "api_v1.py",
        "api_v2.py",
        "test_1.py",
        "test_2.py",
        "1.2/a.py",
        "1.3/a.py",
    ]
    assert not earlier_editions(paths, "how is the exit status decided")


@given(st.text(max_size=200))
def test_any_text_is_legal(text: str) -> None:
    assert isinstance(language_of(text), str)
    assert isinstance(kinds_asked_for(text), frozenset)


TEXTS = {
    "app/src/main/res/values-de/strings.xml": "<resources>\n    <string name='close'>{}</string>\n</resources>\n",
    "app/de.lproj/Localizable.strings": '"close" = "{}";\n',
    "src/locale/de/LC_MESSAGES/app.po": 'msgid "close"\nmsgstr "{}"\n',
    "web/locales/de.json": '{{"close": "{}"}}\n',
    "web/messages/de/texts.php": "<?php return ['close' => '{}'];\n",
    "web/messages/de.json": '{{"close": "{}"}}\n',
    "lang/de/texts.php": "<?php return ['close' => '{}'];\n",
}


@pytest.mark.parametrize("path", TEXTS)
def test_a_question_in_a_language_is_answered_by_code_rather_than_by_texts_in_it(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    code = 'def close_connection(at):\n    """Close the connection."""\n    at.shutdown()\n'
    question = "Wie wird die Verbindung geschlossen"
    for name, text in {"app/net.py": code, path: TEXTS[path].format(f"{question}?")}.items():
        (tmp_path / "app" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "app" / name).write_text(text)
    with Index.build(tmp_path / "app") as index:
        assert [hit.path for hit in index.search(f"{question}?", k=2)] == ["app/net.py", path]
