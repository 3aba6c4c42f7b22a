"""Background: documents that rank behind all others, unless a query asks for their kind.

A changelog mentions every name, a licence stands in every repository, a translation says what the original says,
vendored code is another project's, and a generated file repeats its source: whatever their words, few questions want
them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from quaestor.core.light_imports import lazy_regex
from quaestor.search.language import language_of

CHANGELOG, LEGAL, VENDORED, GENERATED, TRANSLATION = "changelog", "legal", "vendored", "generated", "translation"

_CHANGELOGS = frozenset(
    """changelog changelogs changes change_log history news newsfragments releasenotes release_notes releases relnotes
    whatsnew whats_new versionhistory releasehistory changehistory""".split()
)
_LICENCES = frozenset("license licence licenses copying copyright".split())
_LEGAL = frozenset("notice patents authors contributors thanks".split())
_VENDORED = frozenset(
    "vendor vendored _vendor _vendored thirdparty third_party 3rdparty node_modules bower_components deps dist".split()
)
_GENERATED_FOLDERS = frozenset({"generated", "__generated__", "_generated"})
_GENERATED_NAME = lazy_regex(r"_generated\.|\.generated\.|\.g\.\w+$|\.pb\.\w+$|_pb2(?:_grpc)?\.pyi?$|[.-]min\.\w+$")
_GENERATED_NOTES = ("generated", "minified", "lock file")
# Languages that documents are often translated into, by their codes; English is what they are translated from.
_LANGUAGES = frozenset(
    "ar bg bn ca cs da de el es fa fi fil fr he hi hr hu id it ja ko nl no pcm pl pt ro ru sk sr sv sw ta te th tr uk"
    " ur vi zh".split()
)
_CATALOGUES = (".po", ".pot", ".xlf", ".xliff")
"""Translation catalogues, each named by the code of its language: ``de.po``."""
_TRANSLATIONS = frozenset("i18n intl l10n locale locales translation translations".split())
# Folders that hold much else as well: there only a file or a folder that is called by a language's code is translated.
_OF_TRANSLATED_CODE = _TRANSLATIONS | {"lang", "messages"}
# Folders of Android and Apple: values-ja, values-zh-rCN, de.lproj.
_RESOURCES = lazy_regex(r"values-([a-z]{2,3})(?:-r[a-z]{2})?$|([a-z]{2,3})(?:-[a-z]+)?\.lproj$")
_VERSION = lazy_regex(r"_?v?\d+(?:_(?:\d+|x))*$")
_SEPARATORS = lazy_regex(r"[-_. ]+")
# What an organisation was and did, and how it makes releases, is told deeper than a project's changes are.
_ALSO_SUBJECTS = frozenset("history news releases".split())
# What follows a language's code: de-de, ja_jp, zh-hant, zh-traditional.
_REGION = frozenset(
    "at br ch cn cz de es fr hans hant hk in ir it jp kr latn mo mx nl pl pt ru se sg simplified traditional tr tw ua"
    " us vn".split()
)
# ack-2.24 and ack-v3.0.0, policy-v1.2.html and policy-v1.10.html: editions of one file, kept side by side.
_EDITION = lazy_regex(
    r"(?P<before>[^A-Za-z]{0,100}[A-Za-z].{0,100}?[-_. ])v?(?P<version>\d+(?:[._]\d+){1,3})"
    r"(?P<after>(?:\.[A-Za-z]\w{0,7}){0,2})",
    re.IGNORECASE,
)
_ASKS_FOR_EDITION = lazy_regex(
    r"\d\.\d|\bv\d|\b(?:version|edition|release|old(?:er|est)?|earlier|former|previous)s?\b", re.IGNORECASE
)
# Codes that also end the name of a document in English: account-id, make-it, root-ca, data-gov-uk.
_ALSO_WORDS = frozenset("ar ca da el fa he hi hr id it no ta th uk vi".split())
_TRANSLATED = frozenset("changelog contributing index install readme".split())

_ASKS = {
    CHANGELOG: lazy_regex(
        r"change[ -]?log|release notes?|what(?:['’]s| is) new|which (?:version|release)"
        r"|\b(?:in|since|before|until) (?:version|release|v?\d+\.\d)"
        r"|when (?:was|were|did) .*\b(?:add|introduc|remov|deprecat|drop|fix|releas|renam|chang)",
        re.IGNORECASE,
    ),
    LEGAL: lazy_regex(
        r"licen[cs]|lizen[zs]|copyright|urheber|\bauthors?\b|\bauteurs?\b|\bautor(?:en|es)?\b|contributors|patent",
        re.IGNORECASE,
    ),
    VENDORED: lazy_regex(r"vendor|third[ -]?party|\bbundled\b|node_modules", re.IGNORECASE),
    GENERATED: lazy_regex(r"generated|minified|lock ?file", re.IGNORECASE),
    TRANSLATION: lazy_regex(r"translat|locali[sz]|\bi18n\b|\bintl\b|\bl10n\b|\blocales?\b", re.IGNORECASE),
}


def background_of(parts: Sequence[str], *, prose: bool, data: bool) -> str:
    """Return the kind of a background document; empty for any other document.

    Args:
        parts: the folders of its path and its name, in lower case.
        prose: whether its name is that of prose, or has no ending.
        data: whether its name is that of data.

    Returns:
        One of the five kinds; of a translated document whose language its path names, the language's code (``de``).
    """
    *folders, name = parts
    if kind := _of_any_file(folders, name):
        return kind
    if not (prose or data):
        return ""
    stem = name.split(".", 1)[0]
    plain = [_SEPARATORS.sub("_", part) for part in (*folders[-2:], stem)] if prose else []
    if len(folders) > 1:  # docs/releases/1.0.md is about versions all the same
        plain = [part for part in plain if part not in _ALSO_SUBJECTS or (part == "releases" and part != stem)]
    # CHANGELOG-9.md, ReleaseNotes4.13.md and announce/release-3.6.rst are about versions as CHANGELOG.md is.
    plain += [part[: number.start()] for part in plain if (number := _VERSION.search(part))]
    plain += ["releases"] if prose and _VERSION.sub("", _SEPARATORS.sub("_", stem)) == "release" != stem else []
    # changelog-news.rst
    plain += ["changelog"] if prose and _CHANGELOGS.issuperset(_SEPARATORS.split(stem)) and "-" in stem else []
    if any(part in _CHANGELOGS or part.replace("_", "") in _CHANGELOGS for part in plain):
        return CHANGELOG
    # docs/open-source/licenses.md is a chapter about licences.
    about = stem == "licenses" and len(folders) > 1
    if prose and not about and (stem in _LEGAL or _SEPARATORS.split(stem)[0] in _LICENCES):
        return LEGAL
    kind = _translation(folders, name)
    # What a program shows in a language is no document in it: who asks in that language does not ask for this.
    return kind if prose or not kind else TRANSLATION


def _of_any_file(folders: Sequence[str], name: str) -> str:
    if not _VENDORED.isdisjoint(folders):
        return VENDORED
    if not _GENERATED_FOLDERS.isdisjoint(folders) or _GENERATED_NAME.search(name):
        return GENERATED
    return TRANSLATION if _is_translated_resource(folders, name) else ""


def _is_translated_resource(folders: Sequence[str], name: str) -> bool:
    """Return whether a file has a program's texts in a language: ``values-ja/strings.xml``, ``lang/ja/a.php``."""
    codes = (match[1] or match[2] for part in folders if (match := _RESOURCES.match(part)))
    if any(code in _LANGUAGES for code in codes):
        return True
    *above, stem = (*folders[-2:], name.split(".", 1)[0])
    language = _SEPARATORS.split(above[-1])[0] if above else ""
    within = len(above) > 1 and above[0] in _OF_TRANSLATED_CODE and language in _LANGUAGES
    return within or (bool(above) and above[-1] in _OF_TRANSLATED_CODE and _SEPARATORS.split(stem)[0] in _LANGUAGES)


