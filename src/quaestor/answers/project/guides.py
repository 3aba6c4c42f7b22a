"""Answers how a project is installed and how one contributes to it, by quoting the sections that tell it.

A search does badly here: "How do I install it?" has one telling word, which steps of CI, installers of plugins and
guides for contributors repeat more often than the README does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from quaestor.answers.drafts import CorpusLines, Draft
from quaestor.answers.overview.introduction import names_in_manifests, readme_of
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_answer import with_own_name
from quaestor.answers.overview.overview_question import OWN, short_question
from quaestor.answers.overview.overview_text import Source
from quaestor.answers.overview.prose_lines import headings, paragraphs, parts_of
from quaestor.answers.project.install_guides import (
    FOLDERS_OF_PAGES,
    MOST_OF_POINTER,
    NO_NAMES,
    excerpt,
    is_called,
    places_on_installing,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.corpus import Corpus

_OF_SENTENCE = frozenset(
    f"""{OWN} how do does can could should would must may to i we you one people is are be what what's which where the
    a an and or it this that these there any own correctly properly best way easiest right need want up here
    locally myself ourselves new latest stable current version command commands steps step instructions
    instruction guide process project repo repository codebase code library lib package program tool software app
    application module gem crate plugin framework client server cli binary site website role collection thing on
    in into from for as with via of my our your machine computer laptop system pc mac wie kann ich man wir wird
    werden das es dies dieses diese der die dem diesem ein eine zu bei hier projekt programm paket bibliothek
    anwendung werkzeug mein meine meinem meiner comment puis-je peut-on dois-je ce cet cette le la l les projet
    programme logiciel paquet bibliothèque outil à au dans mon ma se s cómo como puedo puede lo este esta el los
    proyecto programa paquete biblioteca librería aplicación herramienta en mi con al""".split()
)
"""Words of a question without a subject of its own but the whole project."""
_INSTALLING = frozenset(
    """install installs installed installing installation setup download downloaded obtain installiere installiert
    installieren einrichten richte installationsanleitung installer installe installe-t-on instalo instalar
    instala instalarlo instalación""".split()
)
_ALSO_INSTALLING = frozenset(
    """set get add use include integrate import using adding dependency dependencies binde einbinden nutze nutzen
    verwende verwenden benutze ajouter utiliser añado agrego añadir agregar uso usar""".split()
)
_MINE = re.compile(
    r"\b(?:my|our|an?)\s+(?:own\s+)?(?:project|app|application|code|program|build|package|site|website)\b|\bdependency\b"
    r"|\bmeine[mrn]?\s+(?:projekt|programm|anwendung)|\bmon\s+projet|\bmi\s+(?:proyecto|aplicación)|\bset\b.*\bup\b"
    r"|\bwhere\b.*\bget\b|^how\b.*\bget (?:it|this|thisproject)$"
)
_CONTRIBUTING = frozenset(
    """contribute contributing contribution contributions participate involved beitragen mitarbeiten mithelfen
    mitmachen mitwirken contribuer participer contribuir contribuyo colaborar colaboro patch patches pr prs
    participar""".split()
)
_ALSO_CONTRIBUTING = frozenset(
    """submit send make open create get pull request requests guidelines rules change changes help out development
    etwas d for become issue fix contributor""".split()
)
_ELSEWHERE: tuple[re.Pattern[str], re.Pattern[str]] = (
    re.compile(
        rf"(?:我)?(?:如何|怎么|怎样)安装(?:这个|该|本)?(?:项目|程序|软件|库|\s*{OWN})?|安装(?:方法|说明|步骤)?"
        rf"|(?:(?:このプロジェクト|これ|{OWN})(?:を|は))?(?:どうやって|どのように)?インストール"
        r"(?:しますか|するのですか|すれば(?:いい|よい)(?:ですか)?|方法(?:は)?(?:何ですか)?)?"
    ),
    re.compile(
        r"(?:我)?(?:如何|怎么|怎样)(?:为(?:这个|该|本)?项目)?(?:做|作出)?贡献(?:代码)?"
        r"|(?:どうやって|どのように)貢献(?:しますか|できますか|すれば(?:いい|よい)ですか)"
    ),
)
_HELPING = re.compile(r"\bpull requests?\b|\bbecome a contributor\b|(?<!get )\bhelp\b.*(?:out|with|develop)")
_ONE_OF_MANY = re.compile(
    r"(?:instal\w*|\bup|get|add|use|download|include|import)\s+(?:an?|any|another|my|our|new|eine?n?|une?|una)\b"
)
"""A question about installing one of many things, not the project: "How do I install a plugin?"."""
_ANYTHING = re.compile(r"\S")
_OF_CONTRIBUTORS = re.compile(
    r"\W*(?:how\s+(?:to|can\s+\w+)\s+|(?:guide|guidelines)\s+(?:for|to)\s+)?(?:contribut(?:e|ing|ions?)\b|get(?:ting)?\s+involved"
    r"|mitmachen|beitragen|contribu(?:ir|er)\b|contribuciones|贡献|コントリビュート)",
    re.IGNORECASE,
)
_OF_CHANGES = (
    re.compile(
        r"pull[- ]?requests?\b|\bPRs?\b|(?:submit|send)\w*\s.*(?:patch|change|code|contribution)|merge\s+requests?",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:how\s+(?:to|can|do)|code)\s.*contribut|contribut\w+\s+(?:code|changes)|workflow|process|patches",
        re.IGNORECASE,
    ),
)
_BESIDE = re.compile(
    r"code\s+of\s+conduct|\bconduct\b|\bAI\b|\bLLMs?\b|artificial|generated|credits?\b|certificate|\bsign|licen[cs]|\bdco\b|\bcla\b|contents"
    r"|template|\btitles?\b|labels?|review(?:ing|ers?)\b|merging|security",
    re.IGNORECASE,
)
_CONTRIBUTOR_FILES = re.compile(
    r"contribut(?:ing|e|ions?)(?:[-_ ]?(?:guide(?:lines)?|to[-_]\w+))?|how[-_]to[-_]contribute|hacking", re.IGNORECASE
)
_DEVELOPER_FILES = re.compile(r"develop(?:ment|ers?|ing)|maintaining|submittingpatches", re.IGNORECASE)
_FOLDERS_OF_CONTRIBUTORS = FOLDERS_OF_PAGES | frozenset(
    """.github .gitlab dev development community contribute contributing contribution contributor contributors
    project developer developers pages""".split()
)


def answer_with_project_guide(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer how the project is installed or how one contributes to it; None for any other question.

    None also if nothing tells it, so that a search answers or refuses.
    """
    text = short_question(question.text)
    text = with_own_name(text, corpus, OWN)
    if OWN not in text and not (_INSTALLING | _CONTRIBUTING).isdisjoint(text.split()):
        for name in names_in_manifests(Material(corpus.store)) - NO_NAMES:
            text = re.sub(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", OWN, text)
    find = (
        places_on_installing if asks_how_to_install(text) else _contributing if asks_how_to_contribute(text) else None
    )
    if find is None:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _quote(corpus, find))


