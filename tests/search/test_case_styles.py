"""A name is found where it is defined, in whatever style it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quaestor import Index
from quaestor.core.terms import same_in_any_style, styles_of

STYLES: dict[str, Callable[[list[str]], str]] = {
    "sendAll": lambda words: words[0] + "".join(map(str.title, words[1:])),
    "SendAll": lambda words: "".join(map(str.title, words)),
    "send_all": "_".join,
    "SEND_ALL": lambda words: "_".join(words).upper(),
    "send-all": "-".join,
}
WORDS = ("parse", "quick", "frame", "header", "lock", "merge", "token", "window", "yield", "cache")
NAMES = st.lists(st.sampled_from(WORDS), min_size=2, max_size=4, unique=True)
OTHER = """class {name}:
    \"\"\"What {spoken} needs and gives: to {spoken} is what this is for.\"\"\"

    def {plain}(self, value):
        # {spoken}, as before.
        return value


"""


@given(words=NAMES, styles=st.lists(st.sampled_from([*STYLES]), min_size=2, max_size=2))
def test_a_name_is_the_same_in_all_styles_and_another_with_other_words(words: list[str], styles: list[str]) -> None:
    one, other = (STYLES[style](words) for style in styles)
    assert same_in_any_style(one, other)
    assert other.lower() in styles_of(one)
    assert not same_in_any_style(one, STYLES[styles[1]](words[::-1]))


@pytest.mark.parametrize("text", ["send", "Send", "", "what is it", "a.b", "größe_neu", "_private"])
def test_what_is_one_word_or_no_name_has_no_styles(text: str) -> None:
    assert styles_of(text) == ()


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=NAMES, styles=st.lists(st.sampled_from([*STYLES]), min_size=2, max_size=2))
def test_the_definition_comes_first_in_whatever_style_it_is_asked_for(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], styles: list[str]
) -> None:
    defined, asked = (STYLES[style](words) for style in styles)
    defined = defined.replace("-", "_")
    folder = tmp_path_factory.mktemp("styles")
    write_python(folder, defined, words)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("QUAESTOR_HOME", str(folder / "home"))
        with Index.build(folder / "repository") as index:
            first = index.search(asked, k=3)[0]
    assert (first.path, first.symbol) == ("deep/within/it.py", defined)


def write_python(folder: Path, defined: str, words: list[str]) -> None:
    """Write a repository in which one function has the name, and all else speaks of its words."""
    root, spoken = folder / "repository", " ".join(words)
    (root / "deep" / "within").mkdir(parents=True)
    (root / "deep" / "within" / "it.py").write_text(
        f"import os\n\n\ndef {defined}(path):\n    return os.fspath(path)\n"
    )
    names = {"".join(map(str.title, [*words, end])): f"{end}_{words[0]}" for end in ("plan", "state", "entry", "task")}
    others = [OTHER.format(name=name, plain=plain, spoken=spoken) for name, plain in names.items()]
    (root / f"{'_'.join(words)}.py").write_text("".join(others))
    (root / "README.md").write_text(f"# {spoken}\n\n{f'To {spoken} is what this does. ' * 9}\n")
