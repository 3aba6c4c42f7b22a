"""Answers how something is set by what is said of the settings: "How do I change how often the stats are refreshed?".

The name of a setting, ``refresh``, may be no word of the question, and the passage that declares it may be about much
else. So whoever wants to set something is answered with the setting that is by far nearest to the question, among those
that a search's passages declare: each is compared by its name and by the lines that declare and describe it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from quaestor.answers.drafts import CorpusLines, Draft
from quaestor.answers.overview.introduction import readme_of
from quaestor.answers.overview.material import Material
from quaestor.answers.settings.configuration import is_manual
from quaestor.answers.settings.explain_option import ASIDE
from quaestor.answers.settings.option_lists import beside_program
from quaestor.answers.settings.setting_declarations import (
    OF_SETTINGS,
    SettingKind,
    bounds_of_setting,
    is_called_configuration,
    is_of_settings,
    is_sample,
    may_set,
    settings_at,
    words_of_name,
)
from quaestor.answers.way import WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import find_words, split_identifier
from quaestor.corpus import Corpus
from quaestor.embedding.static import StaticEmbedder
from quaestor.related.stored_files import IndexedFile
from quaestor.search.path_roles import profile_path
from quaestor.search.spelling import ASK_ANYTHING, SAY_NOTHING

_LONGEST, _PASSAGES, _FEWEST_WORDS, _FEWEST_TELLING, _LONGEST_TEXT = 120, 50, 4, 3, 400
_NEAR, _EACH_NEAR, _UNLIKE = 1.15, 0.55, 0.1
"""The least nearness to a question as a whole and to each of its words, and that of a word like no other."""
_NO_ORDER = frozenset(
    """a after an and are as at but did do does explain describe for from had has have how if in is it its list my our
    show since some tell the there this that under was what when where which while who whom whose why with""".split()
)
"""What no order, such as "Stop it from looking for releases", begins with."""
_OF_SETTING = frozenset(
    """option options flag flags setting settings switch switches variable variables parameter parameters key keys
    property properties argument arguments config configuration""".split()
)
_DESCRIBED = frozenset(
    {SettingKind.OPTION, SettingKind.ENTRY, SettingKind.FIELD, SettingKind.KEY, SettingKind.VARIABLE}
)
_PERSONS = frozenset("i we you one it".split())
_WISHES = frozenset("want like prefer need".split())
_HELPS = frozenset("do can could should would must may".split())
_SHOWN = re.compile(r"\s*\.\.\s+(?:[\w-]*code[\w-]*|only|highlight|raw|math|note|auto\w*|image|figure|include)\b")
"""A directive that shows or includes something, and describes no setting."""
_SENTENCE = re.compile(r"[\s>]*[`*]{1,2}[^`*]+[`*]{1,2}(?:\s+[a-z]|[.)]\s)")
"""A paragraph that begins with a name."""
_SAYS = re.compile(r"[\"'`][^\"'`\n]*?\w+ \w+ \w|(?:#|//|--|\*|;)[^\n]*?\w+ \w+ \w|\s{2,}\w+ \w+ \w")
"""Three words in a string, a comment or behind a gap: what code says of a setting."""
_OF_ENTRY = re.compile(r"[^\w\n]*--?\w|\s*\.\. \w|.*\b[dD]efault|[^\w\n]*[A-Z]+_[A-Z_]+\b", re.DOTALL)
"""What an entry of a document is a setting by, wherever it stands: an option, a directive, a default, a variable."""


class _DescribedSetting(NamedTuple):
    """A setting: its kind and name, its path, the first and last line that declare and describe it, and their text."""

    kind: SettingKind
    name: str
    path: str
    first: int
    last: int
    text: str


def find_described_setting(text: str, corpus: Corpus) -> WayAnswer | None:
    """Answer with the setting whose description is surely nearest; None for other questions, or if none is near."""
    if len(text) > _LONGEST or not _may_want_setting(text) or not Material(corpus.store).is_code:
        return None
    return corpus.retry_reopened(lambda: _nearest_setting(text, corpus))


def _nearest_setting(text: str, corpus: Corpus) -> WayAnswer | None:
    lines, draft = CorpusLines(corpus), Draft()
    settings = list(_settings_in(corpus.search(text, _PASSAGES), corpus, lines))
    nearness = _nearness(text, [f"{one.name} . {one.text}" for one in settings])
    best = max(range(len(settings)), key=nearness.__getitem__, default=None)
    if best is None or nearness[best][0] < _NEAR or nearness[best][1] < _EACH_NEAR:
        return None
    draft.say("What is said of this setting comes nearest to the question:")
    draft.quote(lines.hit(settings[best].path, settings[best].first, settings[best].last))
    return draft.finish("setting")


def _may_want_setting(text: str) -> bool:
    """Return whether a question may be one of somebody who wants to set something, or an order to do so. Pure."""
    words = [word.lower() for word in find_words(text.replace("'", ""))]
    first, said = words[:1], frozenset(words)
    of_user = any(one in _HELPS and other in _PERSONS for one, other in pairwise(words))
    if first in (["how"], ["what"], ["which"], ["is"], ["are"]) or not _HELPS.isdisjoint(first):
        return of_user or words[:2] == ["how", "to"] or (first != ["how"] and not _OF_SETTING.isdisjoint(said))
    if first in (["i"], ["we"], ["id"]):
        return of_user or not _WISHES.isdisjoint(said)
    return len(words) >= _FEWEST_WORDS and _NO_ORDER.isdisjoint(first)


def _settings_in(hits: Sequence[Hit], corpus: Corpus, lines: CorpusLines) -> Iterator[_DescribedSetting]:
    """Yield the settings that passages declare or describe, each once."""
    material, is_beside = Material(corpus.store), beside_program(corpus)
    readme = readme_of(material, "")
    seen: set[tuple[str, int, str]] = set()
    for hit in hits:
        path, profile = hit.path, profile_path(hit.path)
        aside = profile.test or profile.example or profile.background or profile.declaration or ASIDE.search(path)
        if hit.document.language in PROSE:
            told = is_sample(path) or path == readme or is_manual(path, material)
        else:
            told = is_sample(path) or (may_set(hit.document) and not is_beside(path))
        file = lines.file(path) if told and not aside else None
        for one in _settings_of(file, hit, lines) if file is not None else ():
            if (one.path, one.first, one.name) not in seen:
                seen.add((one.path, one.first, one.name))
                yield one


def _settings_of(file: IndexedFile, hit: Hit, lines: CorpusLines) -> Iterator[_DescribedSetting]:
    """Yield the settings that the lines of a passage declare and describe."""
    path, sample = file.document.path, is_sample(file.document.path)
    of_settings = is_called_configuration(path) or not OF_SETTINGS.isdisjoint(words_of_name(hit.symbol or ""))
    covered = 0
    for at in range(hit.start_line, min(hit.end_line, len(file.lines)) + 1):
        for kind, name, value in settings_at(file, at, sample=sample):
            if (at <= covered and kind is not SettingKind.OPTION) or kind not in _DESCRIBED:
                continue
            first, last = bounds_of_setting(file.lines, at, kind, value)
            covered = last if kind is SettingKind.OPTION else covered
            one = _DescribedSetting(
                kind, name, path, first, last, "\n".join(file.lines[first - 1 : last])[:_LONGEST_TEXT]
            )
            if _is_described(one, file.lines[at - 1], of_settings=of_settings) and (
                kind is not SettingKind.FIELD or is_of_settings(file, at, value, lines)
            ):
                yield one


def _is_described(one: _DescribedSetting, line: str, *, of_settings: bool) -> bool:
    """Return whether lines surely declare a setting and say something of it; no paragraph, no code that is shown."""
    if sum(len(word) > 1 and word.isalpha() for word in find_words(one.text)) < _FEWEST_WORDS:
        return False
    if one.kind is SettingKind.ENTRY:
        shown = _SHOWN.match(line) or _SENTENCE.match(line)
        return not shown and (of_settings or _OF_ENTRY.match(one.text) is not None)
    return (of_settings or one.kind is not SettingKind.FIELD) and _SAYS.search(one.text) is not None


def _nearness(question: str, texts: Sequence[str]) -> list[tuple[float, float]]:
    """Return how near texts are to a question: up to 2 by all of it, and up to 1 by each of its words.

    A word is held as far as it is like the nearest word of a text; the more a word tells, the larger its share. The
    first is the likeness of both and the share of the question that the text holds; the second is the geometric mean.
    Of less than three words that tell something, nothing is sure.
    """
    embedder = StaticEmbedder.bundled()
    empty = SAY_NOTHING | ASK_ANYTHING | _OF_SETTING
    words = [word for word in dict.fromkeys(find_words(question.lower())) if len(word) > 1 and word not in empty]
    if not texts or len(words) < _FEWEST_TELLING:
        return [(0.0, 0.0)] * len(texts)
    parts = [[*dict.fromkeys(part for word in find_words(text) for part in split_identifier(word))] for text in texts]
    every = {part: row for row, part in enumerate(dict.fromkeys(part for each in parts for part in each))}
    likeness = embedder.encode([" ".join(each) for each in parts]) @ embedder.encode([question])[0]
    alike = (embedder.encode([*every]) @ embedder.encode(words).T).clip(_UNLIKE, 1)
    weights = np.array([embedder.weight(word) for word in words])
    weights /= weights.sum()
    held = [alike[[every[part] for part in each]].max(axis=0, initial=_UNLIKE) for each in parts]
    return [
        (float(one + near @ weights), float(np.exp(np.log(near) @ weights)))
        for one, near in zip(likeness, held, strict=True)
    ]
