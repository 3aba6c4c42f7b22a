"""What is answered to a question that names an error or an exit code: where it is raised, and what it means."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shop_repository import checked_answer, places, text_of

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.errors.named_faults import explain_named_fault, read_exit_question, read_fault_question
from quaestor.answers.way import Question

FERRY = '''class FerryError(Exception):
    """Base of all."""


class FerryFull(FerryError):
    """No letter more."""


class TideError(FerryError):
    pass


def carry(letter, ferry):
    # FerryFull is for the reader of this comment
    if ferry.left < letter.weight:
        weight = letter.weight
        raise FerryFull(f"{weight} is too much")
    return ferry


def board(ferry):
    try:
        carry(1, ferry)
    except FerryFull:
        return None
    raise TideError


def cross(ferry):
    raise FerryFull("the other way round"), ferry
'''
GO = """package quay

var ErrMoored = errors.New("moored")

func (q *Quay) Leave() error {
	switch q.state {
	case moored:
		return ErrMoored
	}
	if err := q.push(); errors.Is(err, ErrMoored) {
		log.Print(err)
	}
	return nil
}
"""
JAVA = """package shop;

class Tide {
    String told(Throwable error) {
        if (!(error instanceof FogException)) {
            return "no fog";
        }
        return ((FogException) error).told();
    }

    void rise() {
        throw new FogException();
    }
}
"""
SCRIPT = """const { QUAY_ERR_SHUT } = require('./errors')

function enter (quay) {
  if (quay.shut) {
    log.warn(new QUAY_ERR_SHUT(quay.name))
  }
}
"""
DECLARED = """module.exports = {
  QUAY_ERR_SHUT: createError('QUAY_ERR_SHUT', 'The quay is shut', 503)
}
"""
ERRORS = """# Errors

