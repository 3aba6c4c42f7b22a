"""In which places a type inherits from a name or implements it, language by language; who imports a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.related.occurrences import occurrences


@pytest.mark.parametrize(
    ("language", "text", "name", "roles"),
    [
        ("python", "class A(Base, m.Other, metaclass=Meta):\n    x = Base()\n", "Base", ["base 1", "call 2"]),
        ("python", "class A(Base, m.Other, metaclass=Meta): ...\n", "Other", ["base 1"]),
        ("python", "class A(Base, metaclass=Meta): ...\n", "Meta", ["reference 1"]),
        ("python", "class A(List[Base]): ...\n", "Base", ["reference 1"]),
        ("javascript", "class A extends Base {}\nclass B extends m.Base {}\n", "Base", ["base 1", "base 2"]),
        ("typescript", "class A extends B<T> implements n.Base {}\n", "Base", ["base 1"]),
        ("typescript", "interface A extends Base {}\n", "Base", ["base 1"]),
        ("typescript", "class A extends B<Base> {}\n", "Base", ["reference 1"]),
        ("java", "class A extends Base<T> implements I {}\n", "Base", ["base 1"]),
        ("java", "class A implements I, Base {}\ninterface J extends Base {}\n", "Base", ["base 1", "base 2"]),
        ("java", "class A {\n    private Base x;\n}\n", "Base", ["reference 2"]),
        ("cpp", "class A {\n  Base x;\n  Base* y;\n};\n", "Base", ["reference 2", "reference 3"]),
        ("kotlin", "class A(val x: Base) : Other(x)\n", "Base", ["reference 1"]),
        ("kotlin", "class A(val x: X) : Base(x), I by y\n", "Base", ["base 1"]),
        ("kotlin", "object A : B(), Base by y\n", "Base", ["base 1"]),
        ("swift", "class A: B, Base {}\nextension C: Base {}\n", "Base", ["base 1", "base 2"]),
        ("scala", "class A(x: X) extends B(x) with Base\n", "Base", ["base 1"]),
        ("csharp", "class A : B, Base {}\nrecord R(X x) : Base(x);\n", "Base", ["base 1", "base 2"]),
        ("cpp", "class A : public ns::Base<T> {};\n", "Base", ["base 1"]),
        ("php", "<?php class A extends Base implements I { use T; }\n", "Base", ["base 1"]),
        ("php", "<?php class A { use Base; }\n", "Base", ["base 1"]),
        ("ruby", "class A < M::Base\n  include Mod\n  puts Mod\nend\n", "Base", ["base 1"]),
        ("ruby", "class A < M::Base\n  include Mod\n  puts Mod\nend\n", "Mod", ["base 2", "reference 3"]),
        ("rust", "impl ns::Base<T> for A {}\ntrait C: Base + D {}\n", "Base", ["base 1", "base 2"]),
        ("rust", "impl A for Base {}\nfn f(x: impl Base) {}\n", "Base", ["reference 1", "reference 2"]),
        ("rust", "use a::Base;\nmod m {\n    use crate::Base;\n}\n", "Base", ["import 1", "import 3"]),
        ("dart", "class A extends B with Mix implements Base {}\n", "Base", ["base 1"]),
        ("dart", "class A extends B with Mix implements Base {}\n", "Mix", ["base 1"]),
        ("solidity", "contract A is B, Base {}\n", "Base", ["base 1"]),
        ("elixir", "defmodule A do\n  @behaviour My.Base\n  use My.Base\nend\n", "Base", ["base 2", "base 3"]),
        ("elixir", "defmodule A do\n  alias My.Base\n  Base.run(1)\nend\n", "Base", ["import 2", "reference 3"]),
        ("haskell", "instance Base A where\n  x = 1\n", "Base", ["base 1"]),
        ("erlang", "-module(a).\n-behaviour(base).\n", "base", ["base 2"]),
        ("go", "package a\ntype A struct {\n\tBase\n\tx Base\n}\n", "Base", ["base 3", "reference 4"]),
        ("go", "package a\ntype I interface {\n\tBase\n\tm()\n}\n", "Base", ["base 3"]),
        ("objc", "@interface A : Base\n@end\n", "Base", ["base 1"]),
    ],
)
def test_the_roles_of_a_name(language: str, text: str, name: str, roles: list[str]) -> None:
    found = occurrences(text, language, name)
    assert found is not None
    assert [f"{one.role} {one.start_line}" for one in found] == roles


def test_importers_of_a_file_whose_name_stands_everywhere(tmp_path: Path) -> None:
    """As that of a project of one file: it stands in more chunks than are looked at for the word alone."""
    files = {f"notes/note_{number}.py": f"shop = {number}  # shop, shop\n" for number in range(620)}
    body = "".join(f"value_{number} = {number}\n" for number in range(20))
    files |= {"shop.py": "def send(): ...\n", "till.py": f"import shop\n\n{body}"}
    with index_of(tmp_path / "made", files) as index:
        found = index.related("shop.py", ("callers",), 10).of("callers")
    assert [(one.role, one.path) for one in found] == [("import", "till.py")]
