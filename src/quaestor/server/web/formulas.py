"""Converts formulas from TeX, the part of it that answers use, to MathML. Pure.

A formula that is not fully understood is not converted, because without a part it would mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markupsafe import escape

_DEEPEST = 24
_TOKEN = re.compile(r"\s+|(\\[a-zA-Z]+|\\.|\d+(?:[.,]\d+)*|.)", re.DOTALL)
_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ "
    "mu μ nu ν xi ξ pi π rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω "
    "Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω ell ℓ "
    "hbar ℏ infty ∞ emptyset ∅ varnothing ∅ aleph ℵ Re ℜ Im ℑ partial ∂ nabla ∇ "
    "ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ top ⊤ bot ⊥ prime ′"
).split()
_SIGNS = (
    "cdot ⋅ times × div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ leq ≤ le ≤ geq ≥ "
    "ge ≥ neq ≠ ne ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ "
    "supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ neg ¬ lnot ¬ forall ∀ exists ∃ nexists ∄ "
    "to → rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ iff ⟺ mapsto ↦ "
    "longrightarrow ⟶ uparrow ↑ downarrow ↓ mid ∣ nmid ∤ parallel ∥ perp ⟂ vdash ⊢ models ⊨ prec ≺ succ ≻ colon : "
    "langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | vert | lVert ‖ rVert ‖ Vert ‖ angle ∠ "
    "triangle △ therefore ∴ because ∵ lbrace { rbrace }"
).split()
_LARGE = dict(
    zip(
        *[iter("sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigvee ⋁ bigwedge ⋀".split())]
        * 2,
        strict=True,
    )
)
_NAMED = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp det dim ker deg gcd hom arg Pr".split()
)
_UNDER = frozenset("lim max min sup inf limsup liminf argmax argmin".split())
_LETTERS = dict(zip(_GREEK[::2], _GREEK[1::2], strict=True))
_OPERATORS = dict(zip(_SIGNS[::2], _SIGNS[1::2], strict=True))
_ESCAPED = {f"\\{sign}": sign for sign in "{}%$&#_"} | {"\\|": "‖"}
_ACCENTS = dict(zip("hat bar vec tilde dot ddot overline widehat widetilde".split(), "^¯→~˙¨¯^~", strict=True))
_SPACES = {"\\,": "0.17em", "\\:": "0.22em", "\\;": "0.28em", "\\ ": "0.25em", "\\quad": "1em", "\\qquad": "2em"}
_WORDS = frozenset("text mathrm textrm operatorname mbox textbf textit".split())
_STYLES = {"mathbf": 0x1D400, "mathbb": 0x1D538, "mathcal": 0x1D49C, "boldsymbol": 0x1D400}
# Letters that Unicode encodes outside their alphabet's block.
_EARLIER = dict(zip("mathbbC mathbbH mathbbN mathbbP mathbbQ mathbbR mathbbZ".split(), "ℂℍℕℙℚℝℤ", strict=True)) | dict(
    zip((f"mathcal{letter}" for letter in "BEFHILMR"), "ℬℰℱℋℐℒℳℛ", strict=True)
)
_FENCES = {"matrix": "", "pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "cases": "{", "aligned": "", "array": ""}


TAGS = frozenset(
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd".split()
)
"""Every element of which formulas are made; none of them can be a link or hold HTML."""
ATTRIBUTES = {
    "math": {"alttext", "display", "tabindex"},
    "mo": {"lspace", "rspace"},
    "mover": {"accent"},
    "mfrac": {"linethickness"},
    "mspace": {"width"},
}


_NO_LINE = ' linethickness="0"'


class _NotDrawnError(Exception):
    """Raised if a formula is not fully understood."""


def formula(tex: str, *, display: bool = False) -> str:
    """Return a formula as MathML, with its TeX as alternative text; "" if it is not fully understood.

    Args:
        tex: the formula without its delimiters.
        display: whether it has a line of its own.
    """
    try:
        inside = _Formula(tex).to_mathml()
    except _NotDrawnError:
        return ""
    kind = ' display="block" tabindex="0"' if display else ""
    return f'<math alttext="{escape(tex)}"{kind}>{inside}</math>' if inside else ""


class _Formula:
    """A recursive-descent parser of one formula."""

    def __init__(self, tex: str) -> None:
        matches = [one for one in _TOKEN.finditer(tex) if one[1]]
        self._tokens, self._starts = [one[1] for one in matches], [one.start() for one in matches]
        self._tex = tex
        self._at = 0
        self._depth = 0

    def to_mathml(self) -> str:
        mathml = self._row()
        if self._at < len(self._tokens):
            raise _NotDrawnError
        return mathml

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, wanted: str = "") -> str:
        token = self._next()
        if not token or (wanted and token != wanted):
            raise _NotDrawnError
        self._at += 1
        return token

    def _row(self) -> str:
        """Parse up to the end of a group, a cell or the formula."""
        parts = []
        while (token := self._next()) and token not in ("}", "&", "\\\\", "\\right", "\\end"):
            parts.append(self._with_scripts())
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def _with_scripts(self) -> str:
        """Parse one item with its subscript and superscript."""
        is_under = self._next()[1:] in _UNDER or self._next()[1:] in _LARGE.keys() - {"int", "iint", "oint"}
        base = "<mrow></mrow>" if self._next() in ("^", "_") else self._read_one()
        scripts = {"_": "", "^": ""}
        while (sign := self._next()) in scripts or sign == "'":
            if sign == "'":
                scripts["^"] += "<mo>′</mo>" * self._take_primes()
                continue
            self._take()
            if scripts[sign]:
                raise _NotDrawnError
            scripts[sign] = self._argument()
        low, high = scripts["_"], scripts["^"]
        high = f"<mrow>{high}</mrow>" if high.count("<mo>′</mo>") > 1 else high
        names = ("munder", "mover", "munderover") if is_under else ("msub", "msup", "msubsup")
        name = names[2 if low and high else 1 if high else 0]
        return f"<{name}>{base}{low}{high}</{name}>" if low or high else base

    def _take_primes(self) -> int:
        """Take all primes that stand here, and return how many: a text added to for each would take their square."""
        start = self._at
        while self._next() == "'":
            self._at += 1
        return self._at - start

    def _argument(self) -> str:
        """Parse a command's argument: a group or one token; of a number only the first digit, as TeX does."""
        token = self._next()
        if token[:1].isdigit() and len(token) > 1:
            self._tokens[self._at : self._at + 1] = [token[0], token[1:]]
            self._starts.insert(self._at + 1, self._starts[self._at] + 1)
        return self._read_one()

    def _read_one(self) -> str:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _NotDrawnError
        mathml = self._read_token()
        self._depth -= 1
        return mathml

    def _read_token(self) -> str:
        token = self._take()
        if token == "{":
            inside = self._row()
            self._take("}")
            return inside
        if token.startswith("\\"):
            return self._command(token)
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token in "~#$%&^_}":
            raise _NotDrawnError
        return f"<mo>{escape('−' if token == '-' else token)}</mo>"

    def _command(self, token: str) -> str:
        name = token[1:]
        if name in _ACCENTS:
            return f'<mover accent="true">{self._argument()}<mo>{_ACCENTS[name]}</mo></mover>'
        if name in _WORDS:
            return f"<mtext>{escape(self._words())}</mtext>"
        if name in _STYLES:
            return f"<mi>{escape(''.join(_letter_in_style(name, letter) for letter in self._words()))}</mi>"
        if mathml := self._sign(token):
            return mathml
        if built := self._builders().get(name):
            return built()
        raise _NotDrawnError

    def _sign(self, token: str) -> str:
        """Return the element for a command without arguments; "" if it is not one."""
        name = token[1:]
        if token in _SPACES:
            return f'<mspace width="{_SPACES[token]}"></mspace>'
        if name in _NAMED or name in _UNDER:
            after = 0 if self._next() in ("(", "[", "\\left", "^", "_") else 0.17
            return f'<mo lspace="0.17em" rspace="{after}em">{name}</mo>'
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>"
        sign = _OPERATORS.get(name) or _LARGE.get(name) or _ESCAPED.get(token)
        return f"<mo>{escape(sign)}</mo>" if sign else ""

    def _builders(self) -> dict[str, Callable[[], str]]:
        return {
            **dict.fromkeys(("frac", "dfrac", "tfrac"), self._fraction),
            "binom": lambda: f"<mrow><mo>(</mo>{self._fraction(_NO_LINE)}<mo>)</mo></mrow>",
            "sqrt": self._root,
            "left": self._read_fenced,
            "begin": self._table,
        }

    def _fraction(self, kind: str = "") -> str:
        return f"<mfrac{kind}>{self._argument()}{self._argument()}</mfrac>"

    def _words(self) -> str:
        """Return the text of a group unchanged, including blanks."""
        self._take("{")
        begin = self._starts[self._at - 1] + 1
        while self._next() not in ("}", ""):
            if self._next() == "{" or self._next().startswith("\\"):
                raise _NotDrawnError
            self._at += 1
        self._take("}")
        # Sliced from the source, because blanks are not among the tokens.
        return self._tex[begin : self._starts[self._at - 1]]

    def _root(self) -> str:
        if self._next() != "[":
            return f"<msqrt>{self._argument()}</msqrt>"
        self._take()
        degree = []
        while self._next() != "]":
            degree.append(self._with_scripts())
        self._take("]")
        return f"<mroot>{self._argument()}<mrow>{''.join(degree)}</mrow></mroot>"

    def _read_fenced(self) -> str:
        before = self._fence()
        inside = self._row()
        self._take("\\right")
        return f"<mrow>{before}{inside}{self._fence()}</mrow>"

    def _fence(self) -> str:
        token = self._take()
        if token == ".":
            return ""
        sign = _ESCAPED.get(token) or _OPERATORS.get(token[1:]) or token
        if len(sign) != 1:
            raise _NotDrawnError
        return f"<mo>{escape(sign)}</mo>"

    def _table(self) -> str:
        """Parse the rows and cells of an environment up to its ``\\end``."""
        name = self._words()
        if name not in _FENCES:
            raise _NotDrawnError
        if name == "array":
            self._words()
        rows, cells = [], [self._row()]
        while (token := self._take()) != "\\end":
            if token == "\\\\":
                rows.append(cells)
                cells = []
            elif token != "&":
                raise _NotDrawnError
            cells.append(self._row())
        if self._words() != name:
            raise _NotDrawnError
        rows += [cells] if any(cell != "<mrow></mrow>" for cell in cells) else []
        drawn = "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows)
        before, after = (f"<mo>{sign}</mo>" if sign else "" for sign in (_FENCES[name][:1], _FENCES[name][1:]))
        return f"<mrow>{before}<mtable>{drawn}</mtable>{after}</mrow>"


def _letter_in_style(style: str, letter: str) -> str:
    if f"{style}{letter}" in _EARLIER:
        return _EARLIER[f"{style}{letter}"]
    if letter.isascii() and letter.isalpha():
        return chr(_STYLES[style] + ord(letter) - (65 if letter.isupper() else 71))
    if letter.isspace() or letter.isdigit():
        return letter
    raise _NotDrawnError
