"""The role of a file, as its path shows it."""

from __future__ import annotations

import pytest

from quaestor.search.path_roles import profile_path


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("tests/test_retry.py", "test"),
        ("src/retry_test.go", "test"),
        ("Tests/RetryTests/Retry.swift", "test"),
        ("core/src/commonTest/kotlin/Retry.kt", "test"),
        ("src/Polly.Core.Tests/Retry.cs", "test"),
        ("src/Polly.Tests.Speed/Retry.cs", "test"),
        ("t/retry.t", "test"),
        ("shop/t/retry.t", "test"),
        ("drivers/gpu/selftests/pages.c", "test"),
        ("regress/alerts.sh", "test"),
        ("test.py", "test"),
        ("http/fuzz/fuzz_header.ml", "test"),
        ("src/Snippets/Retry.cs", "example"),
        ("examples/hello.py", "example"),
        ("benchmarks/speed.py", "example"),
        ("bench/speed.jl", "example"),
        ("src/bench/speed.zig", "example"),
        ("core/src/jmh/java/Speed.java", "example"),
        ("toys/Shop.Benchmarks/Speed.cs", "example"),
        ("shop-bench/speed.ml", "example"),
        ("crates/shop_bench/speed.rs", "example"),
        ("shop-sample/src/main/kotlin/Order.kt", "example"),
        ("internal/testutil/server.go", "test"),
        ("lib/testutils/repo.rs", "test"),
        ("docs/about-the-demo/index.md", "prose"),
        ("examples/src/benchmark/run.rs", "example"),
        ("samples/shop/src/main/java/org/shop/Order.java", "example"),
        ("index.d.ts", "declaration"),
        ("docs/guide.md", "prose"),
        ("book/ch01.asc", "prose"),
        ("manual.pdf", "prose"),
        ("proposals/testing/0004-limits.md", "prose"),
        ("spec/protocol.md", "prose"),
        ("docs/tutorial/start.md", "prose"),
        ("doc_src/language.rst", "prose"),
        ("docs/page.mediawiki", "prose"),
        ("spec/retry_spec.rb", "test"),
        ("docs_src/first_steps.py", "example"),
        ("vignettes/tour.Rmd", "prose"),
        ("package.json", "data"),
    ],
)
def test_parts(path: str, part: str) -> None:
    profile = profile_path(path)
    parts = ("test", "example", "declaration", "prose", "data")
    assert [name for name in parts if getattr(profile, name)] == [part]


@pytest.mark.parametrize(
    "path",
    [
        "src/distance.py",
        "lib/t/cli.rb",
        "distutils/core.py",
        "src/contest.py",
        "src/commands/test.py",
        "lib/vendors.py",
        "latest/a.py",
        "packages/bloc_test/lib/a.dart",
        "doctest/a.h",
        "src/benchmark/run.rs",
        "src/workbench/run.rs",
        "features/pending_examples/run.rb",
        "src/BenchmarkDotNet.Weaver/Run.cs",
        "src/main/java/org/shop-samples/Owner.java",
        "src/main/java/org/springframework/samples/petclinic/Owner.java",
    ],
)
def test_ordinary_code(path: str) -> None:
    profile = profile_path(path)
    assert not (profile.test or profile.background or profile.example or profile.prose)


def test_a_template_of_a_document_is_prose() -> None:
    assert profile_path("source/manual/tides.html.md.erb").prose
    assert not profile_path("app/views/tides.js.erb").prose
