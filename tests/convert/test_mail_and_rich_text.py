"""Mail and rich text: what is read of them, in which encodings, and what is refused."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.convert import ConversionError, ConvertedDocument, convert_file
from quaestor.convert.mail import MOST_PARTS, reads_as_mail

HEAD = b"From: =?utf-8?q?J=C3=B6rg?= <j@example.org>\nTo: b@example.org\nDate: Mon, 2 May 2005 16:07:05 -0600\n"
BOX = (
    b"From a@example.org Mon May  2 16:07:05 2005\n" + HEAD + b"Subject: One\n\nFirst.\n\n>From here on.\n\n"
    b"From b@example.org Tue May  3 16:07:05 2005\n" + HEAD + b"\nSecond.\n"
)


def read(data: bytes, path: str) -> ConvertedDocument:
    found = convert_file(data, path)
    assert found is not None
    return found


def mail(subject: str = "Ferry") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["Subject"], made["Date"] = "Ann Lee <ann@example.org>", subject, "2 Mar 2024 10:11:12 +0000"
    return made


def test_a_mail() -> None:
    found = read(HEAD + b"Subject: =?iso-8859-1?Q?F=E4hre?=\n\nHello,\n\n# no heading\nend\n---\n-- \nJ\n", "a.eml")
    assert found == ConvertedDocument(
        "# Fähre\n\nFrom: Jörg \\<j@example.org>  \nTo: b@example.org  \nDate: Mon, 2 May 2005 16:07:05 -0600\n\n"
        "Hello,\n\n\\# no heading\nend\n\\---\n\\-- \nJ\n",
        "Fähre",
        "Jörg",
        "2005-05-02",
    )


def test_of_alternatives_the_plain_one_is_read_and_attachments_are_named() -> None:
    made = mail()
    made.set_content("Plain words.")
    made.add_alternative("<p>Marked words.</p>", subtype="html")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="fares.pdf")
    text = read(made.as_bytes(), "a.eml").text
    assert "Plain words." in text
    assert "Marked" not in text
    assert text.endswith("Attached: fares.pdf\n")


def test_a_page_and_a_mail_within_a_mail_are_read() -> None:
    inner = mail("Inner")
    inner.set_content("<h1>Fares</h1><p>Nine <b>euros</b>.</p>", subtype="html")
    made = mail("Fwd")
    made.set_content("See below.")
    made.add_attachment(inner)
    text = read(made.as_bytes(), "a.eml").text
    assert "See below.\n\n**Inner**\n\nFrom: Ann Lee" in text
    assert "# Fares\n\nNine **euros**." in text


@pytest.mark.parametrize("data", [b"", b"\n", b"just words\n", b"key: value\nother: x\n", b"\xff\xfe\x00"])
def test_what_is_no_mail_is_read_as_it_was(data: bytes) -> None:
    assert not reads_as_mail(data)
    assert convert_file(data, "a.eml") is None


def test_odd_headers_encodings_and_depth_are_survived() -> None:
    odd = b"From: ,;<>@@\nDate: 99 Foo 2005 99:99\nSubject: =?x-none?q?a?= =?utf-8?b?%%?=\n"
    found = read(odd + b"Content-Type: text/plain; charset=x\n\n\xe9\n", "a.eml")
    assert found.text.endswith("é\n")
    assert found.date is None
    nested = b"From: a@b\nSubject: x\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number) for number in range(3_000)
    )
    with pytest.raises(ConversionError, match="nested too deeply"):
        convert_file(nested, "a.eml")
    many = b"".join(b"--b\n\nword%d\n" % number for number in range(2 * MOST_PARTS))
    text = read(b"From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + many, "a.eml").text
    assert f"word{MOST_PARTS - 2}" in text
    assert f"word{MOST_PARTS}" not in text


def test_a_box_has_a_section_for_each_mail() -> None:
    found = read(BOX, "list.mbox")
    assert found.paged
    assert [line for line in found.text.split("\n") if line.startswith("#")] == ["## One", "## Without a subject"]
    assert found.text.index("First.") < found.text.index(">From here on.") < found.text.index("Second.")
    with pytest.raises(ConversionError, match="no mail"):
        convert_file(b"words\n", "list.mbox")


RICH = (
    rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\stylesheet{\s1 heading 1;}{\s2 Plain;}}"
    rb"{\info{\title Ferry}{\author Ann Lee}{\creatim\yr2024\mo3\dy2}}{\*\generator Word}{\header Top}"
    rb"\pard\s1 Fares\par\pard Caf\'e9 \u8364? \u-10179?\u-8704?{\v hidden}\par{\field{\*\fldinst HYPERLINK \"x\"}"
    rb"{\fldrslt here}}\line below\par{\pict 0123}\bin3 \'}}\pard\intbl Day\cell Fare\cell\row Mon\par day"
    rb"\cell 9\cell\row\pard The end\par}"
)


def test_rich_text() -> None:
    assert read(RICH, "a.rtf") == ConvertedDocument(
        "# Fares\n\nCafé € 😀\n\nhere  \nbelow\n\n| Day | Fare |\n| --- | --- |\n| Mon day | 9 |\n\nThe end\n",
        "Ferry",
        "Ann Lee",
        "2024-03-02",
    )


@pytest.mark.parametrize(
    ("data", "reason"), [(b"words", "it is no rich text"), (rb"{\rtf1{\fonttbl x}}", "it holds no text")]
)
def test_what_is_no_rich_text_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ConversionError, match=reason):
        convert_file(data, "a.rtf")


def test_groups_beyond_the_deepest_are_read() -> None:
    assert read(rb"{\rtf1 " + b"{" * 5_000 + b"deep" + b"}" * 5_000 + rb" end\par}", "a.rtf").text == "deep end\n"


def test_a_mail_is_found_and_cited(tmp_path: Path) -> None:
    (tmp_path / "list.mbox").write_bytes(BOX)
    (tmp_path / "fares.eml").write_bytes(HEAD + b"Subject: Fares\n\nAdults pay nine euros.\n")
    with Index.build(tmp_path) as index:
        hit = index.search("what do adults pay?")[0]
        assert (hit.path, hit.document.title, hit.document.author) == ("fares.eml", "Fares", "Jörg")
