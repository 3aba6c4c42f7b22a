"""Chooses the way in which a question is answered.

A question may be two: what the project or a name is, and something else about it. "What is this and how do I build
it?" and "what is src/a.py for, and who uses it?" are; one search for both would answer neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from quaestor.answers.ask_back import ask_back, questions_on_topic, with_subject
from quaestor.answers.drafts import CorpusLines, Draft, in_code
from quaestor.answers.errors.explain_error import answer_error
from quaestor.answers.errors.named_faults import explain_named_fault
from quaestor.answers.names.callers import answer_with_callers
from quaestor.answers.names.explain_name import explain_class, explain_name
from quaestor.answers.names.explain_term import explain_term
from quaestor.answers.overview.build_question import asks_how_to_build
from quaestor.answers.overview.document_statistics import holds_documents
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_answer import (
    answer_with_build_guide,
    answer_with_importers,
    answer_with_importers_of_namesake,
    answer_with_overview,
    answer_with_section,
    describe_folder,
    introduce,
    wants_overview,
)
from quaestor.answers.overview.overview_question import asks_for_more_than_what_it_is
from quaestor.answers.project.document_parts import answer_with_part
from quaestor.answers.project.facts import answer_project_facts
from quaestor.answers.project.headed_section import answer_with_headed_section
from quaestor.answers.project.listed_files import list_folder, list_tests
from quaestor.answers.project.listings import declarations_of, list_declared
from quaestor.answers.project.maintainers import answer_maintainers
from quaestor.answers.project.named_documents import (
    answer_how_to_add,
    answer_origin,
    answer_with_customary_file,
    answer_within_file,
)
from quaestor.answers.project.own_sections import answer_with_own_section
from quaestor.answers.quotes.passage_order import without_restated
from quaestor.answers.quotes.pick_quotes import answer
from quaestor.answers.settings.explain_option import explain_option
from quaestor.answers.way import Question, Way, WayAnswer
from quaestor.core.errors import NotFoundError
from quaestor.core.light_imports import lazy_regex
from quaestor.core.terms import content_terms
from quaestor.corpus import Corpus
from quaestor.llm.prompts.numbered_passages import number
from quaestor.search.names_in_question import asks_about_a_word, names_of_code, read_name_question
from quaestor.search.spelling import replace_unknown

_LONGEST = 300
_PASSAGES = 10
_ASKS = (
    r"how|what|which|where|who|why|when|can|does|do|is|are"
    r"|wie|was|welche|wo|wer|warum|comment|que|quelle?s?|où|pourquoi|cómo|qué|cuál|dónde|por"
)
_BETWEEN = lazy_regex(
    rf"[?.;!]\s+(?:and\s+)?|,?\s+(?:and|und|et|y)\s+(?=(?:{_ASKS})\b)|,\s+(?=(?:{_ASKS})\b)|[，。？]", re.I
)
_WHAT_AND_WHO = lazy_regex(
    r"^(\W*what(?:'s|\s+(?:is|are|does|do))\b.+?),?\s+and\s+((?:who|what|where|which)\b.*?\b)(?:it|that|this|they|them)\b(.*)$",
    re.I | re.S,
)
"""A question what a name is, and another about it by a pronoun."""
_OPTION = lazy_regex(r"(?<![\w-])--?[A-Za-z][\w-]*")
_OF_A_LETTER = lazy_regex(r"(?<![\w-])-[A-Za-z](?![\w-])")
"""An option whose name says nothing that could be the name of a setting."""
_AND_DEFAULT = lazy_regex(
    r"^\W*(?P<about>what(?:'s|\s+(?:is|does|do))\s+.+?),?\s+and\s+(?:(?:what(?:'s|\s+is)\s+)?(?:its|the)\s+defaults?(?:\s+value)?"
    r"|(?:what|which)\s+(?P<values>values|choices)\s+(?:can|may|could|does)\s+it\s+\w+)\W*$",
    re.IGNORECASE,
)
"""A question what an option or a setting is, and what its default is, or its values are."""
_TO_DO = frozenset(
    """add build change compile configure contribute create customise customize cut debug deploy disable enable hide
    increase install limit make override publish reduce release remove report reset run set silence skip start
    stop submit switch test turn uninstall update upgrade""".split()
)
"""What somebody wants to do, without "how do I": "run the tests", "turn off colours"."""
_IN_SHORT = (
    (lazy_regex(r"\W*((?:default|initial)\s+(?:\w[\w.-]*\s*){1,4})\W*", re.IGNORECASE), "What is the {}?"),
    (
        lazy_regex(
            r"\W*(?:what\s+is\s+the\s+|the\s+)?(?:latest|newest|current|last)\s+(version|release)\W*", re.IGNORECASE
        ),
        "What is the latest {}?",
    ),
    (
        lazy_regex(r"\W*(?:what\s+is\s+the\s+|the\s+)?(test|build|compile)\s+commands?\W*", re.IGNORECASE),
        "How do I {} it?",
    ),
    (
        lazy_regex(
            r"\W*(change\s?log|release\s+notes|code\s+of\s+conduct|contributing\s+guide|security\s+policy|roadmap)\W*",
            re.IGNORECASE,
        ),
        "Is there a {}?",
    ),
)
"""What is asked for by its name alone, and the whole question for it."""
_FEWEST_TO_DO, _MOST_TO_DO = 2, 9
"""How many words it has; longer ones are orders to a model."""
_NO_REST = "Nothing here answers the rest of the question clearly enough to quote.\n"

# No question about a history begins so, or does without any of these words.
_ELSE = lazy_regex(
    r"\s*(?:how (?!ha[sdv]|did|long|old)|where(?! did| has)|(?:is|are) (?!\S+ (?:re?moved|renamed|deleted|gone))|does"
    r"|do i|can i|should|if)\b",
    re.IGNORECASE,
)
_HASH = lazy_regex(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b", re.IGNORECASE)
_BEGINNINGS = (
    r"since|before|former|previous|no longer|\bhow old\b|found|began|initia|first|\bborn\b|\bset\b|\bg[eo]t|gain|receiv"
    r"|learn|gave|taught|pulled|split|extract|\bturn|switch|stop|\bc[oa]me|\bport|enabl|become|start|begin|made"
)
_CHANGES = (
    r"chang|\bnew|differ|\badd|introduc|creat|implement|invent|appear|merg|defin|suppo|remov|delet|drop|kill|gone|deprecat"
    r"|renam|\bmov|modif|rewrit|refactor|rework|simplif|convert|migrat|grad|bump|pinn|increas|decreas|reduc|lower|replac"
    r"|\bbr[eo]k|\bfix|touch"
)
_RELEASES_AND_AUTHORS = (
    r"releas|version|publish|\btag|\blaunch|\bship|\bcut\b|\bout\b|commit|histor|blame|\blog\b|evolv|come about|wrote"
    r"|author|maintain|\bown|develop|contribut|\bwork|programmed|built|\blast\b|latest|recent|newest|updat|\bedit|happen|\bdone"
    r"|where (?:did|has)|improv|notes|available|exist|there|possible|v?\d+\.\d"
)
_OF_CHANGE_ELSEWHERE = (
    r"neu|änder|anders|hinzu|einge|entfernt|gelöscht|umben|verschob|schrieb|verfasst|pflegt|betreut|wartet|geschichte|verlauf"
    r"|veröff|\bkam\b|ersch|heraus|neuf|nouveau|ajout|créé|supprim|retir|renomm|écrit|maintient|auteur|sortie|publi|dernière"
    r"|cambi|nuevo|novedad|añad|agreg|introdu|eliminó|quitó|borró|renombr|escribi|mantiene|autor|último|salió|lanzó"
    r"|\bse\s+\w+ó\b|[\u3040-\u30ff\u4e00-\u9fff]"
)
_OF_CHANGE = lazy_regex(f"{_BEGINNINGS}|{_CHANGES}|{_RELEASES_AND_AUTHORS}|{_OF_CHANGE_ELSEWHERE}", re.IGNORECASE)


def _explain_word_of_documents(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Explain a plain word if most files are documents, where it is more likely a term than a file's name."""
    return explain_term(question, corpus) if asks_about_a_word(question.text) and holds_documents(corpus) else None


