"""Finds the headings and terms of manuals: man pages, POD, Texinfo, LaTeX, Org, OCaml's, R's and Vim's help pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from quaestor.chunking.headings import LONGEST_HEADING, TERM_LEVEL, Heading

_LONGEST = 4 * LONGEST_HEADING  # of a title with its markup, in bytes

# Of man(7): sections and subsections, and paragraphs with a tag, which stands behind .IP and below .TP. Of mdoc(7): the
# same with other names. The title of a section that has no argument stands in the next line, below comments.
_ROFF = re.compile(
    rb"^[.'][ \t]*(?P<request>SH|SS|Sh|Ss|TP|TQ|IP|It)\b[ \t]*(?P<title>[^\n]*)"
    rb"(?=(?:\n(?:[.'][ \t]*\\\"[^\n]*\n)*(?P<next>[^\n]*))?)",
    re.MULTILINE,
)
_ROFF_LEVELS = {b"SH": 1, b"Sh": 1, b"SS": 2, b"Ss": 2}
_FIRST_ARGUMENT = re.compile(rb"\"[^\"\n]*\"?|\S*")
_MAN_PAGE = re.compile(
    rb"^[.'][ \t]*S[Hh][ \t]+\"?NAME\"?[ \t\r]*\n(?P<man>[^.'\n][^\n]*(?:\n[^.'\n][^\n]*){0,3})"
    rb"|^[.'][ \t]*Sh[ \t]+NAME[ \t\r]*\n\.Nm[ \t]+(?P<name>[^ \t\n][^\n]*)\n(?:\.Nm[^\n]*\n)*"
    rb"\.Nd[ \t]+(?P<purpose>[^\n]+)",
    re.MULTILINE,
)
# Macros within a line: fonts of man(7) by their letters, and what mdoc(7) writes options, arguments and commands with.
_FONTS = re.compile(rb"^[.'][ \t]*(?:B|I|R|BR|RB|BI|IB|IR|RI|SM|SB)[ \t]+")
_MDOC_FLAG = re.compile(rb"(?<!\S)Fl[ \t]+(?=\S)")
_MDOC_WORD = re.compile(
    rb"(?<!\S)(?:Ar|Cm|Ic|Dv|Ev|Va|Vt|Fa|Fn|Pa|Sy|Em|Li|Nm|No|Ns|Xo|Xc|Oo|Oc|Op|Ql|Qq|Dq|Sq|Ta|Er|Tn|Fl)(?!\S)[ \t]*"
)
_ESCAPE = re.compile(
    rb"\\(?:f(?:\[[^\]\n]*\]|\([^\n]{2}|[^\n])|s[+-]?\d|\*?\[[^\]\n]*\]|\*?\((?P<sign>[^\n]{2})|\"[^\n]*|[&/,|^%:)])"
)
_SIGNS = {b"aq": b"'", b"dq": b'"', b"hy": b"-", b"en": b"-", b"em": b"-", b"bu": b"", b"cq": b"'", b"oq": b"'"}

_POD = re.compile(rb"^=(?P<command>head[1-6]|item|over|back)\b[ \t]*(?P<title>[^\n]*)", re.MULTILINE)
_POD_NAME = re.compile(rb"^=head1[ \t]+NAME[ \t\r]*\n\s*\n(?P<line>[^=\s][^\n]*)", re.MULTILINE)
_POD_CODE = re.compile(rb"[A-Z]<(?:<+ )?([^<>|\n]*)(?:\|[^<>\n]*)?(?: >+)?>")
# E<gt> is a sign by its name.
_POD_SIGN = re.compile(rb"E<(lt|gt|sol|verbar|\d{1,4})>")
_POD_SIGNS = {b"lt": b"<", b"gt": b">", b"sol": b"/", b"verbar": b"|"}
_BULLET = re.compile(rb"[*+\xb7-]|\\\(bu|\\\[bu\]|\(?\d{1,3}[.)]?|")

_TEXINFO = re.compile(
    rb"^@(?P<command>top|chapter|unnumbered|appendix|majorheading|chapheading|(?:unnumbered|appendix)?(?:sub){0,2}sec(?:tion)?"
    rb"|(?:sub){0,2}heading|itemx?|def\w+)\b[ \t]*(?P<title>[^\n]*)",
    re.MULTILINE,
)
_TEXINFO_TITLE = re.compile(rb"^@(?:settitle|title)[ \t]+(?P<line>[^\n]+)", re.MULTILINE)
_TEXINFO_MARKUP = re.compile(rb"@(?:\w+\{(?P<text>[^{}\n]*)\}|(?P<sign>[@{}]))")

_LATEX = re.compile(
    rb"^[ \t]*\\(?P<command>part|chapter|(?:sub){0,2}section|paragraph)\*?(?:\[[^\]\n]*\])?\{(?P<title>[^\n]*)\}",
    re.MULTILINE,
)
_LATEX_TITLE = re.compile(rb"^[ \t]*\\title(?:\[[^\]\n]*\])?\{(?P<line>[^\n]*)\}", re.MULTILINE)
_LATEX_LEVELS = {b"part": 1, b"chapter": 2, b"section": 3, b"subsection": 4, b"subsubsection": 5, b"paragraph": 6}
_LATEX_COMMAND = re.compile(rb"\\(?:[a-zA-Z]+\*?(?:\[[^\]\n]*\])?[ \t]?|(?P<sign>[%&$#_{}]))|[{}]|(?<!\\)%[^\n]*")

_ORG = re.compile(
    rb"^(?P<stars>\*{1,8})[ \t]+(?P<title>[^\n]*)"
    rb"|^[ \t]*#\+(?:begin_(?P<begin>\w+)|end_(?P<end>\w+))",
    re.MULTILINE | re.IGNORECASE,
)
_ORG_TITLE = re.compile(rb"^#\+title:[ \t]*(?P<line>[^\n]+)", re.MULTILINE | re.IGNORECASE)
_ORG_KEYWORD = re.compile(rb"(?:(?:TODO|DONE)[ \t]+)?(?:\[#\w\][ \t]+)?")
_ORG_TAGS = re.compile(rb"(?<=[ \t]):[\w@#%:]+:\s*\Z")
_ORG_MARKUP = re.compile(rb"\[\[(?:[^\]\n]*\]\[)?([^\]\n]*)\]\]|(?<!\w)([~=*/])(\S(?:[^\n]*?\S)?)\2(?!\w)")

# {1:use How to use {!Shop}}
_ODOC = re.compile(rb"^[ \t]*\{(?P<level>[0-5])(?::[^\s{}]+)?[ \t]+(?P<title>[^\n]*)\}[ \t\r]*$", re.MULTILINE)
_ODOC_MARKUP = re.compile(rb"\{\{![^}\n]*\}|\{!?(?:[bie][ \t])?|[}\[\]]")

_R_HELP = re.compile(
    rb"^\\(?P<command>section|subsection|usage|arguments|details|value|description|examples|note|seealso|references)\{"
    rb"(?:(?<=section\{)(?P<title>[^}\n]*)\})?|^[ \t]*\\item\{(?P<term>[^}\n]+)\}",
    re.MULTILINE,
)
_R_TITLE = re.compile(rb"^\\title\{(?P<line>[^\n]*)", re.MULTILINE)


def man_page_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield the sections of a man page, and the tags of its paragraphs as terms.

    The first section gets the page's name and purpose as its title: "frob - turns knobs".
    """
    title = _title_of_man_page(data, start)
    for match in _ROFF.finditer(data, start):
        request, text = match["request"], match["title"].strip()
        if request in (b"TP", b"TQ") or (not text and request in _ROFF_LEVELS):
            text = match["next"] or b""
        elif request == b"IP":
            text = next(iter(_FIRST_ARGUMENT.findall(text)), b"")
        name = _roff_text(text, mdoc=request in (b"Sh", b"Ss", b"It"))
        level = _ROFF_LEVELS.get(request, TERM_LEVEL)
        if request in (b"TP", b"TQ", b"IP", b"It"):
            if _BULLET.fullmatch(name.encode()):
                continue
        elif title:
            yield Heading(match.start(), 0, title)
            title = ""
            continue
        yield Heading(match.start(), level, name)


