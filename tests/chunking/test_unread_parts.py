"""Definitions in parts of a file that a grammar cannot read are found by the lines that begin them."""

import pytest

from quaestor.chunking import cut
from quaestor.chunking.definitions import definitions
from quaestor.core.documents import Chunk

OLD_PROTO = b"""\
package pay;

// What is paid.
message Output {
  optional uint64 amount = 1 [default = 0];
  required bytes script = 2;
}
service Payments {
}
"""
PERL = b"""\
package Till;
sub opened { 1 }
my $rx = qr{a(?{ $b })[{]};
# Closes it.
sub shut { return 0 }
"""
ZSH = b"""\
opened() { return 0; }
fields=(${(f)"$(< /etc/hosts)"}) && { for x ($fields) { print $x } }
# Lists hosts.
list_hosts() { print ${(o)hosts} }
function shut { return 1 }
"""
MAKE = b"""\
TOP := .
all: lisp
ifneq ($(A),
x := $(info (
lisp: $(ELCS)
\tcompile
docs::
\ttrue
"""
SQL = b"""\
CREATE TABLE a (x int);
ALTER SYSTEM (((;
create trigger if not exists late before ((;
"""


def defined(chunks: tuple[Chunk, ...]) -> list[str]:
    return [name for chunk in chunks for name in chunk.defines]


@pytest.mark.parametrize(
    ("data", "path", "names"),
    [
        (OLD_PROTO, "pay.proto", {"Output", "Payments"}),
        (PERL, "Till.pm", {"Till", "opened", "shut"}),
        (ZSH, "hosts.zsh", {"opened", "list_hosts", "shut"}),
        (
            b"CREATE TABLE a (x int);\nALTER SYSTEM (((;\ncreate trigger if not exists late before ((;\n",
            "a.sql",
            {"a", "late"},
        ),
    ],
)
def test_definitions_that_the_grammar_loses(data: bytes, path: str, names: set[str]) -> None:
    made = cut(data, path)
    assert made.chunker == "tree-sitter"
    assert names <= set(defined(made.chunks))
    assert "".join(chunk.text for chunk in made.chunks) == data.decode()


def test_they_are_definitions_up_to_the_next() -> None:
    known = [(one.name, one.kind, one.span.start_line, one.span.end_line) for one in definitions(OLD_PROTO, "proto")]
    assert known == [("Output", "class", 4, 7), ("Payments", "interface", 8, 9)]
    assert [one.name for one in definitions(b"if [ ]; then (\n  opened() { true; }\n", "bash")] == ["opened"]


def test_each_is_defined_once_with_its_comment() -> None:
    chunks = cut(OLD_PROTO * 12, "pay.proto").chunks
    assert defined(chunks).count("Output") == len([one for one in chunks if "Output" in one.defines])
    assert all(one.text.count("// What is paid.") == one.text.count("message Output") for one in chunks)


def test_lines_that_are_read_define_nothing_by_themselves() -> None:
    """What is printed, and what a parsed part says, is no definition."""
    shell = b"cat <<'EOT'\nprinted() {\n}\nEOT\nopened() {\n  true\n}\n"
    assert defined(cut(shell, "a.sh").chunks) == ["opened"]


@pytest.mark.parametrize("shape", [b"sub a ((\n", b"a()\n", b"message a\n", b"x: ((\n", b"create table ((\n"])
@pytest.mark.parametrize("path", ["a.pl", "a.sh", "a.proto", "a.mk", "a.sql"])
def test_hostile_text_is_cut(shape: bytes, path: str) -> None:
    data = shape * 3000
    assert "".join(chunk.text for chunk in cut(data, path).chunks) == data.decode()
