"""What a question asks for, as far as its wording shows."""

from __future__ import annotations

import re
from collections.abc import Iterable

from quaestor.core.light_imports import lazy_regex
from quaestor.core.terms import content_terms

_SEVERAL = lazy_regex(
    r"^\W*(?:list|name|recommend)\b|\ball (?:the )?\w+s\b|\b(?:where|what|which) (?:\w+ )?should (?:i|we|one)\b"
    r"|\b(?:which|what) (?:\w+ )?\w+s (?:are|do|can|were|have|could|should|must|will|may|exist)\b",
    re.IGNORECASE,
)
_ASKING = (
    r"how|where|what|which|who|whose|why|when|wie|wo|was|welche[rsnm]?|wer|warum|wann|comment|où|ce\s+qu[ei']|quel(?:le)?s?"
    r"|pourquoi|qui|quand|cómo|dónde|qué|cuál(?:es)?|por\s+qué|quién|cuándo"
)
_LEARN = r"(?:know|understand|learn|find\s+out|figure\s+out|see|hear)"
_FRAME = lazy_regex(
    rf"""^\W*(?:(?:hi|hello|hey|ok|okay|so|please|sorry|quick\s+question|hallo|bonjour|hola)\b[\s,!.:]*)*
    (?:(?:can|could|would|will)\s+(?:you|someone|anyone|somebody|anybody)\s+(?:please\s+|kindly\s+)?
        (?:tell|show|explain|describe|help)(?:\s+to)?(?:\s+(?:me|us))?(?:\s+(?:to\s+)?{_LEARN})?
    |(?:please\s+)?(?:tell|show|explain)(?:\s+to)?\s+(?:me|us)
    |i\s*(?:'d|’d|\s+would)\s+(?:like|love)\s+to\s+{_LEARN}
    |i(?:\s*['’]m|\s+am)\s+(?:trying|wondering|looking)(?:\s+to\s+{_LEARN})?|i\s+(?:want|need|try|wish)\s+to\s+{_LEARN}
    |(?:do|does)\s+(?:you|anyone|anybody|someone)\s+know|any\s+idea
    |where\s+(?:do|should|can|would|could)\s+(?:i|we|one)\s+(?:start|begin|look)(?:\s+(?:reading|looking|to\s+read|to\s+look))?
        (?:\s+first)?,?(?:\s+if\s+(?:i|we)\s+want|\s+in\s+order)?\s+to\s+{_LEARN}
    |(?:können|könnten|kannst|könntest)\s+(?:sie|du|ihr)\s+(?:mir|uns)\s+(?:bitte\s+)?(?:sagen|erklären|zeigen)
    |ich\s+(?:möchte|würde\s+gern(?:e)?|will)\s+(?:wissen|verstehen)
    |(?:pouvez-vous|pourriez-vous|peux-tu|pourrais-tu)\s+(?:me\s+|m['’])?(?:dire|expliquer|montrer)
    |(?:puedes|puede|podrías|podría)\s+(?:decirme|explicarme|mostrarme)
    )[\s,:]+(?=(?:{_ASKING})\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_TREATED = r"(?:explained|described|covered|documented|discussed|introduced|taught|treated)"
_TREATS = (
    r"(?:covers?|explains?|describes?|documents?|discuss(?:es)?|introduces?|treats?|teach(?:es)?|(?:is|are)\s+about)"
)
_PART = r"(?:chapters?|documents?|guides?|lessons?|notebooks?|pages?|parts?|sections?|tutorials?)"
_PLACE_OF_TEXT = lazy_regex(
    rf"\W*(?:(?:where|(?:in|on)\s+(?:which|what)\s+{_PART})\s+(?:is|are)\s+(?P<told>\S.*?)\s+{_TREATED}"
    rf"|(?:which|what)\s+{_PART}\s+{_TREATS}\s+(?P<treated>\S.*?))\W*",
    re.IGNORECASE,
)
"""A question for the place of a text: "where is it explained"."""
_LONGEST_FRAMED = 400
_WHAT_PRICE = (
    r"\bwhat\s+do(?:es)?\s+(?:an?|the|i|we)\b[^?,\n]{1,80}\b(?:cost|earn)(?:\s+(?:an?|per|each|in\s+an?)\s+\w+)?\s*(?:\?|$)"
    r"|\bwhat\s+do(?:es)?\s+(?:it|that|this|they|these|those)\s+cost\s*(?:\?|$)"
    r"|\bwhat\s+(?:is|are)\s+the\s+(?:\w+\s+){0,2}(?:fee|price|salary|tuition)s?\s+(?:for|of|per|to|in|if|when)\b"
)
"""A question for a price. "What does it cost to copy a list" asks for time."""
_ASKS_AMOUNT = lazy_regex(
    _WHAT_PRICE + r"|\bhow\s+(?:many|much|long|often|soon)\b|\bhow\s+far\s+(?:ahead|in\s+advance)\b"
    r"|\bwie\s*(?:viele?[nrs]?|lange|oft|hoch)\b|\bwas\s+kostet\b|\bcombien\b|\bcu[aá]nt[oa]s?\b"
    r"|\bquel(?:le)?s?\s+(?:est\s+l[ea]\s+)?(?:montant|prix|tarif|délai|durée)\b|\bqué\s+(?:precio|plazo|cantidad)\b"
    r"|多少|多久|多长时间|几(?:个|天|次|年|小时|分钟|人|种|位|倍)|いくら|いくつ|ど[のれ][くぐ]らい"
    r"|何(?:人|回|個|時間|分|円|歳|名|倍|割|週間|年間|日間|[ヶケかカ]月|パーセント)",
    re.IGNORECASE,
)
_ASKS_PRICE = lazy_regex(
    _WHAT_PRICE + r"|\bhow\s+much\b.{0,200}\b(?:costs?|pay|pays|charges?|contributes?|earn|fees?|price|salary|money)\b"
    r"|\bkostet\b|\bco[uû]te(?:nt)?\b|\b(?:prix|tarif|montant)\b|\bcuestan?\b|\bprecio\b"
    r"|多少钱|价[格钱]|费用|(?:报名|学|会|月|年)费|いくら|料金|値段|費用",
    re.IGNORECASE | re.DOTALL,
)
_UNIT = (
    r"(?:second|minute|hour|day|night|week|month|quarter|year|sekunde|stunde|tag|woche|monat|jahr|seconde|heure|jour"
    r"|semaine|mois|an\b|année|segundo|minuto|hora|día|semana|mes\b|año)"
)
_ASKS_DURATION = r"\bhow\s+many\s+(?:[\w-]+\s+){0,2}?(?:second|minute|hour|day|night|week|month|year)s\b"
_SAYS_DURATION = (
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|half|several"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b)[\w)]*(?:[\s-]+[\w()]+)?[\s-]+"
    rf"{_UNIT}|{_UNIT}s?\W{{1,6}}\d|\ban?\s+{_UNIT}|\b(?:unlimited|no\s+(?:fixed|limit|maximum)|any\s+number|as\s+many)\b"
)
_HAN_AND_KANA = "\u3040-\u30ff\u3400-\u9fff"
"""Scripts in which no blank separates a number from a word."""
_NO_WORDS = lazy_regex(
    r"\]\([^)\s]{0,500}\)|<[^<>]*>|\{[^{}\n]*\}|\bhttps?:\S+|&nbsp;|(?:§+|\bart(?:icle|ikel|\.)|\bsection)\s*\d+",
    re.IGNORECASE,
)
"""Text whose numbers are no amounts: targets of links, tags, attributes, numbers of a law's paragraphs."""
# A number that is no year, no part of a name, a path or a date, and does not number an item of a list.
_DIGITS = rf"(?:(?<![\w./#-])|(?<=[{_HAN_AND_KANA}]))(?!(?:19\d\d|20[0-3]\d)(?!\d))(?!(?<=^)\d{{1,3}}[.)]\s)\d"
_AMOUNTS_IN_ENGLISH = (
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|hundreds?|thousands?|millions?|dozens?|half\s+(?:an?|of|the)|once"
    r"|twice|single|both|none|zero|unlimited|any\s+number|no\s+(?:limit|longer)|as\s+(?:many|much|long|often)|one\s+(?:at|per)"
    r"|(?:only|just|exactly|than|most|least|of)\s+one|indefinite(?:ly)?|permanent(?:ly)?|immediate(?:ly)?|forever|never|until"
    r"|(?:super)?majorit(?:y|ies)|unanim\w+|quorum|\w*mehrheit|einstimmig\w*|majorité|mayoría"
    r"|overnight|daily|hourly|weekly|monthly|quarterly|annual(?:ly)?|yearly"
)
_AMOUNTS_IN_GERMAN = (
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|elf|zwölf|\w*zehn|\w*(?:zwan|vier|fünf|sech|sieb|acht|neun)zig|\w*dreißig"
    r"|\w*(?:hundert|tausend)|ein(?:en?)?\s+einzige\w*|(?:ein|zwei|drei|vier|zehn)mal|unbegrenzt|unbefristet|dauerhaft"
    r"|sofort|unverzüglich|nie|solange|\w*(?:täg|wöchent|monat|jähr|stünd)lich\w*"
)
_AMOUNTS_IN_FRENCH = (
    r"deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|(?:quar|cinqu|soix)ante"
    r"|cent|mille|une?\s+seule?|illimitée?s?|jamais|immédiate(?:ment)?|quotidien\w*|hebdomadaire\w*|mensuel\w*|annuel\w*"
    r"|jusqu['’]à"
)
_AMOUNTS_IN_SPANISH = (
    r"dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|trece|catorce|quince|dieci\w+|veint\w+|treinta"
    r"|(?:cuar|cincu|ses|set|och|nov)enta|cien(?:to)?|mil|una?\s+sola?|un\s+solo|ilimitad[oa]s?|nunca|inmediata?(?:mente)?"
    r"|diari[oa]\w*|semanal\w*|mensual\w*|anual\w*"
)
_AMOUNTS_IN_CHINESE_AND_JAPANESE = (
    r"(?:[二三四五六七八九十百千万两半数][一二三四五六七八九十百千万]*|一[十百千万]+|[一每毎](?=[天年周週日秒]|小时|时|時))"
    r"(?:个|個|天|年|月|次|小时|時間|分|秒|人|倍|周|週|岁|歳|日|回|円|元|名|割|つ|种|種|位|条|杯|克|勺|[ヶケかカ]月)"
    r"|无限|無限|無制限|永久|永远|永遠|立[即刻]|直ちに|すぐに|免费|無料"
)
_SAYS_AMOUNT = lazy_regex(
    rf"{_DIGITS}|\b(?:{_AMOUNTS_IN_ENGLISH}|{_AMOUNTS_IN_GERMAN}|{_AMOUNTS_IN_FRENCH}|{_AMOUNTS_IN_SPANISH})\b"
    r"|\b(?:each|every|first|second|third|last|on)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    rf"|\b(?:an?|one|each|every|per|ein(?:e[mnrs]?)?|pro|jede\w*|une?|par|chaque|una?|por|cada)\s+{_UNIT}"
    rf"|{_AMOUNTS_IN_CHINESE_AND_JAPANESE}",
    re.IGNORECASE | re.MULTILINE,
)
_SAYS_PRICE = lazy_regex(
    # A sign by itself may be a shell's prompt.
    r"[$€£¥₹]\s?\d|\d\s?(?:[km]|bn)?\s?[$€£¥₹%]|\d\s?(?:元|円|块|美元)|免费|無料|\b(?:usd|eur|gbp|chf|euros?|dollars?|pounds?|cents?|pesos?|per\s?cent|prozent|pour\s?cent|por\s?ciento|gratis"
    r"|gratuit\w*|kosten(?:los|frei)\w*|for\s+free|(?:is|are)\s+free|free\s+of\s+charge|freely|no\s+(?:charge|costs?|fees?))"
    r"|\b(?:costs?|fees?|prices?|pa(?:y|id)|charge[sd]?|earns?|kosten|kostet|coût\w*|prix|precio|cuestan?)\b[^.\n]{0,60}\d"
    r"|\d[^.\n]{0,60}\b(?:costs?|fees?|prices?|kosten|coût\w*|prix|precio)\b",
    re.IGNORECASE,
)
_ASKS_DEFAULT = re.compile(
    r"^\W*(?:what|which|how\s+(?:many|much|long|often|big|large|far))\b.*\bdefaults?\b", re.IGNORECASE | re.DOTALL
)
_DEFAULT = "default"
_SAYS_DEFAULT = re.compile(r"^\W*@?default(?:s\s+to|\s+value)?\s*(?::|=|\bis\b|(?<=@default))\s*\S", re.IGNORECASE)
"""A line that states the default of a setting in a line near it."""
_HOLDS_DEFAULT = re.compile(
    r"default\w*[^\w\n].{0,30}?(?:\d|[\"'`\[({][^\s)}\],;%])|(?:=|:)\s*default|[(,]\s*default(?:\s*[:=]|\s+is)\s*\w",
    re.IGNORECASE,
)
"""A line with a default and its value, ``(default: all)``; ``{}`` in a message is no value."""
_ABOUT_BEFORE, _ABOUT_AFTER = 6, 3


def asks_for_several(question: str) -> bool:
    """Return whether a question asks for several things, each of which may be in a different place."""
    return _SEVERAL.search(question) is not None


def asks_amount(question: str) -> bool:
    """Return whether a question asks how many, how long, how often, or what something costs."""
    return _ASKS_AMOUNT.search(question) is not None


def says_amount(question: str, text: str) -> bool:
    """Return whether a text states an amount, as a question for one needs; for a price money, for days a time.

    Years and the numbers of a list do not count; "until", "never" and "free of charge" do.
    """
    said = _NO_WORDS.sub(" ", text)
    if re.search(_ASKS_DURATION, question, re.IGNORECASE):
        return re.search(_SAYS_DURATION, said, re.IGNORECASE) is not None
    return (_SAYS_PRICE if _ASKS_PRICE.search(question) else _SAYS_AMOUNT).search(said) is not None


def asks_default(question: str) -> bool:
    """Return whether a question asks for the default of a setting: "what is the default timeout?"."""
    return _ASKS_DEFAULT.search(question) is not None


def says_default(text: str, wanted: Iterable[str]) -> bool:
    """Return whether a text states the wanted setting's default: in the line of the setting, or in one beside it."""
    about, lines = frozenset(wanted) - {_DEFAULT}, text.split("\n")
    for at, line in enumerate(lines):
        if _SAYS_DEFAULT.search(line):
            before = max(0, at - _ABOUT_BEFORE)
            while before > 0 and lines[before].strip() and lines[before - 1].strip():
                before -= 1  # up to where its paragraph begins
            beside = lines[before : at + 1 + _ABOUT_AFTER]
        elif _HOLDS_DEFAULT.search(line):
            beside = [line]
        else:
            continue
        if about and about <= content_terms("\n".join(beside)):
            return True
    return False


def without_frame(question: str) -> str:
    """Return a question without its introduction: "can you tell me", "I'd like to know", "any idea".

    These words say nothing about the subject, and make a question less similar to its answer. "Where do
    I start reading to understand how options are parsed" asks for the place where options are parsed, "Which chapter
    explains sails?" for that of sails.
    """
    match = _FRAME.match(question) if len(question) <= _LONGEST_FRAMED else None
    rest = question[match.end() :] if match else ""
    rest = rest if content_terms(rest) else question
    framed = _PLACE_OF_TEXT.fullmatch(rest) if len(rest) <= _LONGEST_FRAMED else None
    subject = framed and (framed["told"] or framed["treated"])
    return f"Where is {subject}?" if subject and content_terms(subject) else rest
