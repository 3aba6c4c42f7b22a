"""Manuals are cut by their headings and by the options that they describe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.chunking import cut
from quaestor.chunking.languages import PROSE, recognise
from quaestor.chunking.manual_headings import MANUALS

MAN = r"""'\" t
.\" A comment.
.TH "FROB" "1" "2026" "frob 2"
.SH NAME
frob \- turns \fBknobs\fR,
and turns them back
.SH
.\" The title is below.
OPTIONS
.SS "Of knobs"
.TP
.BR \-k , " \-\-keep " \fIn\fR
Keeps so many.
.IP "\(bu" 3
A dot is no term.
.IP \-q
Is quiet.
"""
MDOC = r""".Dd May 12, 2026
.Dt FROB 1
.Os
.Sh NAME
.Nm frob
.Nd turns knobs
.Sh OPTIONS
.Bl -tag -width 6n
.It Fl k , -keep Ar n
Keeps so many.
.It Xo Ic base\-index
.Op Ic on | off
.Xc
Counts.
.El
"""
POD = """=pod

=head1 NAME

frob - turns C<knobs>

=head1 OPTIONS

=over 4

=item B<--keep=I<n>> (default: E<lt>5)

=over

=item *

A dot is no term.

=item none

=back

=back

=head2 L<Of knobs|frob(1)>

=cut
"""
TEXINFO = r"""\input texinfo
@settitle The Frob Manual
@node Top
@top Frob
@chapter Use
@section Options of @command{frob}
@table @option
@item --keep=@var{n}
Keeps.
@itemize
@item
A dot is no term.
@end itemize
@deffn Command turn knob
@appendixsubsec Of knobs
"""
LATEX = r"""\documentclass{article}
\title{The \emph{Frob} Manual}
\begin{document}
\chapter{Use}
\section*{Options of \texttt{frob}} % of all
\subsection[short]{100\,\% of knobs}
"""
ORG = """#+TITLE: The Frob Manual
* TODO [#A] Use                                                  :a:b:
** Options of =frob= and [[https://example.com][links]]
#+BEGIN_SRC org
* no heading
#+END_SRC
* Knobs
"""
VIM_HELP = """*frob.txt*  Turns knobs        *frob*

==============================================================================
CONTENTS                                                      *frob-contents*

------------------------------------------------------------------------------
Of knobs

g:frob_keep                                                     *g:frob_keep*
    Keeps so many.

                                                     *frob#turn()* *frob#back()*
frob#turn({n})
    Turns *n* knobs.

 vim:tw=78:ft=help:
"""
R_HELP = r"""% Please edit documentation in R/frob.R
\name{frob}
\title{Turns knobs}
\arguments{
\item{keep}{How many.}
}
\section{Of \code{knobs}}{
They turn.
}
"""


@pytest.mark.parametrize(
    ("path", "text", "titles"),
    [
        (
            "doc/frob.1",
            MAN,
            ["frob - turns knobs, and turns them back", "OPTIONS", "Of knobs", "-k , --keep n", "-q"],
        ),
        ("frob.mdoc", MDOC, ["frob - turns knobs", "OPTIONS", "-k , -keep n", "base-index"]),
        (
            "frob.mld",
            "{0 Frob}\n\n{1:use Use of {!Frob.turn}}\nIt {b turns}.\n{2 [on] and off }\n",
            ["Frob", "Use of Frob.turn", "on and off"],
        ),
        ("frob.pod", POD, ["frob - turns knobs", "OPTIONS", "--keep=n (default: <5)", "none", "Of knobs"]),
        (
            "frob.texi",
            TEXINFO,
            ["The Frob Manual", "Use", "Options of frob", "--keep=n", "Command turn knob", "Of knobs"],
        ),
        ("frob.tex", LATEX, ["The Frob Manual", "Use", "Options of frob", r"100\,% of knobs"]),
        ("frob.org", ORG, ["The Frob Manual", "Use", "Options of frob and links", "Knobs"]),
        ("doc/frob.txt", VIM_HELP, ["Turns knobs", "CONTENTS", "Of knobs", "g:frob_keep", "frob#turn() frob#back()"]),
        ("frob.Rd", R_HELP, ["Turns knobs", "Arguments", "keep", "Of knobs"]),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_headings_and_terms(path: str, text: str, titles: list[str], newline: str) -> None:
    data = text.replace("\n", newline).encode()
    language = recognise(data, path)
    assert language in PROSE
    assert [heading.title for heading in MANUALS[language](data, 0)] == titles


def test_an_option_is_found_below_what_the_manual_is_of() -> None:
    options = "".join(f".TP\n.B \\-\\-option{n}\n{'It turns a knob. ' * 30}\n" for n in range(9))
    made = cut(f".TH FROB 1\n.SH NAME\nfrob \\- turns knobs\n.SH OPTIONS\n{options}".encode(), "frob.1")
    assert (made.language, made.title, made.chunker) == ("roff", "frob - turns knobs", "headings")
    scopes = [(*chunk.scope, chunk.symbol) for chunk in made.chunks]
    assert ("frob - turns knobs", "OPTIONS", "--option3") in scopes


@pytest.mark.parametrize(
    ("path", "data", "language"),
    [
        ("man/frob.8.in", b'.\\" Licence.\n.\\"\n\n.TH FROB 8\n', "roff"),
        ("server.log.1", b"12:00 started\n.TH is no request here\n", "text"),
        ("README.org", b"* Use\n", "org"),
        ("README.rdoc", b"= Use\n", "asciidoc"),
        ("sway.5.scd", b"# NAME\n", "markdown"),
        ("thesis.cls", b"\\ProvidesClass{thesis}\n", "latex-style"),
    ],
)
def test_manuals_are_recognised(path: str, data: bytes, language: str) -> None:
    assert recognise(data, path) == language


@given(
    st.sampled_from(sorted(MANUALS)),
    st.lists(
        st.sampled_from(
            [
                ".SH",
                ".TP",
                ".It",
                "\\-",
                "=item",
                "=head1 ",
                "=over\n",
                "@item",
                "@chapter ",
                "\\section{",
                "}",
                "* ",
                "#+end_x",
            ]
        )
        | st.text(max_size=8),
        max_size=40,
    ).map("\n".join),
)
def test_any_text_has_headings_in_order(language: str, text: str) -> None:
    data = text.encode("utf-8", "replace")
    starts = [heading.start for heading in MANUALS[language](data, 0)]
    assert starts == sorted(starts)
    assert all(start == 0 or data[start - 1 : start] == b"\n" for start in starts)
