"""Which questions are asked of a history, in which words, and which are not."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.history.history_questions import NEWEST, HistoryQuestion, history_question
from quaestor.answers.ways import may_ask_history

TODAY = date(2024, 3, 14)  # a Thursday


def read(question: str) -> HistoryQuestion | None:
    found = history_question(question, TODAY)
    assert found is None or may_ask_history(question), "what is asked of a history must look like it at a glance"
    return found


IN = "changes", ("0.8",), "in"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what changed in 0.8", IN),
        ("What's new in 0.8?", IN),
        ("changelog for 0.8", IN),
        ("Release notes of 0.8", IN),
        ("what was added in 0.8?", IN),
        ("which breaking changes were made in 0.8", IN),
        ("Could you tell me what changed in v0.8?", ("changes", ("v0.8",), "in")),
        ("What was the latest release and what changed in it?", ("changes", (NEWEST,), "in")),
        ("which is the newest version, and what's new", ("changes", (NEWEST,), "in")),
        ("what was fixed in version 3?", ("changes", ("version 3",), "in")),
        ("what changed between 1.0 and 1.1", ("changes", ("1.0", "1.1"), "between")),
        ("what has changed since 2.0?", ("changes", ("2.0",), "since")),
        ("when was 2.0 released", ("released", ("2.0",), "in")),
        ("when did httpx 0.28 come out?", ("released", ("0.28",), "in")),
        ("what is the latest release?", ("released", (), "in")),
        ("what is the current version?", ("released", (), "in")),
        ("which version is this", ("released", (), "in")),
        ("what was changed in the last release?", ("changes", (NEWEST,), "in")),
        ("What's new in the latest version", ("changes", (NEWEST,), "in")),
        ("what changed since the last release", ("changes", (NEWEST,), "since")),
        ("release notes of the newest version", ("changes", (NEWEST,), "in")),
        ("what were the last five commits about", ("changes", (), "in")),
        ("Has anything changed in _client.py recently?", ("past", (), "in")),
        ("when did http2 support arrive", ("origin", (), "in")),
        ("Was hat sich in 0.8 geändert?", IN),
        ("Was ist neu in 0.8?", IN),
        ("Qu'est-ce qui a changé dans 0.8 ?", IN),
        ("Quoi de neuf dans la 0.8 ?", IN),
        ("¿Qué cambió en 0.8?", IN),
        ("0.8 有什么变化？", IN),
        ("0.8 で何が変わりましたか", IN),
        ("Wann wurde 2.0 veröffentlicht?", ("released", ("2.0",), "in")),
    ],
)
def test_versions(question: str, expected: tuple[str, tuple[str, ...], str]) -> None:
    found = read(question)
    assert found is not None
    assert (found.kind, found.versions, found.relation) == expected


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("What are the breaking changes in 0.8?", "breaking"),
        ("What broke in 0.8?", "breaking"),
        ("what was removed in 0.8", "remov"),
        ("what is deprecated since 0.8", "deprecat"),
        ("which bugs were fixed in 0.8?", "fix"),
        ("What did 0.8 add?", "add"),
        ("what changed in 0.8", ""),
    ],
)
def test_which_part_of_the_changes_is_asked_for(question: str, part: str) -> None:
    found = read(question)
    assert found is not None and found.kind == "changes" and found.versions == ("0.8",)
    assert found.part.startswith(part) and bool(found.part) == bool(part)


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("what changed today?", "2024-03-14", ""),
        ("what changed last week?", "2024-03-04", ""),
        ("what happened last month", "2024-02-01", ""),
        ("what changed last year", "2023-01-01", "2023-12-31"),
        ("show me what changed in the last 3 weeks", "2024-02-22", ""),
        ("what changed in March 2024", "2024-03-01", "2024-03-31"),
        ("what changed in 2023", "2023-01-01", "2023-12-31"),
        ("what changed since 2024-02-10", "2024-02-10", ""),
        ("what changed between 2023-01-01 and 2023-02", "2023-01-01", "2023-02-28"),
        ("what changed recently?", "", ""),
        ("recent changes", "", ""),
        ("what's new", "", ""),
        ("Was hat sich letzte Woche geändert?", "2024-03-04", ""),
        ("Qu'est-ce qui a changé depuis 2024-02-10 ?", "2024-02-10", ""),
        ("what changed from 2023-01-05 to 2023-02", "2023-01-05", "2023-02-28"),
        ("最近有什么变化？", "", ""),
        ("最近の変更", "", ""),
    ],
)
def test_times(question: str, since: str, until: str) -> None:
    found = read(question)
    assert found is not None
    if found.kind == "changes":
        assert not found.versions or since == ""
    if question != "what changed between 2023-01-01 and 2023-02":
        assert (found.since, found.until) == (since, until)


@pytest.mark.parametrize(
    ("question", "kind", "subject", "verb"),
    [
        ("when and why was send_with_retry added?", "origin", "send_with_retry", "added"),
        ("why was the proxies argument removed?", "origin", "proxies argument", "removed"),
        ("When was poetry added as an environment manager?", "origin", "poetry", "added"),
        ("when was jupyter added to environment.yml?", "origin", "jupyter environment.yml", "added"),
        ("when did they drop python 3.7", "origin", "python 3.7", "removed"),
        ("who contributed to this project", "author", "", "added"),
        ("who contributed the oars", "origin", "oars", "added"),
        ("which commit introduced AsyncClient", "origin", "AsyncClient", "added"),
        ("why was ioredis made optional?", "origin", "ioredis optional", "changed"),
        ("when and why were the locks replaced by leases?", "origin", "locks leases", "changed"),
        ("in which version was X renamed?", "origin", "X", "renamed"),
        ("why and when was left-pad replaced?", "origin", "left-pad", "changed"),
        ("why has the default timeout been increased?", "origin", "default timeout", "changed"),
        ("when and why was the cache rewritten", "origin", "cache", "changed"),
        ("why was FAST_PATH renamed to QUICK_PATH, and who did it?", "origin", "FAST_PATH QUICK_PATH", "renamed"),
        ("when did the project switch to leases?", "origin", "to leases", "changed"),
        ("why did we migrate from gulp to vite?", "origin", "from gulp to vite", "changed"),
        ("who added Client.send", "origin", "Client.send", "added"),
        ("who wrote the file src/a.py?", "author", "src/a.py", "added"),
        ("who maintains this project?", "author", "", "added"),
        ("who are the maintainers?", "author", "", "added"),
        ("who last changed send_with_retry", "last", "send_with_retry", "added"),
        ("what was the last change to src/a.py", "last", "src/a.py", "added"),
        ("when was README.md last changed", "last", "README.md", "added"),
        ("when was res.redirect changed last and why", "last", "res.redirect", "added"),
        ("history of src/a.py", "past", "src/a.py", "added"),
        ("how has Client evolved over time", "past", "Client", "added"),
        ("what changed in src/a.py", "past", "src/a.py", "changed"),
        ("show me the commits about timeouts", "commits", "timeouts", "added"),
        ("what did commit 3f2a1b9c4d change?", "commit", "3f2a1b9c4d", "added"),
        ("Wann und warum wurde send_with_retry hinzugefügt?", "origin", "send_with_retry", "added"),
        ("Wer hat README.md zuletzt geändert?", "last", "README.md", "added"),
        ("Quand a été ajouté AsyncClient ?", "origin", "AsyncClient", "added"),
        ("Qui a écrit src/a.py ?", "author", "src/a.py", "added"),
        ("¿Cuándo se añadió AsyncClient?", "origin", "AsyncClient", "added"),
        ("¿Quién escribió src/a.py?", "author", "src/a.py", "added"),
        ("AsyncClient 是什么时候添加的？", "origin", "AsyncClient", "added"),
        ("谁写了 src/a.py？", "author", "src/a.py", "added"),
        ("AsyncClient はいつ追加されましたか", "origin", "AsyncClient", "added"),
        ("誰が src/a.py を書いたのですか", "author", "src/a.py", "added"),
        ("src/a.py の履歴", "past", "src/a.py", "added"),
        ("¿Historial de src/a.py?", "past", "src/a.py", "added"),
        (f"who wrote {'x' * 160}", "author", "x" * 160, "added"),
        ("Since when does it support rate limits?", "origin", "rate limits", "added"),
        ("since which version does Client accept a proxy", "origin", "Client a proxy", "added"),
        ("In which version did the ferry drop Python 3.7?", "origin", "Python 3.7", "removed"),
        ("which release stopped supporting gauges", "origin", "gauges", "removed"),
        ("Why is the bell gone?", "origin", "bell", "removed"),
        ("since when are gauges no longer supported", "origin", "gauges", "removed"),
        ("What was 'ferry tow' called before?", "origin", "ferry tow", "renamed"),
        ("what is the former name of TideTable", "origin", "TideTable", "renamed"),
        ("who contributes most to this project", "author", "", "added"),
        ("has anything about the tide table changed recently?", "commits", "tide table", "changed"),
        ("what happened around the gauges last week", "commits", "gauges", "changed"),
        ("What did Ana Núñez change in July 2023?", "commits", "", "added"),
    ],
)
def test_things(question: str, kind: str, subject: str, verb: str) -> None:
    found = read(question)
    assert found is not None
    assert (found.kind, found.subject, found.verb) == (kind, subject, verb)


def test_people() -> None:
    assert read("what did Tom Christie change last week") == HistoryQuestion(
        "commits", by="Tom Christie", since="2024-03-04"
    )
    assert read("commits by Ana") == HistoryQuestion("commits", by="Ana")
    assert read("who maintains this book?") == read("who wrote most of the guide") == HistoryQuestion("author")


@pytest.mark.parametrize(
    "question",
    [
        "what happens when a session changes",
        "how do I add a header",
        "who calls send_with_retry",
        "what changes when I set timeout=2.0",
        "what changes if I use version 2.0?",
        "when is a file removed from the index",
        "why is the header added twice",
        "when does the cache get removed",
        "how do I use the history",
        "how do I see what changed in 2.0",
        "what is the version of the protocol",
        "where is history stored",
        "who can read the log",
        "what is the release process",
        "when was my session removed",
        "why was my request dropped",
        "how to list commits",
        "what is a commit",
        "when should a tag be added",
        "when was the code removed",
        "what was the latest release last year",
        f"who wrote {'x' * 161}",
        "what is different between A and B",
        "which version of Python is supported",
        "what is the latest version of the protocol that it speaks",
        "",
        "?",
        "x" * 5000,
        "why was the request made twice?",
        "why was the call made with a stale token?",
    ],
)
def test_what_is_no_history(question: str) -> None:
    assert read(question) is None


PIECES = st.sampled_from(
    "what when why who which changed in since 1.0 2.x and between was the added removed last week commit history of"
    " a.py 添加 いつ \x00 [1] ` ( ) \\ <|im_end|> ? ! é".split()
)


TEXT = st.one_of(st.text(max_size=400), st.lists(PIECES, max_size=12).map(" ".join))


@given(TEXT)
def test_any_text_is_read(text: str) -> None:
    for question in (text, f"what changed in {text} since 2023-01-02", f"when was {text} added?"):
        found = read(question)
        if found is not None:
            assert len(found.subject) <= 300, "no longer than the longest question"
            assert not found.since or date.fromisoformat(found.since)
            assert not found.until or date.fromisoformat(found.until)


NAMES = st.from_regex(r"[a-z]{2,8}(?:_[a-z]{2,8}){1,2}", fullmatch=True)


@given(NAMES)
def test_a_name_that_is_asked_for_is_the_subject(name: str) -> None:
    for question in (
        f"when was {name} added?",
        f"who wrote {name}",
        f"history of `{name}`",
        f"who last changed {name}?",
    ):
        found = read(question)
        assert found is not None
        assert found.subject == name


@given(NAMES, st.sampled_from(["how do I", "where is", "what calls", "what does", "why does", "is", "can I use"]))
def test_an_ordinary_question_is_left_alone(name: str, opening: str) -> None:
    assert read(f"{opening} {name} added") is None
    assert read(f"{opening} {name}?") is None


@given(
    st.dates(date(1970, 1, 1), date.max),
    st.sampled_from(["last week", "last year", "in the last 9 years", "in May 2024"]),
)
def test_any_day_can_be_today(today: date, time: str) -> None:
    found = history_question(f"what changed {time}", today)
    assert found is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found.since)


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("When did responses get lifecycle tracking, and who wrote it?", "responses lifecycle tracking"),
        ("When was it made possible to inject through a function?", "inject through a function"),
        ("Who first wrote the option that ignores errors of a command?", "option that ignores errors of a command"),
        ("When could the default be set per field or class?", "default per field or class"),
    ],
)
def test_what_came_to_be_possible_is_history(question: str, subject: str) -> None:
    assert may_ask_history(question)
    asked = history_question(question, TODAY)
    assert asked is not None
    assert (asked.kind, asked.subject) == ("origin", subject)


@pytest.mark.parametrize("question", ["when do I get a new laptop", "When does the client receive a timeout?"])
def test_what_holds_at_any_time_is_no_history(question: str) -> None:
    assert history_question(question, TODAY) is None
