"""Answers from git's log, blame and pickaxe, tags and changelogs, cited by commit; and their contracted JSON form.

``history_questions`` reads the question. Its subject is looked for first as a file, then as a defined name, then as
words of commit messages; if nothing is found, this way gives no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

from quaestor.answers.history.find_subject import GoneFile, Subject, gone_file, subject_of
from quaestor.answers.history.history_draft import Draft, code, describe_release_of, one_line, quote_message
from quaestor.answers.history.history_questions import NEWEST, HistoryQuestion, history_question
from quaestor.answers.history.subject_history import (
    describe_authors,
    describe_commit,
    describe_first_commit,
    describe_last_change,
    describe_origin,
    list_matching_commits,
    list_past_changes,
)
from quaestor.answers.history.version_changes import Changelogs, describe_changes, describe_release
from quaestor.answers.overview.overview_answer import names_all_of_it
from quaestor.answers.way import WayAnswer
from quaestor.core.bylines import date_bound, first_day, last_day
from quaestor.core.documents import Hit
from quaestor.corpus import Corpus
from quaestor.history.git import ForeignHistoryError, Git, NoHistoryError, Repository
from quaestor.history.history_json import commit_text
from quaestor.history.log import is_empty

SHALLOW = "The clone is shallow: its history begins late, and what is older is not known here."
_NO_RELEASE = "Nothing here names a release: there is no tag, and no changelog of the whole."
PARTIAL = "Not all of the history could be read, so something may be missing."


@dataclass(frozen=True, slots=True)
class HistoryAnswer(WayAnswer):
    """An answer about history.

    Attributes:
        heads: the paragraphs around the quotes and lists.
        partial: whether the history was not read to its end, because time ran out or the clone is shallow.
    """

    heads: tuple[str, ...] = ()
    partial: bool = False


def history_of(
    corpus: Corpus, question: str = "", *, since: str = "", until: str = "", limit: int = 10
) -> HistoryAnswer:
    """Return what the history says of something.

    Args:
        corpus: the corpus whose history it is.
        question: a question, a path, a name, or words of messages; empty for the newest commits.
        since: only commits of this date or later: ``2020``, ``2020-03``, ``2020-03-14``.
        until: only commits of this date or earlier.
        limit: the most commits to list.

    Raises:
        UsageError: a date cannot be read.
    """
    read = history_question(question, date.today())
    if read is None:
        read = HistoryQuestion("past", " ".join(question.split())) if question.strip() else HistoryQuestion("changes")
    read = read._replace(since=_day(since) or read.since, until=_day(until, last=True) or read.until)
    answer = answer_history_question(read, corpus, limit)
    if answer is None and read.kind != "commits" and read.subject:
        answer = answer_history_question(
            HistoryQuestion("commits", read.subject, since=read.since, until=read.until), corpus, limit
        )
    if answer is not None:
        return answer
    text = _nothing_found(corpus, question)
    return HistoryAnswer("history", (text,), known=False, heads=(text,))


def _day(text: str, *, last: bool = False) -> str:
    """Return a date as a day; of a month or a year, its first day, or its last if ``last``."""
    bound = date_bound(text)
    if not bound or len(bound) == 10:
        return bound
    return last_day(bound) if last else first_day(bound)


def answer_history_question(question: HistoryQuestion, corpus: Corpus, limit: int = 8) -> HistoryAnswer | None:
    """Return the answer, or the reason why the history is not read; None if the history does not answer."""
    corpus.try_refresh()
    changelogs = Changelogs(corpus)
    draft = Draft()
    with open_history(corpus) as git:
        known = _write_answer(question, corpus, git, changelogs, draft, limit)
        if known is None or not draft.pieces:
            return _refusal(corpus) or _without_history(question, corpus, git)
        partial = git is not None and not git.is_complete
        if git is not None and git.shallow:
            draft.say(SHALLOW)
        elif partial:
            draft.say(PARTIAL)
        shallow = git is not None and git.shallow
    return HistoryAnswer(
        "history",
        tuple(draft.pieces),
        tuple(draft.hits),
        known,
        heads=tuple(draft.heads),
        partial=partial or shallow,
    )


def _refusal(corpus: Corpus) -> HistoryAnswer | None:
    """Return the reason not to read a history that belongs to another repository; None if there is no such reason."""
    repository = corpus.repository()
    try:
        if repository is not None:
            Git(repository).close()
    except ForeignHistoryError as error:
        return HistoryAnswer("history", (str(error),), known=False, heads=(str(error),))
    except NoHistoryError:
        pass  # there is none to read, of this repository or of another
    return None


def _without_history(question: HistoryQuestion, corpus: Corpus, git: Git | None) -> HistoryAnswer | None:
    """Return the answer that nothing tells it, if a search could only find the question's words; else None."""
    asks_release = NEWEST in question.versions or (question.kind == "released" and not question.versions)
    if git is None and asks_release and not question.subject:
        return HistoryAnswer("history", (_NO_RELEASE,), known=False, heads=(_NO_RELEASE,))
    return _no_history(corpus) if _only_history_tells(question, corpus, git) else None