def _title_of_man_page(data: bytes, start: int) -> str:
    """Return "name - purpose" as the NAME section gives it; empty if there is none."""
    match = _MAN_PAGE.search(data, start)
    if not match:
        return ""
    if match["man"]:
        return _roff_text(match["man"])
    return f"{_roff_text(match['name'], mdoc=True).removesuffix(' ,')} - {_roff_text(match['purpose'])}"[
        :LONGEST_HEADING
    ]


def _roff_text(line: bytes, *, mdoc: bool = False) -> str:
    text = _FONTS.sub(b"", line[:_LONGEST])
    if mdoc:
        text = _MDOC_WORD.sub(b"", _MDOC_FLAG.sub(b"-", text))
    text = _ESCAPE.sub(lambda match: _SIGNS.get(match["sign"] or b"", b""), text)
    return _plain(text.replace(rb"\-", b"-").replace(rb"\.", b".").replace(rb"\e", b"\\").replace(b'"', b""))


def pod_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield the headings of Perl's documentation, and its items as terms; the first gets its title from NAME."""
    name_section = _POD_NAME.search(data, start)
    title = _pod_text(name_section["line"]) if name_section else ""
    depth = 0
    for match in _POD.finditer(data, start):
        command, text = match["command"], _pod_text(match["title"])
        if command in (b"over", b"back"):
            depth = max(0, depth + (1 if command == b"over" else -1))
        elif command == b"item":
            if not _BULLET.fullmatch(match["title"].strip()):
                yield Heading(match.start(), TERM_LEVEL + min(max(depth - 1, 0), 3), text)
        elif title:
            yield Heading(match.start(), 0, title)
            title = ""
        else:
            yield Heading(match.start(), int(command[-1:]), text)


