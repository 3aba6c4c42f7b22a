"""Questions in other languages through a whole search, over English and over their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import write_files as write
from quaestor import Index
from quaestor.core.config import Settings

FILES = {
    "src/pool.py": '''"""A pool of connections to one server."""


class Pool:
    """Keeps open connections for reuse."""

    def close(self) -> None:
        """Close every connection that is open."""
        for one in self._open:
            one.shut()
''',
    "src/backoff.py": '''"""When an attempt failed."""


def delay_of(attempt: int) -> float:
    """Return the delay before the next retry; it doubles each time."""
    return 0.1 * 2**attempt
''',
    "docs/certificates.md": "# Certificates\n\nA certificate is renewed thirty days before it expires.\n",
    "docs/paper.md": "# Paper\n\nThe printer takes paper of any size and the tray holds the sheets.\n",
    "docs/birds.md": "# Birds\n\nThe heron stands in the reeds and waits for the fish.\n",
}
GERMAN = {
    "drucker.md": "# Drucker\n\nDer Drucker wird mit dem Kabel verbunden und nicht über das Netz.\n",
    "papier.md": "# Papier\n\nDas Papier wird in die Lade gelegt, und der Drucker zieht es nicht schief ein.\n",
    "close.md": "# Connection\n\nEnglish words: close, shut, connection, connect.\n",
}
CHINESE = {
    "install.md": "# 安装\n\n这个软件需要先安装依赖，然后运行安装脚本。你们可以在设置里修改路径。\n",
    "lock.md": "# 锁\n\n这里说明读写锁与互斥锁的区别，它们保护共享的数据。\n",
    "log.md": "# 日志\n\n这些日志保存在数据目录，我们每天轮换一次。\n",
}


@pytest.fixture
def english(tmp_path: Path) -> Iterator[Index]:
    with Index.build(write(tmp_path / "corpus", FILES), settings=Settings(home=str(tmp_path / "home"))) as index:
        yield index


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("Wie werden die Verbindungen geschlossen?", "src/pool.py"),
        ("comment sont fermées les connexions", "src/pool.py"),
        ("¿cómo se cierran las conexiones?", "src/pool.py"),
        ("连接是怎么关闭的", "src/pool.py"),
        ("接続はどうやって閉じられますか", "src/pool.py"),
        ("Wie lange ist die Verzögerung vor der nächsten Wiederholung?", "src/backoff.py"),
        ("quel est le délai avant la prochaine nouvelle tentative", "src/backoff.py"),
        ("¿cuánto es el retraso antes del siguiente reintento?", "src/backoff.py"),
        ("下一次重试之前的延迟是多少", "src/backoff.py"),
        ("次の再試行までの遅延はどれくらいですか", "src/backoff.py"),
        ("Wann läuft das Zertifikat ab?", "docs/certificates.md"),
        ("quand le certificat expire-t-il ?", "docs/certificates.md"),
        ("¿cuándo caduca el certificado?", "docs/certificates.md"),
        ("证书什么时候过期", "docs/certificates.md"),
        ("証明書の有効期限はいつですか", "docs/certificates.md"),
    ],
)
def test_questions_in_other_languages_find_english(english: Index, question: str, path: str) -> None:
    hits, understood = english.find(question, 3)
    assert hits[0].path == path
    assert understood.translated


def test_a_question_in_english_is_searched_for_as_it_is(english: Index) -> None:
    hits, understood = english.find("how is a connection closed", 3)
    assert hits[0].path == "src/pool.py"
    assert understood.translated == ()


def test_documents_in_the_language_of_the_question_come_by_their_own_words(tmp_path: Path) -> None:
    with Index.build(write(tmp_path / "corpus", GERMAN), settings=Settings(home=str(tmp_path / "home"))) as index:
        assert index.search("Wie wird der Drucker mit dem Kabel verbunden?", 1)[0].path == "drucker.md"
        assert index.search("Wohin wird das Papier gelegt?", 1)[0].path == "papier.md"


@pytest.mark.parametrize(
    ("question", "path"),
    [("如何安装依赖", "install.md"), ("锁", "lock.md"), ("日志保存在哪里", "log.md"), ("互斥", "lock.md")],
)
def test_chinese_documents_are_found_by_words_within_sentences(tmp_path: Path, question: str, path: str) -> None:
    with Index.build(write(tmp_path / "corpus", CHINESE), settings=Settings(home=str(tmp_path / "home"))) as index:
        assert index.search(question, 1)[0].path == path
