from __future__ import annotations

from quaestor.ingest.texts import chunk_terms, embedded_text, vector_keys
from quaestor.passages import Chunk, Span

CHUNK = Chunk(Span(0, 1, 1, 1), "return self.retries", "should_retry", scope=("Client",), defines=("should_retry",))


def test_embedded_text_says_where_and_what() -> None:
    assert embedded_text(CHUNK) == "Client should_retry\nreturn self.retries"
    assert embedded_text(CHUNK, "net/client.py") == "net/client.py\nClient should_retry\nreturn self.retries"


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


def test_a_title_is_a_name_of_every_chunk() -> None:
    (terms,) = chunk_terms([CHUNK], "a.rst", "Roman numerals")
    assert {"roman", "client"} <= set(terms.symbol.split())
    (once,) = chunk_terms([CHUNK], "a.rst", "Client")
    assert once.symbol == chunk_terms([CHUNK], "a.rst")[0].symbol


def test_terms_by_field() -> None:
    (terms,) = chunk_terms([CHUNK], "net/http_client.py")
    assert {"net", "http", "client"} <= set(terms.path.split())
    assert "py" not in terms.path.split()
    assert "should_retry" in terms.symbol.split()
    assert "client" in terms.symbol.split()
    assert sum(term == "should_retry" for term in terms.symbol.split()) == 1
    assert "return" in terms.body.split()