def _pod_text(raw: bytes) -> str:
    text = raw[:_LONGEST]
    for _ in range(3):  # codes stand within codes: B<--file=I<path>>
        text = _POD_CODE.sub(lambda match: match[0] if match[0].startswith(b"E<") else match[1], text)
    return _plain(_POD_SIGN.sub(lambda match: _POD_SIGNS.get(match[1], b""), text))


def texinfo_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield the chapters and sections of a Texinfo manual, and items and definitions as terms."""
    titled = _TEXINFO_TITLE.search(data, start)
    if titled:
        yield Heading(start, 0, _texinfo_text(titled["line"]))
    for match in _TEXINFO.finditer(data, start):
        command, title = match["command"], _texinfo_text(match["title"])
        if command.startswith((b"item", b"def")):
            if title and not _BULLET.fullmatch(title.encode()):
                yield Heading(match.start(), TERM_LEVEL, title)
        elif command != b"top" or not titled:
            deeper = command.count(b"sub") + (
                command.endswith((b"sec", b"section", b"heading")) and b"chap" not in command
            )
            yield Heading(match.start(), 1 + deeper - (command == b"majorheading"), title)


def _texinfo_text(raw: bytes) -> str:
    text = raw[:_LONGEST]
    for _ in range(3):
        text = _TEXINFO_MARKUP.sub(lambda match: match["text"] if match["sign"] is None else match["sign"], text)
    return _plain(text)


def latex_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield the parts, chapters and sections of a LaTeX document, below its title."""
    titled = _LATEX_TITLE.search(data, start)
    if titled:
        yield Heading(start, 0, _latex_text(titled["line"]))
    for match in _LATEX.finditer(data, start):
        yield Heading(match.start(), _LATEX_LEVELS[match["command"]], _latex_text(match["title"]))


