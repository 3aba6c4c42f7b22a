"""The registry of tools that a model may call, by tags or native tool calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from quaestor.core.errors import UsageError
from quaestor.tools.arguments import brief, check_arguments, nearest
from quaestor.tools.tool_results import cut_to_budget
from quaestor.tools.tool_values import Numbered, Outcome, Room, Subroutine, numbered_from_one, tag_list, tool


class Registry:
    """Tools by name.

    Args:
        subroutines: in the order of their description.
        short: whether descriptions are shortened for a short window.

    Raises:
        UsageError: two of them have the same name.
    """

    def __init__(self, subroutines: Iterable[Subroutine], *, short: bool = False) -> None:
        self.short = short
        self._subroutines: dict[str, Subroutine] = {}
        for subroutine in subroutines:
            if subroutine.name in self._subroutines:
                raise UsageError(f"There are two subroutines {subroutine.name!r}; give one of them another name.")
            self._subroutines[subroutine.name] = subroutine

    def __iter__(self) -> Iterator[Subroutine]:
        return iter(self._subroutines.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all subroutines, in order."""
        return tuple(self._subroutines)

    def schemas(self) -> list[dict[str, Any]]:
        """Return the ``tools`` of an OpenAI chat request."""
        return [tool(subroutine, short=self.short) for subroutine in self]

    def tags(self) -> str:
        """Return the description of the tools for a model that writes tags."""
        return tag_list(self, short=self.short)

    def call(
        self,
        name: str,
        arguments: Mapping[str, object],
        *,
        budget: int,
        count: Callable[[str], int],
        numbered: Numbered = numbered_from_one,
    ) -> Outcome:
        """Run a tool. An error that the model can correct is returned as a failed outcome with advice.

        Args:
            name: of the tool.
            arguments: unchecked.
            budget: tokens for the result's text.
            count: tokens of a text.
            numbered: numbers passages for citations; from 1 by default.

        Raises:
            IndexUnusableError: the index cannot be read.
        """
        try:
            subroutine = self._subroutines.get(name)
            if subroutine is None:
                raise UsageError(self._unknown_tool(name))
            checked = check_arguments(name, subroutine.parameters, arguments)
            outcome = subroutine.run(checked, Room(budget, count, numbered))
        except UsageError as error:
            outcome = Outcome(str(error), failed=True)
        except OSError as error:
            outcome = Outcome(f"{name!r} failed: {error.strerror or type(error).__name__}.", failed=True)
        # Whatever a subroutine makes of its budget, the promise is kept here.
        return replace(outcome, text=cut_to_budget(outcome.text, budget, count))

    def _unknown_tool(self, name: str) -> str:
        like = nearest(name, self.names)
        meant = f"; did you mean {like!r}?" if like else "."
        return f"There is no subroutine {brief(name)}{meant} There are {', '.join(self.names) or 'none'}."
