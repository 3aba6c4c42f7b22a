"""Extraction on small files: what is asked, and that the answer does not hold the question."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.evaluation.made_questions.clean_queries import comment_query, prose_query, subject_query
from quaestor.evaluation.made_questions.surface_syntax import LANGUAGES, defined_name
from quaestor.tuning.training_pairs import Pair, code_pairs, prose_pairs, read_pairs, write_pairs
from training.commits import _hunks
from training.licences import recognise_licence
from training.overlap import lines_of_folders, overlaps

FILLER = "    total = combine(total, weights[index], offsets[index])\n" * 4

SAMPLES = {
    "python": (
        'def load_user(name):\n    """Read a user from the database by name.\n\n    Args:\n'
        f'        name: x\n    """\n{FILLER}    return user\n'
    ),
    "javascript": (
        f"/**\n * Debounce calls until the user stops typing.\n * @param {{number}} ms\n */\n"
        f"function debounceInput(ms) {{\n{FILLER}}}\n"
    ),
    "typescript": (
        f"// Merge two headers, later values win.\nexport const mergeHeaders = (a: H, b: H): H => {{\n{FILLER}}};\n"
    ),
    "go": (
        f"// ServeFiles sends static files from a folder.\nfunc (s *Server) ServeFiles(dir string) {{\n{FILLER}}}\n"
    ),
    "rust": (
        "/// Returns the next token without consuming it.\n#[inline]\n"
        f"pub fn peek_token(&self) -> Token {{\n{FILLER}}}\n"
    ),
    "java": f"/** Closes every idle connection in the pool. */\npublic void closeIdle(long millis) {{\n{FILLER}}}\n",
    "c": (
        f"/* Grow the hash table when it is nearly full. */\nstatic int grow_table(struct table *t)\n{{\n{FILLER}}}\n"
    ),
    "cpp": (
        "// Parse a floating point number without locale.\n"
        f"double Parser::parseNumber(const char* text) {{\n{FILLER}}}\n"
    ),
    "csharp": (
        "/// <summary>Retries the call with growing delays.</summary>\n"
        f"public async Task RetryCall(int times)\n{{\n{FILLER}}}\n"
    ),
    "ruby": f"# Sends a welcome mail to the new member.\ndef send_welcome(member)\n{FILLER}end\n",
    "php": (
        f"/**\n * Render the template with its variables.\n */\npublic function renderTemplate($name)\n{{\n{FILLER}}}\n"
    ),
    "kotlin": f"/** Loads images in the background thread. */\nfun loadImages(paths: List<String>) {{\n{FILLER}}}\n",
    "swift": f"/// Draws the rounded border around a view.\nfunc drawBorder(view: View) {{\n{FILLER}}}\n",
    "scala": f"/** Folds the stream from the left side. */\ndef foldLeft[A](zero: A): A = {{\n{FILLER}}}\n",
    "bash": f"# Remove old releases from the server.\nremove_old() {{\n{FILLER}}}\n",
    "lua": f"-- Find the nearest window under the cursor.\nlocal function nearest_window(x, y)\n{FILLER}end\n",
    "elixir": f'@doc """\nStarts the worker under its supervisor.\n"""\ndef start_worker(opts) do\n{FILLER}end\n',
    "haskell": (
        f"-- | Pretty print the syntax tree with colours.\nprettyTree :: Tree -> Text\nprettyTree tree =\n{FILLER}"
    ),
    "zig": f"/// Allocates a zeroed buffer on the heap.\npub fn zeroedBuffer(size: usize) ![]u8 {{\n{FILLER}}}\n",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_a_comment_asks_for_the_code_below_it(language: str) -> None:
    pairs = list(code_pairs(SAMPLES[language], f"src/a.{language}", language, random.Random(1)))
    asked = [pair for pair in pairs if pair.kind in {"doc", "comment"}]
    assert len(asked) == 1
    assert len(asked[0].query.split()) >= 4
    assert asked[0].query not in asked[0].text
    assert "combine(total" in asked[0].text
    assert "@param" not in asked[0].query and "Args" not in asked[0].query


@pytest.mark.parametrize("language", sorted(set(SAMPLES) - {"haskell"}))
def test_a_name_of_several_words_asks_for_its_body(language: str) -> None:
    found = [
        pair
        for seed in range(8)
        for pair in code_pairs(SAMPLES[language], "a", language, random.Random(seed))
        if pair.kind == "name"
    ]
    assert found
    assert all(len(pair.query.split()) >= 2 for pair in found)


def test_titles_of_tests_and_messages_of_errors_ask_too() -> None:
    test = f"it('keeps the cursor after a paste', () => {{\n{FILLER}}});\n"
    raised = f"def f():\n{FILLER}    raise ValueError('the lock is held by another process')\n"
    (title,) = [p for p in code_pairs(test, "a.ts", "typescript", random.Random(0)) if p.kind == "test"]
    (message,) = [p for p in code_pairs(raised, "a.py", "python", random.Random(0)) if p.kind == "error"]
    assert title.query == "keeps the cursor after a paste"
    assert message.query == "the lock is held by another process"
    assert message.query not in message.text


