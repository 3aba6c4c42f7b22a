"""Recognises the language of a question by its script or its function words.

English must never be taken for another language, so English words count against it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from quaestor.core.light_imports import lazy_regex
from quaestor.core.terms import STOP_WORDS

# Words of grammar by which a question shows its language. Some are English words too ("was", "die", "comment"): it
# takes another to make it another language.
_FUNCTION_WORDS = {
    code: frozenset(words.split())
    for code, words in {
        "de": """aber als am an auch auf aus bei beim bin bis damit dann das dass daß dem den denn der des dessen die
            dies diese diesem diesen dieser dieses du durch ein eine einem einen einer eines er es für gegen
            gibt haben hat hatte ich ihr im in ist kann kein keine keinen können man mein meine meinem meinen
            mich mir mit muss müssen nach nicht noch nur ob oder ohne sein seine sich sie sind so soll sollte
            statt über um und uns unter vom von vor wann war waren warum was welche welchem welchen welcher
            welches wenn wer werden weshalb wie wird wo wodurch wofür woher womit worauf wurde wurden zu zum zur
            zwischen""",
        "fr": """ai à après au aucun aussi aux avant avec c'est ce ces cet cette chaque combien comme comment dans de
            depuis des doit donc du elle en entre est et être fait faire faut il ils je la le les leur leurs lors
            lorsque lui ma mais mes mon ne nous on ont où ou par pas pendant peut peuvent plus pour pourquoi
            puis quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sous sur sera tous tout
            toute un une vers vos votre vous""",
        "es": """a al ante antes aunque cada como cómo con cuál cuáles cuando cuándo cuánta cuántas cuánto cuántos de
            del desde después donde dónde dos e el él ella en entre era es esa ese eso esta está están estas
            este esto estos fue ha hace hacer han hasta hay la las le les lo los más me mi mientras mis muy no
            nos o otra otro para pero por porque puede pueden puedo qué que quién se según ser si sí sin sobre
            solo son soy su sus también tiene todo todos un una uno y ya yo""",
        "it": """al alla anche che chi come con cosa da dal dalla degli dei del della delle di dove e è essere fa
            fare gli ha hanno i il in io la le lo ma mi nel nella non o per perché più può qual quale quali
            quando questa questo se senza si sono su sul un una uno viene""",
        "pt": """a ao aos as até com como da das de depois do dos e é ela ele em entre essa esse esta este eu fazer
            foi há isso mais mas me muito na não nas no nos o onde os ou para pela pelo pode por porque qual
            quais quando que são se sem ser seu sua são também tem um uma você""",
    }.items()
}
_ENGLISH = STOP_WORDS | frozenset(
    """about after all also any because before between both does done each get gets go had happens he here him his
    just make makes many may more most must need new no one only other out over own same set she should some
    still such take the there through too two under until up us very want way well yet""".split()
)
_ENGLISH_TOO = _ENGLISH | frozenset(
    """al am bin come comment con dem den die du dies en era fore ha hat he la lo ma main man me mes mi no non or os par
    per plus pour pu sans si sin so solo son su sur tout un von war was""".split()
)
_ENGLISH_TELLS = frozenset("how what why which where when does do the is are of and to".split())
_WHOLE_WORD = lazy_regex(r"(?<!\w)[^\W\d_]{2,}(?!\w)")  # none within a name, and no single letter
_WORDS = lazy_regex(r"(?<![\w.-])[^\W\d_]+(?:-[^\W\d_]+)*(?![\w-]|\.\w)")
"""A word that is no part of a name, or several with hyphens: "faut-il"."""
_ELIDED = lazy_regex(r"\b(?:[cdjlmnst]|qu|lorsqu|puisqu|jusqu)['’](?=[aeiouyhâàéèêëîïôûœ])", re.IGNORECASE)
_SPANISH = lazy_regex("[¿¡]")
_FRENCH = lazy_regex(r"\W*comment\s+\w+(?:er|ir|re)\s+(?:l[ae]|un)\b", re.IGNORECASE)
"""A question of which each word may be English: "Comment installer un certificat ?"."""
_LETTERS = lazy_regex("[äöüßéèêàùâîôûçœëïñáíóúãõ]", re.IGNORECASE)
_FEWEST = 2
CARRIED = frozenset({"de", "fr", "es", "zh", "ja"})
"""Languages for which there is a glossary."""
# A word of English is about as long as so many Han letters or kana.
_LETTERS_A_WORD = 3
_SCRIPTS = {
    "ja": lazy_regex("[\u3040-\u30ff]"),
    "ko": lazy_regex("[\uac00-\ud7af]"),
    "zh": lazy_regex("[\u4e00-\u9fff]"),
    "ru": lazy_regex("[\u0400-\u04ff]"),
}


@lru_cache(maxsize=256)
def language_of(text: str) -> str:
    """Return the code of the language that a question is written in; empty for English and in doubt."""
    words = _WHOLE_WORD.findall(text.lower())
    if not text.isascii() and (code := _language_of_script(text, words)):
        return code
    distinct = frozenset(words)
    counts = {code: len(distinct & known) for code, known in _FUNCTION_WORDS.items()}
    counts["fr"] += len(frozenset(_ELIDED.findall(text)))
    counts["es"] += _SPANISH.search(text) is not None
    best = max(counts, key=counts.__getitem__)
    certain = bool(distinct & _FUNCTION_WORDS[best] - _ENGLISH_TOO) or not text.isascii() or bool(_FRENCH.match(text))
    # One such word will do where a letter shows that the text is not English, if no word of English stands in it.
    lettered = not text.isascii() and _LETTERS.search(text) is not None
    english = len(distinct & _ENGLISH)
    plain = counts[best] >= _FEWEST or (lettered and counts[best] and not english)
    return best if plain and certain and counts[best] > english else ""


def without_grammar(text: str) -> str:
    """Return a question without the words of grammar of its language, unless that is English.

    English words of grammar stay, because they are stop words anyway.
    """
    grammar = _FUNCTION_WORDS.get(language_of(text))
    if grammar is None:
        return text
    return _WORDS.sub(lambda match: " " if grammar.issuperset(_word_parts(match[0])) else match[0], text)


def _word_parts(word: str) -> list[str]:
    """Return the parts of a word between hyphens, without the single letters that elision leaves of another."""
    return [part for part in word.lower().split("-") if len(part) > 1]


def _language_of_script(text: str, words: Sequence[str]) -> str:
    """Return the language of a script, unless the text is a question in English about a few words of it."""
    for code, script in _SCRIPTS.items():
        if letters := len(script.findall(text)):
            latin = [word for word in words if word.isascii()]
            return "" if not _ENGLISH_TELLS.isdisjoint(latin) and letters < _LETTERS_A_WORD * len(latin) else code
    return ""
