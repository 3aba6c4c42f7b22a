"""Recognises questions about history and reads what they ask. Pure.

The wording decides: a verb of change in the past with a version, a period or a subject, or a question for a person.
What is true at any time ("what changes when I set ...") or how something is done is not a question about history.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Literal

from quaestor.core.bylines import WRITTEN as DATE
from quaestor.core.bylines import days_in_words, first_day, iso_date, last_day
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.history.versions import WRITTEN as VERSION

Kind = Literal["changes", "origin", "author", "last", "past", "gone", "commits", "commit", "released", "began"]
"""What is asked: what changed; when, why and how something came or went; who wrote or keeps something; its last change;
all of its changes; what became of it; commits about something; one commit; when a version came out, or all began."""
Verb = Literal["added", "removed", "renamed", "changed"]
Relation = Literal["in", "since", "between"]
NEWEST = "newest"
"""The value of a version that stands for the last release."""


class HistoryQuestion(NamedTuple):
    """What a question asks of a history.

    Attributes:
        kind: see ``Kind``.
        subject: what it is about, as it is written; empty for the whole project.
        verb: what happened to the subject.
        versions: the versions that it names, as they are written; ``NEWEST`` for the last release.
        relation: how the versions limit the answer: to one version, from one on, from one to another.
        since: the first day of the period, ISO 8601; empty if it names none.
        until: the last day of the period.
        by: the author that it names; empty if it names none.
        part: the part of a version's changes that is asked for, as a pattern for its heading; empty for all of them.
    """

    kind: Kind
    subject: str = ""
    verb: Verb = "added"
    versions: tuple[str, ...] = ()
    relation: Relation = "in"
    since: str = ""
    until: str = ""
    by: str = ""
    part: str = ""


_LONGEST = 300
_LONGEST_SUBJECT = 160
_VERSION = rf"(?:(?:version|release|v\.)\s*\d+(?:\.\d+)*|{VERSION})(?![\w.]*\w)"
_POLITE = lazy_regex(
    r"^(?:(?:please|hey|hi|ok|so|and|could you|can you|would you|tell me|do you know|i(?:'d| would) like to know"
    r"|i want to know|bitte|weißt du|por favor)\b[,:]?\s*|请问?[,，]?\s*)+(?:tell me |show me )?",
    re.IGNORECASE,
)

_AGO_UNIT = {"day": 1, "week": 7, "month": 30, "year": 365, "tag": 1, "woche": 7, "monat": 30, "jahr": 365}
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "few": 3, "couple of": 2}
_AGO = lazy_regex(
    r"\b(?:in|within|over|during|for|from)?\s*(?:the\s+)?(?:last|past|letzten|vergangenen)\s+"
    r"(\d{1,3}|a|one|two|three|four|five|six|few|couple of)\s+"
    r"(day|week|month|year|tag|woche|monat|jahr)(?:e?[sn]|e)?\b",
    re.IGNORECASE,
)
_WORDS_OF_TIME: tuple[tuple[str, str], ...] = (
    ("today", r"\btoday\b|\bheute\b|aujourd['’]hui|\bhoy\b|今天|今日"),
    ("yesterday", r"\b(?:since )?yesterday\b|\bgestern\b|\bhier\b(?=\W*$)|\bayer\b|昨天|昨日"),
    (
        "last week",
        r"\b(?:in |since |over |during )?(?:the )?(?:last|past|previous) week\b|\bletzten?r? Woche\b"
        r"|la semaine derni[èe]re|la semana pasada|上周|上个?星期|先週",
    ),
    ("this week", r"\bthis week\b|\bdieser? Woche\b|cette semaine|esta semana|本周|这周|今週"),
    (
        "last month",
        r"\b(?:in |since |over |during )?(?:the )?(?:last|past|previous) month\b|\b(?:im )?letzten Monat\b"
        r"|le mois dernier|el mes pasado|上个?月|先月",
    ),
    ("this month", r"\bthis month\b|\bdiesen Monat\b|ce mois(?:-ci)?\b|este mes|本月|这个月|今月"),
    (
        "last year",
        r"\b(?:in |since |over |during )?(?:the )?(?:last|past|previous) year\b|\b(?:im )?letzten? Jahr\b"
        r"|l['’]ann[ée]e derni[èe]re|el año pasado|去年|昨年",
    ),
    ("this year", r"\bthis year\b|\bdieses Jahr\b|cette ann[ée]e|este año|今年"),
    (
        "recently",
        r"\b(?:most )?recently\b|\blately\b|\bof late\b|\bso far\b|\bkürzlich\b|\bin letzter Zeit\b|\bzuletzt\b(?=\W*$)"
        r"|r[ée]cemment|recientemente|últimamente|最近",
    ),
)
_ON_DATE = lazy_regex(
    rf"\b(?P<how>in|on|during|since|from|after|before|until|seit|im|am|depuis|desde|en)\s+(?P<date>{DATE})\b",
    re.IGNORECASE,
)
_DATES_BETWEEN = lazy_regex(
    rf"\b(?:between|from)\s+(?P<first>{DATE})\s+(?:and|to|until)\s+(?P<second>{DATE})\b", re.IGNORECASE
)
_BETWEEN = lazy_regex(
    rf"(?:\b(?:between|from|zwischen|von|entre|de|desde)\s+)?(?P<first>{_VERSION})"
    rf"\s*(?:and|to|und|bis|et|à|y|a|hasta|\.\.\.?|到|和|から|と)\s*(?P<second>{_VERSION})(?:の間に?|まで|之间)?",
    re.IGNORECASE,
)
_SINCE = lazy_regex(
    rf"\b(?:since|after|seit|depuis|desde)\s+(?P<first>{_VERSION})|(?P<other>{_VERSION})\s*(?:以来|以降|之后)",
    re.IGNORECASE,
)
_IN = lazy_regex(
    rf"(?:\b(?:in|with|for|of|as of|by|dans|en|mit|bei|avec|con|de|from)\s+)?"
    rf"(?:(?:the|la|le|der|die|el)\s+)?(?P<first>{_VERSION})(?:\s+release)?",
    re.IGNORECASE,
)
_IN_NEWEST = lazy_regex(
    r"\b(?:(?P<since>since|after)|in|with|for|of|by)\s+(?:the|your|our)\s+(?:very\s+)?(?:last|latest|newest|current|most\s+recent)"
    r"\s+(?:version|release)\b",
    re.IGNORECASE,
)

_NOUNS = r"(?:changes?|change\s?log|release\s+notes|news|updates?|differences?|diff|fixes|improvements|features|things)"
_DONE = (
    r"(?:changed|new|added|removed|fixed|deprecated|introduced|improved|renamed|dropped|released|happened|done"
    r"|different)"
)
# What a question about changes is once versions, times and what it is about are taken out of it.
_CHANGES = lazy_regex(
    rf"""^(?:
      what(?:['’]?s|\s+(?:is|are|was|were|has|have|had|all|did|exactly))*\s+(?:(?:been|got|gotten|the|all|breaking|incompatible|major|main|important|notable|biggest|most)\s+)*
        (?:{_DONE}|{_NOUNS}|change|add|bring|introduce|remove|fix|drop|deprecate|broke)(?:\s+(?:or|and|/)\s+(?:{_DONE}))*(?:\s+(?:made|there|here|around|about|is|are))?
    | (?:show|list|give|print|summari[sz]e|describe)?\s*(?:me\s+)?(?:us\s+)?(?:what\s+(?:has\s+)?changed
        |(?:an?\s+)?(?:the\s+|all\s+|my\s+)*(?:latest\s+|recent\s+|newest\s+|last\s+|breaking\s+)*{_NOUNS})
    | (?:which|what)\s+(?:\w+\s+){{0,2}}?(?:changes|things|features|bugs|fixes)
        \s+(?:were|was|have|has|are|came|happened)(?:\s+been)?(?:\s+(?:{_DONE}|made|in))*
    | (?:was|what)\s+(?:ist|war|wurde|hat\s+sich|gibt\s+es)\s*(?:alles\s+)?(?:neu(?:es)?|geändert|verändert|anders)?
        (?:\s*(?:geändert|verändert|neu(?:es)?|hinzugefügt|entfernt))?
    | (?:qu['’]est-ce\s+qui|quoi|qu['’]y\s+a-t-il)\s+(?:a\s+chang[ée]|de\s+(?:neuf|nouveau)|est\s+nouveau|a\s+été\s+\w+)
    | ¿?\s*qu[ée]\s+(?:ha\s+)?(?:cambi[óo]|cambiado|hay\s+de\s+nuevo|se\s+\w+ó|novedades\s+hay)(?:\s+de\s+nuevo)?
    | (?:版本)?\s*(?:中|里)?\s*(?:都)?(?:有|做了)?(?:什么|哪些)(?:新)?(?:变化|更新|改动|变更|功能|特性|改变)?(?:了)?
    | (?:都)?(?:改|变|更新)了(?:什么|哪些)
    | (?:で|では|に|には|の|は)?\s*(?:何が|なにが)?
        (?:変わりましたか|変わった(?:の)?(?:ですか|か)?|変更されましたか|変更(?:点|内容)?は?(?:何|なに)?(?:ですか)?)
    )$""",
    re.IGNORECASE | re.VERBOSE,
)
_PARTS = (
    (r"\b(?:breaking|incompatible|broke)\b", "breaking|incompatib|backward"),
    (r"\b(?:removed?|dropp?(?:ed)?)\b", "remov|dropp"),
    (r"\bdeprecated?\b", "deprecat"),
    (r"\b(?:fix(?:ed|es)?|bugs?)\b", "fix|bug"),
    (r"\b(?:added|add|introduced?|features)\b", "add|feature|enhanc"),
)
"""What a question asks of a version's changes, and what the part of a changelog's section on it is called."""
_RECENT = lazy_regex(
    r"^(?:(?:show|list|give)\s+(?:me\s+)?)?(?:the\s+|what\s+(?:are|were|happened\s+in|was\s+done\s+in)\s+the\s+)?"
    r"(?:(?:\d+|few|two|three|four|five|six|ten)\s+)?(?:latest|recent|newest|last|most recent)\s+"
    r"(?:(?:\d+|few|two|three|four|five|six|ten)\s+)?(?:changes|commits|updates|work)(?:\s+about)?"
    r"(?:\s+(?:here|in (?:this|the) (?:repo\w*|project|code\w*)))?$|^what(?: changed last|(?:['’]s| is) new(?: here)?)$"
    r"|^(?:die )?(?:letzten|neuesten) (?:änderungen|commits)$|^(?:les )?derniers (?:changements|commits)$"
    r"|^(?:los )?últimos (?:cambios|commits)$|^最近的?(?:提交|改动|变化|更新)$|^最近の(?:変更|コミット)$",
    re.IGNORECASE,
)

_ADDED = (
    r"add(?:ed)?|introduced?|contributed(?!\s+to\b)|ported|enabled|made\s+possible|comes?(?:\s+in)?|came(?:\s+in)?|created?|"
    r"implement(?:ed)?|invented|appear(?:ed)?|supported|merged|defined"
)
_REMOVED = (
    r"stop(?:ped)?\s+(?:using|supporting)|removed?|delet(?:ed|e)|dropp?(?:ed)?|killed|disappear(?:ed)?|gone|deprecated?"
)
_RENAMED = r"renamed?|moved?"
_CHANGED = (
    r"gave|taught|pulled|split|extracted|turned|switched|improved|changed?|modif(?:ied|y)|rewritten|refactored|replaced"
    r"|broken|broke|fixed|touched"
)
_ALL = rf"(?P<verb>{_ADDED}|{_REMOVED}|{_RENAMED}|{_CHANGED})"
_ALL_BUT_CHANGED = rf"(?P<verb>{_ADDED}|{_REMOVED}|{_RENAMED})"
# What is done to code and seldom to what a program handles: an exception is raised, a connection is closed.
_REVISED = (
    r"replaced|rewritten|reworked|refactored|simplified|converted|migrated|upgraded|downgraded|bumped|pinned|increased"
    r"|decreased|reduced|lowered|changed"
)
_WHICH = (
    r"(?:in\s+|with\s+|since\s+)?(?:which|what)\s+(?:version|release|commits?|prs?|pull\s+requests?|change|tag)"
    r"(?:\s+and\s+when)?"
)
_WHEN = (
    r"(?:when(?:\s+(?:and|or)\s+(?:why|how|where|by\s+whom|in\s+which\s+\w+))?"
    rf"|since\s+when|how\s+long\s+ago|why(?:\s+and\s+when)?|who(?:\s+and\s+(?:when|why))?|{_WHICH})"
)
# What something became is told: "made optional", "replaced by undici"; not how it was done: "made twice".
_BECAME = (
    r"(?:made(?!\s+(?:twice|again|by|to|with|without|in|at|on|from|for|of|before|after|when|while|if|up|out|more\s+than)\b)"
    r"|replaced\s+(?:by|with)|switched\s+(?:to|from)|migrated\s+(?:to|from)|rewritten\s+(?:in|with)|split\s+into|merged\s+into)"
)
_OFFERS = (
    r"support(?:s|ed|ing)?|offers?|provides?|allows?|understands?|handles?|knows?|accepts?|includes?|ha(?:ve|s|d)"
    r"|ships?\s+with|comes?\s+with"
)
_NO_LONGER = (
    r"gone|disappear(?:ed)?|go\s+away|vanish(?:ed)?|no\s+longer\s+(?:supported|there|included|shipped|built)"
    r"|not\s+(?:supported|there|included)\s+any\s?more"
)
_TO = r"(?:\s+(?:to|from|into|in|out of|as|by)\s+(?:the|this|our|here|it)\b.*|\s+as\s+an?\s.*|\s+(?:here|again|for))?"
_FILE = r"(?:\s+(?:to|from|in|into)\s+(?P<gained>`?[\w./-]+\.[a-z]\w{0,5}`?))?"
_WRITE = (
    r"(?:wrote|authored|maintains?|maintained|owns?|develops?|developed|contribute[sd]?(?:\s+(?:the\s+)?most)?(?:\s+to)?|works?\s+on"
    r"|worked\s+on|programmed|built)"
)

_ORIGIN: tuple[str, ...] = (
    rf"{_WHEN}\s+(?:was|were|did|has|have|had|got)\s+(?!my\b|your\b|i\b|it\b)(?:the\s+)?(?P<subject>.+?)\s+(?:been\s+|get\s+|finally\s+|first\s+|originally\s+)*{_ALL_BUT_CHANGED}{_FILE}{_TO}",
    rf"(?:when|why)(?:\s+and\s+(?:when|why))?\s+(?:did|have|has|had)\s+(?:the\s+\w+|\w+)\s+(?:first\s+)?{_ALL_BUT_CHANGED}\s+(?P<subject>.+?)(?:\s+(?:to|from|in)\s+(?:the|this)\b.*)?",
    rf"{_WHEN}\s+(?:was|were|has|have|had)\s+(?!my\b|your\b|i\b|it\b)(?:the\s+)?(?P<subject>.+?)\s+(?:been\s+)?(?P<verb>{_BECAME})\s+(?P<gained>.+?)",
    rf"{_WHEN}\s+(?:was|were)\s+(?!my\b|your\b|i\b|it\b)(?:the\s+)?(?P<subject>.+?)\s+(?P<verb>renamed|moved)\s+(?:in)?to\s+(?P<gained>.+?)",
    rf"{_WHEN}\s+(?:was|were|has|have)\s+(?!my\b|your\b|i\b|it\b)(?:the\s+)?(?P<subject>.+?)\s+(?:been\s+)?(?P<verb>{_REVISED})",
    r"(?:when|why)(?:\s+and\s+(?:when|why))?\s+did\s+(?:we|they|you|(?:the|this)\s+\w+|it)\s+(?P<verb>switch|move|migrate|change)\s+(?P<subject>(?:from|to)\s+.+?)",
    rf"(?:who|{_WHICH})\s+(?:first\s+|originally\s+|has\s+)?{_ALL}\s+(?P<subject>.+?)",
    rf"(?:find|show)(?:\s+me)?\s+(?:the\s+)?(?:commit|change|pr|pull\s+request)\s+(?:that|which)\s+{_ALL}\s+(?P<subject>.+?)",
    rf"(?:since\s+when|since\s+{_WHICH}|{_WHICH})\s+(?:is|are|does|do|did|can|could|has|have)\s+(?:it|this|they|you|we|one|(?:the|this)\s+\w+|(?P<subject>[\w.-]+))\s+(?:able\s+to\s+)?(?:{_OFFERS})\s+(?P<gained>.+?)",
    rf"(?:since\s+when|since\s+{_WHICH}|{_WHICH})\s+(?:does|do|did)\s+(?:it|this|they|you|we|(?:the|this)\s+\w+|(?P<subject>[\w.-]+))\s+(?:no\s+longer\s+|not\s+)?(?P<verb>drop|remove|deprecate|rename|stop\s+supporting)\s+(?P<gained>.+?)",
    rf"(?:since\s+)?(?:when|why)(?:\s+and\s+(?:when|why))?\s+(?:is|are|was|were|has|have|did)\s+(?!my\b|your\b|i\b|it\b)(?P<subject>.+?)\s+(?P<verb>{_NO_LONGER})",
    r"what\s+(?:was|is)\s+(?P<subject>.+?)\s+(?P<verb>called|named)\s+(?:before|earlier|previously|originally)(?:\s+it\s+was\s+renamed)?",
    r"what\s+(?:was|is)\s+the\s+(?P<verb>old|former|previous|original)\s+name\s+of\s+(?P<subject>.+?)",
    rf"(?:since\s+when|since\s+{_WHICH}|{_WHICH})\s+(?:is|are|was|were|has|have|does|do|can|could|did)\s+(?:there\s+(?:an?\s+)?|it\s+possible\s+to\s+)?(?P<subject>.+?)(?:\s+(?:available|supported|there|possible|exist(?:ed)?|been\s+\w+))?",
    r"when\s+(?:could|did|was\s+it\s+made\s+possible\s+to)\s+(?P<subject>.+?)\s+(?:be\s+set|become\s+\w+|start|begin|(?P<verb>come)(?:\s+in)?)(?:\s+(?P<gained>.*))?",
    r"(?:since\s+)?when\s+did\s+(?!i\b|we\b|you\b|it\b)(?P<subject>.+?)\s+(?:first\s+)?(?:arrive|land|appear|ship|show\s+up|turn\s+up)(?:\s+in\s+.+)?",
    r"(?:since\s+)?when\s+(?:was|is|has|did)\s+it\s+(?:been\s+|become\s+|made\s+)*possible\s+to\s+(?P<subject>.+?)",
    r"when\s+(?:and\s+why\s+)?(?:did|have|has|had)\s+(?!i\b|we\b|you\b|it\b)(?P<subject>.+?)\s+(?:first\s+)?(?:get|got|gotten|gain(?:ed)?"
    r"|receive[d]?|learn(?:ed|t)?(?:\s+to)?|start(?:ed)?\s+to(?:\s+have)?)\s+(?P<gained>.+?)",
    r"(?:who|by\s+whom)\s+first\s+wrote\s+(?P<subject>.+?)",
    r"(?:wann(?:\s+und\s+warum)?|warum|weshalb|wieso|seit\s+wann)\s+wurden?\s+(?P<subject>.+?)\s+(?P<verb>hinzugefügt|eingeführt|eingebaut|entfernt|gelöscht|umbenannt|verschoben)",
    r"(?:wer|welcher\s+commit)\s+hat\s+(?P<subject>.+?)\s+(?P<verb>hinzugefügt|eingeführt|eingebaut|entfernt|gelöscht|umbenannt)",
    r"(?:quand|pourquoi)(?:\s+et\s+(?:quand|pourquoi))?\s+(?:est-ce\s+que\s+)?(?P<subject>.+?)\s+a(?:-t-(?:il|elle|on))?\s+été\s+(?P<verb>ajouté|introduit|créé|supprimé|retiré|renommé)e?s?",
    r"(?:quand|pourquoi)\s+a\s+été\s+(?P<verb>ajouté|introduit|créé|supprimé|retiré|renommé)e?s?\s+(?P<subject>.+?)",
    r"(?:qui|quel\s+commit)\s+a\s+(?P<verb>ajouté|introduit|créé|supprimé|retiré|renommé)\s+(?P<subject>.+?)",
    r"¿?(?:cuándo|cuando|por\s+qué)(?:\s+y\s+por\s+qué)?\s+se\s+(?P<verb>añadió|agregó|introdujo|creó|eliminó|quitó|borró|renombró)\s+(?P<subject>.+?)",
    r"¿?(?:quién|quien|qué\s+commit)\s+(?P<verb>añadió|agregó|introdujo|creó|eliminó|quitó|borró|renombró)\s+(?P<subject>.+?)",
    r"(?:为什么|为何)?\s*(?P<subject>.+?)\s*(?:是)?(?:什么时候|何时|在?哪个版本|哪个提交)(?:被)?(?P<verb>添加|加入|增加|引入|新增|删除|移除|去掉|重命名)(?:的|了)?",
    r"(?:哪个提交|谁|什么时候|何时|为什么)(?P<verb>添加|加入|引入|新增|删除|移除|去掉|重命名)了?\s*(?P<subject>.+?)",
    r"(?:なぜ|どうして)?\s*(?P<subject>.+?)\s*は?(?:いつ|なぜ|どうして|どのコミットで|どのバージョンで|誰が|だれが)?(?P<verb>追加|導入|削除|改名)(?:され)?(?:まし)?(?:たのですか|たのか|たんですか|たか|た)",
)
_AUTHOR: tuple[str, ...] = (
    rf"who(?:\s+(?:has|is|are|was|were|all))?\s+(?:mostly\s+|mainly\s+|actually\s+|originally\s+)?{_WRITE}\s+(?P<subject>.+?)",
    r"who(?:\s+(?:is|are|was|were)|['’]s)\s+(?:the\s+)?(?:main\s+|original\s+|top\s+|biggest\s+)?(?:authors?|maintainers?|contributors?|committers?|owners?|developers?)(?:\s+(?:of|for|to|behind)\s+(?P<subject>.+?))?",
    r"(?:wer)\s+(?:hat\s+(?P<subject>.+?)\s+(?:geschrieben|verfasst)|(?:pflegt|betreut|wartet)\s+(?P<other>.+?))",
    r"qui\s+(?:a\s+écrit|maintient|est\s+l['’]auteur\s+de)\s+(?P<subject>.+?)",
    r"¿?(?:quién|quien)\s+(?:escribió|mantiene|es\s+el\s+autor\s+de)\s+(?P<subject>.+?)",
    r"(?:谁|是谁)(?:写了?的?|编写了?|维护)\s*(?P<subject>.+?)",
    r"(?P<subject>.+?)\s*(?:是)?(?:谁|由谁)(?:写|编写|维护)的?",
    r"(?P<subject>.+?)\s*(?:を書いたのは(?:誰|だれ)(?:ですか)?|は(?:誰|だれ)が書(?:いた|きました)(?:のですか|か)?)",
    r"(?:誰|だれ)が\s*(?P<subject>.+?)\s*を書(?:いた|きました)(?:のですか|か)?",
)
_LAST: tuple[str, ...] = (
    r"(?:what|when|who)(?:\s+(?:is|was|made|did)|['’]s)?\s+(?:the\s+)?(?:very\s+)?(?:last|latest|most\s+recent|newest)\s+(?:change|commit|edit|modification|update)s?(?:\s+(?:made\s+)?(?:to|of|in|on|for)\s+(?P<subject>.+?))?",
    r"(?:show\s+(?:me\s+)?)?(?:the\s+)?(?:last|latest|most\s+recent)\s+(?:change|commit|edit|modification)(?:\s+(?:to|of|in|on|for)\s+(?P<subject>.+?))?",
    r"(?:when|why)\s+(?:and\s+(?:when|why)\s+)?(?:was|were|did|has|have)\s+(?P<subject>.+?)\s+(?:been\s+)?(?:last|most\s+recently)\s+(?:changed?|modified|updated?|touched|edited|committed)",
    r"(?:when|why)\s+(?:and\s+(?:when|why)\s+)?(?:was|were|has|have)\s+(?P<subject>.+?)\s+(?:been\s+)?(?:changed|modified|updated|touched|edited)\s+(?:last|most\s+recently)",
    r"when\s+(?:was|were)\s+(?:the\s+)?last\s+time\s+(?:that\s+)?(?P<subject>.+?)\s+(?:was\s+|were\s+)?(?:changed|modified|updated|touched|edited)",
    r"who\s+(?:was\s+(?:the\s+)?(?:last|latest)\s+(?:person\s+)?(?:to\s+)?(?:chang|modif|touch|edit)\w*|(?:has\s+)?(?:last|most\s+recently)\s+(?:changed|modified|touched|edited|updated|worked\s+on))\s+(?P<subject>.+?)",
    r"who\s+(?:changed|modified|touched|edited|updated)\s+(?P<subject>.+?)\s+(?:last|most\s+recently)",
    r"what\s+(?:was\s+|has\s+(?:been\s+)?)?(?:(?:last|most\s+recently)\s+changed|changed\s+(?:last|most\s+recently))\s+(?:in|to|about|with)\s+(?P<subject>.+?)",
    r"wer\s+hat\s+(?P<subject>.+?)\s+zuletzt\s+(?:geändert|bearbeitet)|wann\s+wurden?\s+(?P<other>.+?)\s+zuletzt\s+geändert",
    r"(?:was\s+(?:ist|war)\s+)?(?:die\s+)?letzte\s+änderung\s+(?:an|von|in)\s+(?P<subject>.+?)",
    r"(?:quelle\s+est\s+)?la\s+dernière\s+modification\s+(?:de|dans|du)\s+(?P<subject>.+?)|qui\s+a\s+modifié\s+(?P<other>.+?)\s+en\s+dernier",
    r"¿?(?:cuál\s+(?:es|fue)\s+)?el\s+último\s+cambio\s+(?:en|de|a)\s+(?P<subject>.+?)",
    r"(?:谁)?最后(?:一次)?(?:是谁)?(?:修改|改动)了?\s*(?P<subject>.+?)|(?P<other>.+?)\s*的?最后一次(?:修改|改动|提交)(?:是什么时候|是什么)?",
    r"(?P<subject>.+?)\s*の?最後の(?:変更|コミット)(?:は(?:何|いつ|誰)(?:ですか)?)?|(?P<other>.+?)\s*を最後に変更したのは(?:誰|だれ)(?:ですか)?",
)
_PAST: tuple[str, ...] = (
    r"(?:(?:show|give|tell|print)\s+(?:me\s+)?)?(?:what(?:['’]s|\s+is)\s+)?(?:the\s+)?(?:(?:git|commit|change|full|whole|edit|version)\s+)*(?:history|git\s*log)\s+(?:of|for|behind)\s+(?P<subject>.+?)",
    r"(?:git\s+)?(?:blame|log)\s+(?:of\s+|for\s+|--\s+)?(?P<subject>[\w./\\-]+)",
    r"how\s+(?:has|have|did)\s+(?P<subject>.+?)\s+(?:changed?\s+over\s+(?:the\s+)?(?:time|years)|evolved?(?:\s+over\s+.+)?|come\s+(?:about|to\s+be))",
    r"(?:die\s+|der\s+)?(?:geschichte|verlauf|historie)\s+(?:von|der|des)\s+(?P<subject>.+?)",
    r"(?:l['’])?historique\s+(?:de|du)\s+(?P<subject>.+?)",
    r"(?:el\s+)?historial\s+(?:de|del)\s+(?P<subject>.+?)",
    r"(?P<subject>.+?)\s*的(?:修改|变更|提交)?历史(?:记录)?",
    r"(?P<subject>.+?)\s*の(?:変更)?(?:履歴|歴史)",
)
_GONE = (
    r"(?:what\s+(?:has\s+)?(?:happened\s+to|bec[ao]me\s+of)|where\s+(?:did|has|have)(?=.*\s(?:go|gone|moved?)\b))\s+(?P<subject>\S+)(?:\s+(?:go|gone|moved?)(?:\s+to)?)?",
    r"(?:was|were|is|has)\s+(?P<subject>\S+)\s+(?:been\s+)?(?:renamed|moved|removed|deleted|gone)",
)
_COMMITS: tuple[str, ...] = (
    r"(?:(?:please\s+)?(?:show|list|find|give|get|print|search)\s+(?:me\s+|us\s+)?(?:all\s+)?(?:the\s+|any\s+)?|(?:which|what|are\s+there(?:\s+any)?)\s+)(?:recent\s+|latest\s+|last\s+)?(?:commits?|commit\s+messages)\s+(?:(?:are\s+|were\s+)?(?:about|on|regarding|related\s+to|concerning|mentioning|around|for|with)|(?:that\s+|which\s+)?(?:mention(?:s|ed)?|touch(?:es|ed)?|concern(?:s|ed)?|deal(?:s|t)?\s+with))\s+(?P<subject>.+?)",
    r"commits\s+(?:about|mentioning|concerning|on)\s+(?P<subject>.+?)",
    r"(?:zeig(?:e)?\s+(?:mir\s+)?)?(?:die\s+|alle\s+)?commits\s+(?:zu|über|zum|zur)\s+(?P<subject>.+?)",
)
_BY: tuple[str, ...] = (
    r"(?:(?:show|list|find|give)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?|(?:which|what)\s+)?(?:recent\s+|latest\s+|last\s+)?(?:commits|changes)\s+(?:were\s+|was\s+)?(?:made\s+|written\s+|authored\s+)?by\s+(?P<by>[^\d?]+?)",
    r"[Ww]hat\s+(?:did|has)\s+(?P<by>(?:[A-Z][\w.'’-]+\s*){1,4}?)\s*(?:done?|change[d]?|commit(?:ted)?|work(?:ed)?\s+on|write|written|contributed?|fix(?:ed)?|add(?:ed)?)",
)
_COMMIT = (
    r"(?:(?:what|who|when|why|explain|describe|show|git|the|commit)\b.{0,40}?\s)?(?P<subject>(?:(?<=commit\s)|(?=[0-9a-f]*\d))[0-9a-f]{7,64})(?:\s+(?:changed?|do|about|for|made|committed|add(?:ed)?|written))?",
)
_RELEASED: tuple[str, ...] = (
    rf"when\s+(?:was|were|did|has)\s+(?:(?:the\s+)?[\w.+-]+\s+)?(?P<version>{_VERSION})\s*(?:been\s+)?(?:come\s+out|released?|published|tagged|out|launched|cut|shipped?)?",
    rf"(?:what(?:['’]s|\s+is|\s+was)\s+the\s+)?release\s+date\s+(?:of|for)\s+(?:[\w+-]+\s+)?(?P<version>{_VERSION})",
    r"(?:when\s+was|what(?:['’]s|\s+is|\s+was)|which\s+(?:one\s+)?(?:is|was))\s+the\s+(?:last|latest|newest|current|most\s+recent)\s+(?:release|version)(?:\s+(?:released|published|out|made|here))?",
    r"(?:which|what)\s+(?:version|release)\s+is\s+(?:(?:the\s+)?(?:latest|newest|current|most\s+recent)|this|it)",
    rf"wann\s+(?:wurde|kam|erschien)\s+(?:[\w.+-]+\s+)?(?P<version>{_VERSION})\s*(?:veröffentlicht|heraus|raus)?",
    rf"quand\s+(?:est\s+sortie?|a\s+été\s+publiée?)\s+(?:la\s+)?(?P<version>{_VERSION})|quand\s+(?:la\s+)?(?P<other>{_VERSION})\s+(?:est-elle\s+sortie|a-t-elle\s+été\s+publiée)",
    rf"¿?cuándo\s+(?:se\s+publicó|salió|se\s+lanzó)\s+(?:la\s+)?(?P<version>{_VERSION})",
    rf"(?:版本\s*)?(?P<version>{_VERSION})\s*(?:版本?)?(?:是)?(?:什么时候|何时)(?:发布|出)的?",
    rf"(?P<version>{_VERSION})\s*は?いつ(?:リリース|公開)され(?:まし)?た(?:か|のですか)?",
)
_FORMS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("commit", _COMMIT),
    ("released", _RELEASED),
    ("last", _LAST),
    ("commits", (*_COMMITS, *_BY)),
    ("origin", _ORIGIN),
    ("author", _AUTHOR),
    ("past", _PAST),
    ("gone", _GONE),
)
_VERBS: tuple[tuple[Verb, str], ...] = (
    ("removed", rf"{_REMOVED}|{_NO_LONGER}|entfernt|gelöscht|supprim|retir|elimin|quit|borr|删除|移除|去掉|削除"),
    (
        "renamed",
        rf"{_RENAMED}|called|named|old|former|previous|original|umbenannt|verschoben|renomm|renombr|重命名|改名",
    ),
    ("changed", rf"{_CHANGED}|{_BECAME}|{_REVISED}|switch|migrate"),
)
# Of "what changed in src/a.py": what is not a version or a time, and looks like a file or a name.
_CHANGED_IN = lazy_regex(
    r"^(?:what|has\s+anything|did\s+anything|have\s+any\s+things?)(?:['’]s|\s+(?:is|was|has|have|been))*"
    r"\s+(?:changed?|new|been\s+changed|happen(?:ed)?)\s+(?:in|to|about|with)\s+(?:the\s+(?:file|function|class|module)\s+)?(?P<subject>\S+)$",
    re.IGNORECASE,
)
_CHANGED_ABOUT = lazy_regex(
    r"^(?:(?:has|have|did)\s+any\s?things?\s+(?:about|in|on|with|around|regarding|concerning)\s+(?P<subject>.+?)\s+(?:been\s+)?changed?"
    r"|(?:what|has\s+any\s?thing)(?:['’]s|\s+(?:is|was|has|have|been))*\s+(?:changed|new|happened|done)\s+(?:about|around|with|regarding|concerning|to|in|on)\s+(?P<other>\D.+?))$",
    re.IGNORECASE,
)
_OF_PACKAGE = lazy_regex(r"^@?[\w-]+(?:[/.][\w-]+)*$")  # what a version may be of
_NAME = lazy_regex(r"^`?[\w.\-/\\:$]*(?:[/_.]\w|[a-z][A-Z]|\(\))[\w.\-/\\()]*`?$|^`[^`]+`$")
_NO_SUBJECT = lazy_regex(
    r"^(?:(?:most|much|all)\s+of\s+)?(?:(?:this|these|the|that|our|dies(?:es|e|er)?|das|ce|le|este|el)\s+)?(?:whole\s+)?"
    r"(?:repo(?:sitory)?|project|projekt|projet|proyecto|code|code ?base|library|package|it|this|everything"
    r"|app(?:lication)?|program|tool|software|docs?|documentation|book|guide|handbook|manual|course|notebooks|pages|site|thing)$|^这个?(?:项目|仓库|库)$|^この(?:プロジェクト|リポジトリ)$",
    re.IGNORECASE,
)
_WEAK = lazy_regex(r"^(?:that|this|these|those|it|them|he|she|they|everything|anything|all)\b", re.IGNORECASE)
_ARTICLE = lazy_regex(
    r"^(?:the|a|an|der|die|das|den|le|la|les|el|los|las|un|une)\s+(?:(?:file|function|method|class|module|option|flag|setting|parameter|command)\s+(?=\S+$))?"
    r"|^(?:file|function|method|class|module|option|flag|setting|parameter|command)\s+(?=\S+$)|^l['’]",
    re.IGNORECASE,
)
# "... and when", "and by whom?": what is asked besides is answered with the commit.
_ASKS_TWICE = lazy_regex(r"^(?:who|when|why|since|which|in|what)\b", re.IGNORECASE)
_TAIL = lazy_regex(
    r"(?:\s*,)?\s+(?:and|or)\s+(?:when|why|who|by\s+whom|with\s+which|in\s+which|since\s+when)(?:\s+[^,]*)?$",
    re.IGNORECASE,
)
_THE_WHOLE = (
    r"(?:this|the|your|our)\s+(?:(?:whole|entire)\s+)?"
    r"(?:project|repo(?:sitory)?|code\s?base|library|program|package|tool|software|history|framework)"
)
_BEGAN = lazy_regex(
    rf"^(?:when|in\s+(?:which|what)\s+year|who)(?:\s+(?:and\s+by\s+whom|and\s+when))?\s+"
    rf"(?:(?:was|is|has|had|were|did)\s+{_THE_WHOLE}\s+(?:been\s+|first\s+)*(?:started|start|begun|begin|created|founded|born|initiated)"
    rf"|(?:first\s+|originally\s+)*(?:started|began|created|founded|initiated)\s+{_THE_WHOLE})"
    r"(?:(?:\s*,)?\s+and\s+(?:by\s+whom|when|who\s+(?:started|began|created|founded)\s+it|why))?$"
    rf"|^how\s+old\s+is\s+{_THE_WHOLE}$|^(?:what|which)\s+(?:is|was)\s+the\s+(?:very\s+)?(?:first|oldest|initial)\s+commit$",
    re.IGNORECASE,
)
# What came out is told with what changed in it.
_NEWEST_AND_CHANGES = lazy_regex(
    r"^(?:what|which)\s+(?:is|was)\s+the\s+(?:latest|newest|last|current|most\s+recent)\s+(?:release|version)"
    r"(?:\s*,)?\s+and\s+what(?:\s+has|['’]s)?\s+(?:changed|(?:is|was)\s+new|new)(?:\s+(?:in|with|since)\s+(?:it|that))?$",
    re.IGNORECASE,
)


def history_question(text: str, today: date) -> HistoryQuestion | None:
    """Return what a question asks of a history; None if it asks something else.

    Args:
        text: the user's words.
        today: the day from which "last week" is counted.
    """
    plain = _POLITE.sub("", " ".join(text.strip()[: _LONGEST + 1].split())).rstrip(" ?.!？。！").lstrip("¿¡ ")
    if not plain or len(plain) > _LONGEST:
        return None
    plain = _NEWEST_AND_CHANGES.sub("what changed in the latest release", plain)
    if _BEGAN.match(plain):
        return HistoryQuestion("began")
    return _release_or_origin_question(plain, today) or _changes_question(plain, today)


def _release_or_origin_question(plain: str, today: date) -> HistoryQuestion | None:
    rest, since, until = _without_time(plain, today)
    rest = _first_question(rest)
    for kind, forms in _FORMS:
        for form in forms:
            text = plain if kind == "released" else rest
            if match := re.fullmatch(form, text, re.IGNORECASE if "?P<by>(?:[A-Z]" not in form else 0):
                question = _make_question(kind, match.groupdict(), since, until)
                if question is not None:
                    return question
    return None


def _first_question(text: str) -> str:
    """Return a question without a second question after "and"; "when and by whom" at its beginning stays."""
    tail = _TAIL.search(text, sum(map(len, text.split()[:4])) if _ASKS_TWICE.match(text) else len(text))
    return text[: tail.start()] if tail else text


def _make_question(kind: Kind, groups: dict[str, str | None], since: str, until: str) -> HistoryQuestion | None:
    subject = _subject(" ".join(filter(None, (groups.get("subject") or groups.get("other"), groups.get("gained")))))
    if kind == "released":
        version = groups.get("version") or groups.get("other") or ""
        return HistoryQuestion(kind, versions=(version,) if version else ())
    if (
        len(subject) > _LONGEST_SUBJECT
        or _WEAK.match(subject)
        or (kind == "gone" and not _NAME.match(subject))
        or (kind in ("origin", "commits") and not subject and not groups.get("by"))
    ):
        return None
    by = (groups.get("by") or "").strip()
    verb: Verb = "removed" if kind == "gone" else _verb(groups.get("verb") or "")
    return HistoryQuestion(kind, subject, verb, since=since, until=until, by=by)


def _subject(text: str) -> str:
    """Return the subject of a question without articles and quotes; empty if it is the whole project."""
    text = text.strip(" ,;:")
    if _NO_SUBJECT.match(text):
        return ""
    return _ARTICLE.sub("", text).strip("`'\"“”‘’«»„「」 ")


def _verb(word: str) -> Verb:
    return next((verb for verb, words in _VERBS if re.match(words, word, re.IGNORECASE)), "added")


def _changes_question(plain: str, today: date) -> HistoryQuestion | None:
    """Return what a question about changes asks: for those in some versions, in a period, or of one file."""
    rest, since, until = _without_time(plain, today)
    rest, versions, relation = _without_versions(rest)
    timely = bool(versions or since or until) or rest != plain
    if (timely and _CHANGES.match(rest)) or _RECENT.match(plain):
        part = next((heading for asked, heading in _PARTS if re.search(asked, rest, re.IGNORECASE)), "")
        return HistoryQuestion("changes", "", "changed", versions, relation, since, until, part=part)
    match = _CHANGED_IN.match(rest)
    if match and versions and _OF_PACKAGE.match(match["subject"]):
        return HistoryQuestion("changes", match["subject"], "changed", versions, relation, since, until)
    if match and not versions and _NAME.match(match["subject"]):
        return HistoryQuestion("past", _subject(match["subject"]), "changed", since=since, until=until)
    match = _CHANGED_ABOUT.match(rest) if timely else None
    if match and not versions and (subject := _subject(match["subject"] or match["other"])):
        return HistoryQuestion("commits", subject, "changed", since=since, until=until)
    return None


def _without_versions(text: str) -> tuple[str, tuple[str, ...], Relation]:
    """Return a question without its versions; the versions; and how they limit the answer."""
    if match := _IN_NEWEST.search(text):
        return _cut_out(text, match), (NEWEST,), "since" if match["since"] else "in"
    if match := _BETWEEN.search(text):
        return _cut_out(text, match), (match["first"], match["second"]), "between"
    if match := _SINCE.search(text):
        return _cut_out(text, match), (match["first"] or match["other"],), "since"
    if match := _IN.search(text):
        return _cut_out(text, match), (match["first"],), "in"
    return text, (), "in"


def _without_time(text: str, today: date) -> tuple[str, str, str]:
    """Return a question without the period that it names, and the first and last day of the period."""
    if match := _DATES_BETWEEN.search(text):
        return _cut_out(text, match), iso_date(match["first"]) or "", last_day(iso_date(match["second"]) or "")
    if match := _AGO.search(text):
        count = _COUNTS.get(match[1].lower()) or (int(match[1]) if match[1].isdigit() else 1)
        return _cut_out(text, match), _days_before(today, count * _AGO_UNIT[match[2].lower()]), ""
    for name, words in _WORDS_OF_TIME:
        if match := re.search(words, text, re.IGNORECASE):
            return _cut_out(text, match), *days_in_words(name, today)
    if (match := _ON_DATE.search(text)) and (day := iso_date(match["date"])):
        how = match["how"].lower()
        since = "" if how in ("before", "until") else first_day(day)
        until = "" if how in ("since", "from", "after", "seit", "depuis", "desde") else last_day(day)
        return _cut_out(text, match), since, until
    return text, "", ""


def _days_before(today: date, days: int) -> str:
    return max(today - timedelta(days=min(days, today.toordinal() - 1)), date.min).isoformat()


def _cut_out(text: str, match: re.Match[str]) -> str:
    """Return a text without a part of it and the preposition before that part."""
    left = re.sub(r"\s+(?:in|since|during|from|over|of|for|with|as of|within)\s*$", "", text[: match.start()].rstrip())
    return " ".join(f"{left} {text[match.end() :]}".split()).strip(" ,?")
