"""Mails (``.eml``) and mailboxes (``.mbox``) as Markdown: subject, sender, recipients, date and text; no attachments.

Headers are decoded here, within limits, because the standard library takes quadratic time for long ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from itertools import islice, pairwise

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.html import main_text
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import character_set, parse
from quaestor.convert.page_metadata import LONGEST_FIELD

MOST_MAILS = 20_000
"""Most mails that are read from a box."""
MOST_PARTS = 500
_LONGEST_HEADER = 2_000
_LOOKED_AT = 1 << 16
_TOLD = ("From", "To", "Cc", "Date")
_HEADERS = re.compile(rb"(?:>?From [^\n]*\n)?(?:[A-Za-z][\w-]{0,60}:[^\n]*\n(?:[ \t][^\n]*\n)*)+", re.ASCII)
_OF_MAIL = re.compile(rb"^(?:from|subject|date|message-id|received|return-path):", re.IGNORECASE | re.MULTILINE)
_FEWEST = 2
_LONGEST_PAGE = 2_000_000
_DEEPEST = 30
_FILE = re.compile(r"\b(?:file)?name\*?=(?:[\w-]*'[\w-]*')?\"?([^\";\r\n]{1,200})")
_CHARSET = re.compile(r"\bcharset=\"?'?([\w.:-]{1,40})", re.IGNORECASE)
_BOUNDARY = re.compile(r"\bboundary\s{0,9}=\s{0,9}(?:\"([^\"\r\n]{1,200})\"|([^\s\";]{1,200}))", re.IGNORECASE)
_BETWEEN = re.compile(rb"(?:\A|\r?\n\r?\n)From [^\n]{1,300}\n")
# What Markdown would take for a heading or a rule.
_MARKS = re.compile(r"^(?=[ ]{0,3}(?:#{1,6}(?:\s|$)|=+\s*$|-{2,}\s*$|(?:\*[ ]*){3,}$|<))", re.MULTILINE)


def reads_as_mail(data: bytes) -> bool:
    """Return whether a file begins with the headers of a mail."""
    match = _HEADERS.match(data[:_LOOKED_AT].replace(b"\r\n", b"\n").lstrip(b"\n"))
    return match is not None and len({one.lower() for one in _OF_MAIL.findall(match[0])}) >= _FEWEST


def from_mail(data: bytes) -> ConvertedDocument:
    """Return a mail as Markdown, under its subject.

    Raises:
        ConversionError: its parts are nested too deeply.
    """
    mail = _parse(data)
    subject = _header(mail, "Subject")
    text = "\n\n".join(filter(None, (f"# {subject}" if subject else "", *_header_lines(mail), *_bodies(mail))))
    author, day = _author(mail), _day(mail)
    return ConvertedDocument(f"{text}\n", subject[:LONGEST_FIELD] or None, author, day)


def from_mbox(data: bytes) -> ConvertedDocument:
    """Return a box of mails as Markdown: each mail is a section named after its subject.

    Raises:
        ConversionError: there is no mail in it, or parts of one are nested too deeply.
    """
    starts = [match.span() for match in _BETWEEN.finditer(data)]
    sections = []
    for (_, start), (end, _) in islice(pairwise([*starts, (len(data), 0)]), MOST_MAILS):
        mail = _parse(data[start:end])
        subject = _header(mail, "Subject") or "Without a subject"
        sections.append("\n\n".join(filter(None, (f"## {subject}", *_header_lines(mail), *_bodies(mail)))))
    if not sections:
        raise ConversionError("unreadable", "it holds no mail that begins with a line 'From '")
    note = f"{len(starts) - MOST_MAILS:,} mails are not read" if len(starts) > MOST_MAILS else None
    return ConvertedDocument("\n\n".join(sections) + "\n", note=note, paged=True)


class _Part(Message):
    """A mail or a part of one."""

    depth = 0

    def attach(self, payload: Message) -> None:  # type: ignore[override]
        """Add a part, unless it is nested too deeply: each line is compared with all boundaries around it."""
        assert isinstance(payload, _Part)
        payload.depth = self.depth + 1
        if payload.depth > _DEEPEST:
            raise ConversionError("unreadable", "its parts are nested too deeply")
        super().attach(payload)

    def get_boundary(self, failobj: str | None = None) -> str | None:  # type: ignore[override]
        """Return the boundary of the parts; the standard library takes quadratic time, or raises various errors."""
        match = _BOUNDARY.search(str(self.get("Content-Type", ""))[:_LONGEST_HEADER])
        return (match[1] or match[2]).rstrip() if match else failobj


def _parse(data: bytes) -> Message:
    return message_from_bytes(data, _Part)


def _header(mail: Message, name: str) -> str:
    """Return a header's text in one line, decoded as far as its encoding is known."""
    raw = next((value for key, value in mail.raw_items() if key.lower() == name.lower()), "")
    return _decode_header(str(raw)[:_LONGEST_HEADER])


