"""Our named tuples behave as those of ``typing``, in every way in which values are used here; patterns as ``re``'s."""

from __future__ import annotations

import pickle
import re
import typing
from collections.abc import Iterable

import pytest

from quaestor.core.light_imports import NamedTuple, lazy_regex


class Ours(NamedTuple):
    """A pair."""

    first: int
    second: Iterable[str] = ()

    @classmethod
    def of(cls, text: str) -> Ours:
        return cls(len(text), (text,))

    @property
    def both(self) -> tuple[object, ...]:
        return tuple(self)

    def __str__(self) -> str:
        return f"{self.first}"


class Theirs(typing.NamedTuple):
    """A pair."""

    first: int
    second: Iterable[str] = ()


def test_it_is_a_tuple_with_names() -> None:
    one = Ours.of("word")
    assert isinstance(one, tuple)
    assert one == (4, ("word",)) == one.both
    assert (one.first, one.second) == (4, ("word",))
    assert (repr(one), str(one)) == ("Ours(first=4, second=('word',))", "4")
    assert hash(one) == hash(Theirs(*one))
    assert one._replace(first=1) == Ours(1, ("word",))
    assert type(one._replace(first=1)) is Ours
    assert one._asdict() == Theirs(*one)._asdict()


@pytest.mark.parametrize("told", ["_fields", "_field_defaults", "__doc__", "__slots__", "__match_args__"])
def test_it_tells_of_itself_what_theirs_does(told: str) -> None:
    assert getattr(Ours, told) == getattr(Theirs, told)


def test_types_are_known_to_whoever_asks() -> None:
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Theirs) == {"first": int, "second": Iterable[str]}


def test_it_is_frozen_and_holds_nothing_else() -> None:
    one = Ours(1)
    for name in ("first", "third"):
        with pytest.raises(AttributeError):
            setattr(one, name, 2)


def test_a_field_without_a_default_must_be_given() -> None:
    with pytest.raises(TypeError, match="first"):
        Ours()  # type: ignore[call-arg]


def test_another_process_reads_it() -> None:
    one = Ours(1, ("a",))
    again = pickle.loads(pickle.dumps(one))
    assert (again, type(again)) == (one, Ours)


@pytest.mark.parametrize(("text", "flags"), [("what is it?", 0), ("WHAT IS IT?", re.IGNORECASE), ("where", 0), ("", 0)])
def test_a_lazy_pattern_finds_what_a_compiled_one_finds(text: str, flags: int) -> None:
    compiled, lazy = re.compile(r"(?P<verb>is|was)\b", flags), lazy_regex(r"(?P<verb>is|was)\b", flags)
    for _ in range(2):  # at its first use and later
        assert [*map(re.Match.span, lazy.finditer(text))] == [*map(re.Match.span, compiled.finditer(text))]
        assert (lazy.findall(text), lazy.sub("-", text)) == (compiled.findall(text), compiled.sub("-", text))
        assert (lazy.search(text) is None, lazy.split(text)) == (compiled.search(text) is None, compiled.split(text))
        assert (lazy.match(text), lazy.fullmatch(text)) == (None, None)
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)


def test_a_lazy_pattern_is_compiled_at_its_first_use_and_once() -> None:
    unfinished = lazy_regex("(")
    with pytest.raises(re.error):
        unfinished.search("anything")
    lazy = lazy_regex(rb"\d+")
    assert lazy.findall(b"1 and 22") == [b"1", b"22"]
    assert lazy.sub(b"n", b"1 and 22") == b"n and n"
    assert lazy.search.__self__ is lazy.findall.__self__  # type: ignore[attr-defined]  # both are of one pattern
