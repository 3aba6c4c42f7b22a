"""Traces of many languages, read alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.errors.traces import read_trace

TRACES = {
    "python": (
        '  File "/srv/venv/lib/python3.12/site-packages/shop/app.py", line 12, in send\n    go()',
        "shop/app.py",
        12,
        "send",
    ),
    "node": ("    at async Client.send (/srv/app/node_modules/shop/lib/app.js:12:5)", "shop/lib/app.js", 12, "send"),
    "firefox": ("send@https://shop.example/lib/app.js:12:5", "lib/app.js", 12, "send"),
    "java": ("\tat com.shop.Client.send(Client.java:12)", "Client.java", 12, "send"),
    "kotlin": ("\tat com.shop.Client$Companion.send(Client.kt:12)", "Client.kt", 12, "send"),
    "go": (
        "shop.(*Client).send(0xc0001, {0x1, 0x2})\n\t/home/ci/go/src/shop/app.go:12 +0x1d2",
        "shop/app.go",
        12,
        "send",
    ),
    "rust": ("   4: shop::client::send\n             at ./src/client.rs:12:9", "src/client.rs", 12, "send"),
    "ruby": ("/usr/gems/shop-1.0/lib/app.rb:12:in `send'", "lib/app.rb", 12, "send"),
    "php": ("#0 /var/www/shop/src/App.php(12): Shop\\Client->send()", "src/App.php", 12, "send"),
    "csharp": ("   at Shop.Client.send(String to) in D:\\a\\shop\\src\\App.cs:line 12", "src/App.cs", 12, "send"),
    "gdb": ("#3  0x00007f in send (n=2) at /build/shop-1.9/src/app.c:12", "src/app.c", 12, "send"),
    "asan": ("    #1 0x4a2b in send /build/shop/src/app.cc:12:7", "src/app.cc", 12, "send"),
    "valgrind": ("==47==    by 0x11D0F1: send (app.c:12)", "app.c", 12, "send"),
    "elixir": ("    (shop 1.0.2) lib/shop/app.ex:12: Shop.App.send/2", "lib/shop/app.ex", 12, "send"),
    "erlang": ('    [{app,send,2,[{file,"/home/me/src/app.erl"},{line,12}]}]', "src/app.erl", 12, "send"),
    "dart": ("#0      Client.send (package:shop/src/app.dart:12:7)", "shop/src/app.dart", 12, "send"),
    "lua": ("\t/usr/share/lua/shop/app.lua:12: in function 'send'", "shop/app.lua", 12, "send"),
    "perl": ("\tShop::App::send('x') called at /usr/share/perl5/Shop/App.pm line 12", "Shop/App.pm", 12, "send"),
}


@pytest.mark.parametrize("language", TRACES)
def test_the_path_the_line_and_the_function_of_a_frame(language: str) -> None:
    text, path, line, function = TRACES[language]
    [frame] = read_trace(text).frames
    assert frame.path.endswith(path)
    assert frame.line == line
    assert function in frame.names


def test_php_names_in_each_frame_what_it_calls_and_so_the_function_of_the_frame_before() -> None:
    text = (
        "PHP Fatal error:  Uncaught Shop\\Gone: no boat in /srv/shop/src/Boat.php:9\nStack trace:\n"
        "#0 /srv/shop/src/Quay.php(12): Shop\\Boat->take(3)\n#1 /srv/index.php(4): Shop\\Quay::open()\n#2 {main}"
    )
    frames = [(one.path.rpartition("/")[2], one.line, one.names[-1:]) for one in read_trace(text).frames]
    assert frames == [("Boat.php", 9, ("take",)), ("Quay.php", 12, ("open",)), ("index.php", 4, ())]


def test_python_shows_the_innermost_frame_last_and_its_line_of_source() -> None:
    text = (
        'Traceback (most recent call last):\n  File "a.py", line 1, in outer\n    inner()\n'
        '  File "b.py", line 2, in inner\n    raise ValueError("x is bad")\nValueError: x is bad'
    )
    trace = read_trace(text)
    assert [frame.path for frame in trace.frames] == ["b.py", "a.py"]
    assert trace.frames[0].code == 'raise ValueError("x is bad")'
    assert trace.messages[-1] == "ValueError: x is bad"


def test_a_message_with_a_place_in_it_is_a_message_too() -> None:
    trace = read_trace("PHP Fatal error:  Uncaught Exception: Extension missing: openssl in /srv/a/src/Mail.php:12")
    assert trace.frames[0].line == 12
    assert "Extension missing: openssl" in trace.messages[0]


def test_what_a_debugger_shows_of_a_call_may_be_the_message() -> None:
    trace = read_trace('#0  set_error (class=2, fmt=0x7f "failed to close the window") at /build/src/errors.c:140')
    assert trace.messages == ("failed to close the window",)


def test_a_message_with_a_place_takes_no_name_from_the_frame_before_it() -> None:
    text = "==47==    by 0x11D0F1: send (app.c:12)\n==47== SUMMARY: heap-use-after-free src/heap.c:4 in boot"
    found = read_trace(text)
    assert [(one.path, one.names) for one in found.frames] == [("app.c", ("send",)), ("src/heap.c", ())]
    assert found.messages == ("SUMMARY: heap-use-after-free in boot",)


@pytest.mark.parametrize("tabulator", [r"\t", r"\\t"])
def test_a_log_copied_out_of_quotes_begins_its_lines_with_a_written_tabulator(tabulator: str) -> None:
    trace = read_trace(f"java.lang.IllegalStateException: closed\n{tabulator}at org.acme.Pool.take(Pool.java:42)")
    assert trace.frames[0].names == ("org", "acme", "Pool", "take")
    assert trace.messages == ("java.lang.IllegalStateException: closed",)


def test_a_folder_may_begin_with_a_t() -> None:
    assert read_trace(r"\temp\run.py:12").frames[0].path == "/temp/run.py"


def test_of_a_very_long_trace_both_ends_are_read() -> None:
    lines = [f"    at f{number} (/srv/a{number}.js:{number + 1}:1)" for number in range(5000)]
    frames = read_trace("\n".join(lines)).frames
    assert len(frames) < 1000
    assert (frames[0].path, frames[-1].path) == ("/srv/a0.js", "/srv/a4999.js")


PIECES = [*"ab/\\.:()#@\"', \n\t012<>{}[]", "line ", "    at ", "\n  File ", " in ", "a/b.py", ".js:", "send (a.c:12)"]


@given(st.lists(st.sampled_from(PIECES), max_size=150).map("".join))
def test_any_text_may_be_pasted(text: str) -> None:
    for pasted in (text, f'  File "{text}.py", line 3, in {text}\n'):
        trace = read_trace(pasted)
        assert all(frame.line is None or frame.line >= 0 for frame in trace.frames)


PYTHON = """Traceback (most recent call last):
  File "/srv/ferry/boat.py", line 3, in carry
    step()
    ~~~~^^
  File "/usr/lib/python3.11/x.py", line 9, in step
