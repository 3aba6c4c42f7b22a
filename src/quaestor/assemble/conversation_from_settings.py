"""From settings to the objects that answer questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quaestor.core.config import Settings, data_home
from quaestor.core.errors import UsageError
from quaestor.corpus import Corpus
from quaestor.corpus.joint_corpus import JointCorpus

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from quaestor.chat.chat_settings import ConversationSettings
    from quaestor.chat.events import Event
    from quaestor.llm.models import Model
    from quaestor.sessions.named_sessions import Sessions
    from quaestor.stores import Where
    from quaestor.tools import Registry

from quaestor.assemble.models_from_settings import price_of, shared_server

# Telling a model of its subroutines may take this part of the window, unless they are asked for; and of a short one.
_SHARE_OF_TELLING = 4
_SHARE_OF_SHORT = 6
# Where there is room for no more, a model can at least look for other passages and read on.
_LEAST = 2


def make_subroutines(
    index: Corpus | JointCorpus,
    model: Model | None,
    settings: Settings,
    *,
    edits: bool = False,
    where: Where | None = None,
) -> Registry | None:
    """Return the tools that a model may call, or None if none are allowed or their description is too long.

    Args:
        index: the corpus to search and read.
        model: the model, or None.
        settings: say whether tools are allowed.
        edits: whether the model may propose changes, too, if there is room for that tool's description.
        where: a filter on the documents that are searched.

    Raises:
        UsageError: the setting ``subroutines`` has an unknown value.
    """
    if settings.subroutines not in ("on", "off", "auto"):
        raise UsageError(f"Setting 'subroutines' cannot be {settings.subroutines!r}. Use 'on', 'off' or 'auto'.")
    if settings.subroutines == "off" or model is None:
        return None
    from quaestor.chat.model_requests import is_short  # noqa: PLC0415 - only with a model
    from quaestor.tools import Registry, registry_of  # noqa: PLC0415

    whole = [registry_of(index, edits=wanted, where=where) for wanted in dict.fromkeys((edits, False))]
    brief = [Registry(one, short=True) for one in whole]
    registries = brief if is_short(settings.window) else [*whole, *brief]
    if settings.subroutines == "on":
        return registries[0]
    registries.append(Registry(list(whole[-1])[:_LEAST], short=True))
    share = _SHARE_OF_SHORT if is_short(settings.window) else _SHARE_OF_TELLING
    return next(
        (one for one in registries if _tokens_of_briefing(model, one, settings) * share <= settings.window), None
    )


def _tokens_of_briefing(model: Model, registry: Registry, settings: Settings) -> int:
    """Return the tokens of the description of a model's tools."""
    from quaestor.chat.call_protocols import protocol_for  # noqa: PLC0415 - only with a model
    from quaestor.llm.models import counter_of  # noqa: PLC0415
    from quaestor.llm.prompts import load  # noqa: PLC0415

    protocol, counter = protocol_for(model.capabilities, registry), counter_of(model)
    premeditates = settings.premeditation == "on" and not registry.short
    words = protocol.brief() + load("plan").template * premeditates
    return counter.text(words) + counter.tools(protocol.tools)


def conversation_settings(settings: Settings, *, summaries: bool = False) -> ConversationSettings:
    """Return the part of the settings that conversations read.

    Raises:
        UsageError: a setting has an unknown value.
    """
    from quaestor.chat.chat_settings import ConversationSettings  # noqa: PLC0415 - only for conversations

    for name in ("premeditation", "examples"):
        if getattr(settings, name) not in ("on", "off"):
            raise UsageError(f"Setting {name!r} cannot be {getattr(settings, name)!r}. Use 'on' or 'off'.")
    price = price_of(settings)
    return ConversationSettings(
        reserve=settings.reserve,
        passages=settings.passages,
        temperature=settings.temperature,
        summaries=summaries,
        seconds=settings.turn_seconds,
        tokens=settings.turn_tokens,
        calls=settings.turn_calls,
        cost=settings.turn_cost or None,
        prompt_price=float(price.prompt) if price else 0.0,
        completion_price=float(price.completion) if price else 0.0,
        premeditation=settings.premeditation == "on",
        examples=settings.examples == "on",
    )


def answer_steps(
    corpus: Corpus,
    model: Model | None,
    question: str,
    settings: Settings,
    *,
    where: Where | None = None,
    filters: bool = True,
) -> AsyncGenerator[Event]:
    """Return the steps of answering one question as the settings say; see ``answer_question``.

    ``where`` limits the documents; with ``filters``, dates and authors in the question limit them, too.
    """
    from quaestor.chat.answer import answer_question  # noqa: PLC0415 - only for questions

    return answer_question(
        corpus,
        model,
        question,
        replace(conversation_settings(settings), grounded=True, where=where, filters=filters),
        limit=settings.window,
        subroutines=make_subroutines(corpus, model, settings, where=where),
    )


def make_sessions(settings: Settings) -> Sessions:
    """Return the sessions that the settings name: in the data folder, or on the index's server."""
    server = shared_server(settings)
    if server is not None:
        from quaestor.sessions.shared_sessions import SharedSessions  # noqa: PLC0415 - only with the extra

        return SharedSessions(server)
    from quaestor.sessions.named_sessions import FolderSessions  # noqa: PLC0415 - only for conversations

    return FolderSessions(data_home(settings) / "sessions")
