"""What an option, a variable of the environment or a setting is: what documents say of it, and what declares it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.settings.explain_option import explain_option, read_option_question
from quaestor.answers.settings.option_lists import list_environment, list_options
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

README = """# Shop

Orders are sent with `--no-wait` at night.

| flag | default | what for |
|---|---|---|
| `--keep-days` | 7 | how many days orders are kept |

```
  -q, --quiet
          Say nothing but errors
```

Who sets
`SHOP_HOME` must see to it that the folder exists.

``longestWait``<br/>
The seconds that a customer waits at most, before
the order is given up.

Other things follow.
"""
REFERENCE = """Settings
========

.. envvar:: SHOP_LOG

    The file that the shop writes its log to, and
    by default none.

.. envvar:: SHOP_OTHER

Others::

    SHOP_TILL (and SHOP_TILLS)
        How many people may pay at once.
    SHOP_DOORS
        How many may come in.
"""
MANUAL = """.TH SHOP 1
.SH OPTIONS
.TP
.B \\-\\-no\\-stars
Disable the stars that show how good a thing is.
.TP
.B \\-\\-other
Something else altogether, for whoever needs it.
"""
FLAGS = """package shop

func flags() []Flag {
	return []Flag{
		&BoolFlag{Name: "no-wait", Usage: "send orders at once"},
		&IntFlag{
			Name:  "keep-days",
			Usage: "days that orders are kept",
		},
	}
}

func home() string {
	if wait(Get("no-wait")) {
		panic("--no-wait needs a night, and --keep-days a day")
	}
	return os.Getenv("SHOP_HOME")
}
"""
ARGS = """struct Args {
    /// Say nothing but errors
    #[arg(short = 'q', long = "quiet")]
    quiet: bool,
}

#[test]
fn is_quiet() {
    parse("--quiet");
    std::env::set_var("SHOP_HOME", "of a test");
}
"""
SERVER = """class Server
  config_param :flush_every, :time, desc: 'How often orders are written.'
end
"""
CONF = """# How much is kept of what was sold: the
# cheapest goes first.
#
# The default is:
#
# keep-policy cheapest

# What is written when.

