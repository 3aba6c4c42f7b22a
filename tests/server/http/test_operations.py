"""Whether the server is well, and what it counts."""

from __future__ import annotations

from served import Running, get


def test_it_says_that_it_is_well(shared: Running) -> None:
    answer = get(f"{shared.url}/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "ready": True})


def test_metrics_count_requests_by_route(quoting: Running) -> None:
    get(f"{quoting.url}/healthz")
    text = get(f"{quoting.url}/metrics").text
    assert 'quaestor_requests_total{method="GET",route="/healthz",status="200"} 1.0' in text
    assert 'quaestor_corpus_ready{corpus="kitchen"} 1.0' in text


def test_answers_carry_the_requests_id(shared: Running) -> None:
    assert get(f"{shared.url}/healthz", headers={"x-request-id": "mine-1"}).headers["x-request-id"] == "mine-1"
    forged = get(f"{shared.url}/healthz", headers={"x-request-id": 'a"b c'}).headers["x-request-id"]
    assert forged != 'a"b c'
    assert forged.isalnum()
