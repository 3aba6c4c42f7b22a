"""Answers what changed in a version, between two versions, since one or in a period, and when a version came out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cached_property
from itertools import takewhile

from quaestor.answers.history.history_draft import Draft, code, commit_hit, commit_line, document_hit, tag_hit
from quaestor.answers.history.history_questions import NEWEST, HistoryQuestion
from quaestor.answers.overview.introduction import names_in_manifests
from quaestor.answers.overview.material import DOCUMENTATION, Material
from quaestor.answers.overview.overview_answer import own_names, with_own_name
from quaestor.core.bylines import iso_date
from quaestor.core.documents import Document, Hit
from quaestor.core.errors import QuaestorError
from quaestor.core.light_imports import NamedTuple
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.corpus.line_excerpts import lines_of
from quaestor.history.git import Git
from quaestor.history.history_json import commit_text
from quaestor.history.log import Commit, count, log
from quaestor.history.versions import Section, Tag, Version, is_changelog, newest_before, sections, tags, version_in
from quaestor.search.background_documents import CHANGELOG
from quaestor.search.path_roles import profile_path

_MOST_FILES = 40
_MOST_LINES = 45
_MOST_HIT_LINES = 150
_BESIDE_A_CHANGELOG = 5
_SAME_RELEASE = 31
"""The most days between a version's tag and the date of its section."""
_YEAR = 366
_UNDATED = 1_000_000
_NOT_YET = r"unreleased|not (?:yet )?released|in development|t\.?b\.?[ad]\b"
_UNRELEASED = re.compile(
    rf"{_NOT_YET}|\b(?:pending|upcoming|in progress|wip|dev|next|snapshot)\b"
    r"|\b(?:\d\d|[xy]{2})?[xy]{2}[-/.][xmd?]{2}\b|\?\?",
    re.IGNORECASE,
)
_PART = re.compile(r"\s{0,3}(?:#{2,6}\s|\*\*[^*\n]{1,60}\*\*:?\s*$|[A-Z][\w ]{2,40}:\s*$)")
"""The heading of a part of a section."""
_ITEM, _MOST_ITEMS = re.compile(r"\s*[-*+•]\s"), 8
_UNRELEASED_BELOW = re.compile(rf"\W*(?:released?\s*(?:date)?\W*)?(?:{_NOT_YET})", re.IGNORECASE)
_FOLDERS_OF_CHANGELOGS = frozenset(
    """source src en content about changes changelog changelogs news history releases release-notes release_notes
    releasenotes project pages static .github meta development site sites website www""".split()
)
"""Folders that may hold changelogs of the whole project."""


class ChangelogSection(NamedTuple):
    """A section of a changelog.

    Attributes:
        document: the changelog.
        lines: all lines of the changelog.
        section: the version and the place of the section.
    """

    document: Document
    lines: Sequence[str]
    section: Section

    @property
    def is_unreleased(self) -> bool:
        """Whether its heading, or the first words below it, say that the version is not out yet."""
        below = [line for line in self.lines[self.section.first : self.section.first + 4] if line.strip("=-~^ \r")]
        return bool(_UNRELEASED.search(self.section.heading) or (below and _UNRELEASED_BELOW.match(below[0])))

    def hit(self, first: int | None = None, last: int | None = None) -> Hit:
        """Return the section, or some lines of it (1-based, the last inclusive), as a hit."""
        start = self.section.first if first is None else first
        end = min(self.section.last, start + _MOST_HIT_LINES - 1) if last is None else last
        return document_hit(self.document, "\n".join(self.lines), start - 1, end - 1, self.section.heading)


