"""The registry of tools that a model may call, by tags or native tool calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from quaestor.core.errors import UsageError
from quaestor.tools.arguments import brief, check_arguments, nearest
from quaestor.tools.tool_results import cut_to_budget
from quaestor.tools.tool_values import NumberPassages, Outcome, Room, Tool, numbered_from_one, tag_list, tool_schema


class Registry:
    """Tools by name.

    Args:
        tools: the tools in the order in which they are described.
        short: whether descriptions are shortened for a short window.

    Raises:
        UsageError: two of them have the same name.
    """

    def __init__(self, tools: Iterable[Tool], *, short: bool = False) -> None:
        self.short = short
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise UsageError(f"There are two subroutines {tool.name!r}; give one of them another name.")
            self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools, in order."""
        return tuple(self._tools)

    def schemas(self) -> list[dict[str, Any]]:
        """Return the ``tools`` of an OpenAI chat request."""
        return [tool_schema(tool, short=self.short) for tool in self]

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
        number: NumberPassages = numbered_from_one,
    ) -> Outcome:
        """Run a tool. An error that the model can correct is returned as a failed outcome with advice.

        Args:
            name: the name of the tool.
            arguments: the unchecked arguments.
            budget: the most tokens of the result's text.
            count: returns the number of tokens of a text.
            number: gives passages their numbers for citations; from 1 by default.

        Raises:
            IndexUnusableError: the index cannot be read.
        """
        try:
            tool = self._tools.get(name)
            if tool is None:
                raise UsageError(self._unknown_tool(name))
            checked = check_arguments(name, tool.parameters, arguments)
            outcome = tool.run(checked, Room(budget, count, number))
        except UsageError as error:
            outcome = Outcome(str(error), failed=True)
        except OSError as error:
            outcome = Outcome(f"{name!r} failed: {error.strerror or type(error).__name__}.", failed=True)
        # Whatever a tool makes of its budget, the promise is kept here.
        return outcome._replace(text=cut_to_budget(outcome.text, budget, count))

    def _unknown_tool(self, name: str) -> str:
        like = nearest(name, self.names)
        advice = f"; did you mean {like!r}?" if like else "."
        return f"There is no subroutine {brief(name)}{advice} There are {', '.join(self.names) or 'none'}."
