"""Explains an option, an environment variable or a setting by what documents say of it and by its declaration.

Such a name is seldom a definition in a programming language. It is a string that code gives to an option parser or a
settings reader, so ``explain_name`` does not find it, and a search finds passages with its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from enum import IntEnum
from itertools import groupby

from quaestor.answers.drafts import CorpusLines, Draft, end_of_statement, in_code, innermost_definition
from quaestor.answers.quotes.blocks import comment_above
from quaestor.answers.quotes.paragraphs import pieces_of
from quaestor.answers.settings.setting_declarations import (
    COMMENT,
    LONGEST_LINE,
    SETS,
    STRING,
    SettingKind,
    begin_of_call,
    bounds_of_setting,
    declared_options,
    end_of_call,
    indent_of,
    is_sample,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import EMPTY_WORDS, find_words, same_in_any_style, terms
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile
from quaestor.search.names_in_question import looks_like_code
from quaestor.search.path_roles import folders_to_sources, profile_path
from quaestor.stores import StoredChunk

_LONGEST = 160
_MOST_CHUNKS = 400
_MOST_HOLDING = 200
"""The most chunks that are searched for the section that documents a name."""
_MOST_OF_LETTER = 5000
"""The most chunks that are searched for an option of one letter, which many hold."""
_HEAD = 20
_FEWEST_WORDS_OF_SECTION = 4
_MOST_LINES = 12
_LONGEST_COMMENT = 30
_FARTHEST, _LONGEST_TITLE = 60, 3
_MOST_BEFORE = 1
"""The most strings before the option in its declaration: another name of it."""
_FEWEST_WORDS = 3
"""The fewest words of a text that describes an option."""

_OPTION = r"(?P<option>`[^`\s]{2,60}`|(?<![\w-])--?[A-Za-z][\w-]*|[A-Za-z_][\w-]*(?:[.:][\w-]+)*)"
_KIND = (
    r"(?P<{}>(?:(?:command[- ]line|config(?:uration)?|environment|env)\s+)*"
    r"(?:flag|option|switch|argument|parameter|setting|variable|env\s?var|key|directive|property)s?)"
)
_THING = rf"(?:(?:the|a|an|this)\s+)?(?:{_KIND.format('before')}\s+)?{_OPTION}(?:\s+{_KIND.format('behind')})?"
_ASKED = tuple(
    lazy_regex(rf"^\W*?{pattern}\s*[?.!]*\s*$", re.IGNORECASE)
    for pattern in (
        rf"what\s+(?:does|do|can)\s+{_THING}\s+(?:do|mean|control|set|change|configure|stand\s+for)",
        rf"what(?:\s+is|['’]s|\s+are)\s+{_THING}(?:\s+(?:for|about|good\s+for|used\s+for|meant\s+for))?",
        rf"what\s+is\s+the\s+(?:effect|meaning|point|purpose|use)\s+of\s+{_THING}",
        rf"what(?:\s+is|['’]s)\s+the\s+default(?:\s+value)?\s+(?:of|for)\s+{_THING}",
        rf"(?:please\s+)?(?:explain|describe)\s+{_THING}",
        rf"{_THING}",
    )
)
# Programs in Go have long options with one dash.
_LONG_OPTION = lazy_regex(r"(?<![\w-])--?[a-z][a-z0-9]{2,}(?:-[a-z0-9]+)*(?![\w-])")
_FEWEST_LETTERS = 3
_SIMILAR = 0.85
"""The least similarity of an option to a mistyped one."""
_WRITTEN_SO = lazy_regex(r"--?[A-Za-z]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
"""A name that is an option or an environment variable by its form alone."""
_NOTHING = EMPTY_WORDS | {"best", "default", "first", "last", "main", "right"}
_STRINGS_OR_SYMBOLS = lazy_regex(rf"{STRING.pattern}|(?<![\w:]):[a-z]\w*")
_FENCE = lazy_regex(r"\s*(?:```|~~~)")
ASIDE = lazy_regex(r"complet|(?:^|/)(?:announce|changes?|changelogs?|news|releases?|whatsnew)\b", re.IGNORECASE)
"""Files that repeat options without declaring them: completions of shells, changelogs."""
_DECLARES = lazy_regex(r"flag|opt|arg|param|conf|setting|switch|--\w", re.IGNORECASE)
"""Words beside a plain word, such as "name", that make it an option."""
OF_CONTENTS = lazy_regex(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\[[^\]]*\]\(#[^()\s]*\)\s*$")
"""An item of a table of contents, which says nothing itself."""
_DIRECTIVE = r"\s*\.\.\s+[\w:-]+::\s+"


class _Form(IntEnum):
    """The ways in which lines describe an option, the surest first."""

    ENTRY = 0
    DECLARED = 1
    SHOWN = 2
    READ = 3


class _Place(NamedTuple):
    """Lines about an option; they sort by how sure they are, tests last, main sources first."""

    form: _Form
    aside: tuple[bool, ...]
    depth: int
    path: str
    start_line: int
    end_line: int


def explain_option(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Explain an option or a setting; None if the corpus does not say what it is."""
    option = read_option_question(question.text)
    if not option:
        return _explain_plain_word(question.text, corpus)
    corpus.try_refresh()
    return corpus.retry_reopened(
        lambda: _explain_option(option, corpus) or _explain_nearest(option, corpus) or _say_unknown(option, corpus)
    )


