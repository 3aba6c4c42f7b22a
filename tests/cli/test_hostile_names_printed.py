"""Names, texts and commits full of what a terminal obeys: no command prints any of it raw, on either stream."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_parts import Run

from history_repository import Repository
from scripted_server import ScriptedServer

# Colours, a window's title, a bell, backspaces, both sets of controls, direction, and other line ends.
ODD = "\x1b[31mX\x1b]0;pwned\x07\u202eZ\x9b31m\u2066\u200f\u2028Q\x85\x7f\x08"
NAME = "hero\x1b[2Jn\u202e\x9b"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    made = Repository(tmp_path / f"repository{NAME}")
    heron = f'---\ntitle: "{ODD[:3]}"\nauthor: Eve {ODD}\n---\n# Heron {ODD}\n\nThe heron {ODD} stands in the water.\n'
    made.write(
        {
            "heron.md": heron,
            f"{NAME}.py": f'def wade():\n    """Wade like a heron {ODD}."""\n    raise ValueError("no water")\n',
            f"{NAME}/guide.md": f"# Guide\n\nWords on {NAME}.\n",
            "CHANGELOG.md": f"# Changelog\n\n## 1.0\n\n- Added the heron {ODD}\n",
            f".env{NAME}": "x\n",
        }
    )
    (made.folder / f"link{NAME}").symlink_to("heron.md")
    (made.folder / f"{NAME}.bin").write_bytes(b"\0")
    made.git("add", "-A")
    made.git("commit", "-q", "-m", f"Add the heron {ODD[:10]}", author=f"Ev\x1b[31me{ODD[10:13]}")
    made.git("tag", "v1.0")
    return made.folder


COMMANDS: list[list[str]] = [
    ["index"],
    ["index", "--json"],
    ["stats"],
    ["search", "heron"],
    ["search", ODD],
    ["search", "heron", "--path", ODD],
    ["search", "heron", "--language", ODD],
    ["search", "heron", "--since", ODD],
    ["ask", "what is the heron?"],
    ["ask", f"heron {ODD}?"],
    ["overview"],
    ["related", "wade"],
    ["related", ODD],
    ["history"],
    ["history", "when was the heron added?"],
    ["history", ODD],
    ["edit", f"change the heron {ODD}"],
    ["eval", ODD],
    ["doctor"],
    ["sessions", "show", ODD],
    ["sessions", "list"],
    ["config", "show"],
    ["users", "add", ODD],
    ["install", ODD],
    [ODD],
    ["search", f"--{ODD}"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: ascii(" ".join(command))[:40])
def test_nothing_that_a_terminal_obeys_is_printed(
    quaestor: Run, hostile: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    done = quaestor(*command)
    for printed in (done.out, done.err):
        assert OBEYED.search(printed) is None, ascii(printed)
        assert "Traceback" not in printed


def test_nothing_of_a_models_answer_nor_of_a_setting_is_obeyed(
    quaestor: Run, hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    (hostile / "quaestor.toml").write_text('ignore = ["a\\u001b[31m\\u202e"]\n"k\\u001b[31m" = 1\n', encoding="utf-8")
    with ScriptedServer([f"The heron {ODD} stands [1] `{ODD}` [{ODD}]({ODD})."]) as model:
        monkeypatch.setenv("QUAESTOR_MODEL", f"tiny{ODD[:5]}")
        monkeypatch.setenv("QUAESTOR_BASE_URL", model.base_url)
        for command in (
            ["ask", "how does the heron stand?"],
            ["ask", "how does the heron stand?", "--json"],
            ["doctor"],
        ):
            done = quaestor(*command)
            assert OBEYED.search(done.out + done.err) is None, ascii(done.out + done.err)
    (hostile / "quaestor.toml").write_text("[x\x1b[31m", encoding="utf-8")
    done = quaestor("search", "heron")
    assert OBEYED.search(done.out + done.err) is None, ascii(done.err)
