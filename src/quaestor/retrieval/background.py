"""Documents that stand behind all others, unless a query asks for their kind.

A changelog mentions every name, a licence stands in every repository, a translation says what the original says, vendored
code is another project's, and a generated file repeats its source: whatever their words, few questions want them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from quaestor.terms import STOP_WORDS

CHANGELOG, LEGAL, VENDORED, GENERATED, TRANSLATION = "changelog", "legal", "vendored", "generated", "translation"

_CHANGELOGS = frozenset(
    """changelog changelogs changes change_log history news newsfragments releasenotes release_notes releases relnotes
    whatsnew whats_new""".split()
)
_LEGAL = frozenset("license licence licenses copying copyright notice patents authors contributors thanks".split())
_VENDORED = frozenset(
    "vendor vendored _vendor _vendored thirdparty third_party 3rdparty node_modules bower_components deps dist".split()
)
_GENERATED_FOLDERS = frozenset({"generated", "__generated__", "_generated"})
_GENERATED_NAME = re.compile(r"_generated\.|\.generated\.|\.g\.\w+$|\.pb\.\w+$|_pb2(?:_grpc)?\.pyi?$|[.-]min\.\w+$")
_GENERATED_NOTES = ("generated", "minified", "lock file")
# Languages that documents are often translated into, by their codes; English is what they are translated from.
_LANGUAGES = frozenset(
    "ar bg bn ca cs da de el es fa fi fr he hi hr hu id it ja ko nl no pl pt ro ru sk sr sv th tr uk vi zh".split()
)
_TRANSLATIONS = frozenset("i18n l10n locale locales translation translations".split())
_SEPARATORS = re.compile(r"[-_. ]+")

_ASKS = {
    CHANGELOG: re.compile(
        r"change[ -]?log|release notes?|what(?:['’]s| is) new|which (?:version|release)"
        r"|\b(?:in|since|before|until) (?:version|release|v?\d+\.\d)"
        r"|when (?:was|were|did) .*\b(?:add|introduc|remov|deprecat|drop|fix|releas|renam|chang)",
        re.IGNORECASE,
    ),
    LEGAL: re.compile(r"licen[cs]|copyright|\bauthors?\b|contributors|patent", re.IGNORECASE),
    VENDORED: re.compile(r"vendor|third[ -]?party|\bbundled\b|node_modules", re.IGNORECASE),
    GENERATED: re.compile(r"generated|minified|lock ?file", re.IGNORECASE),
    TRANSLATION: re.compile(r"translat|locali[sz]|\bi18n\b|\bl10n\b|\blocales?\b", re.IGNORECASE),
}
# Words of grammar by which a question shows its language. Some are English words too ("was", "die", "comment"): then they
# count for both, so that it takes others to make it another language.
_FUNCTION_WORDS = {
    code: frozenset(words.split())
    for code, words in {
        "de": """aber als am an auch auf aus bei beim bin bis damit dann das dass daß dem den denn der des dessen die dies
            diese diesem diesen dieser dieses du durch ein eine einem einen einer eines er es für gegen gibt haben hat hatte
            ich ihr im in ist kann kein keine keinen können man mein meine meinem meinen mich mir mit muss müssen nach nicht
            noch nur ob oder ohne sein seine sich sie sind so soll sollte statt über um und uns unter vom von vor wann war
            waren warum was welche welchem welchen welcher welches wenn wer werden weshalb wie wird wo wodurch wofür woher
            womit worauf wurde wurden zu zum zur zwischen""",
        "fr": """ai à après au aucun aussi aux avant avec c'est ce ces cet cette chaque comme comment dans de depuis des doit
            donc du elle en entre est et être fait faire faut il ils je la le les leur leurs lors lorsque lui ma mais mes mon
            ne nous on ont où ou par pas pendant peut peuvent plus pour pourquoi puis quand que quel quelle quelles quels qui
            quoi sa sans se ses si son sont sous sur sera tous tout toute un une vers vos votre vous""",
        "es": """a al ante antes aunque cada como cómo con cuál cuáles cuando cuándo cuánta cuántas cuánto cuántos de del
            desde después donde dónde dos e el él ella en entre era es esa ese eso esta está están estas este esto estos fue
            ha hace hacer han hasta hay la las le les lo los más me mi mientras mis muy no nos o otra otro para pero por
            porque puede pueden puedo qué que quién se según ser si sí sin sobre solo son soy su sus también tiene todo todos
            un una uno y ya yo""",
        "it": """al alla anche che chi come con cosa da dal dalla degli dei del della delle di dove e è essere fa fare gli ha
            hanno i il in io la le lo ma mi nel nella non o per perché più può qual quale quali quando questa questo se senza
            si sono su sul un una uno viene""",
        "pt": """a ao aos as até com como da das de depois do dos e é ela ele em entre essa esse esta este eu fazer foi há isso
            mais mas me muito na não nas no nos o onde os ou para pela pelo pode por porque qual quais quando que são se sem
            ser seu sua são também tem um uma você""",
    }.items()
}
_ENGLISH = STOP_WORDS | frozenset(
    """about after all also any because before between both does done each get gets go had happens he here him his just make
    makes many may more most must need new no one only other out over own same set she should some still such take the
    there through too two under until up us very want way well yet""".split()
)
_ENGLISH_TELLS = frozenset("how what why which where when does do the is are of and to".split())
_WHOLE_WORD = re.compile(r"(?<!\w)[^\W\d_]{2,}(?!\w)")  # none within a name, and no single letter
_ELIDED = re.compile(r"\b(?:[cdjlmnst]|qu|lorsqu|puisqu|jusqu)['’](?=[aeiouyhâàéèêëîïôûœ])", re.IGNORECASE)
_SPANISH = re.compile("[¿¡]")
_LETTERS = re.compile("[äöüßéèêàùâîôûçœëïñáíóúãõ]", re.IGNORECASE)
_FEWEST = 2
CARRIED = frozenset({"de", "fr", "es", "zh", "ja"})
"""Languages of which there is a glossary."""
# A word of English is about as long as so many Han letters or kana.
_LETTERS_A_WORD = 3
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
}


def background_of(parts: Sequence[str], *, prose: bool, data: bool) -> str:
    """Return the kind of a document that stands behind others, empty for any other.

    Args:
        parts: the folders of its path and its name, in lower case.
        prose: whether its name is that of prose, or has no ending.
        data: whether its name is that of data.

    Returns:
        One of the five kinds; of a translation whose language its path names, the language's code (``de``).
    """
    *folders, name = parts
    if not _VENDORED.isdisjoint(folders):
        return VENDORED
    if not _GENERATED_FOLDERS.isdisjoint(folders) or _GENERATED_NAME.search(name):
        return GENERATED
    if not (prose or data):
        return ""
    stem = name.split(".", 1)[0]
    plain = [_SEPARATORS.sub("_", part) for part in (*folders[-2:], stem)] if prose else []
    if any(part in _CHANGELOGS or part.replace("_", "") in _CHANGELOGS for part in plain):
        return CHANGELOG
    if prose and _SEPARATORS.split(stem)[0] in _LEGAL:
        return LEGAL
    return _translation(folders, name)


def _translation(folders: Sequence[str], name: str) -> str:
    """Return the code of the language that a path names, ``translation`` where it only says that it is one."""
    named = name.split(".")[1:-1]
    # README.zh-CN.md, README_de.md, docs/ja/guide.md; a name of one part, such as it.md, names no language.
    last = _SEPARATORS.split(name.split(".", 1)[0])
    for part in (*named, *folders, *(last[1:] if len(last) > 1 else ())):
        code = _SEPARATORS.split(part)[0]
        if code in _LANGUAGES and len(part) <= len("zh-hans"):
            return code
    return "" if _TRANSLATIONS.isdisjoint(folders) else TRANSLATION


def is_generated(note: str | None) -> bool:
    """Return whether a document's note says that a program wrote it."""
    return note is not None and note.startswith(_GENERATED_NOTES)