def _decode_header(raw: str) -> str:
    data = " ".join(raw.split()).encode("utf-8", "surrogateescape")
    try:
        raw = data.decode()
    except UnicodeDecodeError:
        raw = data.decode("cp1252", "replace")
    with suppress(HeaderParseError, LookupError, ValueError):
        raw = "".join(
            part if isinstance(part, str) else part.decode(code or "utf-8", "replace")
            for part, code in decode_header(raw)
        )
    return " ".join(raw.encode("utf-8", "replace").decode().split())


def _header_lines(mail: Message) -> Iterator[str]:
    """Yield a line each for the sender, the recipients and the date."""
    lines = [f"{name}: {text}" for name in _TOLD if (text := _header(mail, name))]
    if lines:
        yield "  \n".join(line.replace("<", "\\<") for line in lines)


def _author(mail: Message) -> str | None:
    with suppress(ValueError, IndexError, RecursionError):  # of comments in comments
        [(name, address), *_] = getaddresses([_header(mail, "From")])
        return (name or address)[:LONGEST_FIELD] or None
    return None


def _day(mail: Message) -> str | None:
    with suppress(ValueError, TypeError, OverflowError, IndexError):
        return parsedate_to_datetime(_header(mail, "Date")[:100]).date().isoformat()
    return None


class _Bodies:
    """Reads the parts of one mail, up to a number of them.

    Attributes:
        attached: the names of the attached files.
    """

    def __init__(self) -> None:
        self._left = MOST_PARTS
        self.attached: list[str] = []

    def texts(self, part: Message, depth: int = 0) -> Iterator[str]:
        """Yield the texts in a part; of alternatives, the plain text."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            return
        kind = part.get_content_type()
        inner = part.get_payload() if part.is_multipart() else []
        parts = [one for one in inner if isinstance(one, Message)] if isinstance(inner, list) else []
        if kind == "multipart/alternative":
            plain = [one for one in parts if one.get_content_type() == "text/plain" and _text(one).strip()]
            parts = plain[:1] or parts[-1:]
        if kind == "message/rfc822":
            parts = parts[:1]
            yield from (f"**{_header(one, 'Subject')}**" for one in parts if _header(one, "Subject"))
            yield from (line for one in parts for line in _header_lines(one))
        for one in parts:
            yield from self.texts(one, depth + 1)
        if not parts and (name := _file_name(part)):
            self.attached.append(name)
        elif not parts and kind in ("text/plain", "text/html"):
            yield _markdown(part)


def _bodies(mail: Message) -> Iterator[str]:
    """Yield the texts of a mail, then the names of the attached files."""
    bodies = _Bodies()
    yield from bodies.texts(mail)
    if bodies.attached:
        yield f"Attached: {', '.join(bodies.attached)}"


def _file_name(part: Message) -> str:
    """Return the name of an attached file, or ""."""
    headers = (str(part.get(name, ""))[:_LONGEST_HEADER] for name in ("Content-Disposition", "Content-Type"))
    match = _FILE.search("; ".join(headers))
    return _decode_header(match[1]) if match else ""


def _text(part: Message) -> str:
    """Return a part's text, decoded; invalid bytes are replaced."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    declared = _CHARSET.search(str(part.get("Content-Type", ""))[:_LONGEST_HEADER])
    code = (character_set(declared[1]) or "latin-1") if declared else "utf-8"
    return data.decode(code, "replace")


def _markdown(part: Message) -> str:
    """Return a part as Markdown: plain text keeps its lines, and no line becomes a heading."""
    text = _text(part)
    if part.get_content_type() == "text/html":
        return render(main_text(parse(text[:_LONGEST_PAGE]))).strip()
    return _MARKS.sub(r"\\", text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
