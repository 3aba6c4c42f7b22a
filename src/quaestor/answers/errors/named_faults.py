"""Explains a fault that a question names: when and where an error is raised, and what an exit code means.

An error is raised where its name follows a word like ``raise``, or where one is constructed; the condition above is
quoted as well. An exit code means what a document says of its number where it is about exit codes; if none does, the
code that exits with it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from errno import errorcode
from itertools import groupby

from quaestor.answers.drafts import CorpusLines, Draft, end_of_statement, in_code
from quaestor.answers.names.resolved_names import resolve_name
from quaestor.answers.project.listings import Declaration, declarations_of
from quaestor.answers.settings.explain_option import entry_about, section_about
from quaestor.answers.settings.setting_declarations import COMMENT
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import content_terms, find_words, terms
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.related import Related, Relative
from quaestor.search.background_documents import CHANGELOG
from quaestor.search.names_in_question import NAME, bare_name, looks_like_a_file, looks_like_code
from quaestor.search.path_roles import folders_to_sources, profile_path

_LONGEST, _LONGEST_PHRASE, _FEWEST_PASTED = 200, 10, 3
_LIMIT = 200
_MOST_GIVING = 12
"""If code gives a status at more places than these, none of them says why somebody has met it."""
_MOST_SHOWN, _MOST_OF_FILE, _MOST_NAMED, _MOST_DERIVED = 8, 3, 12, 12
_ABOVE, _MOST_HEAD = 12, 10
_FEWEST_WORDS = 5
_MOST_READ = 3000
_LONGEST_LINE = 600
_BLOCK_ABOVE, _BLOCK_BELOW = 12, 8
_NEAR = 40
"""Lines above an entry in which something says that it is about exit codes."""
_WRAPPED = 2
"""Lines over which a sentence about one is looked for."""
_I = re.IGNORECASE

_NAMED = (
    rf"(?:(?:an?|the|this|that|eine[mnr]?|den|die|une?|la|el)\s+)?(?P<name>{NAME})"
    r"(?:\s+(?:error|exception|fault|panic)s?)?"
)
_RAISED = r"(?:raised|thrown|returned|emitted|triggered|produced|reported|signall?ed)"
_ONE = r"(?:(?:the|this|my|our)\s+\w+|\w+)"
_MAY = r"(?:can|could|does|do|may|might|will|would)\s+"
_RAISE = rf"(?:{_MAY})?(?:actually\s+)?(?:raises?|throws?)"
_ASKED = tuple(
    lazy_regex(rf"^\W*{pattern}\s*(?:here\s*)?[?.!]*\s*$", _I)
    for pattern in (
        r"(?:when|where|why)(?:\s+(?:and|or)\s+(?:when|where|why))?(?:\s+exactly)?\s+(?:is|are|was|does|gets?|can|could|might|would|will)"
        rf"\s+{_NAMED}\s+(?:ever\s+|be\s+|get\s+|being\s+)*(?P<verb>{_RAISED}|happen|occur)",
        rf"(?:when|where|why)(?:\s+exactly)?\s+(?:{_MAY}|did\s+|am\s+|is\s+|are\s+){_ONE}\s+(?P<verb>get(?:ting)?|see(?:ing)?|receiv(?:e|ing)"
        rf"|hit(?:ting)?|rais(?:e|ing)|throw(?:ing)?|return(?:ing)?|fail(?:ing)?\s+with)\s+{_NAMED}",
        rf"(?:what|who|which(?:\s+\w+){{1,3}}?)\s+(?P<verb>{_RAISE})\s+{_NAMED}",
        rf"(?:what|which(?:\s+\w+){{1,3}}?)\s+(?P<verb>causes?|returns?|triggers?|leads?\s+to|makes?)\s+{_NAMED}",
        r"(?:under|in)\s+(?:which|what)\s+(?:conditions?|circumstances|cases?|situations?)\s+(?:is|are|does|can|do)"
        rf"\s+(?:{_ONE}\s+(?:get|raise|throw|return)\s+)?{_NAMED}(?:\s+(?P<verb>{_RAISED}))?",
        rf"how\s+(?:(?:do|can|should)\s+(?:I|we|you)|to)\s+(?P<verb>fix|solve|resolve|avoid|prevent|get\s+rid\s+of)\s+{_NAMED}",
        rf"wann\s+wird\s+{_NAMED}\s+(?P<verb>geworfen|ausgelöst)",
        rf"(?:warum|wann)\s+(?P<verb>bekomme|erhalte)\s+ich\s+{_NAMED}",
        rf"quand\s+(?:est\s+)?(?P<verb>levée?|lancée?)\s+{_NAMED}|pourquoi\s+ai-je\s+(?P<other>{NAME})",
        rf"¿?cuándo\s+se\s+(?P<verb>lanza|produce)\s+{_NAMED}",
    )
)
_PHRASED = lazy_regex(
    r"^\W*(?:why\s+(?:do|does|did|am|is|are|would)\s+\S.*?\s(?:get(?:ting)?|see(?:ing)?|receiv(?:e|ing)|hit(?:ting)?|return(?:ing|s)?"
    r"|fail(?:ing)?\s+with|giv(?:e|ing)|respond(?:ing)?\s+with|throw(?:ing)?|rais(?:e|ing))"
    r"|how\s+(?:(?:do|can|should)\s+(?:I|we|you)|to)\s+(?:fix|solve|resolve|avoid|prevent|get\s+rid\s+of|handle|deal\s+with)"
    r"|what\s+(?:causes?|triggers?)|when\s+is)\s+(?P<phrase>\S.*?)(?:\s+(?:returned|raised|sent|given))?\s*[?.!]*\s*$"
    r"|^\W*what\s+does\s+(?P<meant>\S.*?)\s+mean\s*[?.!]*\s*$",
    _I,
)
_BARE = lazy_regex(
    r"^(?:(?:an?|the|this|that|my)\s+)?(?:(?:errors?|warnings?|messages?|codes?|status(?:es)?|rules?|HTTP|response)\s+)*",
    _I,
)
_STATUS = lazy_regex(
    r"(?<![\w.])(?P<status>[45]\d\d)(?![\w.]*\d|\s*(?:ms|s|kb|mb|gb|%|px|lines?|files?|times|bytes)\b)", _I
)
_OF_STATUS = frozenset("http status error errors code response responses return returns returned responds".split())
_CODE_ALONE = lazy_regex(r"`?(?:(?:ERR|E)_[A-Z\d_]{2,60}|[A-Z][A-Z\d_]{1,60}_ERR(?:OR)?)`?[?.]?")
_GIVES = (
    r"\b(?:\w*status\w*|abort|halt|head|send\w*|code|render|reply|respond\w*|response|json|\w*error"
    r"|\w*exception)\W{1,12}"
)
"""What stands before a status that is given."""
_OF_FAULT_CODE = lazy_regex(r"^[A-Z]{1,6}\d{3,7}$|(?:error|exception|warning)s?\W?\d{2,6}$", _I)
_CERTAIN = lazy_regex(r"rais|throw|geworfen|lev|lanc|lanza", _I)
"""Verbs of which only an error can be the object."""
_FAULT = lazy_regex(
    r"(?:[Ee]rror|[Ee]xception|Failure|Fault|Panic|Timeout|Warning)s?$|^[Ee]rr[A-Z]\w|(?:^|_)(?:ERR|ERROR|E)(?:_|$)"
)
_RAISES = (
    r"(?::error\b|\berror!?\s*\(|\b(?:raise|throw\w*|revert|panic\w*|abort|fail\w*|Err|die|croak|confess|exit|reject\w*|return|bail|ensure|Left|ok_or\w*"
    r"|map_err|Errorf|Wrapf?|completeExceptionally|(?:on|add|set|report|signal)_?(?:Error|Exception|error|exception))\b)"
)
_CAUGHT = lazy_regex(
    r"[!=]=|\b(?:case|except|catch|rescue|instanceof|is|Is|As|import|expect|assert\w*|class|extends|implements|throws|struct|isinstance|issubclass)\b"
)
"""What stands in a line that tells an error from others, or declares one."""
_TOLD = r"\b(?:instanceof|isinstance|issubclass|is_a\?|except|catch|rescue|pytest\.raises|errors\.(?:Is|As))\b"
_BRANCH = lazy_regex(
    r"\b(?:if|elif|elsif|else|elseif|unless|when|case|cond|catch|except|rescue|switch|guard|default|match|otherwise|while|until)\b|=>|->"
)
_DERIVES = r"\b(?:class|struct|record|object|interface|trait)\s+(?P<derived>\w+)\b[^\n{{]{{0,200}}?\W{}\b"

_EXIT = (
    r"(?:(?:exit|return|error|termination)(?:ed|s)?[\s-]*(?:codes?|status(?:es)?|values?)|errorlevel|R(?:ü|ue)ckgabewert"
    r"|codes?\s+(?:de\s+)?(?:sortie|retour)|c[oó]digos?\s+de\s+(?:salida|retorno)|退出码|退出代码|終了コード|終了ステータス)"
)
_ASKED_EXIT = tuple(
    lazy_regex(pattern, _I)
    for pattern in (
        r"^\W*(?:what(?:['’]s|\s+(?:does|do|is|are|did))|when|why|where|explain|describe|(?:the\s+)?meaning\s+of|was\s+(?:bedeutet|heißt|ist)"
        rf"|que\s+signifie|qué\s+significa)\b.{{0,80}}?{_EXIT}\s*(?:of|with|:|=)?\s*(?P<number>\d{{1,5}})(?!\.?\d)\b.{{0,60}}$",
        rf"^(?!\W*(?:how|which|who|can|should|is|are)\b).{{0,80}}?\b(?:exit(?:s|ed|ing)?|quits?|ends?|fail(?:s|ed)?|terminat\w+|finish\w*|return(?:s|ed)?)"
        rf"\s+with\s+(?:an?\s+|the\s+)?(?:{_EXIT}|code|status)?\s*(?:of\s+)?(?P<number>\d{{1,5}})(?!\.?\d)\b.{{0,40}}$",
        rf"^\W*{_EXIT}\s*[:=]?\s*(?P<number>\d{{1,5}})\W*(?:mean\w*)?\W*$",
        r"(?P<number>\d{1,5})\s*(?:という)?(?:終了コード|終了ステータス|退出码)",
    )
)
_ABOUT_EXIT = lazy_regex(rf"{_EXIT}|\bexit(?:s|ed)?\s+with\b", _I)
_OF_EXIT = ("exit", "code", "status", "value", "errorlevel", "gabewert", "digo", "退出", "終了")
_RANGE = lazy_regex(
    rf"^(?:[^\w\n]*{_EXIT})?[^\w\n]*(\d{{1,5}})\W?\s*(?:\.\.\.?|-|–|—|to|through)\s*\W?(\d{{1,5}})(?![\w.]*\d)", _I
)
_PARTS = lazy_regex(r"\W*$(?<![=|+-])|\.S[HS]\b|#{1,6}\s|=head")
"""What separates a list from what stands above or below it: a line without words that is no table's rule, a heading."""
_WORDS = ("exit", "return code", "return value", "return status", "error code")


