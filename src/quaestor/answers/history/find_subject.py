"""Finds the subject of a question about history: a file or folder, a name that is defined, or words.

For words, the commit or changelog line that is about them is found. Its score is the sum of two measures: the share of
the subject's words that a text holds, weighted by their rarity, and the similarity of the two in meaning.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from quaestor.answers.overview.overview_answer import folder_named
from quaestor.core.errors import UsageError
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import content_terms
from quaestor.corpus import Corpus
from quaestor.corpus.find_relatives import split_place
from quaestor.embedding.static import StaticEmbedder
from quaestor.history.git import Git
from quaestor.history.log import Commit, file_lines, log, presence
from quaestor.search.names_in_question import looks_like_a_file

_WORD = lazy_regex(r"[\w$]+")
_TEST = lazy_regex(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|examples?|benchmarks?|docs?)/|(?:^|/)test_|_test\.|\.test\.|\.spec\."
)
_NAME = lazy_regex(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*(?:\(\))?")
_LITERAL = lazy_regex(r"^-{1,2}[\w-]+$|^[\w$]*(?:_\w|[a-z][A-Z]|\d)[\w$.-]*$|^[A-Z][A-Z_]{2,}$|^[\w.-]+\.\w+$")
_KINDS = (
    r"(?:function|method|class|module|option|flag|setting|parameter|argument|command|file|field|attribute|type|decorator"
    r"|helper|hook|struct|interface|trait|macro|constant|variable|enum|keyword)"
)
_KIND = lazy_regex(rf"^{_KINDS}\s+|\s+{_KINDS}$", re.IGNORECASE)
_OF_FOLDERS = lazy_regex(
    r"\s+(?:chart|package|crate|plugin|component|module|library|app|folder|directory)$", re.IGNORECASE
)
_OF_USERS = lazy_regex(
    r"^(?:option|flag|setting|command|argument|parameter)\s|\s(?:option|flag|setting|command|argument|parameter)$",
    re.IGNORECASE,
)
"""Words for what users see, such as an option; a variable of the same name is another thing."""

_MOST_BYTES = 48 << 20
# Of a message, what says what it is about.
_BODY = 400
# Of what a question's words tell together, by how rare they are, and of the likeness (cosine) to it: less than this
# together is another matter, as is a text that has too little of its words.
_LEAST = 1.0
_LEAST_SHARE = 0.35
_SAYS_VERB, _SAYS_ALL = 0.2, 0.5
"""What the verb is worth, and what it is beside all of the words."""
_ALL = 0.99
_MOST_COMPARED = 400
_MOST_DEFINITIONS = 8
_STEM = 5
_NUMBER = lazy_regex(r"\d+(?:\.\d+)*")


class Subject(NamedTuple):
    """What a question is about. Unknown attributes are empty.

    Attributes:
        text: the text as it is written.
        path: a file or folder, as git names it.
        needle: the part of its definition's line to search for, such as ``def send``, if the name is defined.
        lines: the first and last line of a definition or place in the newest commit, 1-based; (0, 0) for none.
        literal: a text that occurs in code as it is written.
    """

    text: str
    path: str = ""
    needle: str = ""
    lines: tuple[int, int] = (0, 0)
    literal: str = ""


def subject_of(text: str, corpus: Corpus, git: Git) -> Subject:
    """Return what a text means in a corpus and its history."""
    bare = _KIND.sub("", text).strip("`'\" ")
    bare_name = bare.removesuffix("()")
    is_path = "/" in bare and " " not in bare and looks_like_a_file(bare)
    literal = bare_name if is_path or _LITERAL.match(bare_name) else ""
    subject = Subject(text, literal=literal)
    if not bare:
        return subject
    definition = None if _OF_USERS.search(text) else _as_name(subject, bare, corpus, git)
    # What is called so in lower case is rather a folder than a variable.
    folder = _as_folder(subject, text, corpus, git) if text.islower() and _OF_FOLDERS.search(text) else None
    return (
        folder
        or _as_file(subject, bare, corpus, git)
        or definition
        or _as_stem(subject, bare, corpus, git)
        or _as_folder(subject, text, corpus, git)
        or subject
    )


def _as_file(subject: Subject, text: str, corpus: Corpus, git: Git) -> Subject | None:
    """Return a subject that is a file, a folder or a line of a file, now or in the newest commit."""
    path, line = split_place(text)
    path = path.removeprefix("./").strip("/")
    if not path or " " in path:
        return None
    for candidate in (path, *_documents_like(path, corpus)):
        inner = git.repository.inner(candidate)
        if presence(git, inner) != "none":
            return subject._replace(path=inner, lines=(line, line) if line else (0, 0))
    return None


def _documents_like(path: str, corpus: Corpus) -> list[str]:
    """Return documents whose paths end with a path, the shortest first; none unless it looks like a file's."""
    if "." not in path and "/" not in path:
        return []
    ends = [one for one in corpus.store.documents() if one == path or one.endswith("/" + path)]
    return sorted(ends, key=lambda one: (one.count("/"), one))[:2]