# write-when always
write-when daily
"""
BUILD = """command = [
    "publish",
    "-t",
    "-w",
    "what is published is for all to see",
]
"""
USAGE = """void usage(void) {
  const char *all = R"(
  --rear   Begin with the last order
)";
  puts("  -b, --bare      print no frame around it");
  puts("  --base=DIR      the folder of the shop");
}
"""
TALK = """say("colour", "what is asked of everybody")
"""
COMPLETION = "complete('--bare', 'print nothing around it')\n"


FILES = {
    "README.md": README,
    "docs/settings.rst": REFERENCE,
    "docs/announce/1.0.md": "- `--keep-days` is new, and keeps what was sold before\n",
    "man/shop.1": MANUAL,
    "flags.go": FLAGS,
    "src/args.rs": ARGS,
    "lib/server.rb": SERVER,
    "usage.c": USAGE,
    "shop.conf": CONF,
    "talk.py": TALK,
    "publish.py": BUILD,
    "a/completions.py": COMPLETION,
    "tests/test_flags.py": "run('--no-wait', 'what a test says of it')\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("options") / "shop", FILES) as index:
        yield index


@pytest.mark.parametrize(
    ("question", "option"),
    [
        ("what does --no-wait do?", "--no-wait"),
        ("What is the --no-wait flag for?", "--no-wait"),
        ("explain -q", "-q"),
        ("--keep-days", "--keep-days"),
        ("what is SHOP_HOME?", "SHOP_HOME"),
        ("what does the environment variable SHOP_HOME control", "SHOP_HOME"),
        ("What does the flush_every parameter do?", "flush_every"),
        ("what is the `store.path` setting?", "store.path"),
        ("what is the purpose of the quiet option?", "quiet"),
        ("what does longestWait do?", "longestWait"),
        ("the quiet flags", ""),
        ("quiet option", "quiet"),
        ("new options", ""),
        ("What are `quiet` options?", "quiet"),
        ("what does quiet do?", ""),
        ("what is the default option?", ""),
        ("what is the shop?", ""),
        ("how do I use --no-wait with an order?", ""),
        ("what does --no-wait do to orders?", ""),
        ("what is " + "x" * 300, ""),
    ],
)
def test_a_question_about_an_option_is_known_by_how_it_is_written_or_called(question: str, option: str) -> None:
    assert read_option_question(question) == option


@pytest.mark.parametrize(
    ("option", "places"),
    [
        ("--no-wait", [("flags.go", 5, 5)]),
        ("--keep-days", [("README.md", 7, 7), ("flags.go", 6, 9)]),
        ("--quiet", [("README.md", 10, 11), ("src/args.rs", 2, 3)]),
        ("the flush_every parameter", [("lib/server.rb", 2, 2)]),
        ("--no-stars", [("man/shop.1", 4, 5)]),
        ("SHOP_LOG", [("docs/settings.rst", 4, 7)]),
        ("SHOP_DOORS", [("docs/settings.rst", 15, 16)]),
        ("SHOP_TILL", [("docs/settings.rst", 13, 14)]),
        ("SHOP_HOME", [("flags.go", 17, 17)]),
        ("the longestWait setting", [("README.md", 17, 19)]),
        ("--bare", [("usage.c", 5, 5)]),
        ("--rear", [("usage.c", 3, 3)]),
        ("the base option", [("usage.c", 6, 6)]),
        ("the keep-policy setting", [("shop.conf", 1, 6)]),
        ("the write-when setting", [("shop.conf", 8, 10)]),
    ],
)
def test_a_document_tells_first_and_then_what_declares_it(
    index: Index, option: str, places: list[tuple[str, int, int]]
) -> None:
    found = explain_option(Question(f"What does {option} do?"), index)
    assert found is not None
    assert [(hit.path, hit.start_line, hit.end_line) for hit in found.hits] == places


@pytest.mark.parametrize("option", ["--nowhere", "-w", "SHOP_OTHER", "the follow option", "the colour option"])
def test_of_what_nothing_says_what_it_does_a_search_must_tell(index: Index, option: str) -> None:
    assert explain_option(Question(f"What does {option} do?"), index) is None


LETTERS = {
    "man/shop.1": ".TH SHOP 1\n.SH OPTIONS\n.TP\n.B \\-R, --requests=<num>\nLet a customer ask for <num> things.\n"
    ".TP\n.B \\-r\nOpen the door at the rear, too.\n",
    "shop.py": "def read(r):\n    return r\n",
}


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("what does -R do?", (4, 5)),
        ("What is the default of -R?", (4, 5)),
        ("what does -r do and what is its default?", (7, 8)),
        ("what is -q?", None),
    ],
)
def test_an_option_of_one_letter_is_known_by_its_dash(
    tmp_path: Path, question: str, lines: tuple[int, int] | None
) -> None:
    with index_of(tmp_path, LETTERS) as index:
        answer = answer_by_way(Question(question), index)
    assert answer is not None and [(hit.start_line, hit.end_line) for hit in answer.hits] == ([lines] if lines else [])
    assert answer.known or answer.text([]) == "No file here has an option `-q`."


ENVIRONMENT = {
    "src/a.py": "def home():\n    return os.environ.get('SHOP_HOME') or os.environ[\"HOME\"]\n",
    "src/b.js": "const port = process.env.SHOP_PORT ?? 80\nprocess.env.path\n",
    "src/c.rs": """fn log() { std::env::var("SHOP_LOG") }
