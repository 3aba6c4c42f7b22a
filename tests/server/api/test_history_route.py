"""The history over HTTP, and commits in the panel of passages."""

from __future__ import annotations

from pathlib import Path

from native_parts import client
from served import serving

from history_repository import shop


def test_history_and_its_passages(tmp_path: Path) -> None:
    made, ids = shop(tmp_path / "shop")
    with serving(made.folder, home=tmp_path / "home") as server, client(server.url) as api:
        found = api.get("/api/history", params={"about": "when was send_with_retry added"}).json()
        assert found["known"]
        first = found["passages"][0]
        assert first["path"] == f"commit {ids['retry'][:10]}"
        lines = api.get("/api/passage", params={"path": first["path"], "start": 5, "end": 5}).json()
        assert lines["lines"] == ["Add send_with_retry"]
        assert lines["language"] == "diff"
        page = api.get("/passage", params={"path": first["path"], "start": 1, "end": 8})
        assert page.status_code == 200
        assert "giving up lost orders" in page.text
        assert api.get("/api/history", params={"since": "soon"}).status_code == 400
        assert api.get("/api/passage", params={"path": "commit 0123456789"}).status_code == 404
        asked = api.post("/api/ask", json={"question": "what changed in 1.1?"}).json()
        assert asked["known"]
