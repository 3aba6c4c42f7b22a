"""How one thing is set, and what its default is, is answered by what declares a setting that is called so."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.settings.named_settings import explain_setting
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way

FILES = {
    "README.md": (
        "# Shop\n\nThe default timeout of a till was 9 once.\n\n## Logging\n\nSet `SHOP_LOG` to a file.\n\n"
        "## Printing\n\nPaper is needed.\n"
    ),
    "CHANGELOG.md": "# Changes\n\n- The default timeout is 99 now.\n",
    "docs/options.md": "# Options\n\n- `--keep-days`: how long orders are kept (default: 7)\n- `--other`: what else\n",
    "src/config.rs": (
        "pub struct Config {\n    /// Seconds that a till waits.\n    pub timeout: u64,\n    pub colour: bool,\n}\n\n"
        "impl Default for Config {\n    fn default() -> Self {\n        Self {\n            timeout: 30,\n"
        "            colour: true,\n        }\n    }\n}\n"
    ),
    "src/main.rs": (
        "fn wait() {\n    let timeout = 77;\n    sleep(timeout);\n}\n\nconst DEFAULT_RETRIES: u32 = 4;\n\n"
        'fn log_level() -> String {\n    env::var("SHOP_LOG_LEVEL").unwrap()\n}\n'
    ),
    "shop.toml.example": "# The port to listen on\nport = 8080\n\n[cache]\n# Megabytes\nsize = 64\n",
    "tests/test_till.rs": "const DEFAULT_TIMEOUT: u64 = 1;\nconst DEFAULT_DOORS: u64 = 1;\n",
}
ARGUMENTS = (
    "import argparse\n\n\ndef parse():\n    parser = argparse.ArgumentParser()\n"
    '    parser.add_argument("--no-colour", action="store_true", help="no colours")\n'
    '    parser.add_argument("--workers", type=int, default=4, help="how many work")\n'
    '    parser.prog = "shop --doors=never"\n    call(flags, "--doors=never")\n'
    '    run(["tar", "--gzip", "--level"])\n    raise ValueError("--speed is wrong")\n'
)


def places(found: WayAnswer | None) -> list[str]:
    return [] if found is None else [f"{hit.path}:{hit.start_line}-{hit.end_line}" for hit in found.hits]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the default timeout?", ["src/config.rs:10-10"]),
        ("what's the default value of the timeout", ["src/config.rs:10-10"]),
        ("What does the timeout default to?", ["src/config.rs:10-10"]),
        ("Which port does it listen on?", ["shop.toml.example:1-2"]),
        ("What port does it use by default?", ["shop.toml.example:1-2"]),
        ("How do I change the port?", ["shop.toml.example:1-2"]),
        ("How many retries are there by default?", ["src/main.rs:6-6"]),
        ("What is the default number of doors?", []),
        ("what are the default retries", ["src/main.rs:6-6"]),
        ("How do I set the cache size?", ["shop.toml.example:4-6"]),
        ("How do I configure logging?", ["README.md:7-7"]),
        ("How do I change the log level?", ["src/main.rs:9-9"]),
        ("How do I configure printing?", []),
        ("How do I turn colours off?", ["src/config.rs:4-4"]),
        ("How do I disable the colour?", ["src/config.rs:4-4"]),
        ("What is the default keep days?", ["docs/options.md:3-3"]),
        ("How do I configure TLS?", []),
        ("How do I turn it off?", []),
    ],
)
def test_the_setting_of_that_name_is_quoted(tmp_path: Path, question: str, expected: list[str]) -> None:
    with index_of(tmp_path / "shop", FILES) as index:
        assert places(explain_setting(Question(question), index)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How do I turn colours off?", ["shop/cli.py:6-6"]),
        ("What is the default number of workers?", ["shop/cli.py:7-7"]),
        ("How do I set the workers?", ["shop/cli.py:7-7"]),
        ("How do I change the level?", []),
        ("How do I change the speed?", []),
        ("How do I turn doors off?", []),
    ],
)
def test_an_option_is_declared_and_not_passed_on(tmp_path: Path, question: str, expected: list[str]) -> None:
    with index_of(tmp_path / "shop", {"shop/cli.py": ARGUMENTS}) as index:
        assert places(explain_setting(Question(question), index)) == expected


def test_longer_names_are_told_as_such(tmp_path: Path) -> None:
    code = "pool_timeout = 5\nread_timeout = 6\n"
    with index_of(tmp_path / "shop", {"shop/settings.py": code}) as index:
        found = explain_setting(Question("What is the default timeout?"), index)
    assert places(found) == ["shop/settings.py:1-1", "shop/settings.py:2-2"]
    assert found is not None and found.text([1, 2]).startswith("No setting has this name alone")


def test_a_longer_name_that_turns_the_thing_off_is_told(tmp_path: Path) -> None:
    files = {
        "docs/variables.md": "# Variables\n\n| Name | |\n|---|---|\n"
        "| `SHOP_LOG_DISABLE_PROGRESS_BAR` | less is shown |\n"
        "| `SHOP_LOG_PROGRESS_BAR_WIDTH` | how wide it is |\n",
        "shop.py": "import os\n\nif os.environ.get('NO_COLOUR'):\n    plain()\n",
        "Shop.cs": "class Shop {\n  bool Plain() {\n"
        '    return Environment.GetEnvironmentVariables().Contains("NO_BELL");\n  }\n}\n',
    }
    with index_of(tmp_path / "shop", files) as index:
        bar = explain_setting(Question("How do I hide the progress bar?"), index)
        width = explain_setting(Question("How do I hide the bar width?"), index)
        colours = explain_setting(Question("how do I turn off colours"), index)
        bell = answer_by_way(Question("turn off the bell"), index)
    assert (places(bar), places(colours)) == (["docs/variables.md:5-5"], ["shop.py:3-3"])
    assert (places(width), places(bell)) == ([], ["Shop.cs:3-3"])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How do I turn off tls?", ["CMakeLists.txt:1-1", "configure.ac:2-3"]),
        ("build without bells", []),
        ("disable the docs", ["CMakeLists.txt:2-2"]),
        ("enable the till", []),
        ("How do I set the tls?", []),
    ],
)
def test_a_build_option_turns_a_thing_on_or_off(tmp_path: Path, question: str, expected: list[str]) -> None:
    files = {
        "CMakeLists.txt": 'option(USE_TLS "Yes." ON)\noption(SHOP_BUILD_DOCS "Yes." OFF)\noption(OPEN "Yes." ON)\n',
        "configure.ac": "AC_INIT([shop], [1])\nAC_ARG_ENABLE([tls],\n  [AS_HELP_STRING([--disable-tls], [Do not.])])\n",
        "shop.c": "int sell(void) { return 1; }\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        assert places(answer_by_way(Question(question), index)) == expected


def test_defaults_of_parameters_stand_in_heads_and_not_in_calls(tmp_path: Path) -> None:
    code = "def get(url, timeout=5):\n    return send(url, timeout=99)\n\n\ndef put(url, retries=None):\n    pass\n"
    with index_of(tmp_path / "shop", {"shop/client.py": code}) as index:
        assert places(explain_setting(Question("What is the default timeout?"), index)) == ["shop/client.py:1-1"]
        none = explain_setting(Question("What are the default retries?"), index)
    assert none is not None and not none.known and not none.hits


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the default of tillStepSize?", ["shop/settings.js:2-2"]),
        ("What is the default value of the tillStepSize setting?", ["shop/settings.js:2-2"]),
        ("What is the default of SHOP_TOKEN_LIFE?", ["docs/variables.md:5-5"]),
        ("What is the default for the maximum number of customers?", ["man/shop.1:5-6"]),
        ("What is the default maxServerSize?", ["shop/settings.js:3-3"]),
        ("What is the default of shop_rest_time?", ["defaults/main.yml:1-2"]),
        ("What is the default of snackCount?", ["docs/more.md:7-9"]),
    ],
)
def test_a_default_is_asked_of_a_name_as_code_writes_it(tmp_path: Path, question: str, expected: list[str]) -> None:
    files = {
        "shop/settings.js": "const defaultOptions = {\n  tillStepSize: 60,\n  maxServerSize: 7,\n};\n",
        "docs/variables.md": "# Variables\n\n| Name | What for | Default |\n|---|---|---|\n"
        "| SHOP_TOKEN_LIFE | how many seconds a token lives | `3600` |\n",
        "docs/more.md": "# More\n\n| Name | What for |\n|---|---|\n| SHOP_TOKEN_LIFE | how long it lives |\n\n"
        "- _snackCount_ :\n  Snacks that are kept.\n  The default is 100.\n",
        "defaults/main.yml": "---\nshop_rest_time: 75\n",
        "man/shop.1": ".TH SHOP 1\n.SH OPTIONS\nThese are all:\n.TP\n.B \\-c, --customers=<num>\n"
        "Let in max <num> customers; the default is 12.\n.TP\n.B \\-d\nSay nothing at all.\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        assert places(explain_setting(Question(question), index)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the default linger?", ["src/shop.cpp:4-4"]),
        ("What is the default of max_doors?", ["src/shop.cpp:5-5"]),
        ("What is the default speed?", []),
        ("What is the default weight?", []),
    ],
)
def test_a_constructor_of_options_in_cpp_gives_the_defaults(tmp_path: Path, question: str, expected: list[str]) -> None:
    code = (
        '#include "shop.hpp"\n\nshop::options_t::options_t () :\n    linger (-1),\n    max_doors_ {4}\n{\n'
        "    open (\n        speed (3),\n        4);\n}\n\nshop::door_t::door_t () :\n    weight (9)\n{\n}\n"
    )
    with index_of(tmp_path / "shop", {"src/shop.cpp": code}) as index:
        assert places(explain_setting(Question(question), index)) == expected


def test_a_file_of_settings_that_is_called_so_is_quoted(tmp_path: Path) -> None:
    files = {"config/logging.php": "<?php\n\nreturn ['channel' => 'file'];\n", "app/Log.php": "<?php\n$log = 1;\n"}
    with index_of(tmp_path / "shop", files) as index:
        assert places(answer_by_way(Question("How do I configure logging?"), index)) == ["config/logging.php:1-3"]


def test_what_no_setting_tells_a_sentence_of_a_manual_may(tmp_path: Path) -> None:
    files = {
        "README.md": "# Shop\n\nA theme is chosen. By default it sells.\n\nWithout one, the default theme is dark.\n",
        "CHANGELOG.md": "# 1.0\n\nThe default theme is light.\n",
        "a.py": "def add(a, b):\n    return a + b\n",
        "b.py": "theme = 1\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        assert places(explain_setting(Question("What is the default theme?"), index)) == ["README.md:5-5"]


def test_the_section_on_the_thing_says_its_default(tmp_path: Path) -> None:
    page = "# Settings\n\n## Timeouts\n\nA till waits. Other things too.\n\nBy default that is a minute.\n"
    with index_of(tmp_path / "shop", {"docs/settings.md": page, "a.py": "a = 1\n", "b.py": "b = 1\n"}) as index:
        assert places(explain_setting(Question("What is the default timeout?"), index)) == ["docs/settings.md:5-7"]


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("How do I configure TLS?", "ssl = False\n"),
        ("How do I configure SSL?", "tls = False\n"),
        ("How do I configure the database?", "db = 'a'\n"),
        ("How do I configure the colours?", "color = 'a'\n"),
    ],
)
def test_two_names_of_one_thing_are_the_same(tmp_path: Path, question: str, code: str) -> None:
    with index_of(tmp_path / "shop", {"shop/settings.py": code}) as index:
        assert places(explain_setting(Question(question), index)) == ["shop/settings.py:1-1"]


def test_what_sets_it_by_its_name_is_quoted(tmp_path: Path) -> None:
    code = "class Shop {\n  enableCache(on) {\n    this.on = on;\n  }\n\n  setDoors(n) {\n    this.n = n;\n  }\n}\n"
    with index_of(tmp_path / "shop", {"src/shop.js": code}) as index:
        assert places(explain_setting(Question("How do I disable caching?"), index)) == ["src/shop.js:2-4"]
        assert places(explain_setting(Question("How do I change the doors?"), index)) == ["src/shop.js:6-8"]


def test_what_sets_it_is_quoted_with_its_comment_and_its_name(tmp_path: Path) -> None:
    head = "<?php\nclass Shop\n{\n    /**\n     * Sets the doors.\n     */\n"
    code = f"{head}    public function setDoors(int $n): void\n    {{\n    }}\n}}\n"
    with index_of(tmp_path / "shop", {"src/Shop.php": code}) as index:
        [place] = places(explain_setting(Question("How do I set the doors?"), index))
    assert place.startswith("src/Shop.php:4-") and int(place.rpartition("-")[2]) >= 7


def test_a_call_of_what_is_called_after_defaults_sets_nothing(tmp_path: Path) -> None:
    files = {"src/main.c": "int main(void) {\n\tuse_default_colors();\n\treturn 0;\n}\n", "src/b.c": "int b;\n"}
    with index_of(tmp_path / "shop", files) as index:
        assert explain_setting(Question("How do I change the colors?"), index) is None


def test_code_without_such_a_default_is_said_to_have_none_and_the_rest_is_left_to_a_search(tmp_path: Path) -> None:
    files = {"a.py": "def add(a, b):\n    return a + b\n", "b.py": "b = 1\n", "c.py": "c = 1\n"}
    with index_of(tmp_path / "shop", files) as index:
        found = explain_setting(Question("What is the default timeout?"), index)
        assert found is not None and not found.known
        assert explain_setting(Question("How do I disable telemetry?"), index) is None


def test_to_set_a_thing_is_no_setting(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", {"config.py": "cookie = None\n", "b.py": "b = 1\n"}) as index:
        assert explain_setting(Question("How do I set the cookie?"), index) is not None
        assert explain_setting(Question("How do I set a cookie?"), index) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/config.proto", "message Config {\n  uint32 timeout = 103;\n}\n"),
        ("src/settings/Page.vue", "<script>\nexport default {\n  timeout: 5,\n};\n</script>\n"),
        ("db/migrate/2013_options.rb", "class AddOptions\n  TIMEOUT = { 'timeout' => '5' }\nend\n"),
        ("app/i18n/en/config.php", "<?php\nreturn ['timeout' => 'Timeout'];\n"),
        ("src/main.c", "int main(void) {\n  int timeout = 5;\n  return timeout;\n}\n"),
        ("src/config.rs", "fn wait() {\n    let timeout = 77;\n}\n"),
        ("shop.conf.example", "# a word timeout\n## the Timeout value\n"),
        ("src/client.py", "def get(url):\n    return send(url, timeout=99)\n"),
        ("src/main.go", 'func main() {\n\trun("curl", "--timeout", "--retry")\n}\n'),
        ("docs/use.md", "# Use\n\nSome give\n--timeout=9, and the default is known to few.\n"),
    ],
)
def test_what_declares_no_setting_is_not_quoted(tmp_path: Path, path: str, text: str) -> None:
    with index_of(tmp_path / "shop", {path: text, "src/other.py": "x = 1\n"}) as index:
        found = explain_setting(Question("What is the default timeout?"), index)
    assert found is not None and not found.known


def test_the_whole_call_that_declares_an_option_is_read_and_quoted(tmp_path: Path) -> None:
    code = "network.add_argument(\n    '--timeout',\n    type=float,\n    default=5,\n    help='seconds to wait',\n)\n"
    with index_of(tmp_path / "shop", {"shop/cli.py": code}) as index:
        assert places(explain_setting(Question("What is the default timeout?"), index)) == ["shop/cli.py:1-6"]


def test_what_a_schema_describes_can_be_set(tmp_path: Path) -> None:
    schema = (
        "properties:\n  retries:\n    type: integer\n    description: How often it is tried.\n  wait:\n    type: a\n"
    )
    with index_of(tmp_path / "shop", {"shop/config/schema.yaml": schema, "shop/a.py": "x = 1\n"}) as index:
        found = explain_setting(Question("How do I change the number of retries?"), index)
    assert places(found) == ["shop/config/schema.yaml:2-4"]


@pytest.mark.parametrize(
    "question",
    [
        "How do I change a till into a door?",
        "What is the default?",
        "How do I set up the project?",
        "How do I disable everything?",
        "what is the default branch that a release is cut from",
    ],
)
def test_other_questions_name_no_setting(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "shop", FILES) as index:
        assert explain_setting(Question(question), index) is None


def test_a_variable_of_terraform_is_a_setting(tmp_path: Path) -> None:
    variables = (
        'variable "till_tenancy" {\n  description = "Whose till it is"\n  default     = "shared"\n}\n\n'
        'variable "enable_bell" {\n  type    = bool\n  default = false\n}\n\noutput "bell" {\n  value = 1\n}\n'
    )
    files = {"variables.tf": variables, "main.tf": 'resource "shop_till" "this" {\n  tenancy = var.till_tenancy\n}\n'}
    with index_of(tmp_path / "shop", files) as index:
        for question, place in (
            ("What is the default till tenancy?", "variables.tf:1-4"),
            ("default till_tenancy", "variables.tf:1-4"),
            ("How do I turn off the bell?", "variables.tf:6-9"),
        ):
            assert places(answer_by_way(Question(question), index)) == [place]
        listed = answer_by_way(Question("Which inputs are there?"), index)
        assert answer_by_way(Question("default hat"), index) is None, "what is not asked is not denied"
    assert listed is not None and "`till_tenancy` (1), `enable_bell` (6)" in listed.text([1, 2])