def _translation(folders: Sequence[str], name: str) -> str:
    """Return the code of the language that a path names; ``translation`` if it only says that the file is one."""
    stem, *suffixes = name.split(".")
    catalogue = name.endswith(_CATALOGUES)
    suffixes = [*suffixes[:-1], *folders]  # README.zh-CN.md, docs/ja/guide.md
    for part in (*suffixes, stem) if catalogue else suffixes:
        if code := _language(_SEPARATORS.split(part)):
            return code
    if code := _language_at_end(_SEPARATORS.split(stem)):
        return code
    return TRANSLATION if catalogue or not _TRANSLATIONS.isdisjoint(folders) else ""


def _language(words: Sequence[str]) -> str:
    """Return the language code that words form, alone or with a region (``zh``, ``pt-br``); empty if they form none."""
    code, *region = words
    return code if code in _LANGUAGES and (not region or (len(region) == 1 and region[0] in _REGION)) else ""


def _language_at_end(words: Sequence[str]) -> str:
    """Return the code of a language that a document's name ends with (``README_de``, ``readme-zh-cn``).

    A name of one word, such as ``it``, names no language; nor does a name whose last word only happens to be a code.
    """
    at = len(words) - 1 - (words[-1] in _REGION and len(words) > 2 and words[-2] in _LANGUAGES)
    code = _language(words[at:]) if at > 0 else ""
    return "" if code in _ALSO_WORDS and words[0] not in _TRANSLATED else code