def _as_stem(subject: Subject, text: str, corpus: Corpus, git: Git) -> Subject | None:
    """Return a subject that is the only file of a name, without its ending: ``PlantList`` means ``ui/PlantList.kt``."""
    if not _LITERAL.match(text):
        return None
    paths = [one for one in corpus.store.documents() if one.rpartition("/")[2].rpartition(".")[0] == text]
    return _as_file(subject, paths[0], corpus, git) if len(paths) == 1 else None


def _as_folder(subject: Subject, text: str, corpus: Corpus, git: Git) -> Subject | None:
    """Return a subject that is the outermost folder of a name: ``the alertmanager chart``."""
    name = _OF_FOLDERS.sub("", text)
    if name == text or not name or " " in name:
        return None
    folder = folder_named(name.lower(), corpus) or folder_named(f"{corpus.root.name}-{name}".lower(), corpus)
    return _as_file(subject, folder, corpus, git) if folder else None


def _as_name(subject: Subject, text: str, corpus: Corpus, git: Git) -> Subject | None:
    """Return a subject that is defined in the corpus, found in the newest commit."""
    if not _NAME.fullmatch(text):
        return None
    try:
        related = corpus.related(text.removesuffix("()"), ("definitions",), _MOST_DEFINITIONS)
    except UsageError:
        return None
    name = re.split(r"\.|::|#|->", text.removesuffix("()"))[-1]
    for one in sorted(related.of("definitions"), key=lambda one: _TEST.search(one.path) is not None):
        path, lines = git.repository.inner(one.path), one.text.split("\n")
        at = next((number for number, line in enumerate(lines) if _holds(line, name)), None)
        if at is None:
            continue
        place = _number_of_line_like(file_lines(git, path), lines[at].rstrip("\r"), one.start_line + at)
        if place:
            needle = _needle(lines[at], name)
            return subject._replace(path=path, needle=needle, lines=(place, place + len(lines) - at - 1))
    return None


def _holds(line: str, name: str) -> bool:
    return name in _WORD.findall(line)


def _number_of_line_like(lines: Sequence[str], text: str, near: int) -> int:
    """Return the number of the line that equals a text, the nearest to ``near``; 0 if no line does."""
    places = [number for number, line in enumerate(lines, 1) if line.rstrip("\r") == text]
    return min(places, key=lambda number: abs(number - near), default=0)


def _needle(line: str, name: str) -> str:
    """Return the name with the word before it in the line (``class Client``); if there is none, with what follows."""
    match = re.search(rf"(?:([A-Za-z_]+[ \t]+|\)[ \t]+))?(?<![\w$]){re.escape(name)}(?![\w$])(\s*[(:=<{{])?", line)
    if match is None:
        return name
    return f"{match[1]}{name}" if match[1] else f"{name}{match[2] or ''}"