- [QUAY_ERR_SHUT](#quay_err_shut)
- [QUAY_ERR_FOG](#quay_err_fog)

| Code | What it means |
|---|---|
| <a id="quay_err_shut">QUAY_ERR_SHUT</a> | Nobody may enter the quay, for it is shut. |
| <a id="quay_err_fog">QUAY_ERR_FOG</a> | There is fog. |
"""
USAGE = """# Use

1. Install it.
2. Start it.
3. Look at its exit code.

## Exit codes

| Code | Meaning |
|------|---------|
| 0 | all went well |
| 3 | the ferry was full |
| 10-19 | trouble with the tide |

It exits with status 4
if nobody is on board.

The tug knows exit codes 30 done, 31 half done, 32 nothing
done.

The oar returns `40` on success and `41` on failure.
"""
CHANGES = """# Changelog

## 1.1

- 77: new exit code for fog
"""
MAIN = """import sys

EXIT_FOG = 21


def main(ferry):
    if ferry is None:
        sys.exit(5)
    sys.exit(0)
"""
FILES = {
    "ferry.py": FERRY,
    "quay/quay.go": GO,
    "java/Tide.java": JAVA,
    "java/FogException.java": "package shop;\n\nclass FogException extends RuntimeException {\n}\n",
    "web/enter.js": SCRIPT,
    "web/errors.js": DECLARED,
    "docs/errors.md": ERRORS,
    "docs/all.md": "# All of them\n\n* FerryError\n    * FerryFull\n* TideError\n* CookieError\n* DeckError\n",
    "docs/usage.md": USAGE,
    "CHANGELOG.md": CHANGES,
    "main.py": MAIN,
    "tests/test_ferry.py": "def test_full():\n    raise FerryFull('in a test')\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("faults"), FILES) as index:
        yield index


@pytest.mark.parametrize(
    "question",
    [
        "When is FerryFull raised?",
        "where is FerryFull thrown",
        "What raises FerryFull?",
        "Which functions can raise FerryFull?",
    ],
)
def test_an_error_is_raised_where_a_line_says_so_with_its_condition_and_not_where_it_is_caught(
    index: Index, question: str
) -> None:
    answer = checked_answer(index, question)
    assert answer.way == "errors"
    assert places(answer) == [("ferry.py", 15), ("ferry.py", 30), ("ferry.py", 5)]
    assert "`FerryFull` is raised at 2 places in 1 file:" in text_of(answer)
    assert "if ferry.left < letter.weight" in text_of(answer)


def test_what_is_returned_is_raised_too(index: Index) -> None:
    answer = checked_answer(index, "When does it return ErrMoored?")
    assert places(answer)[0] == ("quay/quay.go", 7)
    assert "errors.Is" not in text_of(answer)


def test_where_an_error_is_told_from_others_or_cast_it_is_not_raised(index: Index) -> None:
    assert places(checked_answer(index, "When is FogException thrown?")) == [
        ("java/Tide.java", 12),
        ("java/FogException.java", 3),
    ]


def test_what_is_only_made_is_said_to_be_and_documents_tell_of_it(index: Index) -> None:
    answer = checked_answer(index, "Why do I get QUAY_ERR_SHUT?")
    assert places(answer)[0] == ("web/enter.js", 4)
    assert places(answer)[-1] == ("docs/errors.md", 8)
    assert "`QUAY_ERR_SHUT` is raised nowhere by name, and made at 1 place in 1 file:" in text_of(answer)


def test_a_list_of_names_says_nothing_of_one(index: Index) -> None:
    assert "docs/all.md" not in [path for path, _ in places(checked_answer(index, "What raises FerryFull?"))]


def test_of_an_error_that_is_raised_nowhere_the_ones_derived_from_it_are_told(index: Index) -> None:
    answer = checked_answer(index, "When is FerryError raised?")
    assert "2 types derived from it: `FerryFull` (`ferry.py:5`), `TideError` (`ferry.py:9`)." in text_of(answer)


def test_what_an_error_code_means_its_row_says_and_not_the_table_of_contents(index: Index) -> None:
    assert places(checked_answer(index, "What does QUAY_ERR_SHUT mean?"))[0] == ("docs/errors.md", 8)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does exit code 3 mean?", ("docs/usage.md", 9)),
        ("what does exit status 12 mean", ("docs/usage.md", 9)),
        ("exit code 3", ("docs/usage.md", 9)),
        ("Why does it exit with 4?", ("docs/usage.md", 15)),
        ("What does exit code 32 mean?", ("docs/usage.md", 18)),
        ("What does exit code 41 mean?", ("docs/usage.md", 21)),
        ("the ferry exited with code 5", ("main.py", 7)),
        ("What is exit code 21?", ("main.py", 3)),
    ],
)
def test_an_exit_code_means_what_a_document_says_or_what_code_gives_it_for(
    index: Index, question: str, expected: tuple[str, int]
) -> None:
    answer = checked_answer(index, question)
    assert answer.way == "errors"
    assert places(answer)[0] == expected


@pytest.mark.parametrize("question", ["What does exit code 2 mean?", "What does exit code 77 mean?"])
def test_a_numbered_list_and_a_changelog_tell_no_meaning(index: Index, question: str) -> None:
    assert explain_named_fault(Question(question), index) is None


@pytest.mark.parametrize("question", ["When is carry raised?", "When is FogError raised?", "Why do I get ferry?"])
def test_what_is_no_error_here_is_not_told(index: Index, question: str) -> None:
    assert explain_named_fault(Question(question), index) is None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("When exactly does the client throw a TideError?", "TideError"),
        ("Why am I getting shop::TideError exceptions?", "shop::TideError"),
        ("Under which circumstances is TideError raised?", "TideError"),
        ("How do I fix a TideError?", "TideError"),
        ("what causes ERR_TIDE", "ERR_TIDE"),
        ("Wann wird TideError geworfen?", "TideError"),
        ("Warum bekomme ich einen TideError?", "TideError"),
        ("¿Cuándo se lanza TideError?", "TideError"),
        ("Quand est levée TideError ?", "TideError"),
        ("Why do I get a Tide?", ""),
        ("How do I fix the build?", ""),
        ("When is open_table called?", ""),
        ("What returns Table?", ""),
        ("Why do I get errors.py?", ""),
    ],
)
def test_which_questions_name_an_error(question: str, name: str) -> None:
    assert read_fault_question(question) == name


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Was bedeutet Exit-Code 3?", "3"),
        ("What does return code 100 mean in borg?", "100"),
        ("meaning of exit status 1", "1"),
        ("it always ends with exit code 137, why?", "137"),
        ("What does status code 404 mean?", ""),
        ("How do I make it exit with code 2?", ""),
        ("Which tests check that it exits with 2?", ""),
        ("What does exit code 3.5 mean?", ""),
        ("What does exit do?", ""),
    ],
)
def test_which_questions_name_an_exit_code(question: str, code: str) -> None:
    assert read_exit_question(question) == code


def test_many_places_are_named_and_not_all_quoted(tmp_path: Path) -> None:
    raising = "".join(f"def f{number}():\n    raise FogError({number})\n\n\n" for number in range(30))
    with index_of(tmp_path, {"fog.py": f"class FogError(Exception):\n    pass\n\n\n{raising}"}) as index:
        answer = checked_answer(index, "What raises FogError?")
    assert len(answer.hits) == 9
    assert "And at `fog.py:38`, " in text_of(answer)
    assert text_of(answer).count("`fog.py:") >= 20
    assert " and 10 more." in text_of(answer)
