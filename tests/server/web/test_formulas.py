"""Formulas as MathML: what is drawn, and that nothing is drawn in part."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.server.web.answer_html import render
from quaestor.server.web.formulas import ATTRIBUTES, TAGS, formula

PIECES = [
    *(r"\frac", r"\sqrt", r"\sum", r"\left(", r"\right)", r"\text", r"\mathbb", r"\hat", r"\log", r"\alpha", r"\foo"),
    *(r"\begin{pmatrix}", r"\end{pmatrix}", r"\begin{array}{c}", "&", r"\\\\", "{", "}", "[", "]", "^", "_", "'", "12"),
    *("x", "<", "<b>", '"', " ", "|", "-", r"\,", r"\{", "\\"),
]


def drawn(tex: str) -> str:
    """Return what is inside of a drawn formula."""
    return formula(tex).partition(">")[2].removesuffix("</math>")


@pytest.mark.parametrize(
    ("tex", "mathml"),
    [
        ("r^2", "<msup><mi>r</mi><mn>2</mn></msup>"),
        ("x_i''", "<msubsup><mi>x</mi><mi>i</mi><mrow><mo>′</mo><mo>′</mo></mrow></msubsup>"),
        (r"\frac{a}{b}", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\sqrt[3]x", "<mroot><mi>x</mi><mrow><mn>3</mn></mrow></mroot>"),
        (r"\sum_{i}^n i", "<mrow><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>i</mi></mrow>"),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
        (r"\mathbf{x}", "<mi>𝐱</mi>"),
        (r"\text{if so}", "<mtext>if so</mtext>"),
        (r"\{1.5\}", "<mrow><mo>{</mo><mn>1.5</mn><mo>}</mo></mrow>"),
        (r"a<b", "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>"),
        (r"\hat{x}", '<mover accent="true"><mi>x</mi><mo>^</mo></mover>'),
        (r"\left(x\right.", "<mrow><mo>(</mo><mi>x</mi></mrow>"),
        (
            r"\begin{pmatrix}a&b\\c&d\end{pmatrix}",
            "<mrow><mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"
            "<mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo></mrow>",
        ),
    ],
)
def test_what_is_drawn(tex: str, mathml: str) -> None:
    assert drawn(tex) == mathml


@pytest.mark.parametrize(
    "tex",
    [r"\foo", r"\frac{a}", "x^", "a_b_c", r"\text{a", r"\left(x", "{x", "x}", r"\begin{tikzpicture}", "a & b",
     r"\sqrt[3", r"\text{$x$\frac12}", "{" * 100 + "}" * 100, "x # y", "\\"],
)  # fmt: skip
def test_what_is_not_understood_is_not_drawn_in_part(tex: str) -> None:
    assert formula(tex) == ""


def test_a_formula_of_its_own_line_can_be_reached_by_key() -> None:
    assert 'display="block" tabindex="0"' in formula("x", display=True)
    assert 'display="block"' in render("$$x$$")
    assert "display" not in render("Here $x$ stays within its line.")
    assert 'display="block"' in render(f"$x + {'y + ' * 20}z$")


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_whatever_is_drawn_is_whole_and_of_known_elements(tex: str) -> None:
    if made := formula(tex):
        elements = list(ElementTree.fromstring(made).iter())
        assert {one.tag for one in elements} <= TAGS
        assert all(set(one.attrib) <= ATTRIBUTES.get(one.tag, set()) for one in elements)