def is_subject(kind: str, depth: int, stem: str, text: str) -> bool:
    """Return whether a query is about what a document in a folder is called: ``users/releases.rst`` tells of releases.

    At the root, such a document is a list of changes.

    Args:
        kind: the kind of background that the document is.
        depth: the number of folders that it is in.
        stem: its name without extensions, lower-case letters and digits only.
        text: the query.
    """
    return kind == CHANGELOG and depth > 0 and stem in _ALSO_SUBJECTS and stem.removesuffix("s") in text.lower()


def is_generated(note: str | None) -> bool:
    """Return whether a document's note says that a program wrote it."""
    return note is not None and note.startswith(_GENERATED_NOTES)


def earlier_editions(paths: Sequence[str], query: str) -> list[int]:
    """Return the numbers of files of which a later version stands beside them; none if a query asks about versions.

    Of ``ack-2.24``, ``ack-v3.0.0`` and ``ack-v3.9.0`` in one folder, the first two; all of them beside ``ack``.
    """
    if _ASKS_FOR_EDITION.search(query):
        return []
    editions: dict[tuple[str, str], list[tuple[tuple[int, ...], int]]] = {}
    for number, path in enumerate(paths):
        if edition := _edition_of(path):
            editions.setdefault(edition[:2], []).append((edition[2], number))
    known = set(paths)
    return [
        number
        for (before, after), family in editions.items()
        for _, number in sorted(family)[: None if before[:-1] + after in known else -1]
    ]


@lru_cache(maxsize=1 << 14)
def _edition_of(path: str) -> tuple[str, str, tuple[int, ...]] | None:
    """Return the parts of a path before and after its version, and the version; None if it has none."""
    folder, slash, name = path.rpartition("/")
    match = _EDITION.fullmatch(name)
    if match is None:
        return None
    version = tuple(map(int, re.split(r"[._]", match["version"])))
    return folder + slash + match["before"], match["after"], version


@lru_cache(maxsize=256)
def kinds_asked_for(text: str) -> frozenset[str]:
    """Return the kinds of background that a query asks for, and the code of its language where it is not English."""
    kinds = {kind for kind, pattern in _ASKS.items() if pattern.search(text)}
    language = language_of(text)
    return frozenset(kinds | {language} if language else kinds)
