"""Manuals, code without a grammar, components, configuration and templates: every byte of a file is in one chunk."""

from __future__ import annotations

from fuzz.parser_properties import fuzzed
from fuzz.test_fuzz_documents import check_cut

MANUAL_FILES = "a.man a.pod a.texi a.tex a.org a.rd a.mediawiki doc/a.txt".split()
LINED_FILES = "a.coffee a.elm a.d a.el a.odin a.lean a.v a.vue a.svelte a.astro a.mdx".split()
KEYED_FILES = "a.yaml a.json a.toml a.ini a.properties a.j2 a.erb a.hbs a.cshtml a.tmpl".split()

MANUALS = [
    *('.SH "', ".Sh NAME\n", ".Nm ", ".Nd ", ".TP\n", ".IP ", ".It Fl ", '.\\"\n', "\\fB", "\\[", "\\*(", "NAME\n"),
    *("=head1 NAME\n\n", "a - b\n", "=over\n", "=item ", "=back\n", "B<", "C<<", " >>", "E<gt>", "|"),
    *("@settitle ", "@chapter ", "@item ", "@deffn ", "@code{", "@@", "}"),
    *("\\title{", "\\section[", "\\section{", "\\textbf{", "\\%", "%"),
    *("#+title: ", "#+begin_src\n", "#+end_src\n", "* TODO [#A] ", " :tag:", "[[a][", "]]", "~", "*a"),
    *("\\item{", "\\usage{", "\\section{a}{"),
    *("=" * 20 + "\n", "-" * 20 + "\n", "*a.txt* ", "*a* ", "== a ", "'''", "\r\n", "\t"),
]
LINES = [
    *("def a\n", "  let b = 1\n", "pub(a) ", "static ", "data ", "int [", "(defun a ", "(setf ", "module a {\n"),
    *("a : Int\n", "a = ", "a: ", "->", "=>", "exports.a = ", "(a, ", "a :: proc(", "#force ", "void f(", "a.b<c> "),
    *("<script>", "<script ", "</script>", "<template>", "---\n", "import a from 'a'\n", "export const a = {\n"),
    *("<A b={\n", "{/*", "*/}", "// a\n", "-- a\n", "/* a\n", ";", "\r\n", "\t"),
]
KEYS = [
    *("a:\n", "  b: 1\n", "- name: c\n", "- ", "? ", "&a ", "!a ", "|\n", ">-\n", "'a", '"a', "# a\n", "---\n"),
    *("kind: A\n", "metadata:\n", '{"a": [\n', '"b": {', "},", "],", "[a.b]\n", "[[a]]\n", "a = ", '"""', "'''"),
    *("; a\n", "a += b\n", "\\\n", "{% block a %}", "{%- ", "{{/* ", "{{ define ", "{#", "#}", "<!-- ", "-->"),
    *("<h2>", "<form id='a'", "<%# ", "%>", "@section(", "@* ", "*@", "\r\n", "\t"),
]


@fuzzed(MANUALS, ['.SH NAME\na \\- b\n.SH "OPTIONS"\n.TP\n.B -x\nb\n', "=head1 NAME\n\na - b\n\n=item c\n"], raw=True)
def test_every_byte_of_a_manual_is_in_one_chunk(data: bytes) -> None:
    check_cut(data, MANUAL_FILES)


@fuzzed(LINES, ["a = (b) ->\n  c\n", "<script>\nexport function f() {}\n</script>\n<p>a</p>\n"], raw=True)
def test_every_byte_of_code_by_lines_is_in_one_chunk(data: bytes) -> None:
    check_cut(data, LINED_FILES)


@fuzzed(KEYS, ["a:\n  - name: b\n    c: |\n      d\n", "{% block a %}\n<h2>b</h2>\n{% endblock %}\n"], raw=True)
def test_every_byte_of_keys_and_templates_is_in_one_chunk(data: bytes) -> None:
    check_cut(data, KEYED_FILES)
