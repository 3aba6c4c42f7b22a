"""Asking a model for an edit: find the files, show them, stream its reply, and let it correct what cannot be applied.

Nothing is written here: the result is a plan, with the reply that it was read from. The reply is used exactly as the
model wrote it, because a lost character would be lost in a file. Passages are shown best first, as many as fit into the
window, the last one trimmed at a line end.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from quaestor.chat.events import Event, Passages, Searching, Text
from quaestor.chat.model_requests import stream_within
from quaestor.chunking.decode import decode
from quaestor.core.documents import Hit
from quaestor.core.errors import ForbiddenError, NotFoundError, WindowError
from quaestor.core.messages import Message, Usage
from quaestor.corpus import Corpus
from quaestor.edits import Plan, Proposal, Refusal, parse
from quaestor.files.deny import deny_content
from quaestor.llm.models import Finished, Model, Request
from quaestor.llm.prompts.loader import load
from quaestor.llm.prompts.numbered_passages import Passage, number, show, show_all
from quaestor.llm.tokens import MessageCounter, counter_for

_SMALL = re.compile(r"(?<![\d.])(?:0\.\d+|[123](?:\.\d+)?)b\b", re.IGNORECASE)
_NEED = re.compile(r"^\W{0,4}NEED:[ \t]*(\S.{0,200}?)[ \t]*$", re.MULTILINE)
_MOST_NEEDS = 3
_HITS_FOR_A_NEED = 3
_MENTIONED = re.compile(r"(?<![\w@.+-])[\w@.+-]*+(?:/[\w@.+-]+)+|(?<![\w@+-])[\w@+-]++\.\w+")
# A file that would take more of the window than this is shown in the parts that were found.
_WHOLE_FILE_SHARE = 3
_EXCERPT_LINES = 30

# A passage cut to less than this says nothing that could be cited.
_LEAST_TOKENS = 40


@dataclass(frozen=True, slots=True)
class EditSettings:
    """Settings of an edit.

    Attributes:
        passages: how many passages are retrieved.
        window: the model's window, tokens.
        reserve: tokens kept free for the reply.
        temperature: 0 is the most deterministic.
        whole: whether files are to be written in full; None chooses by the model's size.
        rounds: how often the model may correct a reply that cannot be applied.
        looks: how often it may ask for further files before it writes a change.
        seconds: all of it may take.
    """

    passages: int = 8
    window: int = 8192
    reserve: int = 2000
    temperature: float = 0.0
    whole: bool | None = None
    rounds: int = 1
    looks: int = 3
    seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class CorrectionRequested:
    """The model's changes cannot be applied; it gets the reasons and is asked once more.

    Attributes:
        reasons: the reasons as the model gets them.
    """

    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContextRequested:
    """The model asked for more of the corpus, and is asked again with it.

    Attributes:
        needs: paths, or words to search for, as it wrote them.
    """

    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EditProposed:
    """The last step: the model's proposal.

    Attributes:
        reply: its last reply.
        proposal: the changes in them.
        plan: the plan of the changes.
        model: the model's name.
        usage: tokens of all requests.
    """

    reply: str
    proposal: Proposal
    plan: Plan
    model: str
    usage: Usage


def writes_whole_files(model: str) -> bool:
    """Return whether a model is too small to quote exactly, by its name: up to three billion weights."""
    return bool(_SMALL.search(model))


async def propose_edit(
    corpus: Corpus, model: Model, instruction: str, settings: EditSettings, make_plan: Callable[[Proposal], Plan]
) -> AsyncGenerator[Event | CorrectionRequested | ContextRequested | EditProposed]:
    """Yield the steps of an edit, the last of them ``EditProposed``.

    Args:
        corpus: the files.
        model: the model.
        instruction: the user's instruction.
        settings: the settings of the request.
        make_plan: makes a plan from a proposal.

    Raises:
        UpstreamError: the model failed.
        WindowError: the instruction alone does not fit the model's window.
        LimitError: the time is up.
    """
    deadline = asyncio.get_running_loop().time() + settings.seconds
    counter = counter_for(model.name)
    yield Searching(instruction)
    hits = tuple(await asyncio.to_thread(corpus.search, instruction, settings.passages))
    yield Passages(hits, bool(hits))
    whole = writes_whole_files(model.name) if settings.whole is None else settings.whole
    messages = _messages(corpus, counter, instruction, hits, settings, whole=whole)
    usage = Usage(0, 0, reported=True)
    corrections, looks = settings.rounds, settings.looks
    while True:
        pieces: list[str] = []
        finished = Finished("unknown")
        request = Request(messages, temperature=settings.temperature, max_tokens=_reserve(settings))
        async with aclosing(stream_within(model, request, deadline)) as deltas:
            async for delta in deltas:
                if isinstance(delta, Finished):
                    finished = delta
                    continue
                pieces.append(delta.text)
                yield Text(delta.text)
        reply = "".join(pieces)
        usage = _sum_usage(
            usage, finished.usage or Usage(counter.request(messages), counter.text(reply), reported=False)
        )
        proposal = parse(reply, whole=whole)
        needs = () if proposal else needs_of(reply)
        if needs and looks:
            looks -= 1
            further = await asyncio.to_thread(_request_with_passages, corpus, messages, reply, needs, counter, settings)
            if further is not None:
                yield ContextRequested(needs)
                messages = further
                continue
        plan = make_plan(proposal)
        corrected = _correction_request(corpus, messages, reply, plan, counter, settings)
        if not proposal or not plan.refusals or not corrections or corrected is None:
            yield EditProposed(reply, proposal, plan, finished.model or model.name, usage)
            return
        corrections -= 1
        yield CorrectionRequested(tuple(refusal.message for refusal in plan.refusals))
        messages = corrected


def needs_of(reply: str) -> tuple[str, ...]:
    """Return the paths or words that a reply asks to see, in order, each once, three at most."""
    return tuple(dict.fromkeys(need.strip(" `'\"") for need in _NEED.findall(reply)))[:_MOST_NEEDS]


def _request_with_passages(
    corpus: Corpus,
    messages: tuple[Message, ...],
    reply: str,
    needs: Sequence[str],
    counter: MessageCounter,
    settings: EditSettings,
) -> tuple[Message, ...] | None:
    """Return a request with the passages that the reply asked for, or None if none of them fits."""
    before = (*messages, Message("assistant", reply))
    limit = settings.window - _reserve(settings)
    passages: list[Passage] = []
    missing: list[str] = []
    for need in needs:
        chosen = _passages(corpus, counter, need, corpus.search(need, _HITS_FOR_A_NEED), limit)
        passages += chosen
        missing += [] if chosen else [f"Nothing was found for: {need}"]
    while True:
        numbered = [replace(passage, n=n) for n, passage in enumerate(passages, 1)]
        shown = load("edit_further").render(passages=show_all(numbered), missing="\n".join(missing))
        request = (*before, Message("user", shown))
        if counter.request(request) <= limit:
            return request
        if not passages:
            return None
        passages.pop()


def _messages(
    corpus: Corpus,
    counter: MessageCounter,
    instruction: str,
    hits: Sequence[Hit],
    settings: EditSettings,
    *,
    whole: bool,
) -> tuple[Message, ...]:
    form = load("edit_whole" if whole else "edit_blocks").render()
    system = Message("system", load("edit").render(format=form))
    limit = settings.window - _reserve(settings)
    passages = _passages(corpus, counter, instruction, hits, limit)
    return (system, ask_message(instruction, fit_passages(system, instruction, passages, counter, limit)))


def _passages(
    corpus: Corpus, counter: MessageCounter, instruction: str, hits: Sequence[Hit], limit: int
) -> list[Passage]:
    """Return the files that the instruction names, followed by hits; small files whole."""
    passages: list[Passage] = []
    seen: set[str] = set()
    for path in dict.fromkeys(_MENTIONED.findall(instruction)):
        if (file := _whole_file(corpus, path, len(passages) + 1)) and _is_small(file, counter, limit):
            passages.append(file)
            seen.add(path)
    for hit in hits:
        if hit.path in seen:
            continue
        file = _whole_file(corpus, hit.path, len(passages) + 1)
        if file is not None and _is_small(file, counter, limit):
            passages.append(file)
            seen.add(hit.path)
        else:
            passages += (replace(one, n=len(passages) + 1) for one in number([hit]))
    return passages


def _whole_file(corpus: Corpus, path: str, n: int) -> Passage | None:
    try:
        data = corpus.read_source(path)
    except (NotFoundError, ForbiddenError):
        return None
    if data is None or deny_content(data):
        return None
    decoded = decode(data)
    text = decoded.data[decoded.start :].decode(decoded.encoding, errors="replace").replace("\r\n", "\n")
    return Passage(n=n, path=path, text=text, start_line=1, end_line=text.rstrip("\n").count("\n") + 1)


def _is_small(passage: Passage, counter: MessageCounter, limit: int) -> bool:
    return len(passage.text) < limit * 8 and counter.text(passage.text) * _WHOLE_FILE_SHARE <= limit


def _correction_request(
    corpus: Corpus,
    messages: tuple[Message, ...],
    reply: str,
    plan: Plan,
    counter: MessageCounter,
    settings: EditSettings,
) -> tuple[Message, ...] | None:
    """Return the request for a corrected reply, or None if there is no room for it."""
    reasons = "\n".join(f"- {refusal.message}" for refusal in plan.refusals)
    excerpts = "\n\n".join(filter(None, (_excerpt(corpus, refusal) for refusal in plan.refusals)))
    content = load("edit_refused").render(reasons=reasons, excerpts=excerpts).replace("\n\n\n", "\n")
    more = (Message("assistant", reply), Message("user", content))
    fits = counter.request((*messages, *more)) + _reserve(settings) <= settings.window
    return (*messages, *more) if reply.strip() and fits else None


def _excerpt(corpus: Corpus, refusal: Refusal) -> str:
    """Return the lines of a file where a refused change came nearest."""
    file = _whole_file(corpus, refusal.path, 1) if refusal.lines else None
    if file is None:
        return ""
    start = max(1, refusal.lines[0] - 2)
    lines = file.text.split("\n")[start - 1 : start - 1 + _EXCERPT_LINES]
    return load("edit_excerpt").render(path=refusal.path, start=str(start), lines="\n".join(lines))


def _reserve(settings: EditSettings) -> int:
    # A reply may not take the room that the files need.
    return min(settings.reserve, settings.window // 3)


def _sum_usage(one: Usage, two: Usage) -> Usage:
    return Usage(
        one.prompt_tokens + two.prompt_tokens,
        one.completion_tokens + two.completion_tokens,
        one.reported and two.reported,
    )


def fit_passages(
    system: Message, question: str, passages: Sequence[Passage], counter: MessageCounter, limit: int
) -> tuple[Passage, ...]:
    """Return as many passages as fit beside the system message and the question, best first.

    Args:
        system: the system message.
        question: the user's words.
        passages: best first.
        counter: counts messages for the model.
        limit: tokens that the request may take.

    Raises:
        WindowError: the question does not fit even without passages.
    """
    empty = ask_message(question, ())
    needed = counter.request((system, empty))
    if needed > limit:
        raise WindowError(
            f"The question and the instructions take {needed} tokens, {needed - limit} more than the {limit} that "
            "this window leaves. Shorten the question or raise --window.",
            needed=needed,
            limit=limit,
        )
    remaining = limit - needed
    shown: list[Passage] = []
    for passage in passages:
        fitted = _trim_passage(passage, counter, remaining)
        if fitted is None:
            break
        shown.append(fitted)
        remaining -= _tokens_of_passage(fitted, counter)
    return tuple(shown)


def ask_message(question: str, passages: Sequence[Passage]) -> Message:
    """Return the user's message in the form that is sent: the passages, then the question."""
    return Message("user", load("question").render(passages=show_all(passages), question=question))


def _tokens_of_passage(passage: Passage, counter: MessageCounter) -> int:
    # One more for the line end that joins it to the next.
    return counter.tokenizer.count(show(passage)) + 1


def _trim_passage(passage: Passage, counter: MessageCounter, limit: int) -> Passage | None:
    """Return the passage, or as many of its first lines as fit; None if that is too little."""
    if _tokens_of_passage(passage, counter) <= limit:
        return passage
    lines = passage.text.split("\n")
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if _tokens_of_passage(_first_lines(passage, lines, middle), counter) <= limit:
            low = middle
        else:
            high = middle - 1
    cut = _first_lines(passage, lines, low)
    return cut if low and counter.tokenizer.count(cut.text) >= _LEAST_TOKENS else None


def _first_lines(passage: Passage, lines: Sequence[str], count: int) -> Passage:
    return replace(passage, text="\n".join(lines[:count]), end_line=passage.start_line + max(count, 1) - 1)
