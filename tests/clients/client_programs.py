"""The client programs: for each, a function of a server's address that returns the outcome of each feature."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "programs"
CELL = "cell of the table of clients"
"""The name of a test's property: a client, a feature, and how that went."""
QUESTION = "how often is a request sent?"
FEATURES = {
    "chat": "chat completion",
    "streaming": "streamed",
    "tools": "tools of its own",
    "form": "answer in JSON by a schema",
    "responses": "Responses API",
    "responses_streamed": "Responses API, streamed",
    "completion": "plain completion",
    "embeddings": "embeddings",
    "models": "list of models",
    "sources": "citations as data",
    "edit": "edit of a file",
    "image": "picture in a question",
    "unknown": "unknown model",
}
_LIBRARY = tuple(name for name in FEATURES if name != "edit")
_FRAMEWORK = tuple(name for name in _LIBRARY if name != "models")
_LLM_MODELS = """
- {{model_id: quaestor, model_name: quaestor, api_base: "{0}", supports_tools: true, supports_schema: true}}
- {{model_id: quaestor-text, model_name: quaestor, api_base: "{0}", completion: true}}
- {{model_id: picture, model_name: quaestor, api_base: "{0}", vision: true}}
- {{model_id: cellar, model_name: cellar, api_base: "{0}"}}
"""
_SCHEMA = '{"type": "object", "properties": {"tries": {"type": "integer"}}, "required": ["tries"]}'
_WEATHER = 'def weather(city: str) -> str:\n    "Tell the weather in a city."\n    return "rain"\n'
# The smallest picture that there is.
_PICTURE = bytes.fromhex("47494638396101000100000000002c00000000010001000002004b003b")

Result = dict[str, Any]
Ask = Callable[[Sequence[str], str, Path], dict[str, Result]]


@dataclass(frozen=True)
class Client:
    """A client.

    Attributes:
        name: for people.
        features: that it has.
        ask: takes features, the address of the API, and an empty folder; returns what came of each feature.
    """

    name: str
    features: tuple[str, ...]
    ask: Ask


def all_clients(environment: Path) -> list[Client]:
    """Return the clients that are installed in an environment; see ``make clients``."""
    python, scripts = str(environment / "python/bin/python"), environment / "python/bin"
    javascript = str(environment / "javascript")
    return [
        Client("openai (Python)", _LIBRARY, _program(python, "-P", PROGRAMS / "python_client.py")),
        Client(
            "openai (JavaScript)", _LIBRARY, _program("node", PROGRAMS / "javascript_client.mjs", CLIENTS_JS=javascript)
        ),
        Client("LangChain", _FRAMEWORK, _program(python, "-P", PROGRAMS / "langchain_client.py")),
        Client("LlamaIndex", _FRAMEWORK, _program(python, "-P", PROGRAMS / "llama_index_client.py")),
        Client(
            "llm",
            ("chat", "streaming", "tools", "form", "completion", "image", "unknown"),
            _each(partial(_llm, scripts / "llm")),
        ),
        Client(
            "aider",
            ("chat", "streaming", "edit", "unknown"),
            _each(partial(_aider, environment / "aider/bin/aider")),
        ),
    ]


def _program(*command: str | Path, **more: str) -> Ask:
    """Return a client that is a program of ours, which prints one JSON object: a result for each feature."""

    def ask(features: Sequence[str], url: str, folder: Path) -> dict[str, Result]:
        done = _run([*command, url, *features], folder, more)
        assert done.returncode == 0, done.stderr
        found: dict[str, Result] = json.loads(done.stdout.splitlines()[-1])
        return found

    return ask


def _each(ask: Callable[[str, str, Path], Result]) -> Ask:
    """Return a client that is started for each feature anew."""
    return lambda features, url, folder: {feature: ask(feature, url, folder) for feature in features}


def _llm(program: Path, feature: str, url: str, folder: Path) -> Result:
    (folder / "extra-openai-models.yaml").write_text(_LLM_MODELS.format(url), encoding="utf-8")
    (folder / "picture.gif").write_bytes(_PICTURE)
    options = {
        "chat": ["-m", "quaestor", "--no-stream", QUESTION],
        "streaming": ["-m", "quaestor", QUESTION],
        "tools": ["-m", "quaestor", "--no-stream", "--functions", _WEATHER, "--td", "how is the weather in Graz?"],
        "form": ["-m", "quaestor", "--no-stream", "--schema", _SCHEMA, QUESTION],
        "completion": ["-m", "quaestor-text", QUESTION],
        "image": ["-m", "picture", "--no-stream", "-a", str(folder / "picture.gif"), "what is this?"],
        "unknown": ["-m", "cellar", "--no-stream", QUESTION],
    }
    done = _run([program, *options[feature]], folder, {"LLM_USER_PATH": str(folder), "OPENAI_API_KEY": "none"})
    if done.returncode:
        return {"refused": done.stderr}
    text = done.stdout.removesuffix("\n")
    called = {"city": "Graz"} if "weather({'city': 'Graz'})" in done.stderr else None
    return {"text": text, "called": called, **({"data": json.loads(text)} if feature == "form" else {})}


def _aider(program: Path, feature: str, url: str, folder: Path) -> Result:
    # Whatever it wants to look up elsewhere is left out: the server is all that it needs.
    options = ["--no-git", "--yes-always", "--no-check-update", "--no-show-model-warnings", "--analytics-disable"]
    options += ["--no-pretty", "--map-tokens", "0", "--no-show-release-notes", "--no-gitignore"]
    options += ["--openai-api-base", url, "--openai-api-key", "none"]
    options += ["--model", "openai/cellar" if feature == "unknown" else "openai/quaestor"]
    options += [] if feature in ("streaming", "edit") else ["--no-stream"]
    if feature == "edit":
        (folder / "retry.py").write_text("MAX_ATTEMPTS = 3\n", encoding="utf-8")
        options += ["--edit-format", "diff", "--message", "try four times", "retry.py"]
    else:
        options += ["--chat-mode", "ask", "--message", QUESTION]
    done = _run([program, *options], folder, {"HOME": str(folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True"})
    said = " ".join(done.stdout.split())
    # Without a network it complains of what it cannot look up, and goes on.
    if re.search(r"litellm\.\w+Error", said):
        return {"refused": said}
    if feature == "edit":
        return {"edited": (folder / "retry.py").read_text(encoding="utf-8")}
    answer = re.search(r"disabled\s+(.*?)\s+Tokens:", said)
    return {"text": answer[1] if answer else said}


def _run(command: list[str | Path], folder: Path, more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "OPENAI_"))}
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**environment, **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