OSError: no boat"""
NODE = """RiverError: closed
    at land (js/app.ts:2:5)
    at Object.<anonymous> (/home/me/a.js:10:3)
Caused by: OtherError: gone"""
RUST = """thread 'main' panicked at src/main.rs:5:9:
boom
   0: rust_begin_unwind
             at /rustc/abc/library/std/src/panicking.rs:5:5
   1: shop::send
   2: shop::other::land"""
GO = "panic: no boat\n\ngithub.com/x/y.(*Raft).runFSM(0xc00)\n\t/home/me/raft/fsm.go:12 +0x1d"


@pytest.mark.parametrize(
    ("text", "frames", "messages"),
    [
        (
            PYTHON,
            [("/usr/lib/python3.11/x.py", 9, ("step",), ""), ("/srv/ferry/boat.py", 3, ("carry",), "step()")],
            ["Traceback (most recent call last):", "OSError: no boat"],
        ),
        (
            NODE,
            [("js/app.ts", 2, ("land",), ""), ("/home/me/a.js", 10, ("Object",), "")],
            ["RiverError: closed", "Caused by: OtherError: gone"],
        ),
        (
            RUST,
            [
                ("src/main.rs", 5, (), ""),
                ("/rustc/abc/library/std/src/panicking.rs", 5, ("rust_begin_unwind",), ""),
                ("", None, ("shop", "send"), ""),
                ("", None, ("shop", "other", "land"), ""),
            ],
            ["thread 'main' panicked at :9:", "boom", "0: rust_begin_unwind"],
        ),
        (GO, [("/home/me/raft/fsm.go", 12, ("github", "com", "x", "y", "Raft", "runFSM"), "")], ["panic: no boat"]),
        ("#1 0x4 in send /src/a.c:9 (no such boat)", [("/src/a.c", 9, ("send",), "")], []),
        ('#1 0x4 in send ("no such boat") /src/a.c:9', [("/src/a.c", 9, ("send",), "")], ["no such boat"]),
        ('#1 0x4 in send ("no boat") /src/a.c:9', [("/src/a.c", 9, ("send",), "")], []),
        ("==12== Invalid read\n==12==    at 0x4: send (send.c:5)", [("send.c", 5, ("send",), "")], ["Invalid read"]),
        ("a.py:3: error: no boat", [("a.py", 3, (), "")], [": error: no boat"]),
        ("x.rb:5:in `send'", [("x.rb", 5, ("send",), "")], []),
        ("x.rb:5:in `send': no quay to land at (Quay)", [("x.rb", 5, ("send",), "")], ["no quay to land at (Quay)"]),
        ("x.rb:5:in 'Quay#send': gone (Quay)", [("x.rb", 5, ("Quay", "send"), "")], ["gone (Quay)"]),
    ],
)
def test_frames_and_messages_of_a_trace(
    text: str, frames: list[tuple[str, int | None, tuple[str, ...], str]], messages: list[str]
) -> None:
    found = read_trace(text)
    assert [(one.path, one.line, one.names, one.code) for one in found.frames] == frames
    assert list(found.messages) == messages


def test_the_path_of_a_frame_is_no_message_whatever_its_blanks() -> None:
    assert read_trace('  File "/my own old boat.py", line 3, in carry').messages == ()


def test_of_a_very_long_text_both_ends_are_read() -> None:
    found = read_trace("\n".join(f"line {number}" for number in range(700)))
    assert found.messages == tuple(f"line {number}" for number in (*range(300), *range(400, 700)))
    assert len(read_trace("one\n" * 600).messages) == 600
    assert read_trace("x" * 700).messages == ("x" * 600,)
