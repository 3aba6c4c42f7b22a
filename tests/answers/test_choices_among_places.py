"""Which of several places an answer chooses: the nearest call, the fullest folder, the file nearest to the top."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.project import listings
from quaestor.answers.project.answer_from_file import read_file_question
from quaestor.answers.settings.setting_declarations import end_of_entry, variables_in
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way


def answered(root: Path, files: dict[str, str], question: str) -> WayAnswer:
    with index_of(root, files) as index:
        answer = answer_by_way(Question(question), index)
    assert answer is not None
    return answer


def text_of(answer: WayAnswer) -> str:
    return answer.text(range(1, len(answer.hits) + 1))


def test_of_several_folders_of_a_name_the_fullest_is_listed_and_of_a_folder_in_it_the_readme_shown(
    tmp_path: Path,
) -> None:
    files = {
        **{f"animals/{name}.py": f"def {name}():\n    return 1\n" for name in ("ant", "bee", "cow")},
        "src/animals/dog/Behind.md": "# Behind\n\nThe dog runs.\n",
        "src/animals/dog/README.md": "# Dog\n\nThe dog barks at night.\n",
        "src/animals/dog/a/b.py": "bark = 1\n",
        **{f"src/animals/{name}.py": f"def {name}():\n    return 1\n" for name in ("eel", "fly", "gnu", "hen")},
    }
    answer = answered(tmp_path / "zoo", files, "Which animals are there?")
    assert text_of(answer).startswith("`src/animals/` holds 5 files and folders: `dog/`, `eel.py`")
    assert answer.hits[0].path == "src/animals/dog/README.md"


def test_of_several_calls_in_a_frame_the_one_nearest_to_the_stated_line_is_shown(tmp_path: Path) -> None:
    code = (
        "from shop import till\n\n\ndef close(day):\n    till.count(day)\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n"
        "    till.count(a + b + c + d)\n    return day\n"
    )
    till = "def count(coins):\n    raise ValueError(f'no coins on {coins}')\n"
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/srv/app/shop/day.py", line 9, in close\n    till.count(all_coins)\n'
        '  File "/srv/app/shop/till.py", line 2, in count\n    raise ValueError(text)\nValueError: no coins on monday\n'
    )
    answer = answered(tmp_path / "shop", {"shop/day.py": code, "shop/till.py": till}, trace)
    shown = [(hit.start_line, hit.end_line) for hit in answer.hits if hit.path == "shop/day.py"]
    assert "`close` (`shop/day.py:10`)" in text_of(answer) or any(first <= 10 <= last for first, last in shown)


def test_the_heading_of_a_list_of_maintainers_is_quoted_in_markdown_alone(tmp_path: Path) -> None:
    listed = answered(tmp_path / "one", {"MAINTAINERS.md": "# The crew\n\n- Ann Lee\n"}, "Who maintains it?")
    assert [(hit.path, hit.start_line) for hit in listed.hits][:1] == [("MAINTAINERS.md", 1)]
    plain = answered(tmp_path / "two", {"MAINTAINERS": "# The crew\nAnn Lee <ann@shop.example>\n"}, "Who maintains it?")
    assert [(hit.path, hit.start_line) for hit in plain.hits][:1] == [("MAINTAINERS", 2)]


def test_a_file_that_no_import_names_is_used_by_tests_as_well(tmp_path: Path) -> None:
    files = {
        "go.mod": "module shop\n",
        "desk.go": "package shop\n\nfunc CarryCrate() int {\n\treturn 1\n}\n",
        "desk_test.go": "package shop\n\nfunc TestCarry() {\n\tCarryCrate()\n}\n",
        "other.go": "package shop\n\nfunc other() {\n\tCarryCrate()\n}\n",
    }
    assert "`desk_test.go`" in text_of(answered(tmp_path / "shop", files, "Who uses desk.go?"))


@pytest.mark.parametrize(
    ("texts", "at", "end"),
    [
        (["- --port  where", "  it listens", "- --host"], 1, 2),
        ([".. option:: port", "Where it listens.", "", "Else 80.", ".. option:: host"], 1, 4),
        (["=item port", "Where it listens.", "", "=item host"], 1, 2),
        (["`port`", "Where.", "`host`"], 1, 2),
        (["## port", "Where.", "", "More.", "## host"], 1, 4),
        (["port: where", "  it", "", "  listens", "host: x"], 1, 4),
    ],
)
def test_an_entry_ends_before_the_next(texts: Sequence[str], at: int, end: int) -> None:
    assert end_of_entry(texts, at) == end


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('    #[arg(env = "SHOP_PORT")]', ["SHOP_PORT"]),
        ('#define PORT getenv("SHOP_PORT")', ["SHOP_PORT"]),
        ('# os.environ["SHOP_PORT"] is read', []),
        ('os.environ["SHOP_PORT"] = "1"', []),
        ('int(os.getenv("SHOP_PORT", "80"))', ["SHOP_PORT"]),
        ('Command::new("a").env("SHOP_PORT", "1")', []),
        ('path = environ["PATH_INFO"]', []),
    ],
)
def test_variables_are_those_that_a_line_reads(line: str, names: list[str]) -> None:
    assert [*variables_in(line)] == names


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("`desk.py` - what does it import?", ("desk.py", "what does it import")),
        ("Xray.py: where is it read?", ("Xray.py", "where is it read")),
        ("Where in `desk.py` is the port read?", None),
    ],
)
def test_a_question_may_begin_with_a_file(text: str, read: tuple[str, str] | None) -> None:
    assert read_file_question(text) == read


def test_what_a_pattern_repeats_is_bounded_and_at_least_as_often_as_before() -> None:
    assert listings._bounded(r"\w+ \w* [a-z]+ a+") == r"\w{1,100} \w{0,100} [a-z]{1,100} a+"