def asks_how_to_install(text: str) -> bool:
    """Return whether a plain question, with ``OWN`` for the project's names, asks how it is installed or set up."""
    words = frozenset(re.findall(r"[^\W_][\w-]*", text))
    if not words <= _OF_SENTENCE | _INSTALLING | _ALSO_INSTALLING:
        return _ELSEWHERE[0].fullmatch(text) is not None
    if _ONE_OF_MANY.search(text):
        return False
    mine = _MINE.search(text) is not None
    return not words.isdisjoint(_INSTALLING) or (mine and not words.isdisjoint(_ALSO_INSTALLING))


def asks_how_to_contribute(text: str) -> bool:
    """Return whether a plain question, with ``OWN`` for the project's names, asks how one contributes to it."""
    words = frozenset(re.findall(r"[^\W_][\w-]*", text))
    if not words <= _OF_SENTENCE | _CONTRIBUTING | _ALSO_CONTRIBUTING:
        return _ELSEWHERE[1].fullmatch(text) is not None
    return not words.isdisjoint(_CONTRIBUTING) or _HELPING.search(text) is not None


def _quote(corpus: Corpus, find: Callable[[Material, Corpus], Iterable[Source]]) -> WayAnswer | None:
    lines, draft = CorpusLines(corpus), Draft()
    for place in find(Material(corpus.store), corpus):
        draft.quote(lines.hit(place.path, place.start_line, place.end_line))
    return draft.finish("guide") if draft.hits else None


def _contributing(material: Material, _: Corpus) -> Iterator[Source]:
    """Yield the beginning of the guide for contributors and what it says of changes; else a section about it."""
    guide = next(_guides_called(_CONTRIBUTOR_FILES, material), "")
    lines = material.lines(guide)
    start = _beginning(lines)
    if not start:
        others = (readme_of(material, "") or "", *_guides_called(_DEVELOPER_FILES, material))
        yield from islice(chain.from_iterable(_sections_on_contributing(path, material) for path in others), 1)
        return
    parts = [*parts_of(lines)]
    end = next((one.first - 2 for one in parts if one.first - 1 > start), len(lines))
    fits = [one for one in parts if one.first > end and not _BESIDE.search(one.title)]
    of_changes = (one for wanted in _OF_CHANGES for one in fits if wanted.search(one.title))
    further = next((excerpt(guide, lines, one.first, one.last, _ANYTHING) for one in of_changes), None)
    if further is None and end < start + MOST_OF_POINTER:
        end = min(len(lines), start + 2 * MOST_OF_POINTER)
    if place := excerpt(guide, lines, start, max(end, start), _ANYTHING):
        yield place
    if further:
        yield further


def _beginning(lines: Sequence[str]) -> int:
    """Return the first line of a guide that begins with something else than a code of conduct; 0 if it is empty."""
    prose = [*paragraphs(lines)]
    opening = next((one for one in prose if not _BESIDE.search(one.heading)), prose[0] if prose else None)
    heads = {at for at, _ in headings(lines)}
    filled = (at for at, line in enumerate(lines, 1) if line.strip(" =-^~") and at not in heads)
    return opening.start_line if opening else next(filled, 0)


def _sections_on_contributing(path: str, material: Material) -> Iterator[Source]:
    lines = material.lines(path)
    parts = [one for one in parts_of(lines) if not _BESIDE.search(one.title)]
    for part in sorted(parts, key=lambda one: _OF_CONTRIBUTORS.match(one.title) is None):
        fits = _OF_CONTRIBUTORS.match(part.title) or _OF_CHANGES[0].search(part.title)
        if fits and (place := excerpt(path, lines, part.first, part.last, _ANYTHING)):
            yield place


def _guides_called(name: re.Pattern[str], material: Material) -> Iterator[str]:
    """Yield the documents of such a name that lie where guides for contributors lie, the shallowest first."""
    for path in sorted(material.documents, key=lambda path: (path.count("/"), path)):
        folder = path.lower().split("/")[:-1]
        if is_called(path, name) and all(map(_FOLDERS_OF_CONTRIBUTORS.__contains__, folder)):
            profile = material.profile(path)
            if (profile.prose or "." not in path) and not (profile.test or material.stands_behind(path)):
                yield path