class GoneFile(NamedTuple):
    """A file that is no longer there.

    Attributes:
        path: its path, as git names it.
        first: the oldest commit that has it.
        commit: the newest commit that took it away.
        renamed: the path that it has had since that commit; empty if it was deleted.
    """

    path: str
    first: Commit
    commit: Commit
    renamed: str = ""


def gone_file(text: str, git: Git) -> GoneFile | None:
    """Return the file that a text names and that is no longer at this path; None if there never was one."""
    path = git.repository.inner(text.strip("`'\" ").removeprefix("./"))
    if not looks_like_a_file(path) or " " in path or presence(git, path) != "none":
        return None
    # A branch on which it went may have been merged into one that never had it.
    went = ("--full-history", "--no-renames", "--diff-filter=D")
    commits = log(git, paths=(path,), limit=1, options=went)
    if not commits and "/" not in text:
        arguments = ("log", *went, "--name-only", "-z", "--format=", "HEAD", "--", *git.repository.scope)
        gone = git.run(*arguments, most=_MOST_BYTES).text.split("\0")
        path = next((one for one in gone if one.endswith(f"/{text}")), "")
        commits = log(git, paths=(path,), limit=1, options=went) if path and presence(git, path) == "none" else []
    if not commits:
        return None
    renames = git.run("show", "-M", "--diff-filter=R", "--name-status", "-z", "--format=", commits[0].id).text
    renamed = next((new for old, new in pairwise(renames.split("\0")) if old == path), "")
    added = log(git, paths=(path,), limit=_MOST_COMPARED, options=(*went[:2], "--diff-filter=A"))
    return GoneFile(path, (added or commits)[-1], commits[0], renamed)


class SubjectWords:
    """The words of a subject, each weighted by its rarity.

    Args:
        text: the subject.
        texts: the texts that are searched for it; a word that few of them hold is rare.
    """

    def __init__(self, text: str, texts: Sequence[str]) -> None:
        self.terms = content_terms(text)
        self._stems = re.compile(
            "|".join(re.escape(term[:_STEM]) for term in sorted(self.terms)) or "(?!)", re.IGNORECASE
        )
        terms_by_text = [self._terms_held(one) for one in texts]
        counts = Counter(term for terms in terms_by_text for term in terms)
        worth = {term: math.log(1 + len(texts) / (1 + counts[term])) for term in self.terms}
        total = math.fsum(worth.values()) or 1.0
        self.shares = [math.fsum(sorted(worth[term] for term in terms)) / total for terms in terms_by_text]

    def _terms_held(self, text: str) -> frozenset[str]:
        # Stemming takes a while; most texts hold nothing that could be one of the words.
        if not self._stems.search(text):
            return frozenset()
        present = content_terms(text)
        return frozenset(term for term in self.terms if any(_is_of_one_word(term, other) for other in present))


def _is_of_one_word(one: str, other: str) -> bool:
    """Return whether two stems belong to one word: they are equal, or one is a long prefix of the other."""
    return one == other or (min(len(one), len(other)) >= _STEM and (one.startswith(other) or other.startswith(one)))


def best_of(text: str, texts: Sequence[str], verbs: str) -> list[int]:
    """Return the indices of the texts that are about a subject and use a verb, best first; ties keep their order."""
    wanted = SubjectWords(text, texts)
    if not wanted.terms:
        return []
    near = [at for at, share in enumerate(wanted.shares) if share >= _LEAST_SHARE]
    # Python 2 is neither Python 3.7 nor, if something says so of Python 2 itself, Python 2.6.
    for end in (r"(?!\.?\d)", r"(?!\d)"):
        numbers = [re.compile(rf"(?<![\d.]){re.escape(one)}{end}") for one in _NUMBER.findall(text)]
        fitting = [at for at in near if all(number.search(texts[at]) for number in numbers)]
        if best := _ranked(text, texts, wanted, fitting, re.compile(verbs or "(?!)", re.IGNORECASE)):
            return best
    return []