def read_option_question(text: str) -> str:
    """Return the option that a question wants explained, as it is written; empty for any other question. Pure."""
    if len(text) > _LONGEST:
        return ""
    for pattern in _ASKED:
        if match := pattern.match(text.strip()):
            option: str = match["option"].strip("`")
            kind = match["before"] or (match["behind"] if not _are_several(match) else "")
            is_option = (kind and option not in _NOTHING) or _WRITTEN_SO.match(option) or looks_like_code(option)
            return option if is_option else ""
    return ""


def _explain_plain_word(text: str, corpus: Corpus) -> WayAnswer | None:
    """Explain an option named without dashes, as in "what does hotreload do?"; None if code declares none so called."""
    match = _ASKED[0].match(text.strip()) if len(text) <= _LONGEST else None
    word = match["option"] if match is not None else ""
    if not re.fullmatch(r"[a-z][a-z\d_-]{2,}", word):
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _explain_option(f"--{word}", corpus) if _is_declared(word, corpus) else None)


def _is_declared(word: str, corpus: Corpus) -> bool:
    """Return whether code, not a test, declares an option of the command line that is called so."""
    lines = CorpusLines(corpus)
    places = (one for one in _places(f"--{word}", corpus, lines) if one.form == _Form.DECLARED)
    files = ((lines.file(one.path), one) for one in places)
    return any(word in declared_options(file.lines, one.start_line) for file, one in files if file is not None)


def _are_several(match: re.Match[str]) -> bool:
    """Return whether a plain word only says which options are asked for, as in "new options"."""
    word, kind = match["option"], match["behind"] or ""
    return kind.endswith("s") and word.isalpha() and word.islower()


def _explain_option(option: str, corpus: Corpus) -> WayAnswer | None:
    """Return the surest place in a document and in code; None if no place describes the option or reads it."""
    lines, draft, name = CorpusLines(corpus), Draft(), option.lstrip("-")
    places = sorted(_places(option, corpus, lines))
    documented = _entry_written_so(option, places, lines) if option.startswith("--") else None
    if documented is None and (len(name) > 1 or option != name):  # a letter alone is a key, or an example
        documented = section_about(corpus, lines, name if len(name) > 1 else option)
    documented = documented or _first_entry(places, lines)
    if documented is not None:
        draft.quote(documented)
    plain = option.isalpha() and option.islower()
    forms = [_Form.DECLARED] if plain else [_Form.DECLARED, _Form.SHOWN]
    if not draft.hits and option.isupper():  # what reads a variable of the environment shows what it is for
        forms.append(_Form.READ)
    code = (lines.hit(one.path, one.start_line, one.end_line) for form in forms for one in places if one.form == form)
    if hit := next((one for one in code if not plain or _DECLARES.search(one.text)), None):
        draft.quote(hit)
    return draft.finish("option") if draft.hits else None


def _explain_nearest(option: str, corpus: Corpus) -> WayAnswer | None:
    """Explain the one long option that a mistyped one is nearest to, and say so; None if there is none."""
    words = [word for word in option.split("-") if len(word) >= _FEWEST_LETTERS]
    if not _LONG_OPTION.fullmatch(option) or not words or corpus.store.holding(terms(option), 1):
        return None
    mended = [near for one in corpus.spelling(" ".join(words)).unknown for near in one.nearest]
    wanted = dict.fromkeys(term for word in (*words, *mended) for term in terms(word))
    chunks = (one for term in wanted for one in corpus.store.get(corpus.store.holding([term], _MOST_HOLDING)).values())
    known = {name.lstrip("-"): name for one in chunks for name in _LONG_OPTION.findall(one.chunk.text)}
    nearest = [known[one] for one in get_close_matches(option.lstrip("-"), sorted(known), 1, _SIMILAR)]
    answer = _explain_option(nearest[0], corpus) if nearest else None
    if answer is None:
        return None
    said = f"{in_code(option)} occurs nowhere here; the nearest option is {in_code(nearest[0])}.\n\n"
    return replace(answer, pieces=(said, *answer.pieces))


