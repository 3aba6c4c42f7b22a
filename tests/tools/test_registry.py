"""The registry: schemas and tag lists from one definition, and calls that are checked before they run."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from quaestor.core.errors import IndexUnusableError, NotFoundError, UsageError
from quaestor.tools import Arguments, Outcome, Parameter, Registry, Room, Tool

PARAMETERS = (
    Parameter("query", "string", required=True, description="what to look for"),
    Parameter("k", "integer", description="how many", default=5, minimum=1, maximum=50),
    Parameter("share", "number", description="a share", minimum=0, maximum=1),
    Parameter("exact", "boolean", description="as it stands"),
    Parameter("kind", "string", description="what kind", choices=("callers", "tests")),
)


def words(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def echo(arguments: Arguments, room: Room) -> Outcome:
    return Outcome(repr(dict(arguments)))


def registry(run: object = echo) -> Registry:
    return Registry([Tool("find", "Find it.", PARAMETERS, run)])  # type: ignore[arg-type]


def call(**arguments: object) -> Outcome:
    return registry().call("find", arguments, budget=200, count=words)


def test_arguments_are_taken_as_they_are_meant() -> None:
    assert call(query="x").text == "{'query': 'x', 'k': 5}"
    assert call(query=42, k="7", share="0.5", exact="True", kind=None).text == (
        "{'query': '42', 'k': 7, 'share': 0.5, 'exact': True}"
    )
    assert call(query="x", k=3.0, exact=False).text == "{'query': 'x', 'k': 3, 'exact': False}"
    assert call(query="x", k=None).text == "{'query': 'x', 'k': 5}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "'query' is missing"),
        ({"query": None}, "'query' is missing"),
        ({"query": ["x"]}, "'query' must be text, not ['x']"),
        ({"query": "x", "k": "five"}, "'k' must be an integer, not 'five'"),
        ({"query": "x", "k": 2.5}, "'k' must be an integer, not 2.5"),
        ({"query": "x", "k": True}, "'k' must be an integer, not True"),
        ({"query": "x", "k": 0}, "'k' must be at least 1, not 0"),
        ({"query": "x", "k": 51}, "'k' must be at most 50, not 51"),
        ({"query": "x", "k": "9" * 5000}, "'k' must be an integer"),
        ({"query": "x", "share": "nan"}, "'share' must be a number, not 'nan'"),
        ({"query": "x", "share": 10**400}, "'share' must be a number"),
        ({"query": "x", "exact": "maybe"}, "'exact' must be a boolean, not 'maybe'"),
        ({"query": "x", "kind": "caller"}, "did you mean 'callers'?"),
        ({"query": "x", "Query": "y"}, "there is no argument 'Query' (perhaps 'query')."),
        ({"query": "x", "zzz": 1}, "there is no argument 'zzz'."),
    ],
)
def test_what_is_wrong_is_said(arguments: dict[str, object], said: str) -> None:
    outcome = registry().call("find", arguments, budget=200, count=words)
    assert outcome.failed
    assert said in outcome.text
    assert outcome.text.startswith("'find' was not run: ")
    assert outcome.text.endswith("exact (boolean), kind (string).")


def test_everything_that_is_wrong_is_said_at_once() -> None:
    text = call(qury="x", k="many").text
    assert "no argument 'qury' (perhaps 'query')" in text
    assert "'query' is missing" in text
    assert "'k' must be an integer" in text


@pytest.mark.parametrize("name", ["fnd", "Find", "find "])
def test_an_unknown_name_leads_to_the_nearest(name: str) -> None:
    outcome = registry().call(name, {}, budget=200, count=words)
    assert outcome.failed
    assert outcome.text == f"There is no subroutine {name!r}; did you mean 'find'? There are find."


def test_failures_that_a_model_can_mend_are_outcomes_and_others_are_raised() -> None:
    def missing(arguments: Arguments, room: Room) -> Outcome:
        raise NotFoundError("'a.py' is not in this index.")

    def refused(arguments: Arguments, room: Room) -> Outcome:
        raise PermissionError(13, "Permission denied", "/secret/place")

    def broken(arguments: Arguments, room: Room) -> Outcome:
        raise IndexUnusableError("corrupt")

    def told(run: object) -> Outcome:
        return registry(run).call("find", {"query": "x"}, budget=200, count=words)

    assert told(missing) == Outcome("'a.py' is not in this index.", failed=True)
    assert told(refused) == Outcome("'find' failed: Permission denied.", failed=True)
    with pytest.raises(IndexUnusableError):
        told(broken)


def test_two_of_one_name_are_refused() -> None:
    one = Tool("find", "", (), echo)
    with pytest.raises(UsageError, match="two subroutines 'find'"):
        Registry([one, one])


def test_schemas_are_json_schema() -> None:
    [tool] = registry().schemas()
    assert tool["type"] == "function"
    assert (tool["function"]["name"], tool["function"]["description"]) == ("find", "Find it.")
    schema = tool["function"]["parameters"]
    Draft202012Validator.check_schema(schema)
    assert schema["required"] == ["query"]
    assert schema["properties"]["k"] == {
        "type": "integer",
        "description": "how many",
        "default": 5,
        "minimum": 1,
        "maximum": 50,
    }
    assert schema["properties"]["kind"]["enum"] == ["callers", "tests"]


def test_the_tag_list_is_made_from_the_same_definitions() -> None:
    assert registry().tags() == (
        '<|find query={"..."}|> optional: k={5} share={...} exact={true} kind={"callers"|"tests"}\nFind it.'
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(["query", "k", "share", "exact", "kind"]) | st.text(max_size=8)


@given(st.dictionaries(NAMES, JSON, max_size=6), st.integers(1, 120))
def test_no_arguments_do_any_harm(arguments: dict[str, object], budget: int) -> None:
    seen: list[Arguments] = []

    def keep(checked: Arguments, room: Room) -> Outcome:
        seen.append(checked)
        return Outcome("done")

    outcome = registry(keep).call("find", arguments, budget=budget, count=words)
    assert words(outcome.text) <= budget
    assert outcome.failed is not bool(seen)
    schema = registry().schemas()[0]["function"]["parameters"]
    for checked in seen:
        Draft202012Validator(schema).validate(dict(checked))


@given(st.fixed_dictionaries({"query": st.text()}, optional={"k": st.integers(1, 50), "exact": st.booleans()}))
def test_what_the_schema_allows_is_run(arguments: dict[str, object]) -> None:
    outcome = registry().call("find", arguments, budget=10_000, count=words)
    assert not outcome.failed
