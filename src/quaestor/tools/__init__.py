"""What a model can call: search, read, related, list, overview, history, edit.

A tool is described to the model as a text tag or as a native tool call, from one definition. The package does not know
conversations or how a call arrives. Begin with ``Registry`` below, then ``search_tool`` as an example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from quaestor.core.errors import UsageError
from quaestor.tools.arguments import brief, check_arguments, nearest
from quaestor.tools.tool_results import cut_to_budget
from quaestor.tools.tool_values import (
    Arguments,
    NumberPassages,
    Outcome,
    Parameter,
    Room,
    Tool,
    numbered_from_one,
    tag_list,
    tool_schema,
)

if TYPE_CHECKING:
    from quaestor.corpus import Corpus
    from quaestor.corpus.joint_corpus import JointCorpus
    from quaestor.stores import Where

__all__ = ["Arguments", "Outcome", "Parameter", "Registry", "Room", "Tool", "registry_of"]


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


def registry_of(
    corpus: Corpus | JointCorpus, *, edits: bool = True, where: Where | None = None, bylines: bool | None = None
) -> Registry:
    """Return the registry of a corpus's tools, or of several corpora's; without ``edits``, none that proposes changes.

    Args:
        corpus: the corpus to read.
        edits: whether to include the tool that proposes changes.
        where: a filter on the documents that are searched.
        bylines: whether a search takes dates and authors; None to decide by whether any document has one.
    """
    # All tools are imported here, and an answer made of quotes calls none.
    from quaestor.corpus.joint_corpus import JointCorpus  # noqa: PLC0415 - see above
    from quaestor.tools.answer_tools import history_of, overview_of  # noqa: PLC0415
    from quaestor.tools.document_tools import list_of, read_of  # noqa: PLC0415
    from quaestor.tools.edit_tool import edit_of  # noqa: PLC0415
    from quaestor.tools.related_tool import related_of  # noqa: PLC0415
    from quaestor.tools.search_tool import search_of  # noqa: PLC0415

    reading = [search_of(corpus, where, bylines=bylines), read_of(corpus)]
    if isinstance(corpus, JointCorpus):
        # The others look into one corpus, and a change is made in one.
        return Registry(reading)
    reading += [related_of(corpus), list_of(corpus), overview_of(corpus)]
    # Where there is no repository, no model need be told of histories.
    reading += [history_of(corpus)] if corpus.repository() is not None else []
    return Registry([*reading, edit_of(corpus)] if edits else reading)