def _say_unknown(option: str, corpus: Corpus) -> WayAnswer | None:
    """Return that no file has an option of one letter, such as ``-Q``; None if one has it, or for other options."""
    holding = corpus.store.holding(terms(option), _MOST_OF_LETTER) if re.fullmatch(r"-\w", option) else None
    if holding is None or len(holding) == _MOST_OF_LETTER:
        return None
    written = re.compile(rf"(?<![\w-]){re.escape(option)}|[\"'`:]{re.escape(option[1:])}(?!\w)")
    if any(written.search(one.chunk.text) for one in corpus.store.get(holding).values()):
        return None
    return WayAnswer("option", (f"No file here has an option {in_code(option)}.",), known=False, search=False)


def entry_about(corpus: Corpus, lines: CorpusLines, name: str) -> Hit | None:
    """Return the entry of a list, a table or a manual that a document has on a name; None if there is none."""
    return _first_entry(sorted(_places(name, corpus, lines)), lines)


def _first_entry(places: Sequence[_Place], lines: CorpusLines) -> Hit | None:
    entry = next((place for place in places if place.form == _Form.ENTRY), None)
    return None if entry is None else lines.hit(entry.path, entry.start_line, entry.end_line)


def _entry_written_so(option: str, places: Sequence[_Place], lines: CorpusLines) -> Hit | None:
    """Return the first entry that begins with an option as it is written, with its dashes."""
    entries = (lines.hit(one.path, one.start_line, one.end_line) for one in places if one.form == _Form.ENTRY)
    return next((one for one in entries if option in one.text.partition("\n")[0]), None)


def _places(option: str, corpus: Corpus, lines: CorpusLines) -> Iterator[_Place]:
    """Yield the places that describe an option."""
    name = option.lstrip("-")
    token = re.compile(rf"(?<![\w.-]){'-' if len(name) == 1 else '-{0,2}'}{re.escape(name)}(?![\w-])")
    field = name.replace("-", "_") if option.startswith("--") else name
    letter = f"-{name}" if len(name) == 1 else ""
    for stored in corpus.store.get(
        corpus.store.holding(terms(name), _MOST_OF_LETTER if letter else _MOST_CHUNKS)
    ).values():
        path, span = stored.document.path, stored.chunk.span
        if letter not in stored.chunk.text:
            continue
        file = lines.file(path) if name in stored.chunk.text or field in stored.chunk.text else None
        if file is None or profile_path(path).test:
            continue
        aside = (*profile_path(path).flags, ASIDE.search(path) is not None)
        # In code, a key that is called like an option is another thing.
        in_code = option.startswith("--") and file.document.language not in PROSE and not is_sample(path)
        for at in range(span.start_line, min(span.end_line, len(file.lines)) + 1):
            line, place = file.lines[at - 1], None
            if name in line:
                place = _description_at(file, at, name, token, keys=not in_code)
            if in_code and ((place is None and field in line) or line.lstrip().startswith(".long(")):
                place = _declared_option(file.lines, at, name) or place
            if place is not None:
                yield _Place(place[0], aside, folders_to_sources(path), path, place[1], place[2])


def _declared_option(lines: Sequence[str], at: int, name: str) -> tuple[_Form, int, int] | None:
    """Return what ``_description_at`` does, of a line that declares an option without dashes; None for others."""
    if name not in declared_options(lines, at):
        return None
    return _Form.DECLARED, *bounds_of_setting(lines, at, SettingKind.OPTION, "")


def _description_at(
    file: IndexedFile, at: int, name: str, token: re.Pattern[str], *, keys: bool
) -> tuple[_Form, int, int] | None:
    """Return in which form a line describes an option, and the first and last line to quote; None if it does not.

    ``keys`` is whether a key of that name, ``name: 1``, is one.
    """
    line, prose = file.lines[at - 1], file.document.language in PROSE
    if len(line) > LONGEST_LINE:
        return None
    if prose:
        end = _end_of_entry_about(file.lines, at, token, prose=True)
        return (_Form.ENTRY, at, end) if end else None
    return _description_in_code(file.lines, at, name, token, keys=keys)


