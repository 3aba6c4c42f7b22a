"""Tests within a source file are distinguished from its other code."""

from __future__ import annotations

import pytest

from quaestor.core.documents import Chunk, Document, Span
from quaestor.search.chunk_traits import Traits, is_inline_test
from quaestor.stores import StoredChunk


def chunk(language: str, text: str, symbol: str | None = None, scope: tuple[str, ...] = ()) -> StoredChunk:
    document = Document("src/limits", "0" * 64, 100, 0, language)
    return StoredChunk(0, document, Chunk(Span(0, len(text), 1, 2), text, symbol, "function", scope), 0)


@pytest.mark.parametrize(
    "test",
    [
        chunk("rust", "fn refuses_zero() {\n    assert!(limit(0).is_err());\n}\n", "refuses_zero", ("tests",)),
        chunk("rust", "#[test]\nfn refuses_zero() {}\n", "refuses_zero"),
        chunk(
            "rust", '    #[tokio::test(flavor = "current_thread")]\n    async fn waits() {}\n', "waits", ("waiting",)
        ),
        chunk("rust", "#[cfg(test)]\nmod adversarial {\n    use super::*;\n", "adversarial"),
        chunk("zig", 'test "refuses zero" {\n    try expect(limit(0) == error.Zero);\n}\n'),
    ],
)
def test_an_inline_test_is_a_test(test: StoredChunk) -> None:
    assert is_inline_test(test)
    assert Traits(test).test


@pytest.mark.parametrize(
    "source",
    [
        chunk("rust", "pub fn limit(n: u8) -> Result<u8> {\n    check(n)\n}\n", "limit"),
        chunk("rust", "#[testable]\nfn limit() {}\n", "limit", ("latest",)),
        chunk("rust", "fn limit() {\n    call();\n    more();\n}\n\n#[cfg(test)]\nmod tests;\n", "limit"),
        chunk("python", "def tests():\n    return []\n", "tests"),
    ],
)
def test_other_code_is_none(source: StoredChunk) -> None:
    assert not is_inline_test(source)
    assert not Traits(source).test
