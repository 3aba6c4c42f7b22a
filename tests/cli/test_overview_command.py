"""``quaestor overview``, for people and for programs."""

from __future__ import annotations

import re
from pathlib import Path

from cli_parts import Run, lines_in_terminal, write


def test_for_people(quaestor: Run, repository: Path) -> None:
    write(repository, {"README.md": "# Shop\n\nShop is a library that sends each request again after a failure.\n"})
    done = quaestor("overview", repository)
    assert done.code == 0
    assert done.out.startswith("Overview: ")
    assert "- Shop is a library that sends each request again after a failure. [1]" in done.out
    assert "Sources:\n[1] README.md:3" in done.out


def test_in_a_terminal_lines_end_between_words_and_items_go_on_below_their_words(repository: Path) -> None:
    write(repository, {"README.md": "# Shop\n\nShop is a library that sends each request again after a failure.\n"})
    lines = lines_in_terminal(40, "overview", repository)
    assert max(map(len, lines)) <= 40
    assert lines[lines.index("- Shop is a library that sends each") + 1] == "  request again after a failure. [1]"


def test_for_programs(quaestor: Run, repository: Path) -> None:
    found = quaestor("overview", repository, "--json", "--tokens", 300).json
    assert set(found) == {"folder", "documents", "tokens", "text", "sections", "index", "seconds"}
    assert found["tokens"] <= 300
    assert found["index"]["fresh"]
    lines = [line for section in found["sections"] for line in section["lines"]]
    told = [line for line in lines if "n" in line]
    assert told
    assert all({"path", "start_line", "end_line", "sha256", "fresh"} <= set(line) for line in told)


def test_a_folder_of_it(quaestor: Run, repository: Path) -> None:
    assert quaestor("overview", repository, "--folder", "src").out.startswith("Overview of src/: ")
    done = quaestor("overview", repository, "--folder", "nowhere")
    assert done.code != 0
    assert "'nowhere' is not a folder of this index" in done.err


def test_an_empty_folder(quaestor: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = quaestor("overview", tmp_path / "empty")
    assert done.code == 1
    assert "There are no documents here." in done.out


def test_hostile_names(quaestor: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "hostile", {"red\x1b[31m.py": '"""Turns \x1b[31m all red at once."""\n'})
    assert "\x1b" not in quaestor("overview", root).out


def test_a_question_for_it(quaestor: Run, repository: Path) -> None:
    write(repository, {"README.md": "# Shop\n\nShop is a library that sends each request again after a failure.\n"})
    found = quaestor("ask", "What is this project?", repository, "--json").json
    assert found["known"]
    assert "Shop is a library" in found["answer"]
    assert found["citations"][0]["path"] == "README.md"
    assert found["citations"][0]["status"] in ("verified", "repaired")


def test_who_asks_what_it_is_gets_a_screen_with_further_questions_and_sources_side_by_side(
    quaestor: Run, repository: Path
) -> None:
    guides = {
        f"guides/{name}.md": f"# Guide to {name}\n\nHow {name} are grown.\n"
        for name in map("pears{}".format, range(60))
    }
    write(repository, {"README.md": "# Orchard\n\nOrchard is a guide to growing fruit.\n", **guides})
    brief, full = quaestor("ask", "What is this?", repository), quaestor("ask", "What are the main parts?", repository)
    assert "Orchard is a guide to growing fruit." in brief.out
    assert len(brief.out.splitlines()) < 60 < len(full.out.splitlines())
    assert "✓ found there:\n      [1] README.md:" in brief.out
    asked = re.findall("`([a-z][^`]*[?])`", brief.out)
    assert len(asked) == 3
    assert all(quaestor("ask", question, repository).code == 0 for question in asked)
    assert "Ask further" not in full.out
