"""A header ranks behind the file that implements it; a header without such a file does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor import Index
from quaestor.search.file_features import CandidateFiles, is_implemented_elsewhere
from quaestor.search.path_roles import profile_path

HEADER = """\
// Pool of sockets to a server.
class Pool
{
  public:
    // Send a failed request again.
    void send_again (Request request);
    void close_socket (int socket);
};
"""
SOURCE = """\
#include "pool.hpp"

void Pool::close_socket (int socket)
{
    sockets.erase (socket);
}

// A failed request takes the next socket.
void Pool::send_again (Request request)
{
    if (request.failed ()) {
        close_socket (request.socket);
        request.socket = next_socket ();
        request.send ();
    }
}
"""
QUESTION = "How does the pool send a failed request again on another socket?"


def score_of_header(folder: Path) -> float:
    with Index.build(folder) as index:
        return next(hit.score for hit in index.search(QUESTION) if hit.path == "pool.hpp")


def test_a_header_loses_to_the_source_that_implements_it(tmp_path: Path) -> None:
    (tmp_path / "pool.hpp").write_text(HEADER)
    (tmp_path / "socket.cpp").write_text(SOURCE)
    alone = score_of_header(tmp_path)
    (tmp_path / "socket.cpp").rename(tmp_path / "pool.cpp")
    assert score_of_header(tmp_path) < alone - 1


def flagged(paths: list[str], behind: list[bool] | None = None, corpora: list[int] | None = None) -> list[bool]:
    files = CandidateFiles(np.arange(len(paths)), paths, [profile_path(path) for path in paths], corpora or ())
    return is_implemented_elsewhere(files, np.array(behind or [False] * len(paths))).tolist()


@pytest.mark.parametrize(
    ("header", "source"),
    [
        ("a/pool.h", "b/pool.c"),
        ("pool.hpp", "src/pool.CC"),
        ("Pool.h", "Pool.mm"),
        ("pool.mli", "pool.ml"),
        ("pool.cppo.mli", "pool.cppo.ml"),
        ("Pool.fsi", "Pool.fs"),
        ("pool.ads", "pool.adb"),
    ],
)
def test_a_header_is_known_by_the_name_of_its_source(header: str, source: str) -> None:
    assert flagged([header, source]) == [True, False]
    assert flagged([header, f"other_{source.rpartition('/')[2]}"]) == [False, False]
    assert flagged([header, source], behind=[False, True]) == [False, False]
    assert flagged([header, source], corpora=[0, 1]) == [False, False]


@pytest.mark.parametrize("paths", [["pool.mli", "pool.c"], ["pool.h", "pool.ml"], ["pool.ads", "pool.mli"]])
def test_a_header_of_one_language_is_not_implemented_in_another(paths: list[str]) -> None:
    assert not any(flagged(paths))


@given(st.lists(st.from_regex(r"[ab]/[xy]\.(?:h|hpp|c|cc|py|md|)", fullmatch=True), unique=True, min_size=1))
def test_no_source_and_no_header_by_itself_is_flagged(paths: list[str]) -> None:
    for path, header in zip(paths, flagged(paths), strict=True):
        sources = {one for one in paths if one.endswith((f"/{path[2]}.c", f"/{path[2]}.cc"))}
        assert header == (path.endswith((".h", ".hpp")) and bool(sources))
