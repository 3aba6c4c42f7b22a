"""DocBook becomes the Markdown of a page, and no other XML does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.convert import CONVERTED_SUFFIXES, convert_file
from quaestor.convert.docbook import from_docbook, reads_as_docbook

TYPE = '<!DOCTYPE refentry PUBLIC "-//OASIS//DTD DocBook XML V4.2//EN" "a.dtd" [<!ENTITY % own SYSTEM "own.ent">]>'
MANUAL = f"""<?xml version='1.0'?>
{TYPE}
<!-- <licence> is no element -->
<refentry id="run.d">
  <refentryinfo><title>run.d</title><productname>tools</productname></refentryinfo>
  <refmeta><refentrytitle>run.d</refentrytitle><manvolnum>5</manvolnum></refmeta>
  <refnamediv><refname>run.d</refname><refpurpose>What is run &amp; when</refpurpose></refnamediv>
  <refsect1><title>The <literal>Options</literal></title>
    <indexterm zone="x"/><indexterm><primary>seconds</primary></indexterm>
    <para>Read <xref linkend="a"/> and <ulink url="https://a.example/">the guide</ulink>.</para>
    <variablelist>
      <varlistentry><term><varname>Timeout=</varname></term>
        <listitem><para>Seconds to wait, <emphasis>5</emphasis> by default.</para></listitem></varlistentry>
    </variablelist>
    <programlisting><![CDATA[run --if a<b && c]]></programlisting>
    <note><title>Mind</title><para>It is slow.</para></note>
    <orderedlist><listitem><para>One</para></listitem><listitem><para>Two</para></listitem></orderedlist>
    <table><title>Signals</title><tgroup cols="2">
      <thead><row><entry>Name</entry><entry>Number</entry></row></thead>
      <tbody><row><entry>HUP</entry><entry>1</entry></row></tbody></tgroup></table>
    <refsect2><title>Notes</title><para>None.</para></refsect2>
  </refsect1>
</refentry>
"""


def test_a_manual_becomes_headings_lists_and_tables() -> None:
    made = convert_file(MANUAL.encode(), "man/run.d.xml")
    assert made is not None
    assert made.title == "run.d – What is run & when"
    assert made.text == (
        "# run.d – What is run & when\n\n"
        "## The `Options`\n\n"
        "Read and [the guide](https://a.example/).\n\n"
        "- `Timeout=`\n\n  Seconds to wait, *5* by default.\n\n"
        "```\nrun --if a<b && c\n```\n\n"
        "> Mind\n>\n> It is slow.\n\n"
        "1. One\n2. Two\n\n"
        "Signals\n\n"
        "| Name | Number |\n| --- | --- |\n| HUP | 1 |\n\n"
        "### Notes\n\nNone.\n"
    )


def test_a_book_of_the_fifth_version_says_its_namespace() -> None:
    book = b'<book xmlns="http://docbook.org/ns/docbook"><info><title>A</title></info><chapter><title>B</title></chapter></book>'
    made = convert_file(book, "guide.docbook")
    assert made is not None
    assert (made.title, made.text) == ("A", "# A\n\n## B\n")


@pytest.mark.parametrize(
    "data",
    [
        b"<project><section>DocBook</section></project>",
        b'<xsl:stylesheet xmlns:d="http://docbook.org/ns/docbook"><xsl:template/></xsl:stylesheet>',
        b"<book><title>Of another kind</title></book>",
        b"",
    ],
)
def test_other_xml_is_left_as_it_is(data: bytes) -> None:
    assert convert_file(data, "pom.xml") is None
    assert "xml" in CONVERTED_SUFFIXES


@settings(max_examples=2 * settings.default.max_examples, deadline=None)
@given(st.text(alphabet="<>/=\"'!-[]& \npartilew", max_size=200))
def test_whatever_follows_a_root_is_read(rest: str) -> None:
    data = f'<book xmlns="http://docbook.org/ns/docbook">{rest}'.encode()
    assert reads_as_docbook(data)
    from_docbook(data)


@pytest.mark.parametrize("unit", ["<!--", "<![CDATA[", "<para", "<a/", "<title>", "<a '", "<section>", "</", '<a x="'])
def test_hostile_documents_end_in_a_text(unit: str) -> None:
    from_docbook(b'<book xmlns="http://docbook.org/ns/docbook">' + unit.encode() * 20_000)