def _ranked(
    text: str, texts: Sequence[str], wanted: SubjectWords, near: Sequence[int], verb: re.Pattern[str]
) -> list[int]:
    """Return the indices of those of some texts that are about a subject, best first."""
    near = sorted(near, key=lambda at: -wanted.shares[at])[:_MOST_COMPARED]
    worth = {
        at: wanted.shares[at] + alike
        for at, alike in zip(near, _likenesses(text, [texts[at] for at in near]), strict=True)
    }
    said = {at: (_SAYS_ALL if wanted.shares[at] >= _ALL else _SAYS_VERB) for at in near if verb.search(texts[at])}
    scores = {at: one + said.get(at, 0.0) for at, one in worth.items() if one >= _LEAST}
    return sorted(scores, key=lambda at: (-round(scores[at], 2), at))


def _likenesses(text: str, others: Sequence[str]) -> list[float]:
    """Return the similarity in meaning of a text to each of the others, as cosines."""
    if not others:
        return []
    vectors = StaticEmbedder.bundled().encode([text, *others])
    return [float(value) for value in vectors[1:] @ vectors[0]]


_MENDS = lazy_regex(r"\W*(?:bug ?)?(?:fix|repair|correct|revert|typo)", re.IGNORECASE)
_TYPED = lazy_regex(r"\w+(?:\([^)]*\))?!?:\s*")
"""The type with which a commit's subject begins by convention: ``fix(api): add a limit``."""


_BESIDE = lazy_regex(r"(tests?|docs?|style)(?:\([^)]*\))?!?:", re.IGNORECASE)


def _mends(subject: str, verbs: str) -> bool:
    """Return whether a commit's subject says that it mends something, and does not begin with one of the verbs."""
    typed = _TYPED.match(subject)
    outright = typed is not None and verbs and re.compile(verbs, re.IGNORECASE).match(subject, typed.end())
    return _MENDS.match(subject) is not None and not outright


def commits_saying(git: Git, text: str, verbs: str, *, oldest: bool) -> list[Commit]:
    """Return the commit whose subject, or else whose message, matches a text best.

    Args:
        git: runs git.
        text: the subject that they are about.
        verbs: a regular expression for the verb that they should use.
        oldest: whether the oldest of equally good commits counts, and none that only mends something; otherwise
            the newest counts.
    """
    arguments = ("log", "-z", "--no-merges", "--format=%H%x00%s%x00%b", "--no-show-signature", "HEAD", "--")
    fields = git.run(*arguments, *git.repository.scope, most=_MOST_BYTES).text.split("\0")
    rows = list(zip(fields[0::3], fields[1::3], fields[2::3], strict=False))
    rows = rows[::-1] if oldest else rows
    own = [row for row in rows if not (_mends(row[1], verbs) or _is_beside(row[1], text))] if oldest else rows
    by_subject = best_of(text, [subject for _, subject, _ in own], verbs)
    if oldest and not (by_subject and _holds_all(text, own[by_subject[0]][1])):
        # Some call each commit a fix: one that has all of the words tells better than one that has some.
        whole = [row for row in rows if _holds_all(text, row[1]) and not _is_beside(row[1], text)]
        own, by_subject = (whole, best_of(text, [row[1] for row in whole], verbs)) if whole else (own, by_subject)
    chosen = by_subject or best_of(text, [f"{subject}\n{body[:_BODY]}" for _, subject, body in own], verbs)
    return [commit for at in chosen[:1] for commit in log(git, own[at][0], limit=1, scoped=False)]


def _holds_all(text: str, subject: str) -> bool:
    return SubjectWords(text, [subject]).shares[0] >= _ALL


def _is_beside(subject: str, text: str) -> bool:
    """Return whether a commit only tests or documents by its type, and the text does not ask about that."""
    beside = _BESIDE.match(subject)
    return beside is not None and beside[1].lower()[:3] not in text.lower()
