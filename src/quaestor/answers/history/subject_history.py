"""Answers when and why the subject of a question was added or removed, who wrote it, and how it changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.answers.history.find_subject import Subject, best_of, commits_saying
from quaestor.answers.history.history_draft import (
    Draft,
    code,
    commit_hit,
    commit_line,
    describe_release_of,
    lines_hit,
    one_line,
    quote_message,
)
from quaestor.answers.history.history_questions import HistoryQuestion
from quaestor.answers.history.version_changes import (
    Changelogs,
    ChangelogSection,
    holds_words,
    list_commits,
    period_in_words,
)
from quaestor.core.wording import amount
from quaestor.history.git import Git
from quaestor.history.history_json import CommitText, commit_text
from quaestor.history.log import (
    Author,
    Commit,
    authors,
    blame,
    commits_touching,
    count,
    file_lines,
    holder,
    holders,
    lines_with,
    log,
    origin,
    presence,
    shares,
)
from quaestor.history.versions import Version
from quaestor.search.path_roles import profile_path

_MOST_AUTHORS, _MOST_DIFF = 5, 120
_MOST_COMMITS, _MOST_TOUCHING, _LONGEST_ITEM = 5000, 8, 8
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_FEW = 3
"""A word that occurs in more files than these is an ordinary word, and no option."""
_SIGNS = {"added": "+", "removed": "-", "renamed": "+", "changed": "+"}
_SAID = {
    "added": r"\b(?:add|introduc|implement|support|creat|allow|new|initial|enabl|provid)",
    "removed": r"\b(?:remov|drop|delet|deprecat|get rid|kill|no longer|discontinu)",
    "renamed": r"\b(?:renam|mov)",
    "changed": r"",
}
# A changelog speaks of a thing long after it came, so that only what says so outright counts.
_NOTED = {
    "added": r"\b(?:add|introduc|implement|new|initial|first)",
    "removed": (
        r"\b(?:remov(?:e[sd]?|ing|al)\b|dropp?(?:s|ed|ing)?\b|deprecat|discontinu|kill|delet(?:ed?|ion)\b|get rid"
        r"|no longer (?:support|includ|ship|available|part of))"
    ),
    "renamed": r"\brenam",
}
_DECLARING = r"(?:flag|option|opt|arg|argument)"
_OF_A_LETTER = re.compile(r"-\w")
"""An option that is part of many other texts, so that messages alone tell of it."""
_NUMBERED = re.compile(r"(?:#|\bGH-|/pull/|/issues/)(\d{1,7})\b")


def describe_origin(
    question: HistoryQuestion, subject: Subject, git: Git, changelogs: Changelogs, draft: Draft, limit: int
) -> bool | None:
    """Write which commit added, removed or renamed something, and what its message says about the reason."""
    in_code = _in_code(question, subject, git)
    if in_code is None:
        # What is not a name of code a changelog tells best, in its readers' words.
        mention = _quote_mention(question, subject, changelogs, draft)
        line = mention[0].lines[mention[1] - 1] if mention else ""
        if git.is_complete and (in_messages := _commit_that_mentions(question, subject, git, line)):
            _describe_origin(question, subject._replace(path=""), *in_messages, git, draft)
        elif mention and git.is_complete:
            _describe_note(*mention, git, draft)
        if not draft.pieces and subject.path and not git.is_complete:
            draft.say(f"With which commit {code(subject.text)} came was not found in the time that there is.")
            describe_last_change(question, subject, git, changelogs, draft, limit)
            return False
        return True if draft.pieces else None
    # What is gone, its last trace may have gone with anything: a changelog tells better, unless the message does.
    told = re.search(_SAID[question.verb], _message_of(in_code[0]), re.IGNORECASE) is not None
    first = question.verb in ("removed", "renamed") and not told
    if first:
        _quote_mention(question, subject, changelogs, draft)
    released = _describe_origin(question, subject, *in_code, git, draft)
    if not first:
        _quote_mention(question, subject, changelogs, draft, released if question.verb == "added" else None)
    return True


def _quote_mention(
    question: HistoryQuestion, subject: Subject, changelogs: Changelogs, draft: Draft, released: Version | None = None
) -> tuple[ChangelogSection, int] | None:
    """Quote and return the oldest changelog line that says something was added, or the newest that it was removed.

    If the version that brought it is known, only what is said of that version counts.
    """
    mentions = _mentions(question, subject, changelogs)
    mentions = [one for one in mentions if released in (None, one[0].section.version)]
    if not mentions:
        return None
    one, number = mentions[-1] if question.verb == "added" else mentions[0]
    last = _end_of_item(one.lines, number, one.section.last)
    draft.say(f"`{one.document.path}:{number}`, under {code(one.section.heading)}:")
    draft.quote_prose(one.hit(number, last), [line.rstrip() for line in one.lines[number - 1 : last]])
    return one, number


def _end_of_item(lines: Sequence[str], number: int, end: int) -> int:
    """Return the last line of the item that a line begins: what follows is indented more, and begins no other."""
    indent, last = len(lines[number - 1]) - len(lines[number - 1].lstrip()), number
    if not _BULLET.match(lines[number - 1]):
        return number
    for line in lines[number : min(end, number + _LONGEST_ITEM)]:
        if not line.strip() or _BULLET.match(line) or len(line) - len(line.lstrip()) <= indent:
            break
        last += 1
    return last


def _describe_note(one: ChangelogSection, number: int, git: Git, draft: Draft) -> None:
    """Write which commit added a line to a changelog, and so who noted the change, and when."""
    path = git.repository.inner(one.document.path)
    added = origin(git, one.lines[number - 1].strip(), path)
    text = commit_text(git, added.commit.id) if added is not None else None
    if added is None or text is None:
        return
    commit = added.commit
    draft.say(f"That line came with {code(commit.short)} of {commit.date}, by {one_line(commit.author)}:")
    quote_message(text, draft)
    describe_release_of(commit, git, draft)


def _mentions(
    question: HistoryQuestion, subject: Subject, changelogs: Changelogs
) -> list[tuple[ChangelogSection, int]]:
    """Return the changelog lines that say best what happened to the subject."""
    verb = _NOTED.get(question.verb, "(?!)")
    if subject.literal:
        mentions = list(changelogs.mentions((subject.literal,)))
        return [(one, number) for one, number in mentions if re.search(verb, one.lines[number - 1], re.IGNORECASE)]
    lines = list(changelogs.lines())
    if question.verb == "added":
        lines.reverse()
    best = best_of(subject.text, [one.lines[number - 1] for one, number in lines], verb)
    return [lines[at] for at in best[:1] if re.search(verb, lines[at][0].lines[lines[at][1] - 1], re.IGNORECASE)]


def _in_code(question: HistoryQuestion, subject: Subject, git: Git) -> tuple[Commit, str] | None:
    """Return the commit that added or removed something in code, and the text that shows it."""
    if question.verb in ("removed", "renamed") and (gone := _commit_that_removed(subject, git)):
        return gone
    if question.verb == "removed":
        return None
    # A file may be listed by its name elsewhere, in a Makefile say, from which that line may have come later.
    is_file = subject.path and not subject.needle
    needle = (
        ""
        if is_file or _OF_A_LETTER.fullmatch(subject.literal)
        else subject.needle or _as_code_has_it(subject.literal, git)
    )
    if needle and (path := (subject.needle and subject.path) or _holder(git, needle)):
        added = origin(git, needle, path)
        renamed = added is not None and re.search(_SAID[question.verb], _message_of(added.commit), re.IGNORECASE)
        return None if added is None or (question.verb == "renamed" and not renamed) else (added.commit, needle)
    if subject.path:
        return _of_path(subject, git, "R" if question.verb == "renamed" else "AR")
    return None


def _as_code_has_it(literal: str, git: Git) -> str:
    """Return an option as code writes it: unchanged if a source file holds it, else without hyphens, best in quotes."""
    bare = literal.lstrip("-")
    quotes = {one: _sources_with(git, one) for one in (f'"{bare}"', f"'{bare}'")} if bare != literal else {}
    declared = next(filter(None, (_declaration(git, one, paths) for one, paths in quotes.items())), "")
    if declared or bare == literal or _sources_with(git, literal):
        return declared or literal
    quoted = next((one for one, paths in quotes.items() if paths), None)
    plain = (one for one in (bare, bare.replace("-", "_")) if 0 < len(_sources_with(git, one)) <= _FEW)
    return quoted or next(plain, literal)


def _declaration(git: Git, quoted: str, paths: Sequence[str]) -> str:
    """Return the beginning of a call that declares an option by its name in quotes: ``flag.Int("keep-days"``."""
    call = re.compile(rf"[\w.]*{_DECLARING}[\w.]*\({re.escape(quoted)}", re.IGNORECASE)
    lines = (line for path in paths[:_MOST_TOUCHING] for line in file_lines(git, path))
    return next((match[0] for line in lines if (match := call.search(line))), "")


def _holder(git: Git, needle: str) -> str | None:
    """Return a file that holds a text now: a source, because tests, changelogs and documents follow it; else any."""
    return next(iter(_sources_with(git, needle)), None) or holder(git, needle, "HEAD")


def _sources_with(git: Git, needle: str, revision: str = "HEAD") -> list[str]:
    return [path for path in holders(git, needle, revision) if not any(profile_path(path).flags)]


def _commit_that_removed(subject: Subject, git: Git) -> tuple[Commit, str] | None:
    """Return the newest commit that removed a text from the code, if the code no longer holds it."""
    needle = subject.needle or subject.literal
    if subject.path and not subject.needle:
        return None  # the file is there
    if needle and (commit := _last_with(git, needle)) is not None:
        return commit, needle
    if subject.literal and (commits := log(git, paths=(git.repository.inner(subject.literal),), limit=1)):
        return commits[0], subject.literal
    return None


def _last_with(git: Git, needle: str) -> Commit | None:
    """Return the commit after which no source holds a text; None while one does, or if none ever did.

    A changelog or a document that says what is gone does not keep it.
    """
    left = holders(git, needle, "HEAD")
    if not left:
        return next(iter(commits_touching(git, needle, 1)), None)
    if not all(any(profile_path(path).flags) for path in left):
        return None
    touching = (one for one in commits_touching(git, needle, _MOST_TOUCHING) if one.parents)
    return next(
        (
            one
            for one in touching
            if _sources_with(git, needle, f"{one.id}^") and not _sources_with(git, needle, one.id)
        ),
        None,
    )


def _message_of(commit: Commit) -> str:
    return f"{commit.subject}\n{commit.body}"


def _of_path(subject: Subject, git: Git, kinds: str) -> tuple[Commit, str] | None:
    """Return the commit that added a file, under whatever name, or the first one in a folder.

    Args:
        subject: the file or folder.
        git: the repository.
        kinds: the kinds of changes, as git's letters: ``AR`` for the first addition, ``R`` for the last renaming.
    """
    followed = ("--follow",) if presence(git, subject.path) == "file" else ()
    commits = log(git, paths=(subject.path,), limit=5000, options=(*followed, f"--diff-filter={kinds}"))
    if not commits and kinds != "R":  # a clone without the contents of old files tells no renaming
        commits = log(git, paths=(subject.path,), limit=5000, options=("--diff-filter=A",))
    return (commits[0 if kinds == "R" else -1], "") if commits else None


def _commit_that_mentions(
    question: HistoryQuestion, subject: Subject, git: Git, mention: str
) -> tuple[Commit, str] | None:
    """Return the oldest commit whose subject says that something was added, or the newest that says it was removed.

    If a changelog line gives a number, only the commit with that number is meant.
    """
    match = _NUMBERED.search(mention)
    if match is not None:
        number = f"#{match[1]}"
        commits = log(git, words=(number,), limit=20)
        in_subjects = (one for one in commits if re.search(rf"{number}\b", one.subject))
        in_bodies = (
            one for one in commits if re.search(rf"\b(?:fix|clos|resolv)\w*:? {number}\b", one.body, re.IGNORECASE)
        )
        return next(((one, "") for one in (*in_subjects, *in_bodies)), None)
    verb = _SAID[question.verb]
    commits = commits_saying(git, subject.text, verb, oldest=question.verb == "added")
    # Any message about a thing may tell that it was added or changed; that it was removed, only one that says so.
    # Nor is a name of code made of words that a message has.
    if subject.literal:
        literal = re.compile(rf"(?<![\w-]){re.escape(subject.literal)}(?![\w-])", re.IGNORECASE)
        commits = [one for one in commits if literal.search(_message_of(one))]
    says_so = question.verb != "removed" or (commits and re.search(verb, _message_of(commits[0]), re.IGNORECASE))
    return (commits[0], "") if commits and says_so else None


def _describe_origin(
    question: HistoryQuestion, subject: Subject, commit: Commit, needle: str, git: Git, draft: Draft
) -> Version | None:
    """Write with which commit something came or went; return the first version that holds it, if that is known."""
    text = commit_text(git, commit.id)
    if text is None:
        return None
    match = re.search(_SAID[question.verb], _message_of(commit), re.IGNORECASE)
    # What is gone may have been renamed or not: only the message tells. A file is moved; so is code, with its name.
    renames = re.search((_SAID if "." in subject.text else _NOTED)["renamed"], _message_of(commit), re.IGNORECASE)
    renamed = "was renamed by" if renames or not (needle or subject.literal) or subject.path else "went with"
    verb = {"added": "came with", "removed": "went with", "renamed": renamed, "changed": "was changed by"}
    if not needle and not subject.path:
        says = "says so" if match else "is the oldest that speaks of it"
        draft.say(f"{code(commit.short)} of {commit.date}, by {one_line(commit.author)}, {says}:")
    else:
        limit = "" if git.is_complete else "As far as the history was read in the time that there is, "
        draft.say(
            f"{limit}{code(subject.text)} {verb[question.verb]} {code(commit.short)} of {commit.date},"
            f" by {one_line(commit.author)}:"
        )
    quote_message(text, draft)
    if needle:
        _quote_lines(text, needle, _SIGNS[question.verb], draft)
    return describe_release_of(commit, git, draft)


def _quote_lines(text: CommitText, needle: str, sign: str, draft: Draft) -> None:
    lines = text.text.split("\n")
    place = lines_with(needle, lines, sign) or lines_with(needle, lines, "-")
    if place is not None:
        draft.quote(lines_hit(text, *place), lines[place[0] : place[1] + 1], "diff")


def describe_authors(
    question: HistoryQuestion, subject: Subject, git: Git, changelogs: Changelogs, draft: Draft, limit: int
) -> bool | None:
    """Write who wrote something, by the number of commits and of lines that remain."""
    if subject.text and not subject.path:
        return describe_origin(question, subject, git, changelogs, draft, limit)
    if subject.needle or subject.lines[0]:
        return _lines_by(subject, git, draft, limit)
    paths = (subject.path,) if subject.path else ()
    by_commits = authors(git, paths=paths, since=question.since, until=question.until)
    if not by_commits:
        return None
    what = f" of {code(git.repository.outer(subject.path) or subject.path)}" if subject.path else ""
    total = sum(one.commits for one in by_commits)
    read = amount(total, "commit") if git.is_complete else f"The newest {amount(total, 'commit')}"
    draft.say(f"{read}{what}, by {amount(len(by_commits), 'author')}:\n")
    for one in by_commits[:_MOST_AUTHORS]:
        draft.add(f"\n- {_share(one)}")
        if text := commit_text(git, one.newest):
            draft.add(f". The newest: {commit_line(text.commit)} ")
            draft.cite(commit_hit(text))
    if subject.path and presence(git, subject.path) == "file":
        _remaining_lines(subject, git, draft)
    return True


def _share(one: Author) -> str:
    return f"{one_line(one.name)}: {amount(one.commits, 'commit')} since {one.first}"


def _remaining_lines(subject: Subject, git: Git, draft: Draft) -> None:
    line_shares = shares(blame(git, subject.path))
    if line_shares:
        total = sum(lines for _, lines in line_shares)
        parts = ", ".join(f"{one_line(name)} {lines}" for name, lines in line_shares[:_MOST_AUTHORS])
        draft.say(f"Its {amount(total, 'line')}, empty ones aside, last changed by: {parts}.")


def _lines_by(subject: Subject, git: Git, draft: Draft, limit: int) -> bool | None:
    """Write who wrote the lines of a definition, or a single line."""
    lines = blame(git, subject.path, *subject.lines)
    line_shares = shares(lines)
    if not line_shares:
        return None
    parts = ", ".join(f"{one_line(name)} ({amount(count, 'line')})" for name, count in line_shares[:_MOST_AUTHORS])
    place = f"{git.repository.outer(subject.path)}:{subject.lines[0]}"
    draft.say(
        f"{code(subject.text)}, `{place}`, as it stands was written by {parts}. The commits that its lines are of:\n"
    )
    dated = [commits[0] for one in dict.fromkeys(line.commit for line in lines) if (commits := log(git, one, limit=1))]
    list_commits(sorted(dated, key=lambda commit: commit.date, reverse=True)[:limit], git, draft)
    return True


def describe_last_change(
    question: HistoryQuestion, subject: Subject, git: Git, changelogs: Changelogs, draft: Draft, limit: int
) -> bool | None:
    """Write what the last change of something was."""
    if subject.text and not subject.path:
        return None
    commits = _commits_of(question, subject, git, 1)
    if not commits or (text := commit_text(git, commits[0].id)) is None:
        return None
    what = code(subject.text) if subject.text else "This"
    commit = commits[0]
    draft.say(f"{what} was last changed by {code(commit.short)} of {commit.date}, by {one_line(commit.author)}:")
    quote_message(text, draft)
    path = git.repository.outer(subject.path) if subject.path else None
    _quote_change(text, path or "", draft)
    return True


def _quote_change(text: CommitText, path: str, draft: Draft) -> None:
    """Quote the first of the changes that a commit makes to a file."""
    lines = text.text.split("\n")
    hunks = [at for at, line in enumerate(lines) if at >= text.head_lines and line.startswith("@@")]
    heads = [at for at, line in enumerate(lines) if at >= text.head_lines and path and line.endswith(f"b/{path}")]
    first = next((at for at in hunks if not heads or at > heads[0]), None)
    if first is not None:
        last = min(next((at for at in hunks if at > first), len(lines)) - 1, first + 24)
        last = next((at - 1 for at in range(first, last + 1) if lines[at].startswith("diff --git ")), last)
        while last > first and not lines[last]:
            last -= 1
        draft.quote(lines_hit(text, first, last), lines[first : last + 1], "diff")


def list_past_changes(
    question: HistoryQuestion, subject: Subject, git: Git, changelogs: Changelogs, draft: Draft, limit: int
) -> bool | None:
    """List the commits that changed something, newest first."""
    if subject.text and not subject.path:
        return None
    commits = _commits_of(question, subject, git, limit)
    if not commits:
        return None
    what = f" of {code(subject.text)}" if subject.text else ""
    limits = f" {period_in_words(question)}" if question.since or question.until else ""
    draft.say(f"The newest changes{what}{limits}:\n")
    list_commits(commits, git, draft)
    return True


def _commits_of(question: HistoryQuestion, subject: Subject, git: Git, limit: int) -> list[Commit]:
    """Return the newest commits that changed a file, a folder, the lines of a definition, or anything."""
    if subject.lines[0]:
        span_of_lines = f"-L{subject.lines[0]},{subject.lines[1]}:{subject.path}"
        options = (span_of_lines, "--no-patch")
        commits = log(git, limit=limit, scoped=False, options=options, since=question.since, until=question.until)
        # Git may know no line history of it; that nothing changed in the period is no reason to tell of its file.
        limited = question.since or question.until
        if commits or (limited and log(git, limit=1, scoped=False, options=options)):
            return commits
    paths = (subject.path,) if subject.path else ()
    followed = ("--follow",) if subject.path and presence(git, subject.path) == "file" else ()
    return log(git, paths=paths, limit=limit, options=followed, since=question.since, until=question.until)


def describe_first_commit(git: Git, draft: Draft) -> bool | None:
    """Write what the oldest commit was, and how many followed."""
    scope = git.repository.scope
    # A part of a repository begins with the first commit that touches it; all of it may have several beginnings.
    commits = log(git, limit=_MOST_COMMITS) if scope else log(git, limit=50, scoped=False, options=("--max-parents=0",))
    first = min(commits, key=lambda commit: commit.date, default=None)
    text = commit_text(git, first.id) if first is not None else None
    if first is None or text is None:
        return None
    total = count(git, "HEAD")
    of_all = f" of {total:,}" if total and total > 1 else ""
    draft.say(f"The oldest commit{of_all} is {code(first.short)} of {first.date}, by {one_line(first.author)}:")
    quote_message(text, draft)
    return True


def describe_commit(question: HistoryQuestion, git: Git, draft: Draft) -> bool | None:
    """Write what one commit says and changes."""
    text = commit_text(git, question.subject)
    if text is None:
        return None
    commit = text.commit
    draft.say(f"{code(commit.short)} of {commit.date}, by {one_line(commit.author)}:")
    quote_message(text, draft)
    lines = text.text.removesuffix("\n").split("\n")
    last = min(len(lines), text.head_lines + _MOST_DIFF) - 1
    if last > text.head_lines:
        draft.quote(lines_hit(text, text.head_lines + 1, last), lines[text.head_lines + 1 : last + 1], "diff")
    if last + 1 < len(lines):
        draft.say(f"({amount(len(lines) - last - 1, 'more line')} there.)")
    return True


def list_matching_commits(question: HistoryQuestion, git: Git, draft: Draft, limit: int) -> bool | None:
    """List the commits whose messages mention a subject, or those of an author."""
    words = [
        word for word in re.findall(r"[\w.#/+-]+", question.subject) if word.lower() not in ("the", "a", "an", "of")
    ]
    if not words and not question.by:
        return None
    commits = log(git, words=words, by=question.by, limit=5 * limit, since=question.since, until=question.until)
    limited = bool(question.since or question.until)
    if not commits and not (limited and log(git, words=words, by=question.by, limit=1)):
        return None
    commits = sorted(commits, key=lambda commit: not holds_words(commit.subject, words))[:limit]
    about = f" that speak of {code(question.subject)}" if question.subject else ""
    by = f" by {code(question.by)}" if question.by else ""
    limits = f" {period_in_words(question)}" if limited else ""
    draft.say(f"Commits{by}{about}{limits}:\n" if commits else f"There are no commits{by}{about}{limits}.")
    list_commits(commits, git, draft)
    return True