@lru_cache(maxsize=256)
def kinds_asked_for(text: str) -> frozenset[str]:
    """Return the kinds of background that a query asks for, and the code of its language where it is not English."""
    asked = {kind for kind, pattern in _ASKS.items() if pattern.search(text)}
    language = language_of(text)
    return frozenset(asked | {language} if language else asked)


@lru_cache(maxsize=256)
def language_of(text: str) -> str:
    """Return the code of the language that a question is written in, empty for English and where it is not plain."""
    words = _WHOLE_WORD.findall(text.lower())
    if not text.isascii() and (code := _language_of_script(text, words)):
        return code
    distinct = frozenset(words)
    counts = {code: len(distinct & known) for code, known in _FUNCTION_WORDS.items()}
    counts["fr"] += len(frozenset(_ELIDED.findall(text)))
    counts["es"] += _SPANISH.search(text) is not None
    best = max(counts, key=counts.__getitem__)
    # One such word will do where a letter shows that the text is not English, if no word of English stands in it.
    lettered = not text.isascii() and _LETTERS.search(text) is not None
    english = len(distinct & _ENGLISH)
    plain = counts[best] >= _FEWEST or (lettered and counts[best] and not english)
    return best if plain and counts[best] > english else ""


def _language_of_script(text: str, words: Sequence[str]) -> str:
    """Return the language of a script, unless the text is a question in English about a few words of it."""
    for code, script in _SCRIPTS.items():
        if letters := len(script.findall(text)):
            latin = [word for word in words if word.isascii()]
            return "" if not _ENGLISH_TELLS.isdisjoint(latin) and letters < _LETTERS_A_WORD * len(latin) else code
    return ""