_OF_GUIDE = lazy_regex(
    r"instal|set.*up|\bget|\badd|\buse|download|includ|import|integrat|contribut|patch|pull request"
    r"|\bprs?\b|help|involved|einricht|\brichte|\bbind|nutze|verwende|beitrag|mitarbeit|mithelf|mitmach|mitwirk|ajout|utilis|particip|colabor"
    r"|añad|agreg|\bus[oa]|obtain|安装|贡献|インストール|貢献",
    re.IGNORECASE,
)


def _answer_with_project_guide(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer how the project is installed or contributed to; None for other questions."""
    if not _OF_GUIDE.search(question.text[:_LONGEST]):
        return None
    from quaestor.answers.project.guides import answer_with_project_guide  # noqa: PLC0415 - few questions ask this

    return answer_with_project_guide(question, corpus)


_OF_SETTINGS = lazy_regex(
    r"\bconf|setting|\brc\b|default|preference|customi|\bport\b|(?:turn|switch)\w*\s.*\bo(?:n|ff)\b|(?:dis|en)abl|activat|silence|suppress"
    r"|\b(?:values?|choices)\b|supported|available|allowed|valid|accepted|permitted"
    r"|\b(?:skip|hide|choose|select|pass|change|adjust|specify|override|tune|control|set|increase|decrease|raise|lower|reduce|limit)s?\b",
    re.IGNORECASE,
)


def _explain_settings(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer how the project, or one thing of it, is configured; None for other questions."""
    if not _OF_SETTINGS.search(question.text[:200]) or _OF_A_LETTER.search(question.text[:200]):
        return None
    # Few questions ask this.
    from quaestor.answers.settings.configuration import (  # noqa: PLC0415 - as said above
        explain_configuration,
        read_configuration_question,
    )
    from quaestor.answers.settings.named_settings import explain_setting  # noqa: PLC0415 - as said above
    from quaestor.answers.settings.option_lists import explain_build_option  # noqa: PLC0415 - as said above

    def build_options() -> list[tuple[str, int, str]]:
        declared = declarations_of("build option", corpus, CorpusLines(corpus))
        return [(one.path, one.line, one.name) for one in declared]

    return (
        explain_configuration(question, corpus)
        or _answer_usage(question, corpus, literally=True)
        or explain_setting(question, corpus)
        or explain_build_option(read_configuration_question(question.text, corpus), corpus, build_options)
    )


_OF_USE = re.compile(
    r"\s*(?:how\s+(?:to|do|can|could|should|would|must)|can|could|may|must|do|does|will|is)\b", re.IGNORECASE
)


def _answer_usage(question: Question, corpus: Corpus, *, literally: bool = False) -> WayAnswer | None:
    """Answer how something is done with the program; None for other questions."""
    if not _OF_USE.match(question.text[:_LONGEST]):
        return None
    from quaestor.answers.settings.usage_questions import answer_usage  # noqa: PLC0415 - few questions ask this

    return answer_usage(question, corpus, literally=literally)


_OF_LISTS = re.compile(r"option|flag|switch|argument|\benv", re.IGNORECASE)


def _list_options_or_environment(question: Question, corpus: Corpus) -> WayAnswer | None:
    """List the command-line options or the variables of the environment; None for other questions."""
    if not _OF_LISTS.search(question.text[:200]):
        return None
    from quaestor.answers.settings.option_lists import list_environment, list_options  # noqa: PLC0415 - few questions ask this

    return list_environment(question, corpus) or list_options(question, corpus)


def answer_history(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return the answer to a question about history; None for other questions, or if the history does not answer."""
    if not may_ask_history(question.text):
        return None
    from quaestor.answers.history.history_questions import history_question  # noqa: PLC0415 - few questions are about history

    request = history_question(question.text, date.today())
    if request is None:
        return None
    from quaestor.answers.history.history_answer import answer_history_question  # noqa: PLC0415 - few questions are about history

    return answer_history_question(request, corpus)


def answer_with_maintainers(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer who maintains the project or owns a path: what its files say, and below it what git tells; else None."""
    stated = answer_maintainers(question, corpus)
    history = answer_history(question, corpus) if stated is not None else None
    return stated if stated is None or history is None or not history.known else _join_answers(stated, history)


def may_ask_history(text: str) -> bool:
    """Return whether a question may be about history; a cheap test, which says yes in doubt."""
    return (_OF_CHANGE.search(text[:400]) or _HASH.search(text[:400])) is not None and _ELSE.match(text) is None


WAYS: tuple[Way, ...] = (
    answer_origin,
    answer_with_customary_file,
    answer_with_own_section,
    answer_project_facts,
    explain_named_fault,
    list_declared,
    answer_with_headed_section,
    _answer_with_project_guide,
    _explain_settings,
    answer_with_importers,
    answer_with_callers,
    answer_with_importers_of_namesake,
    answer_with_maintainers,
    answer_history,
    describe_folder,
    answer_with_section,
    answer_with_overview,
    answer_with_build_guide,
    _list_options_or_environment,
    answer_with_part,
    _explain_word_of_documents,
    explain_name,
    explain_option,
    list_folder,
    list_tests,
    answer_how_to_add,
    explain_term,
    explain_class,
    answer_within_file,
    answer_error,
    _answer_usage,
    ask_back,
)
"""All ways, in the order in which they are tried: the narrower a way's questions are, the earlier it comes."""


def answer_by_way(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return the answer of the first way that has one; None if the answer is to be quoted from search results.

    If no way understands the question as it is written, its misspelt words are taken as what they stand for.
    """
    answer = _answer_as_written(question, corpus) or _answer_on_topic(question, corpus)
    if answer is not None or len(question.text) > _LONGEST:
        return answer
    misspelt = [one for one in corpus.spelling(question.text).unknown if one.nearest]
    if not misspelt:
        return None
    answer = _answer_as_written(question._replace(text=replace_unknown(question.text, misspelt)), corpus)
    if answer is None:
        return None
    taken = " and ".join(f"{in_code(one.word)} as {in_code(one.nearest[0])}" for one in misspelt)
    return replace(answer, pieces=(f"I read {taken}.\n\n", *answer.pieces))


def _answer_as_written(question: Question, corpus: Corpus) -> WayAnswer | None:
    with_its_subject = with_subject(question)
    answer = None if with_its_subject is None else _first_answer(WAYS, with_its_subject, corpus)
    if answer is not None and answer.known:
        return answer
    return _first_answer((_answer_two, *WAYS), question, corpus) or _answer_how_to_do(question, corpus)


def _answer_how_to_do(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer what is named without being asked: "run the tests", "default port"; None for any other question."""
    text = question.text
    if len(text.split()) > _MOST_TO_DO or "\n" in text:
        return None
    for short, whole in _IN_SHORT:
        if (match := short.fullmatch(text)) is not None:
            answer = _first_answer(WAYS, question._replace(text=whole.format(match[1])), corpus)
            return answer if answer is not None and answer.known else None
    words = text.strip(" .!?").split()
    words = words[words[:1] in (["please"], ["Please"]) :]
    if len(words) < _FEWEST_TO_DO or words[0].lower() not in _TO_DO or words[1] == "by":
        return None
    return _first_answer(WAYS, question._replace(text=f"How do I {' '.join(words)}?"), corpus)


def _answer_on_topic(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer what is meant by a topic of every project alone, as "tests"; None for other questions, or of documents."""
    asked = questions_on_topic(question.text) if len(question.text) <= _LONGEST and not question.earlier else ()
    if not asked or not Material(corpus.store).is_code:
        return None
    answers = (_first_answer(WAYS, question._replace(text=one), corpus) for one in asked)
    return next((one for one in answers if one is not None and one.known), None)


def _answer_two(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer what the project or a name is, and a second question; None for a question that does not ask both."""
    match = _WHAT_AND_WHO.match(question.text[:_LONGEST])
    if match is not None and (explained := _explain_with_uses(question, match, corpus)) is not None:
        return explained
    if (match := _AND_DEFAULT.match(question.text[:_LONGEST])) is not None:
        return _explain_with_default(question, match["about"], corpus, values=match["values"] is not None)
    both = _split_questions(question, corpus)
    if both is None:
        return None
    about, besides = both
    if asks_for_more_than_what_it_is(about):
        first = answer_with_overview(question._replace(text=about), corpus)
        if asks_how_to_build(besides):
            return first  # which an overview tells as well
    else:
        first = introduce(corpus)
    rest = _first_answer(WAYS, question._replace(text=besides), corpus) or _quote_passages(besides, corpus)
    return None if first is None else _join_answers(first, rest)


def _explain_with_uses(question: Question, match: re.Match[str], corpus: Corpus) -> WayAnswer | None:
    """Answer what a name is and who uses it; None if the question names nothing, or asks something else about it."""
    about, before, after = match.groups()
    named = read_name_question(f"{about}?")
    names = names_of_code(about) or ((named.target,) if named is not None else ())
    if len(names) != 1:
        return None
    users = answer_with_callers(question._replace(text=f"{before}`{names[0]}`{after}"), corpus)
    first = explain_name(question._replace(text=f"{about}?"), corpus) if users is not None else None
    return None if first is None or users is None else _join_answers(first, users)


def _explain_with_default(question: Question, about: str, corpus: Corpus, *, values: bool) -> WayAnswer | None:
    """Answer what an option or a name is, and where its default or its values stand, unless the lines shown hold it."""
    from quaestor.answers.settings.named_settings import explain_setting  # noqa: PLC0415 - few questions ask this

    first = _first_answer(WAYS, question._replace(text=f"{about}?"), corpus)
    names = _OPTION.findall(about) or names_of_code(about)
    wanted = "What values can {} take?" if values else "What is the default of {}?"
    asked = question._replace(text=wanted.format(names[0])) if len(names) == 1 else None
    default = explain_setting(asked, corpus) if asked is not None else None
    if first is None or not first.known:
        return default or first
    shown = {(hit.path, line) for hit in first.hits for line in range(hit.start_line, hit.end_line + 1)}
    new = default is not None and default.known and any((one.path, one.start_line) not in shown for one in default.hits)
    return _join_answers(first, default) if new and default is not None else first


def _split_questions(question: Question, corpus: Corpus) -> tuple[str, str] | None:
    """Return the question about the project and the second question; None if there are not two."""
    text = question.text.strip()
    if len(text) > _LONGEST or "\n" in text or wants_overview(question, corpus):
        return None
    for match in _BETWEEN.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if wants_overview(question._replace(text=before), corpus):
            return (before, after) if content_terms(after) else None
        # After anything else, "where do I begin?" is where to begin with that.
        if asks_how_to_build(before) and wants_overview(question._replace(text=after), corpus):
            return after, before
    return None


def _quote_passages(text: str, corpus: Corpus) -> WayAnswer:
    sought = corpus.in_english(text)
    hits = without_restated(text, corpus.search(sought, _PASSAGES))
    doubt = corpus.doubt(sought, hits, text if sought != text else "")
    encode = corpus.meaning.local_embedder.encode
    quotes = answer(sought, number(hits), encode, missing=doubt.names, refused=doubt.refuses, hits=hits)
    lines, draft = CorpusLines(corpus), Draft()
    symbols = dict(enumerate((hit.symbol for hit in hits), 1))
    for quote in quotes.quotes:
        draft.quote(lines.hit(quote.path, quote.start_line, quote.end_line, symbols.get(quote.n)))
    return draft.finish("quotes")


def _join_answers(first: WayAnswer, rest: WayAnswer) -> WayAnswer:
    """Return one answer after the other."""
    if not rest.known or not rest.pieces:
        return replace(first, pieces=(*first.pieces, f"\n{_NO_REST}"))
    renumbered = [piece if isinstance(piece, str) else piece + len(first.hits) for piece in rest.pieces]
    if isinstance(renumbered[0], str):
        ended = isinstance(first.pieces[-1], str) and first.pieces[-1].endswith("\n")
        renumbered[0] = ("\n" if ended else "\n\n") + renumbered[0].lstrip("\n")
    return WayAnswer(first.way, (*first.pieces, *renumbered), (*first.hits, *rest.hits))


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
