"""Chooses the way in which a question is answered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from quaestor.answers.answer_from_file import answer_within_file
from quaestor.answers.ask_back import ask_back
from quaestor.answers.callers import answer_with_callers
from quaestor.answers.explain_error import answer_error
from quaestor.answers.explain_name import explain_name
from quaestor.answers.explain_option import explain_option, list_environment, list_options
from quaestor.answers.explain_term import explain_term, holds_documents
from quaestor.answers.names_question import asks_about_a_word
from quaestor.answers.overview.overview_answer import (
    answer_with_build_guide,
    answer_with_overview,
    answer_with_section,
    describe_folder,
)
from quaestor.answers.project_facts import answer_project_facts
from quaestor.answers.two_questions import answer_two_questions
from quaestor.answers.way import Question, Way, WayAnswer
from quaestor.core.errors import NotFoundError
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


def _explain_word_of_documents(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Explain a plain word if most files are documents, where it is more likely a term than a file's name."""
    return explain_term(question, corpus) if asks_about_a_word(question.text) and holds_documents(corpus) else None


_OF_GUIDE = re.compile(
    r"instal|set.*up|\bget|\badd|\buse|download|includ|import|integrat|contribut|patch|pull request"
    r"|\bprs?\b|help|involved|einricht|\brichte|\bbind|nutze|verwende|beitrag|mitarbeit|mithelf|mitmach|mitwirk|ajout|utilis|particip|colabor"
    r"|añad|agreg|\bus[oa]|obtain|安装|贡献|インストール|貢献",
    re.IGNORECASE,
)


def _answer_with_project_guide(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer how the project is installed or contributed to; None for other questions."""
    if not _OF_GUIDE.search(question.text[:200]):
        return None
    from quaestor.answers.project_guides import answer_with_project_guide  # noqa: PLC0415 - few questions ask this

    return answer_with_project_guide(question, corpus)


def answer_history(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return the answer to a question about history; None for other questions, or if the history does not answer."""
    if not may_ask_history(question.text):
        return None
    from quaestor.answers.history_questions import history_question  # noqa: PLC0415 - few questions are about history

    request = history_question(question.text, date.today())
    if request is None:
        return None
    from quaestor.answers.history_answer import answer_history_question  # noqa: PLC0415 - few questions are about history

    return answer_history_question(request, corpus)


def may_ask_history(text: str) -> bool:
    """Return whether a question may be about history; a cheap test, which says yes in doubt."""
    return (_OF_CHANGE.search(text[:400]) or _HASH.fullmatch(text.strip())) is not None and _ELSE.match(text) is None


WAYS: tuple[Way, ...] = (
    answer_project_facts,
    _answer_with_project_guide,
    answer_with_callers,
    answer_history,
    describe_folder,
    answer_with_section,
    answer_with_overview,
    answer_with_build_guide,
    _explain_word_of_documents,
    explain_name,
    explain_option,
    list_environment,
    list_options,
    explain_term,
    answer_within_file,
    answer_error,
    ask_back,
)
"""In the order in which they are asked: the narrower a way's questions are, the earlier it stands."""


def answer_by_way(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return the answer of the first way that has one; None if the answer is to be quoted from search results."""
    return _first_answer((_answer_two, *WAYS), question, corpus)


def _answer_two(question: Question, corpus: Corpus) -> WayAnswer | None:
    return answer_two_questions(question, corpus, lambda one, corpus: _first_answer(WAYS, one, corpus))


def _first_answer(ways: Iterable[Way], question: Question, corpus: Corpus) -> WayAnswer | None:
    for way in ways:
        try:
            answer = way(question, corpus)
        except NotFoundError:
            # A file that was found a moment ago has gone meanwhile: this way has nothing to say of it.
            continue
        if answer is not None:
            return answer
    return None