def _only_history_tells(question: HistoryQuestion, corpus: Corpus, git: Git | None) -> bool:
    """Return whether there is code, but no history, and the question asks what only a history says: who wrote it."""
    dated = question.kind == "changes" and bool(question.since or question.until)
    sought = dated or question.kind in ("author", "last", "commits", "commit")
    return git is None and sought and not corpus.is_prose()


def _no_history(corpus: Corpus) -> HistoryAnswer:
    text = _nothing_found(corpus, "")
    return HistoryAnswer("history", (text,), known=False, heads=(text,))


@contextmanager
def open_history(corpus: Corpus) -> Iterator[Git | None]:
    """Open the corpus's repository; None if it has no repository, or none of its files is in it."""
    repository = corpus.repository()
    if repository is None:
        yield None
        return
    try:
        git = Git(repository)
    except NoHistoryError:
        yield None
        return
    with git:
        yield None if is_empty(git) else git


def _write_answer(
    question: HistoryQuestion, corpus: Corpus, git: Git | None, changelogs: Changelogs, draft: Draft, limit: int
) -> bool | None:
    """Write the answer; return whether it answers the question, or None if a search should answer instead."""
    if question.kind == "changes":
        return describe_changes(question, git, changelogs, draft, limit)
    if question.kind == "released":
        return describe_release(question, git, changelogs, draft)
    if git is None:
        return None
    tell: dict[str, Callable[[], bool | None]] = {
        "commits": lambda: list_matching_commits(question, git, draft, limit),
        "commit": lambda: describe_commit(question, git, draft),
        "began": lambda: describe_first_commit(git, draft),
    }
    if question.kind in tell:
        return tell[question.kind]()
    return _write_about_subject(question, corpus, git, changelogs, draft, limit)


def _write_about_subject(
    question: HistoryQuestion, corpus: Corpus, git: Git, changelogs: Changelogs, draft: Draft, limit: int
) -> bool | None:
    if question.kind == "author" and corpus.is_prose() and question.subject and not _names_file(question.subject):
        return None  # who wrote what documents speak of, they say themselves
    if question.kind == "author" and names_all_of_it(question.subject, corpus):
        question = question._replace(subject="")
    subject = subject_of(question.subject, corpus, git)
    # Its old path may be the end of its new one.
    moved = "/" in question.subject and (question.kind == "gone" or question.verb in ("removed", "renamed"))
    became = question.kind in ("gone", "past", "last", "origin") and (moved or not subject.path)
    if became and not subject.needle and (gone := gone_file(question.subject, git)) is not None:
        return _describe_gone_file(question, gone, git, draft)
    if question.kind == "gone" and not subject.path:
        question = question._replace(kind="origin")
    tell: dict[str, Callable[[HistoryQuestion, Subject, Git, Changelogs, Draft, int], bool | None]] = {
        "origin": describe_origin,
        "author": describe_authors,
        "last": describe_last_change,
        "past": list_past_changes,
        "gone": list_past_changes,
    }
    return tell[question.kind](question, subject, git, changelogs, draft, limit)


def _describe_gone_file(question: HistoryQuestion, gone: GoneFile, git: Git, draft: Draft) -> bool | None:
    """Write with which commit a file went, and where it is if that moved it; or with which it came, if asked that."""
    came = question.kind == "origin" and question.verb == "added"
    commit = gone.first if came else gone.commit
    text = commit_text(git, commit.id)
    if text is None:
        return None
    moved = git.repository.outer(gone.renamed) if gone.renamed else None
    verb = "came with" if came else f"was renamed to {code(moved)} by" if moved else "went with"
    path = code(git.repository.outer(gone.path) or gone.path)
    draft.say(f"{path} {verb} {code(commit.short)} of {commit.date}, by {one_line(commit.author)}:")
    quote_message(text, draft)
    describe_release_of(commit, git, draft)
    if came:
        draft.say(f"It is gone since {code(gone.commit.short)} of {gone.commit.date}.")
    return True


def _names_file(text: str) -> bool:
    return " " not in text and ("." in text or "/" in text)


def _nothing_found(corpus: Corpus, text: str) -> str:
    repository = corpus.repository()
    try:
        if repository is None or _is_empty(repository):
            return "There is no history here: no git repository with commits of this folder."
    except NoHistoryError as error:
        return str(error)
    return f"The history tells nothing of {text[:80]!r}. Ask for a path, a name or words of a commit's message."


def _is_empty(repository: Repository) -> bool:
    with Git(repository) as git:
        return is_empty(git)


def history_object(question: str, answer: HistoryAnswer, seconds: float) -> dict[str, Any]:
    """Return an answer as a JSON object with its passages, which have the numbers of its marks."""
    return {
        "asked": question,
        "answer": answer.text(range(1, len(answer.hits) + 1)),
        "known": answer.known,
        "partial": answer.partial,
        "passages": [_passage(number, hit) for number, hit in enumerate(answer.hits, 1)],
        "seconds": round(seconds, 4),
    }


def _passage(number: int, hit: Hit) -> dict[str, Any]:
    document = hit.document
    return {
        "n": number,
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "title": document.title,
        "author": document.author,
        "date": document.date,
        "text": hit.text,
        "sha256": document.sha256,
    }
