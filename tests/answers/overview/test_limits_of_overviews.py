"""How much of each kind an overview shows, and how long what it says may be."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from overview_parts import material_of

from quaestor.answers.overview import build_and_test, path_descriptions
from quaestor.answers.overview.build_and_test import build_lines
from quaestor.answers.overview.document_statistics import kinds, titles
from quaestor.answers.overview.entry_points import entry_points
from quaestor.answers.overview.introduction import first_sentence, from_manifests, introduction
from quaestor.answers.overview.main_parts import importers_of, parts, tree
from quaestor.answers.overview.make_overview import BUDGET, LEAST, _fit, _Share
from quaestor.answers.overview.named_paths import named_paths
from quaestor.answers.overview.overview_text import Entry, Section, Statement
from quaestor.answers.overview.path_descriptions import description


def count_words(text: str) -> int:
    return len(text.split())


def numbered(path: str, text: str, most: int) -> Mapping[str, str]:
    return {path.format(number): text.format(number) for number in range(most)}


def test_at_most_fourteen_entry_points_and_four_headers() -> None:
    programs = numbered("cmd/p{:02}/main.go", "package main\n\nfunc main() {{}}\n", 15)
    found = entry_points(material_of(programs))
    assert [one.name for one in found] == sorted(programs)[:14]
    headers = numbered("include/h{}.h", "int h{}(void);\n", 5)
    assert [one.name for one in entry_points(material_of(headers))] == sorted(headers)[:4]


def test_a_program_lies_at_most_four_folders_deep() -> None:
    files = {f"{folder}/main.rs": "fn main() {}\n" for folder in ("a/b/c/d", "a/b/c/e/f")}
    assert [one.name for one in entry_points(material_of(files))] == ["a/b/c/d/main.rs"]
    files = {f"{folder}/src/bin/x.rs": "fn main() {}\n" for folder in ("a/b", "a/b/c")}
    assert [one.name for one in entry_points(material_of(files))] == ["a/b/src/bin/x.rs"]


def test_at_most_fourteen_targets_and_four_commands() -> None:
    targets = "".join(f"test-{number:02}:\n\tpytest\n\n" for number in range(16))
    [entry] = build_lines(material_of({"Makefile": targets}))
    assert (entry.name, len(entry.also)) == ("Makefile", 13)
    commands = "".join(f"    make check-{number}\n" for number in range(6))
    found = build_lines(material_of({"CONTRIBUTING.md": f"# Tests\n\n{commands}"}))
    assert [one.says and one.says.text for one in found] == [f"make check-{number}" for number in range(4)]
    steps = "".join(f"      - run: make check-{number}\n" for number in range(6))
    found = build_lines(material_of({".github/workflows/ci.yml": f"jobs:\n  a:\n    steps:\n{steps}"}))
    assert [one.says and one.says.text for one in found] == [f"make check-{number}" for number in range(4)]
    workflows = numbered(".github/workflows/ci{}.yml", "jobs:\n  a:\n    steps:\n      - run: make check-{}\n", 4)
    also = numbered(".github/workflows/x{}.yml", "jobs:\n  a:\n    steps:\n      - run: ls\n", 9)
    assert len(build_lines(material_of({**workflows, **also}))) == 4
    last = {".github/workflows/z.yml": "jobs:\n  a:\n    steps:\n      - run: make test\n"}
    assert [len(build_lines(material_of({**dict([*also.items()][:most]), **last}))) for most in (5, 6)] == [1, 0]


def test_a_command_has_fewer_than_eighty_letters() -> None:
    for more, shown in ((69, True), (70, False)):
        found = build_lines(material_of({"README.md": f"# A\n\n    make test {'x' * more}\n"}))
        assert bool(found) == shown
    assert not build_lines(material_of({"README.md": "# A\n\n    make test \\\n"}))


def test_at_most_two_lines_of_a_manifest_are_quoted() -> None:
    found = build_lines(material_of({"go.mod": "module a\ngo 1\ngo 2\n"}))
    assert [one.says and one.says.text for one in found] == ["module a", "go 1"]


def test_at_most_one_hundred_and_twenty_titles() -> None:
    pages = numbered("{:03}.md", "# Page {}\n\nText.\n", 121)
    assert [len(titles(material_of(dict([*pages.items()][:most])))) for most in (119, 120, 121)] == [119, 120, 120]


def test_eight_documents_are_told_with_their_sections() -> None:
    pages = numbered("{}.md", "# Page\n\n## Part {0}\n\nText.\n", 9)
    few, many = (titles(material_of(dict([*pages.items()][:most]))) for most in (8, 9))
    assert (len(few), len(many)) == (16, 9)
    assert [few[1].says and few[1].says.text, few[1].depth] == ["Part 0", 1]


def test_twenty_four_folders_stand_on_three_lines() -> None:
    pages = numbered("{:02}/a.md", "# Page {}\n", 25)
    found = [one.says.text for one in kinds(material_of(pages)) if one.says]
    assert [text.count("/ (1)") for text in found] == [8, 8, 8]
    assert kinds(material_of({"a/a.md": "# A\n"})) == []


def test_an_overview_shows_160_parts() -> None:
    files = numbered("a/f{:03}.py", "x = {}\n", 170)
    assert len(parts(material_of(files), {}, {}, ())) == 160


def test_files_of_a_folder_beyond_24_have_no_name() -> None:
    files = numbered("a/f{:02}.json", "{{}}\n", 30) | {"a/b.py": "x = 1\n"}
    material = material_of(files)
    [*_, last] = tree(material, parts(material, {}, {}, ()), {}, 10_000, count_words)
    assert len(last.further) == 24


def test_documents_are_read_for_paths_up_to_1500_lines_and_24_of_them() -> None:
    code = {"src/far.py": "x = 1\n"}
    for blank, found in ((1499, True), (1500, False)):
        assert (
            bool(named_paths(material_of({**code, "README.md": "\n" * blank + "- `src/far.py`: it lies far\n"})))
            == found
        )
    others = numbered("ARCHITECTURE-{:02}.md", "# A {}\n", 24)
    for most, found in ((23, True), (24, False)):
        last = {"OVERVIEW-x.md": "- `src/far.py`: it lies far\n"}
        files = {**code, **dict([*others.items()][:most]), **last}
        assert bool(named_paths(material_of(files))) == found


def test_importers_are_counted_by_file() -> None:
    files = {
        "a.py": "import b\nfrom b import c\n",
        "b.py": "import b\n",
        "d.py": "import b\n",
        "tests/test_b.py": "import b\n",
    }
    assert importers_of(material_of(files)) == {"b.py": 2}


@pytest.mark.parametrize(("room", "shown"), [(7, 0), (8, 1), (11, 1), (12, 2), (15, 2), (16, 3), (99, 3)])
def test_a_section_has_as_many_lines_as_fit(room: int, shown: int) -> None:
    entries = [Entry(f"e{number}", Statement("two")) for number in range(3)]
    found = _fit(_Share("Title", entries, room), count_words)
    assert found == ([Section("Title", tuple(entries[:shown]), 3 - shown)] if shown else [])


def test_what_an_overview_takes() -> None:
    assert (BUDGET, LEAST, path_descriptions.LONGEST, build_and_test._LONGEST) == (1500, 100, 110, 110)


def test_what_is_said_of_a_file_has_110_letters_at_most() -> None:
    said = [description(material_of({"a.py": f"# Sends {'x' * more} far.\n"}), "a.py") for more in (99, 100)]
    assert [one and len(one.text) for one in said] == [110, 108]
    page = {"a.md": f"# A\n\nOne two three four five {'x' * 200} six.\n"}
    sentence = first_sentence(material_of(page), "a.md", 110)
    assert sentence is not None and sentence.text == "One two three four five …"


def test_a_description_in_a_manifest_has_two_words_at_least_and_stands_near_the_head() -> None:
    for text, words in (("Sends", []), ("Sends orders", ["Sends orders"])):
        material = material_of({"Cargo.toml": f'description = "{text}"\n'})
        assert [one.text for one in from_manifests(material, "")] == words


def test_the_readme_says_at_most_two_things() -> None:
    text = "# Shop\n\n" + "".join(f"Shop is the number {number} of all shops.\n\n" for number in range(5))
    assert len(introduction(material_of({"README.md": text, "a.py": "x = 1\n"}))) == 2


@pytest.mark.parametrize("kind", ["console_scripts", "gui_scripts"])
def test_a_kind_of_scripts_is_no_script(kind: str) -> None:
    files = {"setup.cfg": f"[options.entry_points]\n{kind} = shop.cli:main\n  sell = shop.cli:sell\n\nother = a.b:c\n"}
    assert [one.name for one in entry_points(material_of(files))] == ["sell"]