class _CodeEntry(NamedTuple):
    """A line of a document that says what an exit code means; they sort with the surest first."""

    ranges: bool
    aside: tuple[bool, ...]
    elsewhere: bool
    far: int
    depth: int
    path: str
    line: int


def explain_named_fault(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer when an error is raised or what an exit code means; None for other questions, or if nothing tells it."""
    text = question.text.strip()
    if len(text) > _LONGEST or "\n" in text:
        return None
    number, name, phrase = read_exit_question(text), read_fault_question(text), read_fault_phrase(text)
    if not (number or name or phrase):
        return None
    corpus.try_refresh()
    meaning = re.search(r"\bmean\W*$|^\S+$", text, _I) is not None
    return corpus.retry_reopened(lambda: _explain(number, name, phrase, corpus, meaning=meaning))


def _explain(number: str, name: str, phrase: str, corpus: Corpus, *, meaning: bool) -> WayAnswer | None:
    explained = _explain_code(number, corpus) if number else _explain_raised(name, corpus) if name else None
    if explained is not None or not phrase:
        return explained
    return _tell_phrase(phrase, corpus, meaning=meaning)


def read_fault_question(text: str) -> str:
    """Return the error of which a question asks when, where or why it is raised; empty for any other. Pure."""
    for pattern in _ASKED:
        if (match := pattern.match(text)) is None:
            continue
        groups = match.groupdict()
        name = bare_name(groups["name"] or groups.get("other") or "")
        last = re.split(r"::|->|[.\\#$:/]", name)[-1]
        raised = _CERTAIN.search(groups["verb"] or "") and (looks_like_code(name) or name[:1].isupper())
        if name and not looks_like_a_file(name) and (_FAULT.search(last) or raised):
            return name
    return ""


def read_fault_phrase(text: str) -> str:
    """Return what a question says that somebody gets, or how it can be mended: ``403 from the registry``. Pure.

    It is empty for any other question, and for a message in quotation marks, which is read as one that is pasted.
    """
    if _CODE_ALONE.fullmatch(text):
        return text.strip("`?. ")
    match = _PHRASED.match(text)
    phrase = _BARE.sub("", match["phrase"] or match["meant"]) if match else ""
    words = phrase.strip("`'\"“”").split()
    quoted = phrase[:1] in ("'", '"', "“", "`") and len(words) >= _FEWEST_PASTED
    is_message = quoted or re.search('["“`]', phrase[1:-1]) is not None
    return " ".join(words) if len(words) <= _LONGEST_PHRASE and not is_message else ""


def read_exit_question(text: str) -> str:
    """Return the exit code of which a question asks what it means; empty for any other question. Pure."""
    match = next((match for pattern in _ASKED_EXIT if (match := pattern.search(text))), None)
    return match["number"] if match else ""


def _explain_raised(name: str, corpus: Corpus) -> WayAnswer | None:
    """Return where an error is raised, and below it what documents say of it; None if neither is known."""
    from quaestor.answers.errors.remedies import documented  # noqa: PLC0415 - few questions are about errors

    lines, draft = CorpusLines(corpus), Draft()
    resolved = resolve_name(corpus, name, ("definitions", "callers"), _LIMIT)
    if resolved is not None and resolved.related is not None and not resolved.corrected:
        _quote_raised(name, resolved.related, lines, draft)
    _quote_documented(name, documented(name, corpus, lines), draft)
    return draft.finish("errors") if draft.hits else None


def _quote_documented(name: str, told: Sequence[Hit], draft: Draft) -> None:
    if told:
        draft.say("The documents say of it:" if draft.hits else f"The documents say of {in_code(name)}:")
    for hit in told:
        draft.quote(hit)


def _quote_raised(name: str, related: Related, lines: CorpusLines, draft: Draft) -> None:
    """Quote the places that raise an error, or name the types that derive from it, and quote its definition."""
    raised, made = _raising(related)
    places = raised or made
    derived = [] if places else _derived(related)
    if places:
        verb = "is raised" if raised else "is raised nowhere by name, and made"
        files = amount(len({one.path for one in places}), "file")
        draft.say(f"{in_code(name)} {verb} at {amount(len(places), 'place')} in {files}:")
        _quote_places(places, lines, draft)
    elif derived:
        shown = ", ".join(f"{in_code(one)} ({in_code(place)})" for one, place in derived[:_MOST_DERIVED])
        types = f"{amount(len(derived), 'type')} derived from it"
        draft.say(f"{in_code(name)} itself is raised nowhere here. {types}: {shown}.")
    if draft.pieces:
        _quote_definition(related, lines, draft)


def _tell_phrase(phrase: str, corpus: Corpus, *, meaning: bool) -> WayAnswer | None:
    """Return what documents say of a status of HTTP, a code of an error, or what a heading names."""
    from quaestor.answers.errors.remedies import Fault, section_on  # noqa: PLC0415 - few questions are about errors

    lines, draft, status = CorpusLines(corpus), Draft(), _STATUS.search(phrase)
    if status is None and " " not in phrase:
        return _tell_name(phrase, corpus, lines, meaning=meaning)
    if status is not None:
        context = _OF_STATUS | frozenset(word.lower() for word in find_words(phrase))
        fault = Fault(names=(status[0],), besides=content_terms(phrase) - {status[0]}, context=context)
    else:
        fault = Fault(names=(phrase,))
    told = section_on(fault, corpus, lines, surely=True, headed=status is None)
    _quote_documented(phrase, told, draft)
    if status is not None:
        _quote_giving(status[0], corpus, lines, draft)
    return draft.finish("errors") if draft.hits else None


def _tell_name(name: str, corpus: Corpus, lines: CorpusLines, *, meaning: bool) -> WayAnswer | None:
    """Explain a name that is that of an error by its form, or because code raises it; None for any other."""
    resolved = resolve_name(corpus, name, ("definitions", "callers"), _LIMIT)
    related = None if resolved is None or resolved.corrected else resolved.related
    is_code = _OF_FAULT_CODE.search(name) is not None
    is_fault = is_code or _FAULT.search(name) is not None or name in errorcode.values()
    if related is not None and related.of("definitions") and not is_code:
        fits = name[:1].isupper() and (is_fault or bool(_raising(related)[0]))
    else:  # what an entry means is told as that of an option is, with what declares it
        told = meaning and not is_code
        own = section_about(corpus, lines, name) or entry_about(corpus, lines, name) if told else None
        fits = is_fault and own is None
    return _explain_raised(name, corpus) if fits else None


def _quote_giving(status: str, corpus: Corpus, lines: CorpusLines, draft: Draft) -> None:
    """Quote the places where code gives a status of HTTP by its number or by its name; none if there are too many."""
    places = sorted(set(_giving(status, corpus)))
    if not 0 < len(places) <= _MOST_GIVING:
        return
    draft.say(f"Code gives the status {in_code(status)} at {amount(len(places), 'place')}:")
    quoted: set[tuple[str, int]] = set()
    for _, path, line, symbol in places[:_MOST_OF_FILE]:
        _quote_with_condition(path, line, symbol or None, lines, draft, quoted)


def _giving(status: str, corpus: Corpus) -> Iterator[tuple[int, str, int, str]]:
    """Yield each line of code that gives a status: the folders above its file, the path, the line, its definition."""
    from http import HTTPStatus  # noqa: PLC0415 - few questions are about a status

    known = {str(one.value): one.name for one in HTTPStatus}.get(status, "")
    words = [word for word in known.lower().split("_") if word]
    named = rf"|(?:http|status)\w*\W{{0,3}}{'_?'.join(words)}\b" if words else ""
    gives = re.compile(rf"{_GIVES}(?<![\w.-]){status}(?![\w.-]*\d)|\b\w*status\w*[.:]\w*{status}{named}", _I)
    sought = [terms(status), terms(known.replace("_", " ").lower())]
    wanted = {one for words in filter(None, sought) for one in corpus.store.holding(words, _LIMIT)}
    for stored in corpus.store.get(wanted).values():
        path, chunk = stored.document.path, stored.chunk
        if stored.document.language in PROSE or _is_aside(path) or profile_path(path).data:
            continue
        for at, text in enumerate(chunk.text.split("\n"), chunk.span.start_line):
            if gives.search(text[:_LONGEST_LINE]) and not _CAUGHT.search(text) and not COMMENT.match(text):
                yield folders_to_sources(path), path, at, chunk.symbol or ""


def _raising(related: Related) -> tuple[list[Relative], list[Relative]]:
    """Return the places outside tests that raise a name, and those that make it; main sources first."""
    name = re.escape(related.target.name or "")
    raises = re.compile(rf"{_RAISES}[^\n]*?(?<!\w){name}(?!\w)")
    uses = [one for one in related.of("callers") if one.role in ("call", "reference") and not _is_aside(one.path)]
    tells = re.compile(rf"{_TOLD}|\(\s*{name}\s*\)\s*\w")
    raised = [one for one in uses if raises.search(_first_line(one)) and not tells.search(_first_line(one))]
    made = [one for one in uses if one.role == "call" and not _CAUGHT.search(_first_line(one))]
    return sorted(raised, key=_by_place), sorted(made, key=_by_place)


def _by_place(one: Relative) -> tuple[int, str, int]:
    return folders_to_sources(one.path), one.path, one.start_line


def _first_line(one: Relative) -> str:
    return one.text.partition("\n")[0]


def _is_aside(path: str) -> bool:
    profile = profile_path(path)
    return profile.test or profile.example or profile.prose or bool(profile.background)


def _derived(related: Related) -> list[tuple[str, str]]:
    """Return the types that derive from an error, each with its place."""
    derives = re.compile(_DERIVES.format(re.escape(related.target.name or "")))
    named = ((derives.search(_first_line(one)), one) for one in related.of("callers") if not _is_aside(one.path))
    return [(match["derived"], f"{one.path}:{one.start_line}") for match, one in named if match]


def _quote_places(places: Sequence[Relative], lines: CorpusLines, draft: Draft) -> None:
    """Quote places file by file, each with the condition above it, and say how many more there are."""
    by_file = [list(own) for _, own in groupby(places, key=lambda one: one.path)]
    most = _MOST_OF_FILE if len(by_file) > 1 else _MOST_SHOWN
    shown = [one for own in by_file for one in own[:most]][:_MOST_SHOWN]
    quoted: set[tuple[str, int]] = set()
    for one in shown:
        _quote_with_condition(one.path, one.start_line, one.symbol, lines, draft, quoted)
    others = [in_code(f"{one.path}:{one.start_line}") for one in places if one not in shown]
    if others:
        more = f" and {len(others) - _MOST_NAMED:,} more" if len(others) > _MOST_NAMED else ""
        draft.say(f"And at {', '.join(others[:_MOST_NAMED])}{more}.")


def _quote_with_condition(
    path: str, line: int, symbol: str | None, lines: CorpusLines, draft: Draft, quoted: set[tuple[str, int]]
) -> None:
    file = lines.file(path)
    if file is None or (path, line) in quoted:
        return
    first, last = _condition_above(file.lines, line), _end_of_raise(file.lines, line)
    quoted.update((path, at) for at in range(first, last + 1))
    draft.quote(lines.hit(path, first, last, symbol))


def _end_of_raise(lines: Sequence[str], line: int) -> int:
    """Return the last line of a statement, which may go on behind a comma without brackets: ``raise Gone,``."""
    last = end_of_statement(lines, line)
    return min(len(lines), last + 1) if lines[last - 1].rstrip().endswith((",", '"""', "\\")) else last


def _condition_above(lines: Sequence[str], line: int) -> int:
    """Return the line of the branch in which a line stands, if it is near; else the line itself."""
    indent = _indent(lines[line - 1])
    for at in range(line - 1, max(0, line - _ABOVE), -1):
        above = lines[at - 1]
        if above.strip() and _indent(above) < indent and above.strip() not in ("{", "("):
            return at if _BRANCH.search(above) else line
    return line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _quote_definition(related: Related, lines: CorpusLines, draft: Draft) -> None:
    definitions = sorted(related.of("definitions"), key=lambda one: (profile_path(one.path).flags, one.path))
    if definitions:
        home = definitions[0]
        draft.say("It is defined here:")
        last = min(home.end_line, home.start_line + _MOST_HEAD)
        draft.quote(lines.hit(home.path, home.start_line, last, home.symbol))


def _explain_code(number: str, corpus: Corpus) -> WayAnswer | None:
    """Return what documents say that an exit code means, and where code exits with it; None if neither tells."""
    lines, draft = CorpusLines(corpus), Draft()
    meaning = min(_meanings(number, corpus, lines), default=None)
    file = lines.file(meaning.path) if meaning is not None else None
    if meaning is not None and file is not None:
        draft.quote(lines.hit(meaning.path, *_block_around(meaning.line, file.lines)))
    places = [one for one in declarations_of("exit code", corpus, lines) if number in (one.name, one.how)]
    if places:
        draft.say(f"Code gives {in_code(number)} as an exit code at {amount(len(places), 'place')}:")
        quoted: set[tuple[str, int]] = set()
        for one in _named_first(places)[: 1 if meaning else _MOST_OF_FILE]:
            _quote_with_condition(one.path, one.line, None, lines, draft, quoted)
    return draft.finish("errors") if draft.hits else None


def _named_first(places: Iterable[Declaration]) -> list[Declaration]:
    """Return places, those that give a number a name first."""
    return sorted(places, key=lambda one: not one.how)


def _meanings(number: str, corpus: Corpus, lines: CorpusLines) -> Iterator[_CodeEntry]:
    """Yield the lines of documents that say what an exit code means."""
    entry, sentence = _entry_of(number), _sentence_about(number)
    for path in _documents(corpus):
        file, profile, about = lines.file(path), profile_path(path), -_NEAR
        for at, line in enumerate(file.lines if file else (), 1):
            about = at if _is_about_exit(line) else about
            if at - about >= _NEAR or len(line) > _LONGEST_LINE:
                continue
            before = f"{file.lines[at - 2]} {line}" if file and at > 1 and at - about < _WRAPPED else line
            exact = number in line and (entry.search(line) or sentence.search(before))
            if exact or _is_within_range(number, line):
                elsewhere = "exit" not in path.lower()
                far = (at - about) // 10
                yield _CodeEntry(not exact, profile.flags, elsewhere, far, folders_to_sources(path), path, at)


def _is_about_exit(line: str) -> bool:
    # A search takes many times as long as looking for words, one of which each line of these has.
    lowered = line[:_LONGEST_LINE].lower()
    return any(word in lowered for word in _OF_EXIT) and _ABOUT_EXIT.search(lowered) is not None


def _documents(corpus: Corpus) -> list[str]:
    """Return the documents that may be about exit codes, without tests and changelogs."""
    held = [corpus.store.holding(terms(words), _MOST_READ) for words in _WORDS]
    known = corpus.store.documents()
    paths = corpus.store.paths_of({one: None for ids in held for one in ids})
    return sorted(one for one in paths if known[one].language in PROSE and not _is_news(one))


def _is_news(path: str) -> bool:
    return profile_path(path).test or profile_path(path).background == CHANGELOG


def _entry_of(number: str) -> re.Pattern[str]:
    """Return a pattern for the entry of a list, a table or a manual about a code, or a table's second column."""
    roff = r"(?:\.(?:B|BR|BI|I|IP|TP|It|RB)\s+)?(?:(?:Li|Cm|Er)\s+)?"
    begins = rf"^{roff}(?:[^\w\n]*{_EXIT})?[^\w\n]*|^\s*\|[^|\n]{{1,120}}\|[^\w\n]*"
    says = r"means|if|when|on|for|indicates|is|success\w*|errors?|fail\w*|no|the|all|an?"
    ends = rf"[^\w\n]*(?:\||[:=–—→-](?!\d)|\s\s|\t|\s\"|\\|<|$)|\W*\s(?:{says})\b"
    return re.compile(rf"(?:{begins})(?<![\d.-]){number}(?![\w%]|\.\d)(?:{ends})", _I)


def _sentence_about(number: str) -> re.Pattern[str]:
    """Return a pattern for words of a sentence that name an exit code and its number."""
    words = r"(?:[^\w\n]+[^\W\d]+){0,6}"
    named = rf"(?:{_EXIT}|\bexit(?:s|ed)?\s+with){words}[^\w\n]*(?<![\d.]){number}(?![\w.]*\d)"
    listed = rf"{_EXIT}[^\n]{{0,200}}?[,;]\s*`?{number}`?\s+[a-z]"  # exit codes 0 done, 1 nothing found
    # it returns 0 on success and 1 on failure
    given = rf"\breturns?\b[^.\n]{{0,60}}?(?<![\w.]){number}`{{0,2}}\s+(?:on|if|when|for)\b"
    return re.compile(rf"{named}|{listed}|{given}", _I)


def _is_within_range(number: str, line: str) -> bool:
    match = _RANGE.match(line)
    return match is not None and int(match[1]) <= int(number) <= int(match[2])


def _block_around(line: int, lines: Sequence[str]) -> tuple[int, int]:
    """Return the first and last line of the list, table or paragraph around a line, cut to what is near."""
    first = last = line
    while first > max(1, line - _BLOCK_ABOVE) and not _PARTS.match(lines[first - 2]):
        first -= 1
    while last < min(len(lines), line + _BLOCK_BELOW) and not _PARTS.match(lines[last]):
        last += 1
    return first, last