def _description_in_code(
    lines: Sequence[str], at: int, name: str, token: re.Pattern[str], *, keys: bool = True
) -> tuple[_Form, int, int] | None:
    """Return what ``_description_at`` does, for a line of code or of a configuration."""
    line = lines[at - 1]
    setting = re.compile(rf"\s*(?:[#;/]{{1,2}} ?)?[\"']?{re.escape(name)}[\"']?\s*(?:[=:](?!:)|\s\S+\s*$)")
    if keys and setting.match(line):
        first = at
        while first > 1 and (not lines[first - 2].strip() or setting.match(lines[first - 2])):
            first -= 1  # past other values of it, up to what is said of it
        above = _comment_above(lines, first)
        if above < first:
            return _Form.DECLARED, above, at
        behind = re.search(r"\s(?:#|//|--|;)\s(.*)$", line)
        if behind is not None and len(find_words(behind[1])) >= _FEWEST_WORDS:
            return _Form.DECLARED, at, at
    if re.search(rf"\benv\b\W{{1,3}}{re.escape(name)}\b", line):
        return _Form.READ, at, max(at, end_of_statement(lines, at))
    if _STRINGS_OR_SYMBOLS.search(line):
        return None if SETS.search(line) or COMMENT.match(line) else _declaration_at(lines, at, token)
    end = _end_of_entry_about(lines, at, token, prose=False)
    return (_Form.SHOWN, at, end) if end else None


def _end_of_entry_about(lines: Sequence[str], at: int, token: re.Pattern[str], *, prose: bool) -> int:
    """Return the last line of the entry of a list, a table or a manual that a line begins; 0 if it begins none."""
    line, above = lines[at - 1], lines[at - 2].strip() if at > 1 else ""
    begins = re.match(
        rf"(?P<mark>{_DIRECTIVE}|(?:&#?\w+;|</?[a-z][^<>\n]{{0,200}}>|[^\w\n])*?)(?:-\w[\s,|/`]+)?{token.pattern}[`*_]*",
        line,
    )
    if begins is None or re.match(r"\s*=|\(", line[begins.end() :]) or OF_CONTENTS.match(line):
        return 0
    rest = line[begins.end() :]
    plain = re.fullmatch(r"\s*[-*+•]\s+", begins["mark"]) and line[begins.end("mark") : begins.end()].isalpha()
    if plain and re.match(r" \w", rest):
        return 0  # an item that happens to begin with it: "* new developers who ..."
    below = at < len(lines) and indent_of(lines[at]) > indent_of(line)
    if prose and above and not below and not re.search(r"[|*+.-]", begins["mark"]) and not _FENCE.match(above):
        return 0  # a line of a paragraph that happens to begin with it
    end = _end_of_entry(lines, at, alone=prose and not below and len(find_words(rest)) < _FEWEST_WORDS)
    return end if len(find_words("\n".join([rest, *lines[at:end]]))) >= _FEWEST_WORDS else 0


def _declaration_at(lines: Sequence[str], at: int, token: re.Pattern[str]) -> tuple[_Form, int, int] | None:
    """Return the lines of code that declare an option as a string, with the text or comment that describes it."""
    strings = [string.strip("\"'`:") for string in _STRINGS_OR_SYMBOLS.findall(lines[at - 1])]
    option = re.compile(
        rf"(?:\\t|\s)*(?:-\w[\s,|/]+)?{token.pattern}(?:[ =]\S+)?(?P<said>\s{{2,}}\S.*|(?:[,|/]\s*\S+)?\s*)"
    )
    match = next(filter(None, map(option.fullmatch, strings)), None)
    if match is None or re.search(rf"(?:^|[\s,{{])[\"'`]{token.pattern}[\"'`]\s*[}}\]]", lines[at - 1]):
        return None  # what is one of a list is named there, not declared
    if len(find_words(match["said"])) > 1:
        return _Form.DECLARED, at, at
    for start in (at, begin_of_call(lines, at)):
        end = end_of_call(lines, start, at)
        before = len(_texts(lines[start - 1 : at - 1]))
        if before > _MOST_BEFORE and not match[0].isupper():
            return _Form.READ, at, at  # one argument of many
        if any(len(find_words(string)) > 1 and " " in string.strip() for string in _texts(lines[start - 1 : end])):
            return _Form.DECLARED, start, end
    above = _comment_above(lines, start)
    return (_Form.DECLARED, above, end) if above < start else (_Form.READ, start, end)


def _comment_above(lines: Sequence[str], at: int) -> int:
    """Return the first line to show of the comment above a line; the line itself if no comment says anything."""
    above = max(comment_above(lines, at - 1) + 1, at - _LONGEST_COMMENT)
    comment = [line for line in lines[above - 1 : at - 1] if COMMENT.match(line)]
    return above if len(find_words(" ".join(comment))) >= _FEWEST_WORDS else at


