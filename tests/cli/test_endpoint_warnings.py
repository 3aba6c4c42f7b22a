"""The warnings about the model's endpoint when a server starts."""

from __future__ import annotations

import pytest

from quaestor.cli.commands.serve import endpoint_warnings
from quaestor.core.config import Settings
from scripted_server import ScriptedServer, StartServer
from servers.threads import Exchange, ThreadedServer


def settings_of(server: ScriptedServer, model: str = "tiny") -> Settings:
    return Settings(model=model, base_url=server.base_url, api_key="sk-secret", window=8192)


def test_a_right_endpoint_is_passed_in_silence(scripted_server: StartServer) -> None:
    server = scripted_server()
    assert endpoint_warnings(settings_of(server)) == []
    assert [request.path for request in server.requests] == ["/v1/models"]
    assert endpoint_warnings(Settings()) == []


def test_a_model_that_is_not_listed(scripted_server: StartServer) -> None:
    server = scripted_server(models=("a", "b", "c", "d", "e", "f"))
    [said] = endpoint_warnings(settings_of(server))
    assert said == (
        f"{server.base_url} does not list a model 'tiny', but 'a', 'b', 'c', 'd', 'e', ...;"
        " correct --model if questions fail"
    )


def test_a_window_that_is_smaller_than_the_setting(scripted_server: StartServer) -> None:
    server = scripted_server()
    server.described["tiny"] = {"max_model_len": 4096}
    [said] = endpoint_warnings(settings_of(server))
    assert said == (
        f"{server.base_url} says that the window of 'tiny' is 4,096 tokens, and `window` is 8,192;"
        " set QUAESTOR_WINDOW=4096"
    )
    server.described["tiny"] = {"max_model_len": 9000}
    assert endpoint_warnings(settings_of(server)) == []


class _Refusing(Exchange):
    status = 401

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("content-length", "0")
        self.end_headers()


class _Listless(_Refusing):
    status = 404


@pytest.mark.parametrize(("exchange", "said"), [(_Refusing, "the key that was sent was refused"), (_Listless, "")])
def test_a_refused_key_is_said_and_a_missing_list_is_not(exchange: type[Exchange], said: str) -> None:
    with ThreadedServer(exchange) as server:
        settings = Settings(model="tiny", base_url=f"http://127.0.0.1:{server.port}/v1", api_key="sk-secret")
        warnings = endpoint_warnings(settings)
    assert len(warnings) == bool(said)
    assert said in "".join(warnings)
    assert "sk-secret" not in "".join(warnings)
