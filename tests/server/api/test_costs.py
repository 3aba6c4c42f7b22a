"""What a turn cost, as its last event tells it; and what a limit of all users together tells to whom."""

from __future__ import annotations

from pathlib import Path

from native_parts import begin, client, joined, of, turn
from served import serving, write

from scripted_server import StartServer

QUESTION = "how long does the dough rest?"
CHOSEN = {"model": "tiny", "premeditation": "off", "subroutines": "off"}


def test_a_turn_costs_what_its_tokens_cost(tmp_path: Path, scripted_server: StartServer) -> None:
    model = scripted_server(["Eighteen hours [1]."])
    chosen = {**CHOSEN, "base_url": model.base_url, "prompt_price": 2.0, "completion_price": 8.0}
    with (
        serving(write(tmp_path / "kitchen"), home=tmp_path / "home", **chosen) as server,
        client(server.url) as api,
    ):
        [done] = of(turn(api, begin(api), QUESTION), "done")
        usage = done["usage"]
        assert done["cost"] == (2 * usage["prompt_tokens"] + 8 * usage["completion_tokens"]) / 1_000_000
        assert api.get("/api/usage").json()["today"]["cost"] == done["cost"]


def test_without_a_price_it_is_unknown_and_without_a_model_there_is_none(
    tmp_path: Path, scripted_server: StartServer
) -> None:
    for chosen, cost in (({**CHOSEN, "base_url": scripted_server().base_url}, None), ({}, 0.0)):
        home = tmp_path / f"home-{cost}"
        with serving(write(tmp_path / f"k-{cost}"), home=home, **chosen) as server, client(server.url) as api:
            assert of(turn(api, begin(api), QUESTION), "done")[0]["cost"] == cost


def test_what_all_used_together_is_told_only_to_who_is_alone(tmp_path: Path) -> None:
    limits = {"limit_day_tokens": 1000, "all_day_tokens": 1000}
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home", **limits) as server:
        with client(server.url) as local:
            assert set(local.get("/api/usage").json()["limits"]) == set(limits)
        _, anna = joined(server, "anna")
        with anna:
            assert set(anna.get("/api/usage").json()["limits"]) == {"limit_day_tokens"}
