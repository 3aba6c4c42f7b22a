"""Templates are cut along their named parts: blocks, headings, and the elements that divide a page."""

from __future__ import annotations

import pytest

from quaestor.chunking import ChunkSettings, cut

FINE = ChunkSettings(16, 400)
PAGES = {
    "a.html.erb": (
        "<%# locals: (user:) %>\n<% content_for :subnav do %>\n  <a>x</a>\n<% end %>\n<section>\n"
        "  <h2>Your <b>name</b></h2>\n  <form id='who'>\n    <input id='name'>\n  </form>\n</section>\n",
        ["subnav", "Your name", "form who.name"],
    ),
    "a.html.twig": (
        "{% extends 'x' %}\n\n{#\n  The main part.\n#}\n{% block main %}\n  <nav>a</nav>\n{% endblock %}\n"
        "{% macro field(a) %}\n{% endmacro %}\n",
        ["main.nav", "field"],
    ),
    "page.blade.php": (
        "@extends('x')\n@section('body')\n  <p id=\"c\">a</p>\n@stop\n@push('head')\n@endpush\n",
        ["body.c", "head"],
    ),
    "Index.cshtml": ("@page\n@section Scripts {\n  <script></script>\n}\n<footer>a</footer>\n", ["Scripts", "footer"]),
    "a.hbs": ("{{!-- Who. --}}\n{{#*inline \"card\"}}\n  a\n{{/inline}}\n<main>\n</main>\n", ["card", "main"]),
    "a.tmpl": ("{{/* Who. */}}\n{{ define \"head\" }}\n  a\n{{ end }}\n", ["head"]),
    "a.liquid": ("{% comment %}\n  A price.\n{% endcomment %}\n{%- form 'login' -%}\n{%- endform -%}\n", ["login"]),
    "single.html": ("{{- define \"main\" }}\n  <nav aria-label='pages'>\n  </nav>\n{{ end }}\n", ["main.nav pages"]),
    "a.j2": ("{% block a %}\n{% block b %}{% endblock %}\n{% endblock %}\n", ["a", "b"]),
    "a.ejs": ("<%- include('x') %>\n<h1 class=\"a\">All <%= n %> shops</h1>\n", ["All shops"]),
}  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_parts_are_labels(path: str) -> None:
    text, expected = PAGES[path]
    labels = [".".join((*one.scope, one.symbol or "")) for one in cut(text.encode(), path, FINE).chunks]
    assert list(dict.fromkeys(filter(None, labels))) == expected


def test_a_comment_belongs_to_the_part_below_it() -> None:
    text = PAGES["a.html.twig"][0]
    assert [one.text for one in cut(text.encode(), "a.html.twig", FINE).chunks][1].startswith(
        "{#\n  The main part.\n#}\n"
    )


def test_a_template_without_parts_is_cut_by_lines_as_code() -> None:
    made = cut(b"Hello <%= name %>\n", "mail.text.erb")
    assert (made.language, made.chunker, [one.symbol for one in made.chunks]) == ("erb", "lines", [None])
