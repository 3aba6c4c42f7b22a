"""Questions which routes, commands, errors and the like there are get all that the code declares, with its lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.project.listed_files import list_folder, list_tests
from quaestor.answers.project.listings import kinds, list_declared
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

FILES = {
    "shop/web.py": '@app.route("/orders")\ndef orders():\n    return requests.get("/elsewhere")\n',
    "shop/urls.py": 'urlpatterns = [\n    path("carts/", views.carts),\n    re_path(r"^tills/$", views.tills),\n]\n',
    "web/server.ts": "router.post('/pay', pay);\naxios.get('/no-route-of-ours');\n",
    "web/app/api/stock/route.ts": "export async function GET() { return list(); }\n",
    "web/pages/api/old.ts": "export default handle;\n",
    "web/app/lib/api/helper.ts": "export const help = 1;\n",
    "config/routes.rb": 'Shop.routes.draw do\n  resources :customers\n  get "about", to: "pages#about"\nend\n',
    "src/Orders.java": '@GetMapping("/bills")\npublic List<Bill> bills() { return all(); }\n',
    "api/orders.go": 'func routes(mux *http.ServeMux) {\n\tmux.HandleFunc("GET /ships", ships)\n}\n',
    "src/main.rs": '#[get("/rust")]\nasync fn rust() {}\nfn app() { Router::new().route("/axum", get(rust)) }\n',
    "openapi.yaml": "openapi: 3.0.0\npaths:\n  /spoken:\n    get: {}\ncomponents:\n  /none:\n    a: 1\n",
    "tests/test_web.py": 'app.get("/only-in-a-test")\n',
}
ROUTES = (
    "/orders carts/ ^tills/$ /pay api/stock api/old customers about /bills GET|/ships /rust /axum /spoken"
).split()
COMMANDS = {
    "shop/cli.py": (
        '@main.command("sell")\ndef sell_all():\n    pass\n\n\n@main.command()\n@option\ndef count():\n    pass\n\n\n'
        'sub.add_parser("order", help="order it")\n'
    ),
    "cmd/root.go": 'var root = &cobra.Command{\n\tUse:   "ship [FLAGS]",\n}\n',
    "src/args.rs": (
        "/// Which command to run\n#[derive(Debug, Subcommand)]\n/// All of them\npub enum Command {\n"
        "    /// Pays\n    Pay(PayArgs),\n    Leave,\n}\n\nenum Other {\n    None,\n}\n"
    ),
    "bin/shop.js": "program\n  .command('wrap <thing>')\n  .description('a command');\n",
    "app/Console/Restock.php": "class Restock extends Command {\n  protected $signature = 'stock:fill {shelf}';\n}\n",
    "shop/management/commands/__init__.py": "# commands\n",
    "shop/management/commands/prune.py": "class Command(BaseCommand):\n    help = 'Prunes old orders'\n",
}
EXITS = {
    "shop/main.py": "import sys\n\nEXIT_FULL = 3\n\n\ndef main():\n    sys.exit(2)\n",
    "lib/end.go": "func end() {\n\tos.Exit(4)\n}\n",
    "src/end.c": "int main(void) {\n  exit(EXIT_FAILURE);\n}\n",
    "build.sh": "#!/bin/sh\nexit 77\n",
}
FAULTS = {
    "shop/faults.py": "class SoldOut(ShopError):\n    pass\n\n\nclass ShopError(Exception):\n    pass\n",
    "lib/faults.go": 'var ErrGone = errors.New("gone")\n\ntype PayError struct{}\n',
    "src/faults.rs": "#[derive(Error)]\npub enum StockError {\n    Empty,\n}\n",
    "src/Faults.java": "public final class CartException extends RuntimeException {}\n",
}
MODELS = {
    "shop/models.py": "class Order(models.Model):\n    id = 1\n\n\nclass Helper(object):\n    model = Order\n",
    "app/models/cart.rb": "class Cart < ApplicationRecord\nend\n",
    "src/Till.java": '@Entity\n@Table(name = "tills")\npublic class Till {\n}\n',
    "db/schema.sql": "CREATE TABLE IF NOT EXISTS bills (id integer);\n",
    "db/schema.prisma": "model Shelf {\n  id Int @id\n}\n",
}
SCRIPTS = {
    "package.json": '{\n  "scripts": {\n    "dev": "vite",\n    "lint": "eslint"\n  },\n  "x": "y"\n}\n',
    "Makefile": "PORT := 80\n\nbuild: all\n\tgo build\n\ntest:\n\tgo test\n",
    "justfile": "# as a test\nserve port='80':\n    serve {{port}}\n",
}
CARGO = {
    "Cargo.toml": '[package]\nname = "shop"\nkeywords = ["bread"]\n\n[features]\ndefault = ["tls"]\ntls = []\n'
    'docs = [\n  "tls",\n]\n\n[workspace]\nmembers = ["till"]\n',
}
OTHERS = {
    "app/src/main/AndroidManifest.xml": (
        '<manifest>\n  <uses-permission android:name="android.permission.INTERNET"/>\n'
        '  <application>\n    <activity\n      android:name=".ShopActivity"\n      android:exported="true"/>\n'
        "  </application>\n</manifest>\n"
    ),
    "CMakeLists.txt": 'option(SHOP_TLS "Speak TLS." ON)\nshop_option(SHOP_DOCS "Build." OFF)\nset(OTHER "option" 1)\n',
}


def listed(text: str) -> set[str]:
    """Return the names in the list of an answer: the code spans in its bullets, but for the paths before the colon."""
    rows = [row.partition(": ")[2] for row in text.split("\n") if row.startswith("- `")]
    return {
        name.replace("GET ", "", 1).replace("POST ", "", 1) for row in rows for name in re.findall(r"`([^`]+)`", row)
    }


@pytest.mark.parametrize(
    ("question", "files", "names"),
    [
        ("Which routes are there?", FILES, None),
        ("Which commands does shop have?", COMMANDS, "sell count order ship Pay Leave wrap stock:fill prune"),
        ("Where are the errors defined?", FAULTS, "SoldOut ShopError ErrGone PayError StockError CartException"),
        ("which models are there", MODELS, "Order Cart Till bills Shelf"),
        ("Which features can I enable?", CARGO, "default tls docs"),
        ("which cargo features are there", CARGO, "default tls docs"),
        ("Which scripts are there?", SCRIPTS, "dev lint build test serve"),
        ("Which permissions does the app need?", OTHERS, "android.permission.INTERNET"),
        ("What activities are there?", OTHERS, ".ShopActivity"),
        ("Which CMake options are there?", OTHERS, "SHOP_TLS SHOP_DOCS"),
    ],
)
def test_all_that_the_code_declares_is_listed(
    tmp_path: Path, question: str, files: dict[str, str], names: str | None
) -> None:
    with index_of(tmp_path / "shop", files) as index:
        found = list_declared(Question(question), index)
    assert found is not None
    assert found.known
    wanted = {one.replace("GET|", "") for one in ROUTES} if names is None else set(names.split())
    assert {one.rpartition(" ")[2] for one in listed(found.text([1, 2, 3]))} == wanted
    # What is quoted stands in the files, a declaration in each quote.
    assert 0 < len(found.hits) <= 3
    assert all(hit.text in files[hit.path] for hit in found.hits)


def test_a_list_counts_and_says_that_it_knows_only_the_usual_forms(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", FAULTS) as index:
        found = list_declared(Question("list all exceptions"), index)
    assert found is not None
    text = found.text([1, 2, 3])
    assert text.startswith("The code declares 6 errors in 4 files, as far as the usual forms show")
    assert "- `shop/faults.py`: `SoldOut` (1), `ShopError` (5)" in text


def test_exit_codes_are_told_value_by_value_and_those_of_scripts_only_alone(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", EXITS) as index:
        found = list_declared(Question("What are the exit codes?"), index)
    with index_of(tmp_path / "script", {"build.sh": EXITS["build.sh"]}) as index:
        alone = list_declared(Question("which exit codes does it return?"), index)
    assert found is not None
    assert alone is not None
    rows = [row for row in found.text([1, 2, 3]).split("\n") if row.startswith("- ")]
    assert rows == [
        "- `2`: `shop/main.py:7`",
        "- `4`: `lib/end.go:2`",
        "- `EXIT_FULL` = 3: `shop/main.py:3`",
        "- `EXIT_FAILURE`: `src/end.c:2`",
    ]
    assert "- `77`: `build.sh:2`" in alone.text([1])


@pytest.mark.parametrize(
    ("readme", "lines"),
    [
        ("# Shop\n\n## Exit codes\n\nThe shop ends with 2 if it is full.\n", (5, 5)),
        ("# Shop\n\n| exit code | |\n|---|---|\n| 2 | the shop is full of people |\n\nMore.\n", (3, 5)),
    ],
)
def test_what_a_document_says_of_them_stands_first(tmp_path: Path, readme: str, lines: tuple[int, int]) -> None:
    with index_of(tmp_path / "shop", {"README.md": readme, **EXITS}) as index:
        found = list_declared(Question("What are the exit codes?"), index)
    assert found is not None
    assert [(hit.path, (hit.start_line, hit.end_line)) for hit in found.hits] == [("README.md", lines)]
    assert "`2`: `shop/main.py:7`" in found.text([1])


def test_migrations_are_told_folder_by_folder(tmp_path: Path) -> None:
    files = {f"shop/migrations/000{number}_step.py": f"class Migration{number}:\n    pass\n" for number in (1, 2, 3)}
    files |= {"shop/migrations/__init__.py": "# none\n", "src/DBUpgrader.java": "class DBUpgrader {\n}\n"}
    with index_of(tmp_path / "shop", files) as index:
        found = list_declared(Question("Where are the database migrations?"), index)
    assert found is not None
    assert "- `shop/migrations/`: 3 migrations, `0001_step.py` to `0003_step.py`" in found.text([1, 2])
    assert [hit.path for hit in found.hits] == ["src/DBUpgrader.java", "shop/migrations/0003_step.py"]
    assert found.way == "listing"


@pytest.mark.parametrize(
    "question",
    [
        "Which routes need a password?",
        "How do I add a route?",
        "What is an error?",
        "which error is raised when the shop is full",
        "where is the model trained?",
    ],
)
def test_a_question_for_some_of_them_gets_no_list(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "shop", FILES | FAULTS | MODELS) as index:
        assert list_declared(Question(question), index) is None


def test_nothing_is_listed_where_nothing_is_declared(tmp_path: Path) -> None:
    files = {
        "shop/a.py": "def error_of(path):\n    return path\n",
        "README.md": "# Routes\n\nWe ship by many routes.\n",
    }
    questions = ("routes", "commands", "exit codes", "errors", "models", "migrations", "scripts", "permissions")
    with index_of(tmp_path / "shop", files) as index:
        assert [list_declared(Question(f"Which {one} are there?"), index) for one in questions] == [None] * 8


def test_things_with_a_folder_of_their_own_are_its_files(tmp_path: Path) -> None:
    files = {f"deploy/playbooks/{name}.yml": "- hosts: all\n" for name in ("set", "reset", "scale")}
    files |= {"deploy/playbooks/roles/x/main.yml": "- a: 1\n", "tests/playbooks/a.yml": "- hosts: none\n"}
    with index_of(tmp_path / "shop", files) as index:
        found = list_folder(Question("Which playbooks are there?"), index)
        none = [list_folder(Question(f"Which {one} are there?"), index) for one in ("roles", "plugins", "playbook")]
    assert found is not None
    assert (
        "`deploy/playbooks/` holds 4 files and folders: `reset.yml`, `roles/`, `scale.yml`, `set.yml`."
        in found.text([1, 2, 3])
    )
    assert none == [None, None, None]


@pytest.mark.parametrize("folder", ["plugins", "examples"])
def test_parts_in_a_folder_are_listed_with_what_is_hidden_last(tmp_path: Path, folder: str) -> None:
    files = {f"{folder}/{name}": "#!/bin/sh\necho 1\n" for name in (".helper", "find", "open", "preview")}
    with index_of(tmp_path / "shop", {**files, "shop.py": "x = 1\n"}) as index:
        found = answer_by_way(Question(f"Which {folder} are there?"), index)
        assert found == answer_by_way(Question(f"all {folder}"), index)
        assert found == answer_by_way(Question(f"available {folder}"), index)
    assert found is not None and found.way == "listing"
    assert f"`{folder}/` holds 4 files and folders: `find`, `open`, `preview`, `.helper`." in found.text([1, 2, 3])


def test_what_a_document_says_of_the_things_in_a_folder_is_quoted(tmp_path: Path) -> None:
    files = {f"roles/network_plugin/{name}/main.yml": f"- name: {name}\n" for name in ("red", "green", "blue")}
    files["README.md"] = "# Shop\n\n## Network Plugins\n\nChoose among red, green and blue.\n"
    with index_of(tmp_path / "shop", files) as index:
        found = list_folder(Question("Which network plugins are supported?"), index)
    assert found is not None
    assert "`roles/network_plugin/` holds 3 files and folders: `blue/`, `green/`, `red/`." in found.text([1])
    assert [(hit.path, hit.start_line) for hit in found.hits] == [("README.md", 5)]


def test_every_kind_has_a_form_that_can_be_read() -> None:
    for kind in kinds():
        assert kind.forms
        for form in kind.forms:
            assert "name" in form.pattern or not form.within
            re.compile(form.pattern, re.MULTILINE)


TILL = "(5).\n\n`shop/tests/test_till.py:1`"
REST = "`src/PayTest.java`, `test/pay_test.cpp`"
TESTS = {
    "shop/tests/test_till.py": "def test_opens():\n    pass\n\n\ndef test_counts_coins():\n    pass\n",
    "shop/tests/test_cart.py": "def test_cart_is_empty():\n    pass\n\n\ndef test_refund_of_coins():\n    pass\n",
    "web/pay.test.ts": "it('pays by card', () => {});\n",
    "src/PayTest.java": "class PayTest {\n  @Test\n  public void paysByCard() {}\n}\n",
    "lib/pay_test.go": "func TestPayByCard(t *testing.T) {\n}\n",
    "test/pay_test.cpp": "TEST(Pay, ByCard) {\n}\n",
    "tests/pay.rs": "#[test]\nfn pays_by_card() {}\n",
    "tests/till_helper.py": "TILL = 1\n",
    "integration/tests/night/closing.go": "var Closing = NewTest(Args{})\n",
    "shop/till.py": "def till(refund):\n    return refund\n",
}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "Which tests cover the till?",
            ["`shop/tests/test_till.py` has 2 tests (lines in brackets): `test_opens` (1),", TILL],
        ),
        (
            "Where is the refund tested?",
            ["`shop/tests/test_cart.py` has 1 test of that name", "`test_refund_of_coins` (5)"],
        ),
        ("what tests are there for closing", ["`integration/tests/night/closing.go` is a test of that name."]),
        (
            "Which tests check paying by card?",
            ["`pays by card` (1)", "`pays_by_card` (1)", "`TestPayByCard` (1)", f"2 more files fit as well: {REST}."],
        ),
    ],
)
def test_the_tests_of_a_subject_are_found_by_the_names_of_files_and_tests(
    tmp_path: Path, question: str, told: list[str]
) -> None:
    with index_of(tmp_path / "shop", TESTS) as index:
        found = list_tests(Question(question), index)
    assert found is not None
    text = found.text([1, 2, 3])
    assert [one for one in told if one not in text] == []
    assert all(hit.text in TESTS[hit.path] for hit in found.hits)


@pytest.mark.parametrize(
    "question", ["Which tests cover the moon?", "How is it tested?", "how do I run the tests for the till?"]
)
def test_no_test_is_listed_for_what_none_is_called_after(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "shop", TESTS) as index:
        assert list_tests(Question(question), index) is None


def test_no_pattern_repeats_letters_without_end() -> None:
    """A file of 400,000 letters that repeats what a pattern repeats took it minutes."""
    patterns = [pattern for kind in kinds() for form in kind.forms for pattern in (form.pattern, form.within)]
    assert len(patterns) > 50
    assert [one for one in patterns if re.search(r"(?<!\\)[\]sw][*+]", one)] == []


def test_what_is_vendored_or_an_example_is_not_listed(tmp_path: Path) -> None:
    route = '@app.route("/{}")\ndef page():\n    return 1\n'
    folders = ("shop", "vendor/pay", "examples")
    files = {f"{folder}/web.py": route.format(folder) for folder in folders}
    with index_of(tmp_path / "shop", files) as index:
        found = list_declared(Question("Which routes are there?"), index)
    assert found is not None
    assert found.way == "listing"
    text = found.text([1])
    assert "`ROUTE /shop`" in text
    assert "vendor" not in text
    assert "examples" not in text


def test_of_several_folders_of_a_name_the_fullest_is_listed_and_of_a_folder_in_it_the_readme_shown(
    tmp_path: Path,
) -> None:
    files = {
        **{f"animals/{name}.py": f"def {name}():\n    return 1\n" for name in ("ant", "bee", "cow")},
        "src/animals/dog/Behind.md": "# Behind\n\nThe dog runs.\n",
        "src/animals/dog/README.md": "# Dog\n\nThe dog barks at night.\n",
        "src/animals/dog/a/b.py": "bark = 1\n",
        **{f"src/animals/{name}.py": f"def {name}():\n    return 1\n" for name in ("eel", "fly", "gnu", "hen")},
    }
    with index_of(tmp_path / "zoo", files) as index:
        answer = list_folder(Question("Which animals are there?"), index)
    assert answer is not None
    assert answer.pieces[0].startswith("`src/animals/` holds 5 files and folders: `dog/`, `eel.py`")
    assert answer.hits[0].path == "src/animals/dog/README.md"


ENUMERATIONS = {
    "src/SafeMode.java": "public enum SafeMode {\n  OPEN, SHUT\n}\n",
    "src/lib.rs": "/// How late.\npub enum Severity {\n    Low,\n}\n\npub struct LogLevel {\n    n: u8,\n}\n",
    "src/gate_kind.h": "enum gate_kind { GATE_IN };\n",
    "tests/test_modes.rs": "enum TestMode { A }\n",
}


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("Which safe modes exist?", "src/SafeMode.java"),
        ("what severities are there", "src/lib.rs"),
        ("which gate kinds are supported", "src/gate_kind.h"),
        ("which log levels are there", None),
        ("which test modes are there", None),
        ("Which safe modes exist on the way to the market?", None),
    ],
)
def test_an_enumeration_is_quoted_that_is_called_as_the_things(tmp_path: Path, question: str, path: str | None) -> None:
    with index_of(tmp_path / "shop", ENUMERATIONS) as index:
        found = list_folder(Question(question), index)
    assert (None if found is None else found.hits[0].path) == path
    assert found is None or found.hits[0].text in ENUMERATIONS[path or ""]
