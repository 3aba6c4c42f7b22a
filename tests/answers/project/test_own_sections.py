"""What a README or a guide for contributors has a section on, or a document or a file of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.project.own_sections import answer_with_own_section
from quaestor.answers.way import Question

OWN_SECTIONS = {
    "README.md": "# Shop\n\nSells bread.\n\n## Key Features\n\n- Fresh bread every day of the week\n- Old bread\n",
    "CONTRIBUTING.md": "# Helping\n\n## Reporting a bug\n\nWrite to the miller and say what was wrong with it.\n",
    ".github/workflows/ci.yml": "name: bake\non: push\n",
    ".github/workflows/apples.yml": "name: apples\non: push\n",
    ".rubocop.yml": "AllCops:\n  NewCops: enable\n",
    "docs/dev/developing.md": "# Work\n\n## Release process\n\nRaise the number, bake a tag, push it to the oven.\n",
    "shop.py": "def features():\n    return 'a bug in CI'\n",
}


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("What are the main features?", ["README.md:7"]),
        ("which features does the shop have", ["README.md:7"]),
        ("How do I report a bug?", ["CONTRIBUTING.md:5"]),
        ("Where can I file an issue?", ["CONTRIBUTING.md:5"]),
        ("Where is CI configured?", [".github/workflows/ci.yml:1", ".github/workflows/apples.yml:1"]),
        ("Which CI does it use?", [".github/workflows/ci.yml:1", ".github/workflows/apples.yml:1"]),
        ("How to cut a new release", ["docs/dev/developing.md:5"]),
        ("How do I publish a new version?", ["docs/dev/developing.md:5"]),
        ("What code style is used?", [".rubocop.yml:1"]),
        ("how is the code linted?", [".rubocop.yml:1"]),
        ("Which linters does the shop use?", [".rubocop.yml:1"]),
        ("how do I format a date?", None),
        ("How do I publish a version of the menu?", None),
        ("what features does the till have", None),
        ("How do I report a sale?", None),
        ("Where is the price configured?", None),
    ],
)
def test_a_section_of_its_own_or_the_files_of_ci_answer(
    tmp_path: Path, question: str, places: list[str] | None
) -> None:
    with index_of(tmp_path / "shop", OWN_SECTIONS) as index:
        answer = answer_with_own_section(Question(question), index)
        assert (None if answer is None else [f"{hit.path}:{hit.start_line}" for hit in answer.hits]) == places
    with index_of(tmp_path / "other", {"shop.py": "x = 1\n"}) as index:
        assert answer_with_own_section(Question(question), index) is None


RELEASED = {
    "README.md": "# Shop\n\n## Releases\n\nGet them from the market.\n",
    "RELEASES.md": "# Releases\n\n## 1.2\n\nBread was released.\n",
    "docs/releasing.md": "# Releasing\n\nTag the commit and bake it.\n",
    "src/release.md": "# Release\n\nA bird is released into the air.\n",
    "shop.py": "def release():\n    return 'a bird'\n",
}


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("How do I make a release?", ["docs/releasing.md:3"]),
        ("release process", ["docs/releasing.md:3"]),
        ("how do we cut a new release", ["docs/releasing.md:3"]),
        ("How is the shop released?", ["docs/releasing.md:3"]),
        ("how are releases made", ["docs/releasing.md:3"]),
        ("How do I release a bird?", None),
        ("what does release do", None),
    ],
)
def test_how_a_release_is_made_is_told_by_a_document_about_it(
    tmp_path: Path, question: str, places: list[str] | None
) -> None:
    with index_of(tmp_path / "shop", RELEASED) as index:
        answer = answer_with_own_section(Question(question), index)
    assert (None if answer is None else [f"{hit.path}:{hit.start_line}" for hit in answer.hits]) == places


def test_notes_on_releases_tell_nothing_and_a_section_or_a_script_does(tmp_path: Path) -> None:
    notes = {"RELEASE.md": "# Release 1.2\n\n## 1.2\n\nBread was released.\n", "shop.py": "x = 1\n"}
    script = {"scripts/release.sh": "# Bakes and tags.\ngit tag\n"}
    guide = {"CONTRIBUTING.md": "# Helping\n\n## Making a release\n\nTag the commit, then bake it and carry it off.\n"}
    for number, (files, place) in enumerate(
        ((notes, ""), ({**notes, **script}, "scripts/release.sh"), ({**notes, **script, **guide}, "CONTRIBUTING.md"))
    ):
        with index_of(tmp_path / f"shop{number}", files) as index:
            answer = answer_with_own_section(Question("How do I make a release?"), index)
        assert ("" if answer is None else answer.hits[0].path) == place
        assert answer is None or ("No document here tells how." in answer.text([1])) == place.endswith(".sh")


@pytest.mark.parametrize(
    ("readme", "question", "line"),
    [
        ("## Requirements\n\nYou need Mac OS 10 or newer, and a lot of bread.\n", "supported platforms", 5),
        ("## Requirements\n\nYou need Mac OS 10 or newer, and a lot of bread.\n", "Does it run on macOS?", 5),
        ("## Requirements\n\nYou need Mac OS 10 or newer, and a lot of bread.\n", "Is Windows supported?", None),
        ("## Requirements\n\nYou need flour for all scenarios that we know here.\n", "supported platforms", None),
        ("Runs well.\n\n- Supports Linux and Windows\n", "Which operating systems are supported?", 5),
        ("Runs well.\n\n- Supports Linux and Linux\n", "Which operating systems are supported?", None),
        ("Runs well.\n\n- Supports Linux\n", "can I use the shop on linux", 5),
        ("Runs well.\n\n- Supports Linux\n", "does it work on windows", None),
        ("Runs well.\n\n- Supports Linux and Windows\n", "Which window is supported?", None),
    ],
)
def test_platforms_are_told_by_a_section_or_a_line_that_names_them(
    tmp_path: Path, readme: str, question: str, line: int | None
) -> None:
    files = {"README.md": f"# Shop\n\n{readme}", "src/platform/linux.py": "runs = 'on Linux'\n"}
    with index_of(tmp_path / "shop", files) as index:
        answer = answer_with_own_section(Question(question), index)
    assert (None if answer is None else (answer.hits[0].path, answer.hits[0].start_line)) == (
        line and ("README.md", line)
    )


def test_whom_to_tell_of_a_security_hole(tmp_path: Path) -> None:
    files = {
        "SECURITY.md": "# Security\n\n## Versions\n\nAll that are reported to be sold.\n\n"
        "## Reporting a vulnerability\n\nWrite an e-mail to the miller, who reads it every morning.\n",
        "docs/security.md": "# Security\n\nThe door has a lock.\n",
        "shop.py": "x = 1\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        for text in (
            "Who do I tell about a security hole?",
            "how do I report a vulnerability",
            "where to report security issues",
        ):
            answer = answer_with_own_section(Question(text), index)
            assert answer is not None and [(hit.path, hit.start_line) for hit in answer.hits] == [("SECURITY.md", 9)]
        assert answer_with_own_section(Question("who is told about a sale"), index) is None
    with index_of(tmp_path / "other", {"docs/security.md": files["docs/security.md"]}) as index:
        assert answer_with_own_section(Question("how do I report a vulnerability"), index) is None


@pytest.mark.parametrize(
    ("readme", "question", "line"),
    [
        ("## Getting help\n\nAsk the miller, or anybody who is in the mill by day.\n", "Where can I ask questions?", 5),
        ("## Getting help\n\nAsk the miller, or anybody who is in the mill by day.\n", "Is there a discord?", None),
        ("Come in: https://discord.gg/x\n", "How do I get help with the shop?", 3),
        ("Come in: https://discord.gg/x\n", "Is there a Discord server?", 3),
        ("Come in: https://discord.gg/x\n", "Is there a forum?", None),
        ("[Chat](https://talk.example.org)\n", "how do I contact the maintainers", 3),
        ("Come in: https://discord.gg/x\n", "How do I get the current user?", None),
        ("Come in: https://discord.gg/x\n", "How do I ask for bread?", None),
    ],
)
def test_where_people_ask(tmp_path: Path, readme: str, question: str, line: int | None) -> None:
    with index_of(tmp_path / "shop", {"README.md": f"# Shop\n\n{readme}", "shop.py": "x = 1\n"}) as index:
        answer = answer_with_own_section(Question(question), index)
    assert (None if answer is None else answer.hits[0].start_line) == line


@pytest.mark.parametrize(
    ("files", "place"),
    [
        (
            {"package.json": '{\n "name": "shop",\n "bugs": {\n  "url": "https://example.org/b"\n }\n}\n'},
            "package.json:3-5",
        ),
        (
            {"pyproject.toml": '[project.urls]\nHome = "https://a.org"\n"Bug Tracker" = "https://a.org/b"\n'},
            "pyproject.toml:3-3",
        ),
        ({"shop.gemspec": "x = 1\ns.metadata['bug_tracker_uri'] = 'https://a.org'\n"}, "shop.gemspec:2-2"),
        (
            {"README.md": "# Shop\n\nSee https://h.org/a/oven/issues and\n[ours](https://h.org/a/shop/issues/new).\n"},
            "README.md:4-4",
        ),
        ({"README.md": "# Shop\n\nFixed https://h.org/a/shop/issues/12 and https://h.org/a/shop/issues?q=1\n"}, None),
    ],
)
def test_without_a_section_the_address_of_the_issue_tracker_answers(
    tmp_path: Path, files: dict[str, str], place: str | None
) -> None:
    with index_of(tmp_path / "shop", {**files, "shop.py": "x = 1\n"}) as index:
        answer = answer_with_own_section(Question("Where do I report bugs?"), index)
        hits = answer.hits if answer is not None else ()
        assert [f"{hit.path}:{hit.start_line}-{hit.end_line}" for hit in hits] == ([place] if place else [])


def test_where_no_document_names_platforms_the_runners_of_ci_do(tmp_path: Path) -> None:
    jobs = "jobs:\n  a:\n    runs-on: ubuntu-24.04\n  b:\n    os: [ubuntu-24.04, windows-11]\n"
    jobs += "  c:\n    run: test windows linux macos\n"
    with index_of(tmp_path / "shop", {"README.md": "# Shop\n", ".github/workflows/ci.yml": jobs}) as index:
        every, one = (
            answer_with_own_section(Question(text), index) for text in ("supported platforms", "does it run on linux")
        )
    with index_of(tmp_path / "one", {"README.md": "# Shop\n", ".github/workflows/ci.yml": jobs[:40]}) as index:
        lone = answer_with_own_section(Question("supported platforms"), index)
    assert one is None and lone is None and every is not None
    assert every.text([1]).startswith("No document here says so. This is where CI runs:")
    assert [(hit.path, hit.start_line) for hit in every.hits] == [(".github/workflows/ci.yml", 5)]