class Changelogs:
    """The changelogs of a corpus, read once.

    Args:
        corpus: the corpus that holds them.
        package: only changelogs in the folder of this name, in lower case; empty for all.
        main: whether to read only those of the whole project, as ``main`` does.
    """

    def __init__(self, corpus: Corpus, package: str = "", *, main: bool = False) -> None:
        self._corpus = corpus
        self._package = package
        self._main = main

    @property
    def main(self) -> Changelogs:
        """The changelogs of the whole project, without those of its packages and of vendored code."""
        return Changelogs(self._corpus, self._package, main=True)

    @property
    def own_names(self) -> tuple[str, ...]:
        """What the whole is called, in lower case."""
        return (*own_names(self._corpus), *names_in_manifests(Material(self._corpus.store)))

    def of_package(self, name: str) -> Changelogs:
        """Return the changelogs of one package: ``ferry`` for ``@shop/ferry``; all of them for the whole's own name."""
        last = name.lower().rpartition("/")[2]
        return Changelogs(self._corpus, last) if with_own_name(last, self._corpus, "") else self

    @property
    def package(self) -> str:
        """The package whose changelogs these are; empty for all of them."""
        return self._package

    @cached_property
    def sections(self) -> list[ChangelogSection]:
        """All sections; those of the changelogs nearest to the root come first."""
        paths = sorted(filter(is_changelog, self._corpus.store.documents()), key=lambda path: (path.count("/"), path))
        paths = [path for path in paths if self._package in ("", *path.lower().split("/")[-2:-1])]
        paths = _of_the_whole(paths, self.own_names) if self._main else paths
        # changes_1.x.rst holds what changes.rst no longer does.
        unnumbered = [path for path in paths if not re.search(r"\d", path.rpartition("/")[2])] if self._main else []
        unreleased = [one for path in unnumbered[:_MOST_FILES] for one in self._sections_of(path)]
        if not all(one.is_unreleased for one in unreleased):
            return unreleased
        return [one for path in paths[:_MOST_FILES] for one in self._sections_of(path)]

    def of(self, version: Version, day: str = "") -> ChangelogSection | None:
        """Return the section on a version; the longest one if several changelogs have one.

        Packages of one repository have changelogs and version numbers of their own. If the ``day`` of the release is
        known, dated sections count only if their date is near it.
        """
        sections = [one for one in self.sections if one.section.version == version]
        if day:
            by_distance = [(_days_apart(one.section.heading, day), one) for one in sections]
            near = [one for days, one in by_distance if days <= _SAME_RELEASE]
            sections = near or [one for days, one in by_distance if days == _UNDATED] or sections
        return max(sections, key=lambda one: one.section.last - one.section.first, default=None)

    def versions(self) -> list[Version]:
        """Return all versions that changelogs name."""
        return [one.section.version for one in self.sections]

    def mentions(self, words: Sequence[str]) -> Iterator[tuple[ChangelogSection, int]]:
        """Yield each line (1-based) of a section that holds all words, in the changelogs' order, newest first."""
        for one in self.sections if words else ():
            for number in range(one.section.first, one.section.last + 1):
                if holds_words(one.lines[number - 1], words):
                    yield one, number

    def lines(self) -> Iterator[tuple[ChangelogSection, int]]:
        """Yield each line (1-based) of all sections, without headings and blank lines."""
        for one in self.sections:
            for number in range(one.section.first + 1, one.section.last + 1):
                if one.lines[number - 1].strip():
                    yield one, number

    def _sections_of(self, path: str) -> Iterator[ChangelogSection]:
        document = self._corpus.store.document(path)
        try:
            data = self._corpus.read(path)
        except QuaestorError:
            return
        if document is None or data is None:
            return
        lines = lines_of(data)
        yield from (ChangelogSection(document, lines, section) for section in sections(lines, path))


def _of_the_whole(paths: Sequence[str], own: Sequence[str]) -> list[str]:
    """Return the changelogs in the root or in its documentation, else those in a folder that has the whole's name."""
    paths = [path for path in paths if profile_path(path).background in ("", CHANGELOG)]
    folders = {path: _folders_of_parts(path) for path in paths}
    return [path for path in paths if not folders[path]] or [path for path in paths if folders[path][-1] in own]


def _folders_of_parts(path: str) -> list[str]:
    """Return the folders in which a file lies, except those of the whole and what is below its documentation."""
    folders = list(takewhile(lambda one: one not in DOCUMENTATION, path.lower().split("/")[:-1]))
    return [one for one in folders if one not in _FOLDERS_OF_CHANGELOGS]


def _days_apart(heading: str, day: str) -> int:
    """Return how many days lie between a day and the date in a heading; ``_UNDATED`` if it has no full date."""
    dated = iso_date(heading) or ""
    if len(dated) != len(day):
        return _UNDATED
    return abs((date.fromisoformat(dated) - date.fromisoformat(day)).days)


def holds_words(text: str, words: Sequence[str]) -> bool:
    """Return whether a text holds all of the words as whole words, each in the singular or the plural."""
    lowered = text.lower()
    return all(
        re.search(rf"(?<![\w-]){re.escape(word.lower().removesuffix('s'))}s?(?![\w-])", lowered) for word in words
    )