def _texts(lines: Sequence[str]) -> list[str]:
    return [string[1:-1] for string in STRING.findall("\n".join(lines))]


def _end_of_entry(lines: Sequence[str], at: int, *, alone: bool) -> int:
    """Return the last line of an entry, which includes the more indented lines or the paragraph below its first line.

    Args:
        lines: the lines of the file.
        at: the first line of the entry.
        alone: whether the first line holds only the name, so that the description follows it.
    """
    indent, last = indent_of(lines[at - 1]), at
    for number in range(at + 1, min(len(lines), at + _MOST_LINES) + 1):
        line = lines[number - 1]
        if not line.strip():
            if last > at and alone:
                break
            continue
        if indent_of(line) <= indent and (not alone or number > last + 2 - (last > at)):
            break
        last = number
    return last


def section_about(corpus: Corpus, lines: CorpusLines, name: str) -> Hit | None:
    """Return the section of a document that is about one name alone, as in references of options and settings."""
    most = _MOST_HOLDING if len(name.lstrip("-")) > 1 else _MOST_OF_LETTER
    chunks = corpus.store.get(corpus.store.holding(terms(name), most)).values() if name else ()
    sections = [
        (
            profile_path(stored.document.path).flags,
            folders_to_sources(stored.document.path),
            stored.document.path,
            *section,
        )
        for stored in chunks
        if stored.document.language in PROSE
        for section in _sections_about(name, stored)
    ]
    if not sections:
        return None
    *_, path, first, last, heading = min(sections)
    return lines.hit(path, first, last, heading)


def _sections_about(name: str, stored: StoredChunk) -> Iterator[tuple[int, int, str]]:
    """Yield the first line, the last line and the heading of each section about a name.

    The heading begins with the name, perhaps after that of its group (``core/name``), or consists of its words. What
    stands before the first heading of a chunk belongs to the section that the chunk is named after.
    """
    several = re.IGNORECASE if " " in name else 0  # words, which headings write with capitals
    begins = re.compile(rf"[\W_]*(?:[Tt]he\s+)?(?:[\w-]+[/.])?{re.escape(name)}(?![\w-])", several)
    text, start_line = stored.chunk.text, stored.chunk.span.start_line
    pieces = pieces_of(text, begins=start_line == 1, language=stored.document.language)
    for _, section in groupby(pieces, key=lambda piece: piece.section):
        first, *more = section
        shown = [first, *(piece for piece in more if text.count("\n", first.start, piece.end) < _HEAD)]
        heading, end = first.heading or stored.chunk.symbol or "", shown[-1].end
        about = begins.match(heading) or same_in_any_style(re.sub(r"\W+", "_", heading.strip()), name)
        if about and len(find_words(text[first.start : end])) >= _FEWEST_WORDS_OF_SECTION:
            yield start_line + text.count("\n", 0, first.start), start_line + text.count("\n", 0, end), heading


def name_within(file: IndexedFile, at: int, name: str, lines: CorpusLines, *, sample: bool) -> str:
    """Return a name behind that of what it stands in: a type, a section, or a key that is indented less."""
    if file.document.language in PROSE and not sample:
        headings = (re.match(r"#+\s+([A-Z].*)", file.lines[one]) for one in range(at - 2, max(-1, at - _FARTHEST), -1))
        title = next((one[1] for one in headings if one is not None), "")
        return f"{title}.{name}" if title and len(title.split()) <= _LONGEST_TITLE else name
    if not sample:
        one = innermost_definition(lines.definitions(file.document.path), at)
        return name if one is None or one.name == name else f"{one.name}.{name}"
    indent = _indent_of_key(file.lines[at - 1])
    for above in range(at - 2, max(-1, at - _FARTHEST), -1):
        line = file.lines[above]
        section = re.match(r"\s*#?\s*\[+([\w.-]+)\]", line)
        opened = re.match(r"[\s#]*[\"']?([\w.-]+)[\"']?\s*[:=]?\s*\{?\s*$", line) if indent else None
        if section or (opened and _indent_of_key(line) < indent):
            return f"{(section or opened)[1]}.{name}"  # type: ignore[index]
    return name


def _indent_of_key(line: str) -> int:
    """Return how far a key is indented, behind the mark of a comment if it stands in one."""
    return len(line) - len(line.lstrip().lstrip("#").lstrip()) - line.lstrip().startswith("#")
