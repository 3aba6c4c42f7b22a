from __future__ import annotations

from pathlib import Path

from quaestor.edits import Journal, apply, diff, parse, plan, undo

REPLY = '''Here is the change.

src/a.py
```python
<<<<<<< SEARCH
def one():
    return 1
=======
def one():
    """One."""
    return 1
>>>>>>> REPLACE
```

*** Move File: b.txt -> deep/er/c.txt
*** Delete File: gone.txt

new.md
<<<<<<< SEARCH
=======
# New
>>>>>>> REPLACE
'''


def test_a_reply_is_applied_and_undone(tmp_path: Path) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_bytes(b"\xef\xbb\xbfx = 0\r\n\r\ndef one():\r\n    return 1")
    (root / "b.txt").write_bytes(b"b\n")
    (root / "gone.txt").write_bytes(b"gone\n")
    (root / "src/a.py").chmod(0o755)
    before = {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    made = plan(root, parse(REPLY))
    assert made.refusals == ()
    print(diff(made))
    journal = Journal(home)
    apply(made, journal)
    assert (root / "src/a.py").read_bytes() == b'\xef\xbb\xbfx = 0\r\n\r\ndef one():\r\n    """One."""\r\n    return 1'
    assert (root / "src/a.py").stat().st_mode & 0o777 == 0o755
    assert sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()) == [
        "deep/er/c.txt",
        "new.md",
        "src/a.py",
    ]
    undo(journal)
    assert {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
    assert not (root / "deep").exists()