def describe_changes(
    question: HistoryQuestion, git: Git | None, changelogs: Changelogs, draft: Draft, limit: int
) -> bool | None:
    """Write what changed; return whether that answers the question, or None if no such version or period is known."""
    if not question.versions:
        if (
            git is not None
            and question.since
            and question.since == question.until
            and _at_tag(question.since, git, draft, limit)
        ):
            return True
        return None if git is None else _list_commits_in_period(question, git, draft, limit)
    version_tags = [] if git is None else [tag for tag in tags(git) if tag.version is not None]
    if question.subject:
        changelogs = changelogs.of_package(question.subject)
        version_tags = [tag for tag in version_tags if changelogs.package in ("", _package_of(tag))]
        if not (version_tags or changelogs.sections):
            return None  # a version of something else
    elif NEWEST in question.versions:
        version_tags = _main_series(version_tags, changelogs.own_names)
        package = _package_of(version_tags[-1]) if version_tags else ""
        changelogs = changelogs.of_package(package) if package and not changelogs.main.sections else changelogs.main
    both_versions = [
        _newest_version(version_tags, changelogs) if text == NEWEST else version_in(text) for text in question.versions
    ]
    versions = [version for version in both_versions if version is not None]
    if len(versions) != len(question.versions):
        unnamed = NEWEST in question.versions and not question.subject
        return _say_without_releases(git, draft, limit) if unnamed and git is not None else None
    noted = _requested_sections(question, versions, version_tags, changelogs)
    items = _items_of(question, versions, changelogs) if question.part and question.relation != "in" else []
    for one, number in items:
        draft.say(f"`{one.document.path}:{number}`, under {code(one.section.heading)}:")
        draft.quote_prose(one.hit(number, number), [one.lines[number - 1].rstrip()])
    for one in () if items else noted:
        _quote_section(one, draft, _MOST_LINES // len(noted), question.part)
    if NEWEST in question.versions and noted:
        _say_what_is_unreleased(noted[0], changelogs, draft)
    ends = _tag_range(question, versions, version_tags)
    if git is not None and ends is not None:
        _list_commits_between(*ends, git, draft, _BESIDE_A_CHANGELOG if noted else limit)
    if draft.pieces:
        return True
    return _say_unknown(question, version_tags, changelogs, draft)


def _say_without_releases(git: Git, draft: Draft, limit: int) -> bool | None:
    """List the newest commits of a repository whose releases nothing names; None if it has no commits either."""
    if commits := log(git, limit=limit, options=("--no-merges",)):
        draft.say("No tag and no changelog here names a release. The newest commits:\n")
        list_commits(commits, git, draft)
    return True if commits else None


def _say_what_is_unreleased(last: ChangelogSection, changelogs: Changelogs, draft: Draft) -> None:
    """Say which section on a later version stands above that of the last release, or that there is no release."""
    if last.is_unreleased:
        draft.say("That version is not released yet, and nothing here names one that is.")
        return
    later = (one for one in changelogs.sections if one.section.version.order > last.section.version.order)
    above = next((one for one in later if one.is_unreleased and one.document == last.document), None)
    if above is not None:
        first = above.section.first
        draft.say(f"Above it, `{above.document.path}:{first}` begins with what is not released yet:")
        draft.quote_prose(above.hit(first, first), [above.lines[first - 1].rstrip()])


def _main_series(version_tags: Sequence[Tag], own: Sequence[str] = ()) -> list[Tag]:
    """Return the tags of one series of versions: the whole's own or, failing that, the series in use.

    A project that has moved on to tags with names (``shop@2.0``) has made no others for a year.

    Args:
        version_tags: the tags that name versions, the newest last.
        own: what the whole is called, as a series may be: ``ferry-v2.0``.
    """
    newest = max((tag.date for tag in version_tags), default="")
    for of_all in (
        [tag for tag in version_tags if _package_of(tag) in own],
        [tag for tag in version_tags if not tag.series],
    ):
        if of_all and _days_apart(max(tag.date for tag in of_all), newest) <= _YEAR:
            return of_all
    count = Counter(tag.series for tag in version_tags)
    last = max((tag.series for tag in version_tags if tag.date == newest), key=count.__getitem__, default="")
    return [tag for tag in version_tags if tag.series == last]


def _package_of(tag: Tag) -> str:
    """Return a tag's package in lower case: ``ferry`` for ``@shop/ferry@1.2.0`` and ``ferry-v1.2``."""
    return tag.series.rstrip("@/-_ ").rpartition("/")[2].lower()


def _at_tag(day: str, git: Git, draft: Draft, limit: int) -> bool:
    """Write what changed between the tag of a day and the tag before it; return whether there is such a tag."""
    all_tags = tags(git)
    at = next((number for number, tag in enumerate(all_tags) if tag.name.endswith(day)), None)
    if at is None:
        return False
    _list_commits_between(all_tags[at - 1] if at else None, all_tags[at], git, draft, limit)
    return True


def _items_of(
    question: HistoryQuestion, versions: Sequence[Version], changelogs: Changelogs
) -> list[tuple[ChangelogSection, int]]:
    """Return the changelog lines of the versions that are asked for which name the part that is asked for."""
    first, *last = sorted(version.order for version in versions)
    named, found = re.compile(question.part, re.IGNORECASE), dict[str, tuple[ChangelogSection, int]]()
    for one, number in changelogs.main.lines():
        order, line = one.section.version.order, one.lines[number - 1]
        if order > first and (not last or order <= last[0]) and _ITEM.match(line) and named.search(line):
            found.setdefault(line.strip(), (one, number))
    return [*found.values()][:_MOST_ITEMS]


def _requested_sections(
    question: HistoryQuestion, versions: Sequence[Version], all_tags: Sequence[Tag], changelogs: Changelogs
) -> list[ChangelogSection]:
    """Return the sections of changelogs that a question asks for, newest first."""
    days = {version: tag.date for version, tag in _tags_by_version(all_tags).items()}
    if question.relation == "in":
        section = changelogs.of(versions[0], days.get(versions[0], ""))
        return [section] if section else []
    last = max(versions, key=lambda one: one.order).order if question.relation == "between" else None
    first = min(versions, key=lambda one: one.order).order
    between = {
        version
        for version in changelogs.versions()
        if version.order > first and (last is None or version.order <= last)
    }
    newest = sorted(between, key=lambda version: version.order, reverse=True)[:4]
    return [one for version in newest if (one := changelogs.of(version, days.get(version, "")))]


def _quote_section(one: ChangelogSection, draft: Draft, most: int, part: str) -> None:
    """Quote a section, or its part with such a heading if it has one."""
    section = one.section
    first, end = _part_of(one, part) if part else (section.first, section.last)
    last = min(end, first + max(most, 8) - 1)
    draft.say(f"`{one.document.path}:{first}-{end}`, {code(section.heading)}:")
    hit = one.hit() if first == section.first else one.hit(first, min(end, first + _MOST_HIT_LINES - 1))
    draft.quote_prose(hit, [line.rstrip() for line in one.lines[first - 1 : last]])
    if last < end:
        draft.say(f"({amount(end - last, 'more line')} there.)")


def _part_of(one: ChangelogSection, part: str) -> tuple[int, int]:
    """Return the first and the last line of the part of a section whose heading a pattern finds; else of all of it."""
    section, named = one.section, re.compile(part, re.IGNORECASE)
    heads = [at for at in range(section.first + 1, section.last + 1) if _PART.match(one.lines[at - 1])]
    first = next((at for at in heads if named.search(one.lines[at - 1])), section.first)
    if first == section.first:
        return section.first, section.last
    level = _level(one.lines[first - 1])
    following = (at for at in heads if at > first and _level(one.lines[at - 1]) <= level)
    last = next(following, section.last + 1) - 1
    while last > first and not one.lines[last - 1].strip():
        last -= 1
    return first, last


def _level(line: str) -> int:
    return len(line) - len(line.lstrip("#"))


def _tag_range(
    question: HistoryQuestion, versions: Sequence[Version], all_tags: Sequence[Tag]
) -> tuple[Tag | None, Tag | None] | None:
    """Return the tags before and after the commits, each None for an open end; None if they are unknown."""
    by_version = _tags_by_version(all_tags)
    if question.relation == "since":
        start = by_version.get(versions[0])
        return (start, None) if start else None
    if question.relation == "between":
        first, second = sorted(versions, key=lambda one: one.order)
        start, end = by_version.get(first), by_version.get(second)
        return (start, end) if start and end else None
    end = by_version.get(versions[0])
    if end is None:
        return None
    # A tag of a later date, such as a patch of an older version, does not precede this one.
    series = {tag.version: tag for tag in all_tags if tag.version and tag.series == end.series and tag.date <= end.date}
    former = newest_before(versions[0], series)
    return (series[former] if former else None), end


def _tags_by_version(all_tags: Sequence[Tag]) -> dict[Version, Tag]:
    """Return the tag of each version."""
    # Of several series the one without a name of its own is the project's.
    ordered = sorted(all_tags, key=lambda tag: not tag.series)
    return {tag.version: tag for tag in ordered if tag.version}


def _list_commits_between(start: Tag | None, end: Tag | None, git: Git, draft: Draft, limit: int) -> None:
    """List the commits between two tags."""
    last = end.commit if end else "HEAD"
    revisions = f"{start.commit}..{last}" if start else last
    commits = log(git, revisions, limit=limit, options=("--no-merges",))
    if not commits:
        draft.say(f"Git has no commits {_range_in_words(start, end)}.")
        return
    total = count(git, revisions)
    shown = ", the newest" if total is None or total > len(commits) else ""
    number = "Commits" if total is None else f"Git has {amount(total, 'commit')}"
    draft.say(f"{number} {_range_in_words(start, end)}{shown}:\n")
    list_commits(commits, git, draft)


def _range_in_words(start: Tag | None, end: Tag | None) -> str:
    if start is None:
        return "in all" if end is None else f"up to {_tag_name(end)}"
    return f"since {_tag_name(start)}" if end is None else f"between {_tag_name(start)} and {_tag_name(end)}"


def _tag_name(tag: Tag) -> str:
    return f"{code(tag.name)} ({tag.date})"


def list_commits(commits: Sequence[Commit], git: Git, draft: Draft) -> None:
    """Add a list of commits, each cited."""
    for commit in commits:
        text = commit_text(git, commit.id)
        if text is not None:
            draft.item(commit_line(commit), commit_hit(text))


def _list_commits_in_period(question: HistoryQuestion, git: Git, draft: Draft, limit: int) -> bool:
    commits = log(git, limit=limit, since=question.since, until=question.until, options=("--no-merges",))
    if not commits:
        sought = "Git has no commits" if git.is_complete else "In the time that there is, no commits were found"
        draft.say(f"{sought} {period_in_words(question)}. The newest:\n")
        list_commits(log(git, limit=1), git, draft)
        return True
    total = count(git, "HEAD", question.since, question.until)
    number = "Commits" if total is None else f"Git has {amount(total, 'commit')}"
    limits = f" {period_in_words(question)}" if question.since or question.until else ""
    shown = ", the newest" if total is None or total > len(commits) else ""
    draft.say(f"{number}{limits}{shown}:\n")
    list_commits(commits, git, draft)
    return True


def period_in_words(question: HistoryQuestion) -> str:
    """Return a period in words."""
    if question.since and question.until:
        return f"from {question.since} to {question.until}"
    if question.since:
        return f"since {question.since}"
    return f"up to {question.until}" if question.until else "at all"


def _say_unknown(
    question: HistoryQuestion, all_tags: Sequence[Tag], changelogs: Changelogs, draft: Draft
) -> bool | None:
    """Say that there is no such version, and name similar ones; None if no versions are known at all."""
    known = {tag.version: tag.name for tag in reversed(all_tags) if tag.version}
    names = list(dict.fromkeys([*known.values(), *(one.section.heading for one in changelogs.sections)]))
    if not names:
        return None
    draft.say(
        f"Neither a tag nor a changelog here names {' or '.join(map(code, question.versions))}. "
        f"The newest that they name: {', '.join(map(code, names[:5]))}."
    )
    return False


def describe_release(question: HistoryQuestion, git: Git | None, changelogs: Changelogs, draft: Draft) -> bool | None:
    """Write when a version came out; the newest one if the question names none."""
    version_tags = [] if git is None else [tag for tag in tags(git) if tag.version]
    if not question.versions:
        version_tags, changelogs = _main_series(version_tags, changelogs.own_names), changelogs.main
    version = version_in(question.versions[0]) if question.versions else _newest_version(version_tags, changelogs)
    if version is None:
        return None
    tag = next((tag for tag in reversed(version_tags) if tag.version == version), None)
    noted = changelogs.of(version, tag.date if tag else "")
    if tag is not None:
        draft.say(f"The tag {code(tag.name)}: “Date: {tag.date}” ")
        draft.cite(tag_hit(tag))
    if noted is not None:
        head = noted.section.first
        draft.say(f"`{noted.document.path}:{head}`:")
        draft.quote_prose(noted.hit(head, head), [noted.lines[head - 1].rstrip()])
    return True if draft.pieces else _say_unknown(question, version_tags, changelogs, draft)


def _newest_version(all_tags: Sequence[Tag], changelogs: Changelogs) -> Version | None:
    released = [one for one in changelogs.sections if not one.is_unreleased] or changelogs.sections
    versions = [tag.version for tag in all_tags if tag.version] or [one.section.version for one in released]
    finished = [version for version in versions if not version.is_pre_release] or versions
    return max(finished, key=lambda one: one.order, default=None)
