"""What every page shows around its content: conversations, corpora with their progress, the user and the usage.

It also looks up the session or turn that a page shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request

from quaestor.accounts.users import User
from quaestor.core.errors import NotFoundError, QuaestorError
from quaestor.corpus.joint_corpus import roots_of
from quaestor.server.api.access import MY_DOCUMENTS, corpora_named, corpora_of, may_add_sites, may_edit, sessions_of
from quaestor.server.http.caller import COOKIE, Who
from quaestor.server.http.served_state import Served, ServedHere
from quaestor.server.open_corpora import State, first_index_progress
from quaestor.server.web.safe_text import written_words
from quaestor.sessions.records import SessionInfo, TurnRecord
from quaestor.sessions.transcript import Transcript

_RECENT = 40

TITLES = {MY_DOCUMENTS: "My documents"}
"""Titles of corpora whose names are not for people."""

_PERIODS = (("today", "day", "Today"), ("month", "month", "This month"))
_WHOSE = {"user": "used", "all": "used by everybody together"}


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus that can be selected.

    Attributes:
        name: its name in requests.
        title: its name for people.
    """

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class UnreadyCorpus:
    """A corpus whose first index is being made, or a site that is being fetched.

    Attributes:
        doing: the present step: "Indexing" or "Fetching".
        name: its title.
        total: files to read; 0 while they are being counted.
        share: the share of bytes that have been read, from 0 to 1.
        progress: the progress as text.
    """

    doing: str
    name: str
    total: int
    share: float
    progress: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What a page shows around its content.

    Attributes:
        here: the page's path.
        session: the current session's name; "" if there is none.
        sessions: the user's most recent sessions.
        corpora: the corpora that the user may see.
        unready: corpora that are still being fetched or indexed.
        stored: remarks on how current answers are, of corpora whose files are on other machines.
        model: the model's name; empty if answers are made of quotes.
        awaited: the name of the model whose server has not responded yet, so that answers are quotes until it does.
        models: selectable models; empty if there is no choice.
        edits: whether the user may apply proposed changes.
        user: the user's name.
        logged_in: whether the user can log out.
        spent: today's usage, in a few words.
    """

    here: str
    session: str
    sessions: tuple[SessionInfo, ...]
    corpora: tuple[Corpus, ...]
    unready: tuple[UnreadyCorpus, ...]
    stored: tuple[str, ...]
    model: str
    awaited: str
    models: tuple[str, ...]
    edits: bool
    user: str
    logged_in: bool
    spent: str

    @property
    def ready(self) -> bool:
        """Whether every corpus can be searched and no site is being fetched."""
        return not self.unready


def frame(request: Request, served: ServedHere, user: Who) -> Frame:
    """Return the frame of the requested page."""
    states = corpora_of(served, user)
    model = served.make_model(user, "")
    return Frame(
        here=request.url.path,
        session=str(request.path_params.get("session", request.query_params.get("session", ""))),
        sessions=tuple([info for info in sessions_of_user(served, user) if info.error is None][:_RECENT]),
        corpora=tuple(Corpus(state.name, TITLES.get(state.name, state.name)) for state in states),
        unready=(*_fetched_sites(served, user), *_indexing_corpora(states)),
        stored=tuple(dict.fromkeys(state.stored for state in states if state.stored)),
        model="" if model is None else model.name,
        awaited=served.settings.model if model is None else "",
        models=(model.name, *served.further_models) if model is not None and served.further_models else (),
        edits=may_edit(served, user),
        user=user.name,
        logged_in=COOKIE in request.cookies,
        spent=_usage_line(served, user),
    )


def _indexing_corpora(states: Iterable[State]) -> Iterator[UnreadyCorpus]:
    for state in states:
        if not state.ready and not state.failed:
            yield UnreadyCorpus(
                "Indexing", TITLES.get(state.name, state.name), state.total, state.share, first_index_progress(state)
            )


def _fetched_sites(served: Served, user: User) -> Iterator[UnreadyCorpus]:
    for site in served.sites.list() if may_add_sites(served, user) else ():
        if (progress := served.sites.fetch_progress(site.address)) is not None:
            yield UnreadyCorpus("Fetching", site.address, 0, 0.0, progress)


def _usage_line(served: Served, user: User) -> str:
    try:
        return usage_in_short(served.overview(user))
    except QuaestorError:
        # The rest of the page must still be shown; the usage page reports the error.
        return "Usage"


@dataclass(frozen=True, slots=True)
class PageContext:
    """The context of a request for a page.

    Attributes:
        served: the served state.
        user: the user.
        frame: what the page shows around its content.
        layout: the template around the content; for a panel, one without the frame.
    """

    served: Served
    user: User
    frame: Frame
    layout: str


def page_context(
    served: ServedHere, user: Who, frame: Annotated[Frame, Depends(frame)], bare: bool = False
) -> PageContext:
    """Return the context of a page; with ``?bare=1``, for a panel without the frame."""
    return PageContext(served, user, frame, "bare.html" if bare else "frame.html")


PageContextHere = Annotated[PageContext, Depends(page_context)]


def sessions_of_user(served: Served, user: User) -> list[SessionInfo]:
    """Return a user's sessions, most recently used first; those that cannot be read come last."""
    return sessions_of(served, user).list(owner=user.id)