@pytest.mark.parametrize("line", ["if (ready) {", "return call(x)", "for (x of y) {", "x = y + 1", "while (true) {"])
@pytest.mark.parametrize("language", ["c", "cpp", "javascript", "go", "java", "python"])
def test_statements_define_nothing(line: str, language: str) -> None:
    assert defined_name(line, language) is None


@pytest.mark.parametrize(
    "comment",
    [
        "// Copyright 2020 The Authors",
        "# eslint-disable-next-line no-console",
        "// -------------",
        "// x = y + call(z);",
        "/* SPDX-License-Identifier: MIT */",
        "# type: ignore",
        "// TODO",
    ],
)
def test_boilerplate_asks_nothing(comment: str) -> None:
    assert comment_query([comment]) is None


def test_a_long_comment_is_cut_after_a_sentence() -> None:
    query = prose_query("This reads the whole file. " * 30)
    assert query is not None
    assert len(query) <= 320
    assert query.endswith(".")


@pytest.mark.parametrize(
    ("subject", "query"),
    [
        ("fix(parser): keep comments after a directive (#123)", "keep comments after a directive"),
        ("[core] Close the socket when the peer resets", "Close the socket when the peer resets"),
        ("Bump lodash from 4.1 to 4.2", None),
        ("chore: release v1.2.3", None),
        ("wip", None),
    ],
)
def test_commit_subjects_lose_their_ceremony(subject: str, query: str | None) -> None:
    assert subject_query(subject) == query


def test_a_hunk_is_shown_as_it_is_afterwards() -> None:
    body = "".join(f" line number {number} of the unchanged text\n" for number in range(8))
    diff = f"a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@ def f\n{body}-old\n+new\n"
    (pair,) = _hunks("Say the new thing", [diff], 2)
    assert pair.text.endswith("\nnew")
    assert "old" not in pair.text


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("markdown", "# Guide\n\n## How retries are spaced\n\n{}"),
        ("restructuredtext", "Guide\n=====\n\nHow retries are spaced\n----------------------\n\n{}"),
        ("asciidoc", "= Guide\n\n== How retries are spaced\n\n{}"),
    ],
)
def test_headings_ask_for_their_sections(language: str, text: str) -> None:
    body = "The first attempt follows at once. Later attempts wait twice as long as the one before. " * 3
    pairs = [p for p in prose_pairs(text.format(body), "a", language, random.Random(0)) if p.kind == "heading"]
    assert [pair.text for pair in pairs] == [body.strip()]
    assert "How retries are spaced" in pairs[0].query


def test_a_sentence_asks_for_the_rest() -> None:
    said = ["The harbour was closed for three long winters.", "Nobody in the town remembered a colder spring."]
    said += [f"Sentence number {number} speaks of quite different things." for number in range(4)]
    pairs = list(prose_pairs(" ".join(said), "a.txt", "text", random.Random(0)))
    assert pairs
    assert all(pair.kind == "sentence" and pair.query not in pair.text for pair in pairs)


@given(st.text(max_size=400), st.sampled_from(sorted(LANGUAGES)), st.integers(0, 9))
def test_any_text_is_read_without_error(text: str, language: str, seed: int) -> None:
    body = "".join(f"    answer_{number} = request.send(number={number})\n" for number in range(9))
    commented = f'def send_it_again(request):\n    """Send a request again after a failure. {text}"""\n{body}'
    for code, its_language in ((text, language), (commented, "python")):
        for pair in code_pairs(code, "a", its_language, random.Random(seed)):
            assert pair.query and pair.text
    list(prose_pairs(text, "a", "markdown", random.Random(seed)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Apache License\n Version 2.0, January 2004", "Apache-2.0"),
        ("Permission is hereby granted,\n free of charge ... without restriction", "MIT"),
        ("# Permission to use, copy, modify, and distribute this software for any purpose", "ISC"),
        ("GNU GENERAL PUBLIC LICENSE Version 2", None),
        ("Attribution-ShareAlike 4.0 International", None),
        ("Creative Commons Attribution 4.0 International", "CC-BY-4.0"),
        ("All rights reserved.", None),
    ],
)
def test_licences_are_told_apart(text: str, name: str | None) -> None:
    assert recognise_licence(text) == name


def test_a_passage_of_a_judged_corpus_is_found(tmp_path: Path) -> None:
    lines = [f"this is the judged line with the number {number}" for number in range(6)]
    (tmp_path / "a.py").write_text("\n".join(lines), "utf-8")
    judged = lines_of_folders([tmp_path])
    assert overlaps("\n".join(f"    {line}" for line in lines[:4]), judged)
    assert not overlaps("\n".join(lines[:3]), judged)


def test_pairs_survive_their_file(tmp_path: Path) -> None:
    pairs = [Pair("doc", "wörld ☃", "x\ny", "a/b.py", "python")]
    assert write_pairs(tmp_path / "a.jsonl.gz", pairs) == 1
    assert list(read_pairs(tmp_path / "a.jsonl.gz")) == pairs
