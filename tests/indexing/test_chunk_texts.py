from __future__ import annotations

from quaestor.core.documents import Chunk, Span
from quaestor.core.terms import KEY_BYTES, key_of
from quaestor.indexing.prepare import chunk_terms, embedded_text, vector_keys

CHUNK = Chunk(Span(0, 1, 1, 1), "return self.retries", "should_retry", scope=("Client",), defines=("should_retry",))


def test_embedded_text_says_where_and_what() -> None:
    assert embedded_text(CHUNK) == "Client should_retry\nreturn self.retries"
    assert embedded_text(CHUNK, "net/client.py") == "net/client.py\nClient should_retry\nreturn self.retries"


def test_only_the_nearest_folders_speak() -> None:
    near = "a/b/c/client.py"
    assert embedded_text(CHUNK, f"srv/builds/{near}") == embedded_text(CHUNK, near)
    assert chunk_terms([CHUNK], f"srv/builds/{near}") == chunk_terms([CHUNK], near)


def test_a_title_is_put_in_once() -> None:
    chunk = Chunk(Span(0, 1, 1, 1), "text", "Install", scope=("Guide",))
    assert embedded_text(chunk, title="Guide") == "Guide Install\ntext"
    assert embedded_text(chunk, title="Manual") == "Manual Guide Install\ntext"


def test_keys_depend_on_embedder_and_text() -> None:
    first, same = vector_keys("a", ["x", "x"])
    assert first == same
    assert len(first) == 16
    assert len({first, *vector_keys("b", ["x"]), *vector_keys("a", ["y"]), *vector_keys("ax", [""])}) == 4
    assert len(vector_keys("a", ["\udc80"])) == 1


def times(keys: bytes, term: str) -> int:
    """Return how often a term stands among keys."""
    every = [keys[start : start + KEY_BYTES] for start in range(0, len(keys), KEY_BYTES)]
    return every.count(key_of(term).to_bytes(KEY_BYTES, "little"))


def test_a_title_is_a_name_of_every_chunk() -> None:
    (terms,) = chunk_terms([CHUNK], "a.rst", "Roman numerals")
    assert times(terms.symbol, "roman") == times(terms.symbol, "client") == 1
    (once,) = chunk_terms([CHUNK], "a.rst", "Client")
    assert once.symbol == chunk_terms([CHUNK], "a.rst")[0].symbol


def test_terms_by_field() -> None:
    (terms,) = chunk_terms([CHUNK], "net/http_client.py")
    assert [times(terms.path, term) for term in ("net", "http", "client", "http_client", "py")] == [1, 1, 1, 1, 0]
    assert times(terms.symbol, "should_retry") == times(terms.symbol, "client") == 1
    assert times(terms.body, "return") == 1