def turn_of(transcript: Transcript, number: str) -> TurnRecord:
    """Return the turn of a number; the last turn for ``last``.

    Raises:
        NotFoundError: there is no such turn.
    """
    turns = transcript.turns()
    matching = [turn for turn in turns if number in (str(turn.number), "last" if turn is turns[-1] else "")]
    if not matching:
        raise NotFoundError(f"This conversation has no turn {number!r}. It has {len(turns)}.")
    return matching[0]


def subject_of_session(served: Served, user: User, source: str) -> str:
    """Return the titles of a session's corpora; ``source`` is the session's source as recorded."""
    names = {root: name for root in roots_of(source) for name in corpora_named(served, user, root)}
    titles = (
        TITLES.get(names[root], names[root]) if root in names else _missing_corpus(root) for root in roots_of(source)
    )
    return ", ".join(titles)


def _missing_corpus(root: str) -> str:
    return f"{Path(root).name} (not served now)"


def usage_in_short(usage: Mapping[str, Any]) -> str:
    """Return today's usage in a few words, with its share of a limit; ``usage`` is a reply of ``GET /api/usage``."""
    today = usage["today"]
    cost = [money(today["cost"], usage["currency"])] if today["cost"] else []
    shares = [one["used"] / one["limit"] for one in usage["limits"].values() if one["period"] == "day" and one["limit"]]
    if shares:
        return " · ".join([f"Today: {min(1.0, max(shares)):.0%} of the limit", *cost])
    amount = f"{today['requests']:,} {'request' if today['requests'] == 1 else 'requests'}"
    return " · ".join([f"Today: {amount}", *cost])


def usage_by_period(usage: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the usage of today and this month, and the limits with the used share of each."""
    return [
        {
            "name": name,
            "facts": list(_facts(usage[key], usage["currency"])),
            "meters": list(_meters(usage, period)),
        }
        for key, period, name in _PERIODS
    ]


def money(amount: float | None, currency: str) -> str:
    """Return an amount of money as text, with two decimals, or four if it is less than 1."""
    return "unknown" if amount is None else f"{_number(amount)} {currency}"


def _facts(used: Mapping[str, Any], currency: str) -> Iterator[tuple[str, str]]:
    yield "Cost", money(used["cost"], currency)
    yield "Requests", f"{used['requests']:,}"
    yield "Sent", written_words(used["prompt_tokens"])
    yield "Received", written_words(used["completion_tokens"])
    if used["unpriced"]:
        yield "Requests without a known price", f"{used['unpriced']:,}"
    if used["reserved"]:
        yield "In progress", f"{used['reserved']:,}"


def _meters(usage: Mapping[str, Any], period: str) -> Iterator[dict[str, Any]]:
    for limit in usage["limits"].values():
        if limit["period"] == period:
            used, most = (_amount(limit[name], limit["unit"], usage["currency"]) for name in ("used", "limit"))
            yield {
                "said": f"{used} of {most} {_WHOSE[limit['scope']]}; renews on {limit['renews'][:10]}",
                "share": round(min(1.0, limit["used"] / limit["limit"]), 4) if limit["limit"] else 1.0,
            }


def _amount(number: float, unit: str, currency: str) -> str:
    return money(number, currency) if unit == "cost" else written_words(int(number))


def _number(number: float) -> str:
    return f"{number:,.4f}" if 0 < number < 1 else f"{number:,.2f}"
