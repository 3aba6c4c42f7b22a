"""Lines that declare settings, in the forms that languages and libraries prescribe, and what they say of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.settings.configuration import explain_configuration
from quaestor.answers.settings.explain_option import explain_option
from quaestor.answers.settings.named_settings import explain_setting
from quaestor.answers.settings.option_lists import files_of_settings_named, list_options
from quaestor.answers.settings.setting_declarations import (
    SettingKind,
    bounds_of_setting,
    declared_options,
    end_of_entry,
    options_shown,
    variables_in,
)
from quaestor.answers.settings.setting_questions import Asks, read_setting_question
from quaestor.answers.way import Question, WayAnswer

OTHER = {"src/other.py": "x = 1\n", "src/more.py": "y = 2\n"}


def places(found: WayAnswer | None) -> list[str]:
    return [] if found is None else [f"{hit.path}:{hit.start_line}-{hit.end_line}" for hit in found.hits]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('  .option("-t, --theme [theme]", "theme of the chart")', ["theme"]),
        ("    method_option :number, aliases: '-n'", ["number"]),
        ('    class_option "color", type: :string', ["color"]),
        ("  .option('port', {", ["port"]),
        ("->addOption('format', 'f', InputOption::VALUE_REQUIRED)", ["format"]),
        ("parser.addFlag('verbose', abbr: 'v')", ["verbose"]),
        ("    config_param :store_as, :string, default: 'gzip'", ["store_as"]),
        ("@Option(shortName = 'o', name = \"offline\", hasValue = false)", ["offline"]),
        ("[Option('v', \"verbose\", Required = false)]", ["verbose"]),
        ('[Option("quiet", HelpText = "says little")]', ["quiet"]),
        ("opt[Int]('f', \"foo\")", ["foo"]),
        ('    "forcemem=i" => \\$opt{forcemem},', ["forcemem"]),
        ("    'verbose|v!' => \\$verbose,", ["verbose"]),
        ('    ("p,port", "the port", cxxopts::value<int>())', ["port"]),
        ('    Page bool `short:"p" long:"page" description:"opens a page"`', ["page"]),
        ("    {\"datadir\", required_argument, nullptr, 'd'},", ["datadir"]),
        ('    { "config", \'c\', 0, G_OPTION_ARG_STRING, &path, "the file", NULL },', ["config"]),
        ('  "\\t-d, --datadir      Set another folder of data"', ["datadir"]),
        ('    <$> switch (long "quiet" <> help "says little")', ["quiet"]),
        ("  --speed=<kn>  Speed in knots [default: 10].", ["speed"]),
        ('val dryRun by option("--dry-run", help = "changes nothing at all")', ["dry-run"]),
        ('    @Flag(help: "says more") var verbose = false', ["verbose"]),
        ('run(["tar", "--gzip", "--level"])', []),
        ("    --active.threads->count;", []),
        ('raise ValueError("--speed is wrong")', []),
        ("theme = options.get('theme')", []),
    ],
)
def test_the_options_that_a_line_declares(text: str, options: list[str]) -> None:
    assert [*dict.fromkeys(declared_options([text], 1))] == options


CLAP = [
    "    /// Writes to this file.",
    "    #[arg(",
    "        short,",
    "        long,",
    '        value_name = "PATH"',
    "    )]",
    "    pub dry_run: Option<PathBuf>,",
    "    pub plain: bool,",
    '    #[arg(long = "other")]',
    "    pub named_otherwise: bool,",
    "    #[arg(short)]",
    "    pub short_alone: bool,",
]


def test_a_field_below_an_attribute_is_an_option_by_its_own_name() -> None:
    declared = {at: [*declared_options(CLAP, at)] for at in range(1, len(CLAP) + 1)}
    assert declared == {**{at: [] for at in range(1, 13)}, 7: ["dry-run"], 9: ["other"]}
    assert [*options_shown(CLAP, 7)] == ["dry-run"]
    assert bounds_of_setting(CLAP, 7, SettingKind.OPTION, "") == (1, 7)


def test_what_is_called_of_an_option_belongs_to_it_and_its_neighbours_do_not() -> None:
    lines = [
        "cli",
        "  .addOption(",
        "    new Option(",
        '      "-e, --format [format]",',
        '      "The format.",',
        "    )",
        '      .choices(["svg", "png"])',
        '      .default("svg"),',
        "  )",
        '  .option("-q, --quiet", "Says little")',
        '  .option("-v, --verbose", "Says more");',
    ]
    assert bounds_of_setting(lines, 4, SettingKind.OPTION, "") == (3, 8)
    assert bounds_of_setting(lines, 10, SettingKind.OPTION, "") == (10, 10)


def test_an_option_that_is_named_in_a_chain_of_calls_has_the_whole_chain() -> None:
    lines = [
        "    .arg(",
        '        Arg::new("dry_run")',
        "            .short('n')",
        '            .long("dry-run")',
        "            .help(",
        '                "Changes nothing.",',
        "            ),",
        "    )",
        '    .arg(Arg::new("other").long("other"))',
    ]
    assert [*declared_options(lines, 4)] == ["dry-run"]
    assert bounds_of_setting(lines, 4, SettingKind.OPTION, "") == (2, 7)
    assert [*declared_options(lines, 9)] == ["other"]
    assert bounds_of_setting(lines, 9, SettingKind.OPTION, "") == (9, 9)


def test_options_that_are_named_in_chains_are_listed_and_explained(tmp_path: Path) -> None:
    names = ["page", "quiet", "top-speed", "theme"]
    chains = (
        f'        .arg(\n            Arg::new("{name}_of")\n                .long("{name}")\n'
        f'                .action(Set)\n                .help("Sets the {name} of the shop."),\n        )\n'
        for name in names
    )
    code = f'fn options() -> Command {{\n    Command::new("shop")\n{"".join(chains)}}}\n'
    with index_of(tmp_path / "shop", {"src/cli.rs": code, **OTHER}) as index:
        listed = list_options(Question("Which command-line options are there?"), index)
        explained = explain_option(Question("What does --top-speed do?"), index)
    assert listed is not None and all(f"`--{name}`" in listed.text([1]) for name in names)
    assert places(explained) == ["src/cli.rs:16-19"]


def test_an_option_in_lines_of_its_own_is_told_by_the_call_around_it() -> None:
    lines = ["parser.add_argument(", "    '-2',", "    '--no-page',", "    action='store_true',", ")"]
    assert [*declared_options(lines, 3)] == ["no-page"]
    assert bounds_of_setting(lines, 3, SettingKind.OPTION, "") == (1, 5)
    assert [*declared_options(["run(", "    'tar',", "    '--no-page',", ")"], 3)] == []


def test_the_comment_above_a_key_ends_at_another_key_that_is_commented_out() -> None:
    lines = ["# The port", "#port=80", "# Colours, or none", "#colours=no"]
    assert bounds_of_setting(lines, 4, SettingKind.KEY, "no") == (3, 4)
    assert bounds_of_setting(lines, 2, SettingKind.KEY, "80")[0] == 1


def test_a_description_above_a_parameter_in_ruby_is_quoted_with_it() -> None:
    lines = ["desc 'How it is packed'", "config_param :store_as, :string, default: 'gzip'"]
    assert bounds_of_setting(lines, 2, SettingKind.OPTION, "") == (1, 2)


def test_a_table_with_a_cell_a_line_ends_its_entry_at_an_empty_line() -> None:
    assert end_of_entry(["| `WAIT`", "| `17`", "| how long it waits", "", "| `OTHER`"], 1) == 3
    assert end_of_entry(["| `WAIT` | 17 |", "| `OTHER` | 18 |"], 1) == 1


@pytest.mark.parametrize(
    ("question", "asks", "wanted"),
    [
        ("what is the default timeout of the api", Asks.DEFAULT, {"timeout", "api"}),
        ("how many retries are made by default", Asks.DEFAULT, {"retri"}),
        ("what values may log_output take", Asks.VALUES, {"log", "output"}),
        ("which values does --color accept", Asks.VALUES, {"colour"}),
        ("what are the possible values of the mode", Asks.VALUES, {"mode"}),
        ("what are the allowed options for mode", Asks.VALUES, {"mode"}),
        ("what can the mode be set to", Asks.VALUES, {"mode"}),
        ("which storage types are allowed", Asks.VALUES, {"storag", "type"}),
        ("which browsers are supported", None, set()),
        ("where is the mail server configured", Asks.WHERE, {"mail"}),
        ("where do i set the port", Asks.WHERE, {"port"}),
        ("how is the port configured", Asks.SET, {"port"}),
        ("which flag turns off colours", Asks.SWITCH, {"colour"}),
        ("what are the options for mode", None, set()),
        ("what values does it take", None, set()),
        ("where is the parser defined", None, set()),
    ],
)
def test_what_is_asked_of_which_thing(question: str, asks: Asks | None, wanted: set[str]) -> None:
    found = read_setting_question(question)
    assert (found and found.asks, found.wanted if found else set()) == (asks, wanted)


@pytest.mark.parametrize(
    ("question", "files", "expected"),
    [
        (
            "What values may mode take?",
            {"shop.toml.example": "# one of fast, slow\nmode = 'fast'\n\nother = 1\n"},
            ["shop.toml.example:1-2"],
        ),
        (
            "What values may the mode take?",
            {"docs/settings.md": "# Settings\n\n## mode\n\nOne of:\n\n- `fast`\n- `slow`\n\n## port\n\nA number.\n"},
            ["docs/settings.md:5-8"],
        ),
        (
            "What values does --mode accept?",
            {"src/main.rs": "enum Mode {\n    Fast,\n}\n\nstruct Cli {\n    #[arg(long)]\n    mode: Mode,\n}\n"},
            ["src/main.rs:6-7", "src/main.rs:1-3"],
        ),
        (
            "Which storage types can be configured?",
            {"config.yaml.dist": "storage:\n  type: memory\n\n  # type: mysql\n\nweb:\n  type: http\n"},
            ["config.yaml.dist:2-2"],
        ),
        (
            "What is the default port?",
            {"docs/settings.md": "# Settings\n\n## hosts\n\nDefault: `localhost:80`\n", **OTHER},
            ["docs/settings.md:5-5"],
        ),
        (
            "How do I change the log level?",
            {"cli.js": 'cli\n  .option("-v, --verbose", "Says more")\n  .option("-q", "x y");\n'},
            ["cli.js:2-2"],
        ),
        (
            "How do I enable RSS feeds?",
            {"shop.conf.example": "enableRSS = true   # false disables all feeds\nenableLists = true\nport = 80\n"},
            ["shop.conf.example:1-1"],
        ),
        (
            "How do I enable LDAP?",
            {"config.default.php": "<?php\n// Enable LDAP (false by default)\ndefine('LDAP_AUTH', false);\n"},
            ["config.default.php:2-3"],
        ),
        (
            "How do I enable LDAP?",
            {"config.default.php": "<?php\n// Where LDAP is\ndefine('LDAP_PLACE', 'there');\n", **OTHER},
            [],
        ),
        (
            "What is the default editor?",
            {"src/settings.py": "EDITOR_FOLDER = 'editor'\n", **OTHER},
            [],
        ),
        (
            "What is the default expiry of ID tokens?",
            {"config.yaml.dist": "# expiry:\n#   idTokens: 24h\n#   keys: 6h\nport: 1\n"},
            ["config.yaml.dist:1-2"],
        ),
        (
            "What is the default port?",
            {
                "src/ServerConfig.kt": (
                    "class ServerConfig {\n    val port: Flow<Int> by IntSetting(\n        default = 4567,\n    )\n"
                    '    val ip: Flow<String> by StringSetting(default = "a")\n}\n'
                )
            },
            ["src/ServerConfig.kt:2-4"],
        ),
        (
            "What is the default lifetime of the cache?",
            {
                "plugin/tills/README.md": "# tills\n\n- `lifetime`: how long the cache of tills lives, by default 5.\n",
                "plugin/cache/README.md": "# cache\n\n- `lifetime`: how long the cache lives, by default 60.\n",
            },
            ["plugin/cache/README.md:3-3"],
        ),
        (
            "What is the default timeout of the API?",
            {"api.go": 'package a\n\nfunc f() {\n\tfs.Duration("api-timeout", 1*time.Hour, "How long to wait")\n}\n'},
            ["api.go:4-4"],
        ),
        (
            "What values may mode take?",
            {"shop.conf.example": "mode: fast\n# either fast or slow,\n# and nothing else\n\nport: 80\n"},
            ["shop.conf.example:1-3"],
        ),
        (
            "What is the default port?",
            {"README.md": "# Shop\n\n- `-p, --Port` - the port (default: 9117)\n- `-q` - quiet\n", **OTHER},
            ["README.md:3-3"],
        ),
        (
            "What values may mode take?",
            {"docs/shop.rst": "Shop\n====\n\n.. confval:: mode\n   :type: a\n\n   One of:\n\n   - fast\n   - slow\n"},
            ["docs/shop.rst:4-10"],
        ),
        (
            "Where is the version set?",
            {"cli.js": 'cli\n  .option("-V, --version", "Says the version")\n  .option("-q, --quiet", "x y");\n'},
            [],
        ),
        (
            "How do I change the download folder?",
            {"src/settings.py": "downloads_path = 'here'\nother_path = 'there'\n"},
            ["src/settings.py:1-1"],
        ),
        (
            "How do I change the colours?",
            {"src/main.c": "int main(void) {\n\tuse_default_colours();\n\treturn 0;\n}\n"},
            [],
        ),
        (
            "What is the default port?",
            {"config.yaml.dist": "kind: memory\n# mysql:\n#   port: 3306\n", **OTHER},
            [],
        ),
        (
            "How do I change the log level?",
            {
                "docs/manual.md": (
                    "# Settings\n\n## Logging\n\n### level\n\nSet `level`.\n\n## Other\n\n### level\n\n`no`\n"
                )
            },
            ["docs/manual.md:7-7"],
        ),
    ],
)
def test_the_setting_is_found_by_what_is_said_of_it(
    tmp_path: Path, question: str, files: dict[str, str], expected: list[str]
) -> None:
    with index_of(tmp_path / "shop", files) as index:
        assert places(explain_setting(Question(question), index)) == expected


def test_the_values_that_a_sample_shows_are_told(tmp_path: Path) -> None:
    sample = "storage:\n  type: memory\n\n  # type: mysql\n\nweb:\n  type: http\n"
    with index_of(tmp_path / "shop", {"config.yaml.dist": sample}) as index:
        found = explain_setting(Question("Which storage types can be configured?"), index)
    assert found is not None and "`config.yaml.dist` shows it as `memory`, `mysql`." in found.text([1])


def test_an_amount_that_no_setting_holds_is_left_to_a_search(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", OTHER) as index:
        assert explain_setting(Question("How many tests run by default?"), index) is None
        found = explain_setting(Question("What is the default timeout?"), index)
    assert found is not None and not found.known


def test_where_nothing_tells_the_values_it_is_said(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", {"settings.py": "mode = 'fast'\n", **OTHER}) as index:
        found = explain_setting(Question("What values may mode take?"), index)
    assert found is not None and "said at none of these places" in found.text([1])


@pytest.mark.parametrize(
    ("question", "files", "expected"),
    [
        (
            "What does --dry-run do?",
            {"src/main.rs": "struct Cli {\n    /// Changes nothing at all.\n    #[arg(long)]\n    dry_run: bool,\n}\n"},
            ["src/main.rs:2-4"],
        ),
        (
            "What does --fresh do?",
            {
                "src/Cli.java": (
                    'class Cli {\n  @Option(name = "off", without = {\n'
                    '      "fresh" }, description = "Stays at home.")\n'
                    '  int a;\n  @Option(name = "fresh", description = "Reads all anew.")\n  int b;\n}\n'
                )
            },
            ["src/Cli.java:5-5"],
        ),
        (
            "What does bumpAll do?",
            {"shop.conf": "bumpAll = false   # raises the number of the version\n"},
            ["shop.conf:1-1"],
        ),
        (
            "What does --bump do?",
            {
                "src/vendor.js": "const a = {\n  // the number of the version\n  bump: raised(),\n};\n",
                "docs/bump.md": "# bump\n\nThis is about raising numbers in a table of the settings.\n",
                "docs/usage.md": "# Usage\n\n- `--bump`: raises the number of the version\n",
            },
            ["docs/usage.md:3-3"],
        ),
    ],
)
def test_an_option_is_explained_where_it_is_declared(
    tmp_path: Path, question: str, files: dict[str, str], expected: list[str]
) -> None:
    with index_of(tmp_path / "shop", files) as index:
        assert places(explain_option(Question(question), index)) == expected


def test_code_that_names_files_of_settings(tmp_path: Path) -> None:
    code = (
        "import config.toml\n"
        'paths = ["/etc/shop/config", "~/.shoprc", "shop.toml", "./config.yaml"]\n'
        'others = ["package.json", "orders.toml", "a config.toml b", "/var/config.d/x"]\n'
        'log("config.ini")\n'
    )
    with index_of(tmp_path / "shop", {"src/paths.py": code, "tests/test_a.py": 'x = "config.cfg"\n'}) as index:
        found = [name for name, *_ in files_of_settings_named(index)]
    assert sorted(found) == ["./config.yaml", "/etc/shop/config", "shop.toml", "~/.shoprc"]


def test_who_asks_where_gets_the_line_that_names_the_file(tmp_path: Path) -> None:
    code = 'def begin():\n    return run("./shop.conf")\n'
    with index_of(tmp_path / "shop", {"src/main.py": code, **OTHER}) as index:
        found = explain_configuration(Question("Which config file does it read and where?"), index)
    assert places(found) == ["src/main.py:2-2"]
    assert found is not None and "`./shop.conf` (`src/main.py:2`)" in found.text([1])


def test_lines_that_read_a_configuration_tell_what_no_name_tells(tmp_path: Path) -> None:
    files = {
        "cmd/serve.go": (
            "package cmd\n\nfunc Serve(p string) error {\n\tconfigData, err := os.ReadFile(configFile)\n\n"
            "\treturn yaml.Unmarshal(configData, &c)\n}\n"
        ),
        "storage/etcd/config.go": "package etcd\n\nfunc (e *Etcd) Open(l L) error {\n\treturn e.open(l)\n}\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        assert places(explain_configuration(Question("How is configuration loaded?"), index)) == ["cmd/serve.go:4-6"]


def test_one_line_that_parses_tells_nothing(tmp_path: Path) -> None:
    files = {"telemetry.go": "package t\n\nfunc f() {\n\tlevel.UnmarshalText([]byte(cfg.LogLevel))\n}\n", **OTHER}
    with index_of(tmp_path / "shop", files) as index:
        found = explain_configuration(Question("How is configuration loaded?"), index)
    assert found is not None and not found.hits


def test_the_page_of_a_command_that_configures_is_not_about_the_configuration(tmp_path: Path) -> None:
    files = {
        "docs/shop-config.md": "# shop-config\n\n## SYNOPSIS\n\nshop config `a.toml`\n",
        "docs/configuration.md": "# Configuration\n\nThe shop reads `~/.shop.toml`.\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        found = explain_configuration(Question("Where is configuration stored?"), index)
    assert places(found) == ["docs/configuration.md:3-3"]


WORDS = "-- #[arg(long)] config default option @Option /etc/ what is the values may take where how do i set loaded x_1"
PIECES = st.sampled_from([*"([{}])\"'`#,.:;|<>= \\\t", *WORDS.split(), "80", "é", "\u2028"])
TEXTS = st.lists(PIECES, max_size=12).map(" ".join) | st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=40)


@given(st.lists(TEXTS, min_size=1, max_size=6), st.data())
def test_what_declares_a_setting_holds_its_line(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(lines)))
    assert all(isinstance(name, str) and name for name in (*declared_options(lines, at), *options_shown(lines, at)))
    for kind in SettingKind:
        for value in ("", "80"):
            first, last = bounds_of_setting(lines, at, kind, value)
            assert 1 <= first <= at <= last <= len(lines)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    files = {"shop.toml.example": "# one of a, b\nmode = 'a'\n", "src/config.py": "x_1 = 80\nport = 80\n", **OTHER}
    with index_of(tmp_path_factory.mktemp("shop") / "shop", files) as index:
        yield index


@given(TEXTS)
def test_every_question_is_answered_or_left_to_others(shop: Index, text: str) -> None:
    for question in (text, f"what values may {text} take", f"where is {text} configured", f"how is config {text}"):
        for way in (explain_setting, explain_configuration, explain_option, list_options):
            found = way(Question(question), shop)
            assert found is None or found.pieces


def test_options_of_a_table_in_c_and_their_manual(tmp_path: Path) -> None:
    names = ("history-limit", "prefix", *(f"status-{n}" for n in range(12)))
    entries = [f'\t{{ .name = "{name}",\n\t  .type = NUMBER,\n\t  .default_num = 2000,\n\t}},\n' for name in names]
    files = {
        "options-table.c": "\n".join(["const struct entry table[] = {", *entries, "};\n"]),
        "commands.c": 'const struct command show = {\n\t.name = "show-limit",\n\t.exec = show_limit\n};\n',
        "mux.1": (
            ".Dd May 1\n.Dt MUX 1\n.Sh OPTIONS\n.Bl -tag\n.It Ic history\\-limit Ar lines\nSet the most lines.\n"
            ".It Ic prefix Ar key\nSet the key accepted as a prefix key.\n.Ic prefix\ncan be set to\n.Ql None\n"
            "to set no prefix.\n.It Ic other\nAnother one.\n.El\n"
        ),
        **OTHER,
    }
    with index_of(tmp_path / "mux", files) as index:
        for question in ("What is the default history limit?", "What is the default history-limit?"):
            assert places(explain_setting(Question(question), index)) == ["options-table.c:2-5"]
        assert places(explain_setting(Question("How do I set the history limit?"), index)) == [
            "options-table.c:2-5",
            "mux.1:5-6",
        ]
        assert places(explain_setting(Question("How do I change the prefix?"), index))[1:] == ["mux.1:7-12"]
    assert [*declared_options(files["commands.c"].split("\n"), 2)] == []


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('    #[arg(env = "SHOP_PORT")]', ["SHOP_PORT"]),
        ('#define PORT getenv("SHOP_PORT")', ["SHOP_PORT"]),
        ('# os.environ["SHOP_PORT"] is read', []),
        ('os.environ["SHOP_PORT"] = "1"', []),
        ('int(os.getenv("SHOP_PORT", "80"))', ["SHOP_PORT"]),
        ('Command::new("a").env("SHOP_PORT", "1")', []),
        ('path = environ["PATH_INFO"]', []),
    ],
)
def test_variables_are_those_that_a_line_reads(line: str, names: list[str]) -> None:
    assert [*variables_in(line)] == names
