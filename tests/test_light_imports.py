"""Our named tuples behave as those of ``typing``, in every way in which values are used here."""

from __future__ import annotations

import pickle
import typing
from collections.abc import Iterable

import pytest

from quaestor.core.light_imports import NamedTuple


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
