"""Pictures of a corpus beside the lines that name them: its own alone, and nothing but pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Running, get, post, serving, write

from quaestor.assemble import make_users
from quaestor.core.config import Settings

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
KINDS = {
    "plan.png": (PNG, "image/png"),
    "plan.jpg": (b"\xff\xd8\xff\xe0" + bytes(20), "image/jpeg"),
    "plan.gif": (b"GIF89a" + bytes(20), "image/gif"),
    "plan.webp": (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    # What it is, not what it is called.
    "called.gif": (PNG, "image/png"),
}
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran = 1"><script>window.ran = 1</script></svg>'
GUIDE = """# Garden

![The beds](img/plan.png "plan") and ![from above](/img/plan.jpg) and <img alt="It grows" src='img/plan.gif'>

![elsewhere](https://example.org/x.png) ![no host](//example.org/x.png) ![drawn](img/drawn.svg)
![out](../outside.png) ![data](data:image/png;base64,AAAA) ![gone](img/gone.png) ![link](img/link.png)
![ignored](private/plan.png) ![file](file:///etc/x.png)
"""

BEANS = """# Beans

Beans are sown in May, and watered at dusk. ![Beans](img/plan.png) ![in May](/img/plan.jpg)
![elsewhere](https://example.org/x.png) ![gone](img/gone.png)
"""


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    folder = write(
        tmp_path / "garden",
        {"docs/guide.md": GUIDE, "docs/beans.md": BEANS, ".gitignore": "private/\n", "big.md": "# Big\n"},
    )
    (folder / ".git").mkdir()
    for place in ("docs/img", "img", "docs/private"):
        (folder / place).mkdir()
    for name, (data, _) in KINDS.items():
        (folder / "docs/img" / name).write_bytes(data)
        (folder / "img" / name).write_bytes(data)
    (folder / "docs/private/plan.png").write_bytes(PNG)
    for name in ("drawn.svg", "drawn.png", "page.png"):
        (folder / "docs/img" / name).write_bytes(SVG if "drawn" in name else b"<script>window.ran = 1</script>")
    (folder / "docs/img/large.png").write_bytes(PNG + bytes(8_000_000))
    (tmp_path / "outside.png").write_bytes(PNG)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/plan.png").write_bytes(PNG)
    (folder / "docs/img/link.png").symlink_to(tmp_path / "outside.png")
    (folder / "docs/led").symlink_to(tmp_path / "outside")
    return folder


@pytest.fixture
def server(garden: Path, tmp_path: Path) -> Iterator[Running]:
    with serving(garden, home=tmp_path / "home") as found:
        yield found


def asked(server: Running, path: str) -> object:
    return get(f"{server.url}/picture", params={"path": path})


def test_the_corpus_own_pictures_stand_below_the_lines_that_name_them(server: Running) -> None:
    shown = get(f"{server.url}/passage", params={"path": "docs/guide.md", "start": 3, "end": 3}).text
    pictures = re.findall(r'<figure.*?<img src="([^"]+)" alt="([^"]*)"', shown)
    assert [alt for _, alt in pictures] == ["The beds", "from above", "It grows"]
    kinds = [get(server.url + href.replace("&amp;", "&")).headers["content-type"] for href, _ in pictures]
    assert kinds == ["image/png", "image/jpeg", "image/gif"]


def test_pictures_in_what_an_answer_quotes_stand_below_it(server: Running) -> None:
    session = post(f"{server.url}/api/sessions", json={}).json()["id"]
    post(f"{server.url}/api/sessions/{session}/turns", json={"question": "When are the beans watered?"})
    shown = get(f"{server.url}/sessions/{session}").text
    assert re.findall(r'<figure.*?alt="([^"]*)"', shown) == ["Beans", "in May"]
    assert "[picture: Beans]" in shown
    assert "![" not in shown


@pytest.mark.parametrize("name", KINDS)
def test_a_picture_is_sent_as_what_its_bytes_are(server: Running, name: str) -> None:
    data, kind = KINDS[name]
    answer = asked(server, f"docs/img/{name}")
    assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, data, kind)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        *("../outside.png", "docs/../../outside.png", "docs/img/../img/plan.png", "./docs/img/plan.png", "/etc/x.png"),
        *("docs//img/plan.png", "docs\\img\\plan.png", "docs/img/plan.png\0", "", ".", "docs/img", "docs/img/gone.png"),
        *("docs/img/link.png", "docs/led/plan.png", "docs/private/plan.png", "docs/guide.md", ".git/x.png"),
        *("docs/img/drawn.svg", "docs/img/drawn.png", "docs/img/page.png", "docs/img/large.png"),
    ],
)
def test_nothing_else_is_sent(server: Running, tmp_path: Path, path: str) -> None:
    answer = asked(server, path)
    assert answer.status_code in (400, 404)
    assert PNG not in answer.content
    assert b"window.ran" not in answer.content
    absolute = asked(server, str(tmp_path / "outside.png"))
    assert absolute.status_code == 404


def test_what_lies_beside_a_corpus_of_one_file_is_no_part_of_it(garden: Path, tmp_path: Path) -> None:
    with serving(garden / "docs/guide.md", home=tmp_path / "home") as server:
        assert asked(server, "img/plan.png").status_code == 404
        shown = get(f"{server.url}/passage", params={"path": "guide.md", "start": 1, "end": 9})
        assert shown.status_code == 200
        assert "<figure" not in shown.text


def test_nobody_sees_the_pictures_of_a_server_with_users_but_they(garden: Path, tmp_path: Path) -> None:
    _, token = make_users(Settings(home=str(tmp_path / "home"))).add("ada")
    with serving(garden, home=tmp_path / "home") as server:
        assert asked(server, "docs/img/plan.png").status_code == 303
        known = get(
            f"{server.url}/picture",
            params={"path": "docs/img/plan.png"},
            headers={"authorization": f"Bearer {token}"},
        )
        assert known.content == PNG
