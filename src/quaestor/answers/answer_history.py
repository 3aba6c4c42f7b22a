"""The way of questions about history: what changed, when, why and by whom.

Every question passes here, and few are of this kind: what reads them exactly, and what answers them, is imported for
those that may be.
"""

from __future__ import annotations

import re
from datetime import date

from quaestor.answers.way import Question, WayAnswer
from quaestor.corpus import Corpus

# No question about a history begins so, or does without any of these words.
_ELSE = re.compile(r"\s*(?:how (?!ha[sdv]|did|long|old)|where|is|are|does|do i|can i|should|if)\b", re.IGNORECASE)
_HASH = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE)
_OF_CHANGE = re.compile(
    r"since|\bhow old\b|found|began|initia|first|\bborn\b"
    r"|\bset\b|\bg[eo]t|gain|receiv|learn|gave|taught|pulled|split|extract|\bturn|switch|stop|\bc[oa]me|\bport|enabl|become|start|begin|made|chang|\bnew|differ|\badd|introduc|creat|implement|invent|appear|merg|defin|suppo|remov|delet|drop|kill|gone"
    r"|deprecat|renam|\bmov|modif|rewrit|refactor|rework|simplif|convert|migrat|grad|bump|pinn|increas|decreas|reduc|lower|replac|\bbr[eo]k|\bfix|touch|releas|version|publish|\btag|\blaunch"
    r"|\bship|\bcut\b|\bout\b|commit|histor|blame|\blog\b|evolv|come about|wrote|author|maintain|\bown"
    r"|develop|contribut"
    r"|\bwork|programmed|built|\blast\b|latest|recent|newest|updat|\bedit|happen|\bdone|improv|notes|available|exist|there"
    r"|possible|v?\d+\.\d|neu|änder|anders|hinzu|einge|entfernt|gelöscht|umben|verschob|schrieb|verfasst|pflegt|betreut"
    r"|wartet|geschichte|verlauf|veröff|\bkam\b|ersch|heraus|neuf|nouveau|ajout|créé|supprim|retir|renomm|écrit|maintient"
    r"|auteur|sortie|publi|dernière|cambi|nuevo|novedad|añad|agreg|introdu|eliminó|quitó|borró|renombr|escribi|mantiene"
    r"|autor|último|salió|lanzó|\bse\s+\w+ó\b|[\u3040-\u30ff\u4e00-\u9fff]",
    re.IGNORECASE,
)


def answer_history(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return the answer to a question about history; None for any other, or where the history tells nothing."""
    if not may_ask_history(question.text):
        return None
    from quaestor.answers.history_questions import history_question  # noqa: PLC0415 - see above

    asked = history_question(question.text, date.today())
    if asked is None:
        return None
    from quaestor.answers.history_answer import answer_asked  # noqa: PLC0415 - see above

    return answer_asked(asked, corpus)


def may_ask_history(text: str) -> bool:
    """Return whether a question may be about history, at a glance."""
    return (_OF_CHANGE.search(text[:400]) or _HASH.fullmatch(text.strip())) is not None and _ELSE.match(text) is None