fn set() { std::env::set_var("SHOP_SET", "1") }
#[arg(long, env = "SHOP_LEVEL")]
""",
    "src/d.rb": "ENV.fetch('SHOP_COLOUR', nil)\n",
    "src/e.go": 'func key() { envOr("SHOP_KEY", "") }\nvar f = Flag{EnvVars: []string{"SHOP_FLAG"}}\n',
    "Dockerfile": "ENV SHOP_IMAGE=1\n",
    "tests/test_a.py": "os.environ['SHOP_OF_A_TEST']\n",
    "notes.md": "Set `env = 'SHOP_IN_PROSE'` there.\n",
}


@pytest.mark.parametrize(
    "question",
    [
        "which environment variables does it read?",
        "What environment variables are there?",
        "list all env vars",
        "environment variables",
        "Which environment variables can I set?",
    ],
)
def test_all_variables_of_the_environment_that_code_reads_are_listed(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "shop", ENVIRONMENT) as index:
        found = list_environment(Question(question), index)
    assert found is not None
    told = found.text([1, 2, 3])
    listed = re.findall(r"`([A-Z_]+)` \(`([\w./]+:\d+)`\)", told)
    assert dict(listed) == {
        "HOME": "src/a.py:2",
        "SHOP_COLOUR": "src/d.rb:1",
        "SHOP_FLAG": "src/e.go:2",
        "SHOP_HOME": "src/a.py:2",
        "SHOP_KEY": "src/e.go:1",
        "SHOP_LEVEL": "src/c.rs:3",
        "SHOP_LOG": "src/c.rs:1",
        "SHOP_PORT": "src/b.js:1",
    }
    assert "8 variables" in told and len({(hit.path, hit.start_line) for hit in found.hits}) == len(found.hits) == 3


def test_a_section_about_the_environment_is_quoted_before_the_list(tmp_path: Path) -> None:
    page = "# Shop\n\n## Environment variables\n\n`SHOP_HOME` is the folder that orders are kept in.\n"
    with index_of(tmp_path / "shop", {"README.md": page, "src/a.py": "os.environ['SHOP_HOME']\n"}) as index:
        found = list_environment(Question("Which environment variables are supported?"), index)
    assert found is not None
    assert [(hit.path, hit.start_line) for hit in found.hits] == [("README.md", 5)]
    assert "1 variable" in found.text([1])


@pytest.mark.parametrize(
    "question",
    [
        "which environment variable sets the port?",
        "which environment variables control the colours of the page?",
        "where are environment variables read?",
        "how do I set environment variables for a task?",
    ],
)
def test_who_asks_for_some_variables_or_a_place_gets_no_list(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "shop", ENVIRONMENT) as index:
        assert list_environment(Question(question), index) is None


WHICH = "which environment variables does it read?"


def test_where_no_variable_is_read_that_is_said(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", {"a.py": "environment = 'none of it'\n"}) as index:
        found = list_environment(Question(WHICH), index)
    assert found is not None and not found.known and not found.hits


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "a = 1\n", "b.py": "b = 1\n", "notes.md": "Some set an environment variable for it.\n"},
        {"a.md": "# A\n\nEnvironment and people.\n"},
    ],
)
def test_what_only_documents_may_tell_is_searched_for(tmp_path: Path, files: dict[str, str]) -> None:
    with index_of(tmp_path / "shop", files) as index:
        assert list_environment(Question(WHICH), index) is None


def test_scripts_and_build_files_are_told_apart(tmp_path: Path) -> None:
    files = {
        "src/a.py": "os.environ['SHOP_HOME']\n",
        "scripts/release.py": "os.environ['TOKEN'] + os.environ['SHOP_HOME']\n",
        "setup.py": "os.environ['SHOP_BUILD']\n",
        "web/vite.config.ts": "process.env.SHOP_WEB\n",
        "src/vite.config.ts": "process.env.SHOP_OWN\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        found = list_environment(Question(WHICH), index)
    assert found is not None
    own, beside = found.text([1, 2, 3]).split("beside the program read")
    assert "`SHOP_HOME` (`src/a.py:1`), `SHOP_OWN`" in own and "SHOP_BUILD" not in own
    assert re.findall(r"`([A-Z_]+)`", beside) == ["SHOP_BUILD", "SHOP_WEB", "TOKEN"]


def test_a_sample_of_the_environment_is_named(tmp_path: Path) -> None:
    files = {"src/a.py": "os.environ['SHOP_HOME']\n", ".env.example": "SHOP_HOME=/tmp\n"}
    with index_of(tmp_path / "shop", files) as index:
        found = list_environment(Question(WHICH), index)
    assert found is not None and "`.env.example` shows which variables there are" in found.text([1])


def test_what_only_scripts_read_is_said_to_be_theirs(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", {"src/a.py": "x = 1\n", "setup.py": "os.environ['SHOP_BUILD']\n"}) as index:
        found = list_environment(Question(WHICH), index)
    assert found is not None and found.text([1]).startswith("Only scripts, build files and the like")
    assert [hit.path for hit in found.hits] == ["setup.py"]


def test_a_small_script_in_another_language_is_beside_the_program(tmp_path: Path) -> None:
    code = 'int main(void) { return getenv("SHOP_HOME") != 0; }\n' + "int x;\n" * 400
    with index_of(tmp_path / "shop", {"shop.c": code, "utils/a.py": "os.environ['TOKEN']\n"}) as index:
        found = list_environment(Question(WHICH), index)
    assert found is not None and "beside the program read `TOKEN`" in found.text([1])


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "env['GIVEN'] = 'a'"),
        ("a.py", "run(env={'GIVEN': 'a'})"),
        ("a.py", "environ.get('HTTP_HOST')"),
        ("a.rb", "@env['REQUEST_METHOD']"),
        ("a.rs", 'fn a() { Command::new("a").env("GIVEN", "b"); }'),
        ("a.rs", 'const A: &str = env!("GIVEN");'),
        ("a.c", '/* getenv("GIVEN") */'),
        ("a.c", 'safe_setenv("GIVEN", a);'),
        ("a.ex", 'System.cmd("a", [], env: %{"GIVEN" => nil})'),
        ("a.sh", 'GIVEN=1\necho "${GIVEN:-2}"'),
    ],
)
def test_what_is_set_or_of_a_request_is_not_read(tmp_path: Path, path: str, line: str) -> None:
    with index_of(tmp_path / "shop", {path: f"{line}\n"}) as index:
        found = list_environment(Question(WHICH), index)
    assert found is not None and not found.known


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.pl", "my $a = $ENV{TAKEN};"),
        ("a.zig", 'const a = try std.process.getEnvVarOwned(allocator, "TAKEN");'),
        ("a.ml", 'let a = Sys.getenv_opt "TAKEN"'),
        ("a.scala", 'val a = sys.env.getOrElse("TAKEN", "b")'),
        ("a.sh", 'echo "${TAKEN:-2}"'),
        ("a.c", '#define TAKEN_ENV "TAKEN"'),
        ("a.py", "os.environ.get('TAKEN')"),
        ("a.ex", 'System.fetch_env!("TAKEN")'),
    ],
)
def test_the_forms_of_further_languages_are_known(tmp_path: Path, path: str, line: str) -> None:
    with index_of(tmp_path / "shop", {path: f"{line}\n"}) as index:
        found = list_environment(Question(WHICH), index)
    assert found is not None and "`TAKEN`" in found.text([1])


def test_the_section_that_names_the_variables_is_quoted(tmp_path: Path) -> None:
    files = {
        "src/a.py": "os.environ['SHOP_HOME'] + os.environ['SHOP_LOG']\n",
        "README.md": "# Shop\n\n## Environment variables\n\nTasks may be given `GREETING` and `NAME`.\n",
        "docs/environment.md": "# What is read\n\n`SHOP_HOME` and `SHOP_LOG` are folders.\n",
        "docs/setup.md": "# Development environment\n\nSet `SHOP_HOME` and `SHOP_LOG`.\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        found = list_environment(Question(WHICH), index)
    assert found is not None and [hit.path for hit in found.hits] == ["docs/environment.md"]


ARGUMENTS = """parser = OptionParser()
parser.add_argument("-q", "--quiet", help="say nothing")
parser.add_argument("--keep-days", help="how long orders are kept")
parser.add_argument(
    "--no-wait", help="send at once"
)
print("what help there is for a flag")
parser.add_argument("--bare")
"""
CALLS = "tar --create --gzip --file a.tgz --directory b --verbose\nhelp() { ls --all --size --human; }\n"
FEW = 'parser.add_argument("--one")  # an option\n'


@pytest.mark.parametrize(
    "question",
    [
        "which options are there?",
        "What command line options does it have",
        "list all flags",
        "which switches can I use?",
    ],
)
def test_all_options_are_listed_of_the_file_that_gives_most(tmp_path: Path, question: str) -> None:
    files = {"src/cli.py": ARGUMENTS, "build.sh": CALLS, "few.py": FEW, "tests/test_cli.py": ARGUMENTS + FEW}
    with index_of(tmp_path / "shop", files) as index:
        found = list_options(Question(question), index)
    assert found is not None
    assert [(hit.path, hit.start_line, hit.end_line) for hit in found.hits] == [("src/cli.py", 2, 8)]
    told = "`src/cli.py` gives 4 options: `--bare` (8), `--keep-days` (3), `--no-wait` (5), `--quiet` (2) "
    assert told in found.text([1])


@pytest.mark.parametrize(
    "text",
    [
        "  -q, --quiet    say nothing\n  --keep-days N\n  --bare\n  --no-wait\n",
        '#[arg(long = "quiet")]\n#[arg(long="keep-days")]\n#[arg(long = "bare")]\n.arg(arg!(--"no-wait" "at once"))\n',
        'BoolFlag{Name: "quiet"}\nf.IntVarP(&days, "keep-days")\nf.Var(x, "bare")\nStringFlag{Name: "no-wait"}\n',
        'Option "q" ["quiet"]\nOption "" ["keep-days"]\nOption "b" ["bare"]\nOption "" ["no-wait"]\n',
        '"  -q --quiet  say nothing\\n"\n"  --keep-days\\n"\n"--bare"\n"--no-wait"\n',
    ],
)
def test_options_are_given_in_the_ways_of_many_languages(tmp_path: Path, text: str) -> None:
    with index_of(tmp_path / "shop", {"a.go": f"// the help for each option\n{text}"}) as index:
        found = list_options(Question("which options are there?"), index)
    assert found is not None
    assert set(re.findall(r"`--([\w-]+)`", found.text([1]))) == {"quiet", "keep-days", "bare", "no-wait"}


@pytest.mark.parametrize(
    "question", ["which option sets the port?", "what options did he have?", "where are options read?"]
)
def test_who_asks_for_one_option_gets_no_list(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "shop", {"src/cli.py": ARGUMENTS}) as index:
        assert list_options(Question(question), index) is None


def test_a_few_options_are_no_list(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", {"few.py": FEW, "build.sh": CALLS}) as index:
        assert list_options(Question("which options are there?"), index) is None


BATCHED = {"README.md": "# Find\n\n## Options\n\n- `--exec-batch`: Run one command for all that is found.\n"}


@pytest.mark.parametrize("mistyped", ["--exec-bach", "--exec-btach", "--exe-batch", "-exec-bach"])
def test_a_mistyped_option_is_explained_as_the_nearest_one(tmp_path: Path, mistyped: str) -> None:
    with index_of(tmp_path / "find", BATCHED) as index:
        answer = explain_option(Question(f"What does `{mistyped}` do?"), index)
    assert answer is not None and answer.hits
    text = answer.text([1])
    assert text.startswith(f"`{mistyped}` occurs nowhere here; the nearest option is `--exec-batch`.")
    assert "Run one command for all" in text


@pytest.mark.parametrize("other", ["--execute", "--exec-once", "--verbose", "exec-bach"])
def test_an_option_like_none_is_not_taken_for_another(tmp_path: Path, other: str) -> None:
    with index_of(tmp_path / "find", BATCHED) as index:
        assert explain_option(Question(f"What does `{other}` do?"), index) is None