def _latex_text(raw: bytes) -> str:
    return _plain(_LATEX_COMMAND.sub(lambda match: match["sign"] or b"", raw[:_LONGEST]))


def org_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield Org's headings, without keywords and tags; none from its blocks."""
    titled = _ORG_TITLE.search(data, start)
    if titled:
        yield Heading(start, 0, _org_text(titled["line"]))
    block = b""
    for match in _ORG.finditer(data, start):
        if match["begin"] and not block:
            block = match["begin"].lower()
        elif match["end"] and match["end"].lower() == block:
            block = b""
        elif match["stars"] and not block:
            title = _ORG_TAGS.sub(b"", _ORG_KEYWORD.sub(b"", match["title"][:_LONGEST], count=1))
            yield Heading(match.start(), len(match["stars"]), _org_text(title))


def _org_text(raw: bytes) -> str:
    return _plain(_ORG_MARKUP.sub(lambda match: match[1] or match[3] or b"", raw[:_LONGEST]))


def odoc_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield the headings of a page of OCaml's documentation."""
    for match in _ODOC.finditer(data, start):
        yield Heading(match.start(), int(match["level"]), _plain(_ODOC_MARKUP.sub(b"", match["title"][:_LONGEST])))


def r_help_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield the sections of one of R's help pages below its title, and its arguments as terms."""
    titled = _R_TITLE.search(data, start)
    if titled:
        yield Heading(start, 0, _latex_text(titled["line"]))
    for match in _R_HELP.finditer(data, start):
        if match["term"]:
            yield Heading(match.start(), TERM_LEVEL, _latex_text(match["term"]))
        else:
            title = _latex_text(match["title"] or b"") or match["command"].decode().capitalize()
            yield Heading(match.start(), 1 + (match["command"] == b"subsection"), title)


_VIM_HELP = re.compile(
    rb"^(?:={20,}|(?P<lower>-{20,}))[ \t\r]*\n(?P<title>[^\n]*)"
    rb"|^(?P<said>[^\n*]*)(?P<tags>(?:\*[^\s*|]+\*[ \t]*)+)\r?$",
    re.MULTILINE,
)
_VIM_TITLE = re.compile(rb"\*[\w.-]+\*[ \t]*(?P<line>[^\n]*)")
_VIM_TAG = re.compile(rb"(?<!\S)\*([^\s*|]+)\*")


def vim_help_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield the sections of one of Vim's help files, and its tags as terms."""
    if titled := _VIM_TITLE.match(data, start):
        yield Heading(start, 0, _plain(_VIM_TAG.sub(b"", titled["line"][:_LONGEST])) or _plain(titled[0][:_LONGEST]))
    for match in _VIM_HELP.finditer(data, titled.end() if titled else start):
        if match["tags"]:
            text = _plain(match["said"][:_LONGEST])
            yield Heading(match.start(), TERM_LEVEL, text or _plain(_VIM_TAG.sub(rb"\1", match["tags"][:_LONGEST])))
        elif title := _plain(_VIM_TAG.sub(b"", match["title"][:_LONGEST])):
            yield Heading(match.start(), 2 if match["lower"] else 1, title)


def _plain(text: bytes) -> str:
    return " ".join(text.decode("utf-8", errors="ignore").split())[:LONGEST_HEADING]


MANUALS: dict[str, Callable[[bytes, int], Iterator[Heading]]] = {
    "latex": latex_headings,
    "odoc": odoc_headings,
    "org": org_headings,
    "pod": pod_headings,
    "rd": r_help_headings,
    "roff": man_page_headings,
    "texinfo": texinfo_headings,
    "vimhelp": vim_help_headings,
}
"""The function that finds the headings of a document, by language."""
