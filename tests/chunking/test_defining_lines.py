"""Code without a grammar is cut along the lines that begin a definition."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor import Index
from quaestor.chunking import ChunkSettings, cut
from quaestor.chunking.languages import BY_EXTENSION, PROSE, WITHOUT_GRAMMAR
from quaestor.chunking.syntax import SYNTAXES

SOURCES = {
    "frob.el": (
        ';;; frob.el --- Turns knobs\n\n;; How many.\n(defcustom frob-keep 5\n  "Keep.")\n\n'
        '(defun frob-turn (n)\n  "Turn N."\n  (let ((x n)) x))\n\n(cl-defmethod frob-back ((k knob))\n  k)\n',
        ["frob-keep", "frob-turn", "frob-back"],
    ),
    "Main.elm": (
        "module Main exposing (main)\n\ntype Msg = Turn Int | Back\n\n{-| Turn. -}\nturn : Int -> Int\nturn n =\n"
        "    let\n        local = n\n    in\n    local\n",
        ["Main", "Msg", "turn"],
    ),
    "Shop.fs": (
        "namespace Shop\n\n/// A knob.\ntype Knob = { Size: int }\n\nmodule Knobs =\n    let private size = 3\n\n"
        "    /// Turn it.\n    let turn (k: Knob) =\n        let local = k.Size\n        local\n",
        ["Shop", "Knob", "Knobs", "size", "turn"],
    ),
    "greet.fish": ("# Greet.\nfunction greet --description 'x'\n    set local 1\nend\n", ["greet"]),
    "knob.nim": ("type Knob* = object\n  size: int\n\nproc turn*(k: Knob): int =\n  let local = k\n", ["Knob", "turn"]),
    "count.sv": (
        "module counter (input clk);\n  function automatic int inc(int x);\n    return x;\n  endfunction\nendmodule\n",
        ["counter", "inc"],
    ),
    "knob.d": (
        "module shop;\n\nconst int size = 3;\nint turn(int n)\n{\n    if (n > 2)\n        return n;\n}\n",
        ["shop", "turn"],
    ),
    "knob.coffee": ("class Knob\n  turn: (n) ->\n    n + 1\n\nexports.back = (n) -> n\n", ["Knob", "turn", "back"]),
    "turn.pas": ("procedure TKnob.Turn(N: Integer);\nbegin\nend;\n", ["TKnob.Turn"]),
    "turn.adb": (
        "package body Knobs is\n   procedure Turn (N : Integer) is\n   begin\n   end Turn;\nend Knobs;\n",
        ["Knobs", "Turn"],
    ),
    "knob.s": ("; Turns.\nturn:\n  mov eax, 1\nlocal1:\n  ret\n", ["turn", "local1"]),
    "knob.m4": ("# KNOB_TURN\nAC_DEFUN([KNOB_TURN], [\n  x\n])\ndefine(`back', `y')\n", ["KNOB_TURN", "back"]),
    "knob.jq": ("# Turns.\ndef turn(f): . + f;\ndef back: .;\n", ["turn", "back"]),
    "knob.bicep": (
        "@description('How far')\nparam turn int = 3\nvar type = 'x'\n\n"
        "resource knob 'Shop/knobs@2024-03-01' = {\n  name: 'type'\n}\noutput end string = knob.id\n",
        ["turn", "type", "knob", "end"],
    ),
    "knob.odin": ("package knobs\n\nturn :: proc(n: int) -> int {\n\treturn n\n}\n", ["knobs", "turn"]),
    "knob.pp": ("# Turns.\nclass knob::turn (\n  Integer $n,\n) {\n  package { 'knob': }\n}\n", ["knob::turn"]),
    "knob.gleam": ("import gleam/io\n\npub fn turn(n: Int) {\n  let local = n\n  local\n}\n", ["turn"]),
    "knob.tcl": ("namespace eval Knob {\n    proc turn {n} {\n        return $n\n    }\n}\n", ["Knob", "turn"]),
}


@pytest.mark.parametrize("path", SOURCES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_is_defined(path: str, newline: str) -> None:
    text, names = SOURCES[path]
    made = cut(text.replace("\n", newline).encode(), path, ChunkSettings(60, 200))
    assert made.language in WITHOUT_GRAMMAR
    assert [name for chunk in made.chunks for name in chunk.defines] == names


def test_a_comment_belongs_to_the_definition_below_it() -> None:
    made = cut(SOURCES["frob.el"][0].encode(), "frob.el", ChunkSettings(60, 200))
    assert next(chunk.text for chunk in made.chunks if chunk.symbol == "frob-keep").startswith(";; How many.")


def test_no_language_is_cut_in_two_ways() -> None:
    assert WITHOUT_GRAMMAR.isdisjoint(PROSE | SYNTAXES.keys())
    assert set(BY_EXTENSION.values()) >= WITHOUT_GRAMMAR


def test_a_definition_comes_before_what_mentions_it(tmp_path: Path) -> None:
    for path, (text, _) in SOURCES.items():
        (tmp_path / path).write_text(text)
    (tmp_path / "NEWS.md").write_text("# News\n\n- `frob-turn`: frob-turn turns again. frob-turn is new.\n" * 3)
    with Index.build(tmp_path) as index:
        hits = {name: index.search(name, k=1)[0].path for name in ("frob-turn", "greet", "TKnob.Turn", "frob-back")}
    assert hits == {"frob-turn": "frob.el", "greet": "greet.fish", "TKnob.Turn": "turn.pas", "frob-back": "frob.el"}


@given(
    st.sampled_from(sorted(ending for ending, language in BY_EXTENSION.items() if language in WITHOUT_GRAMMAR)),
    st.lists(
        st.sampled_from(["def x", "  let y = 1", "(defun z", "; c", "\t", "class A.b", "}", "\u00e9"])
        | st.text(max_size=9)
    ).map("\n".join),
)
def test_chunks_hold_every_line_once(ending: str, text: str) -> None:
    data = text.encode("utf-8", "replace")
    made = cut(data, f"a.{ending}", ChunkSettings(16, 60))
    ends = [(chunk.span.start, chunk.span.end) for chunk in made.chunks]
    assert all(one[1] <= other[0] for one, other in pairwise(ends))
    between = [0, *(at for pair in ends for at in pair), len(data)]
    assert not b"".join(data[one:other] for one, other in zip(between[::2], between[1::2], strict=True)).strip()
