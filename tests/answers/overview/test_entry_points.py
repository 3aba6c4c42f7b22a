"""Where a program is entered, by what its manifests declare, its main functions and the names of its files."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from overview_parts import material_of, shown, stands_where_it_says

from quaestor.answers.overview.entry_points import entry_points

CODE = "x = 1\n"


def entered(files: Mapping[str, str], within: str = "") -> list[tuple[object, ...]]:
    return [shown(one) for one in entry_points(material_of(files, within))]


ENTERED = {
    "scripts of pyproject.toml": (
        {
            "pyproject.toml": '[project]\nname = "shop"\n\n[project.scripts]\nshop = "shop.cli:main"\n'
            'other = "elsewhere:run"\n\n[project.gui-scripts]\nwindow = "shop.gui:main"\n[tool.x]\n'
            'no = "shop.cli:main"\n',
            "src/shop/cli.py": CODE,
            "shop/gui.py": CODE,
        },
        [
            ("shop → src/shop/cli.py", 5, 'shop = "shop.cli:main"'),
            ("other", 6, 'other = "elsewhere:run"'),
            ("window → shop/gui.py", 9, 'window = "shop.gui:main"'),
        ],
    ),
    "scripts of setup.cfg": (
        {
            "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    shop = shop.cli:main\n"
            "    buy = lib2.buy:main\n\n"
            "[tool]\n    no = shop.cli:main\n",
            "shop/cli/__main__.py": CODE,
            "lib/lib2/buy.py": CODE,
        },
        [
            ("shop → shop/cli/__main__.py", 3, "shop = shop.cli:main"),
            ("buy → lib/lib2/buy.py", 4, "buy = lib2.buy:main"),
        ],
    ),
    "scripts of setup.py, on one line": (
        {"setup.py": "setup(\n    entry_points={'console_scripts': ['shop = shop:main']},\n)\n", "shop.py": CODE},
        [("shop → shop.py", 2, "entry_points={'console_scripts': ['shop = shop:main']}")],
    ),
    "programs of package.json": (
        {
            "tools/package.json": '{\n  "name": "@team/shop",\n  "files": ["./run.js"],\n  "bin": "./run.js",\n'
            '  "main": "lib/a.js",\n  "module": "gone.js"\n}\n',
            "tools/lib/a.js": "x();\n",
        },
        [
            ("shop → tools/run.js", 4, '"bin": "./run.js"'),
            ("tools/lib/a.js", 5, '"main": "lib/a.js"'),
        ],
    ),
    "several programs of package.json": (
        {
            "package.json": '{\n "bin": {\n  "one": "bin/one.js",\n  "two": "bin/two.js"\n }\n}\n',
            "src/x.ts": "x();\n",
        },
        [("one → bin/one.js", 3, '"one": "bin/one.js"'), ("two → bin/two.js", 4, '"two": "bin/two.js"')],
    ),
    "programs of Cargo.toml": (
        {
            "Cargo.toml": '[package]\nname = "p"\npath = "src/b.rs"\n\n[[bin]]\nname = "shop"\npath = "src/a.rs"\n\n'
            '[[bin]]\npath = "src/b.rs"\n\n[[bin]]\nname = "gone"\npath = "src/gone.rs"\n',
            "src/a.rs": "fn a() {}\n",
            "src/b.rs": "fn b() {}\n",
        },
        [("shop → src/a.rs", 7, 'path = "src/a.rs"'), ("src/b.rs", 10, 'path = "src/b.rs"')],
    ),
    "executables of a Cabal file, in the shallowest file of the name": (
        {
            "shop.cabal": "name: shop\nexecutable shop\n  main-is: cmd/Main.hs\nlibrary\n  main-is: Other.hs\n"
            "executable gone\n  main-is: Gone.hs\n",
            "deep/er/cmd/Main.hs": "x = 1\n",
            "z/cmd/Main.hs": "x = 1\n",
            "other/Main.hs": "x = 1\n",
            "Other.hs": "x = 1\n",
        },
        [
            ("shop → z/cmd/Main.hs", 3, "main-is: cmd/Main.hs"),
            ("gone", 7, "main-is: Gone.hs"),
        ],
    ),
    "executables of a gem": (
        {
            "shop.gemspec": 'Gem::Specification.new do |spec|\n  spec.executables = ["shop", "gone", "buy"]\nend\n',
            "exe/shop": "#!/usr/bin/env ruby\nx = 1\n",
            "lib/shop.rb": "x = 1\n",
        },
        [("exe/shop", 2, 'spec.executables = ["shop", "gone", "buy"]'), ("lib/shop.rb",)],
    ),
    "an Elixir project": (
        {
            "mix.exs": "def project do\n  [app: :shop, escript: [main_module: Shop.CLI]]\nend\n"
            "def application do\n  [\n    mod: {Shop.App, []}\n  ]\nend\n",
            "lib/shop.ex": "x = 1\n",
        },
        [
            ("Shop.CLI", 2, "[app: :shop, escript: [main_module: Shop.CLI]]"),
            ("Shop.App", 6, "mod: {Shop.App, []}"),
        ],
    ),
    "main functions, the shallowest first": (
        {
            "cmd/shop/main.go": "package main\n\nfunc main() {\n}\n",
            "a.go": "package main\n\n// main\nfunc main() {\n}\n",
            "b.go": "package shop\n\n// main is elsewhere\nfunc Main() {\n}\n",
            "Dockerfile": 'FROM x\nRUN main\nENTRYPOINT ["shop"]\n',
        },
        [
            ("a.go", 4, "func main() {"),
            ("cmd/shop/main.go", 3, "func main() {"),
            ("Dockerfile", 3, 'ENTRYPOINT ["shop"]'),
        ],
    ),
    "programs by their names": (
        {
            "shop/__main__.py": '"""Sells orders to people."""\n',
            "manage.py": CODE,
            "src/bin/tool.rs": "//! Sends orders.\nfn x() {}\n",
            "config/routes.rb": "x = 1\n",
            "bin/run": "#!/bin/sh\necho\n",
            "bin/test-all": "#!/bin/sh\necho\n",
            "examples/__main__.py": CODE,
        },
        [
            ("shop/__main__.py", 1, "Sells orders to people."),
            ("manage.py",),
            ("config/routes.rb",),
            ("src/bin/tool.rs", 1, "Sends orders."),
            ("bin/run",),
        ],
    ),
    "executables of a cabal file, each from its own folder": (
        {
            "shop.cabal": "name: shop\nlibrary\n  hs-source-dirs: lib\nexecutable shop\n"
            "  main-is:        Main.hs\n  hs-source-dirs: app/shop\n\nexecutable other\n  ghc-options: -O2\n",
            "a/Main.hs": "module Main where\n",
            "app/shop/Main.hs": "module Main where\n",
        },
        [("shop → app/shop/Main.hs", 5, "main-is: Main.hs")],
    ),
    "a site of Django is entered by its program, not by its parts": (
        {"manage.py": CODE, "orders/__init__.py": '"""Orders."""\n', "bin/keys.txt": "a b c\n"},
        [("manage.py",)],
    ),
    "a web server in C# whose main function is not written": (
        {
            "src/Shop.Web/Program.cs": "using Shop;\n\nvar builder = WebApplication.CreateBuilder(args);\n",
            "sample/Program.cs": "class P { static void Main() {} }\n",
        },
        [("src/Shop.Web/Program.cs", 3, "var builder = WebApplication.CreateBuilder(args);")],
    ),
    "a library in C is entered by its public header, not by its examples": (
        {
            "include/shop.h": "/* Orders, sent. */\nint send(void);\n",
            "src/send.c": "int send(void) { return 1; }\n" * 20,
            "docs/code/a/main.c": "int main(void) {\n}\n",
        },
        [("include/shop.h", 1, "Orders, sent.")],
    ),
    "programs in a manual are examples": (
        {"src/run.c": "int main(void) {\n}\n", "docs/code/a/main.c": "int main(void) {\n}\n"},
        [("src/run.c", 1, "int main(void) {")],
    ),
    "what a library is imported by": (
        {
            "src/index.ts": "x();\n",
            "big/__init__.py": f'"""All of it."""\n{CODE * 40}',
            "big/inner/__init__.py": CODE * 40,
            "small/__init__.py": CODE,
            "tests/__init__.py": CODE * 40,
        },
        [("src/index.ts",), ("big/__init__.py", 1, "All of it.")],
    ),
    "the activity that a device's launcher starts": (
        {
            "app/AndroidManifest.xml": '<application android:name=".ShopApp">\n'
            '<activity\n  android:name=".Settings"/>\n'
            '<activity\n  android:name=".ui.MainActivity"\n  android:parent="x" android:name=".Second">\n'
            '  <action android:name="android.intent.action.MAIN"/>\n</activity>\n'
            '<activity android:name="org.shop.Other">\n  <action android:name="android.intent.action.MAIN"/>\n',
            "app/java/MainActivity.java": "class MainActivity {}\n",
            "app/kotlin/MainActivity.kt": "class MainActivity\n",
        },
        [
            ("MainActivity → app/kotlin/MainActivity.kt", 5, 'android:name=".ui.MainActivity"'),
            ("Other", 9, '<activity android:name="org.shop.Other">'),
        ],
    ),
    "an activity in Java": (
        {
            "AndroidManifest.xml": '<activity android:name="Shop">\n"android.intent.action.MAIN"\n',
            "src/Shop.java": "class Shop {}\n",
        },
        [("Shop → src/Shop.java", 1, '<activity android:name="Shop">')],
    ),
    "a package.json on one line": (
        {"package.json": '{"name": "shop", "bin": {"shop": "./run.js"}, "main": "a.js"}\n', "a.js": "x();\n"},
        [
            ("shop → run.js", 1, '{"name": "shop", "bin": {"shop": "./run.js"}, "main": "a.js"}'),
            ("a.js", 1, '{"name": "shop", "bin": {"shop": "./run.js"}, "main": "a.js"}'),
        ],
    ),
    "a program where it is declared, not where its file is listed": (
        {
            "package.json": '{\n "files": ["run.js"],\n "bin": {\n  "shop": "run.js",\n  "": "none.js"\n },\n'
            ' "module": "a.mjs"\n}\n',
            "a.mjs": "x();\n",
        },
        [("shop → run.js", 4, '"shop": "run.js"'), ("a.mjs", 7, '"module": "a.mjs"')],
    ),
    "a program whose file is written otherwise": (
        {"package.json": '{\n "x": 1,\n "bin": {\n  "shop": "r\\u0075n.js"\n }\n}\n'},
        [("shop → run.js", 3, '"bin": {')],
    ),
    "a package.json that is a list": (
        {"package.json": "[1]\n", "a/package.json": '{"bin": \n', "b.ts": "x();\n"},
        [],
    ),
    "a program without a name": ({"package.json": '{\n "bin": "run.js"\n}\n', "run.ts": "x();\n"}, []),
    "scripts between brackets": (
        {
            "setup.py": "setup(\n    scripts=['no = no:main'],\n    entry_points={\n        'gui_scripts': [\n"
            "            'shop = shop:main',\n        ],\n        'other': ['no = no:main'],\n    },\n)\n",
            "shop.py": CODE,
        },
        [("shop → shop.py", 5, "'shop = shop:main'")],
    ),
    "scripts up to a blank line": (
        {
            "setup.cfg": "[metadata]\nno = no:main\n[options.entry_points]\nconsole_scripts = shop = shop.a:main\n\n"
            "    no = no:main\n",
            "shop/a/__init__.py": CODE,
        },
        [("shop → shop/a/__init__.py", 4, "console_scripts = shop = shop.a:main")],
    ),
    "manifests no deeper than those of the project": (
        {
            **{f"{'d/' * n}pyproject.toml": f'[project.scripts]\np{n} = "p:main"\n' for n in (3, 4)},
            **{f"{'d/' * n}x.gemspec": f"executables = 'g{n}'\n" for n in (1, 2)},
            **{
                f"{'d/' * n}AndroidManifest.xml": f'<activity android:name="A{n}">\n"android.intent.action.MAIN"\n'
                for n in (4, 5)
            },
            **{f"{'d/' * n}mix.exs": f"escript: [main_module: M{n}]\n" for n in (1, 2)},
            **{f"{'d/' * n}Dockerfile": "CMD run\n" for n in (1, 2)},
            **{f"bin/g{n}": CODE for n in (1, 2)},
        },
        [
            ("p3", 2, 'p3 = "p:main"'),
            ("bin/g1", 1, "executables = 'g1'"),
            ("A4", 1, '<activity android:name="A4">'),
            ("M1", 1, "escript: [main_module: M1]"),
            ("bin/g2",),
            ("d/Dockerfile", 1, "CMD run"),
        ],
    ),
    "programs no deeper than those of the project": (
        {
            **{f"{'d/' * n}main.rs": "fn main() {}\n" for n in (4, 5)},
            **{f"{'d/' * n}src/bin/a.rs": "fn x() {}\n" for n in (2, 3)},
        },
        [("d/d/d/d/main.rs",), ("d/d/src/bin/a.rs",)],
    ),
    "the first twenty manifests of a name": (
        {f"p{n:02}/Cargo.toml": '[[bin]]\npath = "b.rs"\n' for n in range(21)} | {"p20/b.rs": "fn b() {}\n"},
        [],
    ),
    "a library of Dart": (
        {"pubspec.yaml": "name: shop\n", "lib/shop.dart": "int x = 1;\n", "lib/no.dart": "int x = 1;\n"},
        [("lib/shop.dart",)],
    ),
    "a library of Elixir": ({"mix.exs": "def project do\n  app: :shop,\n", "lib/shop.ex": CODE}, [("lib/shop.ex",)]),
    "a library whose files bear its name": (
        {
            "package.json": '{\n  "name": "@team/shop"\n}\n',
            "src/shop.ts": "x();\n",
            "lib/shop.js": "x();\n",
            "src/shop.go": "x\n",
            "lib/package.ts": "x();\n",
        },
        [("lib/shop.js",), ("src/shop.ts",), ("src/shop.go",)],
    ),
    "a name in the thirtieth line of a manifest": (
        {"pubspec.yaml": "version: 1\n" * 29 + "name: late\n", "lib/late.dart": "int x = 1;\n"},
        [("lib/late.dart",)],
    ),
    "no name after that, and none in another file": (
        {
            "pubspec.yaml": "version: 1\n" * 30 + "name: late\n",
            "a.json": '{\n  "name": "late"\n}\n',
            "lib/late.dart": "int x = 1;\n",
        },
        [],
    ),
    "packages of at least a fifth of the largest": (
        {
            "a/__init__.py": CODE * 50,
            "b/__init__.py": CODE * 10,
            "c/__init__.py": CODE * 9,
            "d/e/f/__init__.py": CODE * 50,
            "examples/__init__.py": CODE * 50,
            "empty/__init__.py": "",
            "empty/a.py": CODE * 50,
            "g/h/__init__.py": CODE * 50,
        },
        [("a/__init__.py",), ("b/__init__.py",), ("g/h/__init__.py",)],
    ),
    "a library beside a site of Django": (
        {"site/manage.py": CODE, "site/a/__init__.py": CODE, "till/__init__.py": CODE, "z/c/__init__.py": CODE},
        [("site/manage.py",), ("till/__init__.py",), ("z/c/__init__.py",)],
    ),
    "executables of a folder for them": (
        {"exe/run": "#!/bin/sh\n", "exe/a.json": "{}\n", "exe/notes.md": "# A\n", "sub/exe/no": "#!/bin/sh\n"},
        [("exe/run",)],
    ),
    "neither what tests nor what shows how it is used, nor a template": (
        {
            "pyproject.toml": '[project.scripts]\na = "tests.a:main"\nb = "b:main"\n',
            "tests/a.py": CODE,
            "b.py": CODE,
            **{f"{one}/__main__.py": CODE for one in (".hidden", "docs", "demo", "mydocs", "{{a}}", "sampled")},
        },
        [("b → b.py", 3, 'b = "b:main"'), ("mydocs/__main__.py",)],
    ),
    "main functions of C that no test alone compiles": (
        {
            "a.c": "#ifdef SHOP\nint x;\n#endif\n#ifdef A_TEST\nint y;\n#else\nint main(void) {\n}\n#endif\n",
            "b.c": "#if A\n#ifdef SELFTEST\n#endif\nint main(void) {\n}\n#endif\n",
            "c.c": "#if A\n#elif defined(DEMO)\nint main(void) {\n}\n#endif\n",
            "d.c": "#ifdef BENCHMARK\n# ifdef B\n# endif\nint main(void) {\n}\n#endif\n",
            "e.c": "#endif\n#else\nint main(void) {\n}\n",
        },
        [("a.c", 7, "int main(void) {"), ("b.c", 4, "int main(void) {"), ("e.c", 3, "int main(void) {")],
    ),
    "a file that two commands run, and not once more": (
        {
            "Cargo.toml": '[[bin]]\nname = "a"\npath = "src/main.rs"\n[[bin]]\nname = "b"\npath = "src/main.rs"\n',
            "src/main.rs": "fn main() {}\n",
        },
        [("a → src/main.rs", 3, 'path = "src/main.rs"'), ("b → src/main.rs", 6, 'path = "src/main.rs"')],
    ),
    "main functions of the project's own": (
        {
            "z.go": "package main\n\nfunc main() {\n}\n",
            "a/b.go": "package main\n\nfunc main() {\n}\n",
            "vendor/v/main.go": "package main\n\nfunc main() {\n}\n",
            "x.py": "def main():\n    pass\n",
            "m.c": "int\nmain(void)\n{\n}\n",
        },
        [("m.c", 2, "main(void)"), ("z.go", 3, "func main() {"), ("a/b.go", 3, "func main() {")],
    ),
    "the beginning of a long line": (
        {"Dockerfile": f"  CMD  {'run, ' * 40}\n"},
        [("Dockerfile", 1, f"CMD {'run, ' * 40}"[:120])],
    ),
}


@pytest.mark.parametrize(("files", "expected"), ENTERED.values(), ids=ENTERED.keys())
def test_where_a_program_is_entered(files: Mapping[str, str], expected: list[tuple[object, ...]]) -> None:
    assert entered(files) == expected
    for entry in entry_points(material_of(files)):
        source = entry.says and entry.says.source
        # What a file says of itself is no line of a manifest.
        if entry.says and source and not (entry.name == source.path and entry.says.brief is None):
            assert stands_where_it_says(entry, files)
            assert entry.says.brief == ("" if entry.name == source.path else source.path)


def test_where_a_folder_is_entered() -> None:
    files = {
        "pyproject.toml": '[project.scripts]\nall = "all:main"\n',
        "part/pyproject.toml": '[project.scripts]\npart = "part.cli:main"\n',
        "part/src/part/cli.py": CODE,
        "part/bin/run": "#!/bin/sh\necho\n",
        "part/index.js": "x();\n",
    }
    assert [one[0] for one in entered(files, "part")] == [
        "part → part/src/part/cli.py",
        "part/bin/run",
        "part/index.js",
    ]


def test_a_project_of_tests_alone_is_entered_by_its_tests() -> None:
    files = {"tests/__main__.py": CODE, "tests/helper.py": CODE}
    assert [one[0] for one in entered(files, "tests")] == ["tests/__main__.py"]
    files = {"examples/__main__.py": CODE, "README.md": "# Shop\n\nIt sells.\n"}
    assert [one[0] for one in entered(files)] == ["examples/__main__.py"]
