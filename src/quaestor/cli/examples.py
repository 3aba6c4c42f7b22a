"""What each command's --help shows as examples."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "index": (
        "quaestor index",
        "quaestor index ~/notes --watch",
        "quaestor index https://docs.example.org --dry-run",
        "quaestor index https://docs.example.org --include '/guide/*' --max-pages 500",
    ),
    "search": (
        "quaestor search 'where are requests retried'",
        "quaestor search 'retry after a timeout' ~/src/client ~/src/server -k 5",
        "quaestor search 'session expiry' --path 'src/**' --lang python",
        "quaestor search parse_header --json",
    ),
    "related": (
        "quaestor related send_with_retry",
        "quaestor related Client.send --kind callers -k 50",
        "quaestor related src/retry.py:12",
    ),
    "overview": (
        "quaestor overview",
        "quaestor overview ~/src/client --tokens 600",
        "quaestor overview --folder src/server --json",
    ),
    "history": (
        "quaestor history",
        "quaestor history 'when and why was send_with_retry added?'",
        "quaestor history src/retry.py --since 2024 -n 20",
        "quaestor history 'what changed between 1.1 and 1.2' ~/src/client --json",
    ),
    "ask": (
        "quaestor ask 'how do I turn off retries?'",
        "quaestor ask 'what calls send_with_retry?' ~/src/client",
        "quaestor ask 'what does @src/retry.py do after a timeout?'",
        "quaestor ask 'why is it slow?' --model llama3.2 --base-url http://localhost:11434/v1",
    ),
    "chat": (
        "quaestor chat",
        "quaestor chat ~/notes --continue",
        "quaestor chat --model llama3.2 --base-url http://localhost:11434/v1",
        "quaestor chat --dry-run 'where is the cache?'",
    ),
    "edit": (
        "quaestor edit 'rename MAX_ATTEMPTS to MAX_TRIES' --model llama3.2 --base-url http://localhost:11434/v1",
        "quaestor edit 'add a type hint to send' --check 'make test'",
        "quaestor edit --reply answer.md --patch change.diff",
    ),
    "store": (
        "quaestor store corpora --store postgresql://quaestor@db.example.org/quaestor",
        "quaestor store copy ~/src/client postgresql://quaestor@db.example.org/quaestor",
        "quaestor store check ~/src/client",
    ),
    "undo": ("quaestor undo", "quaestor undo ~/src/client"),
    "sessions": (
        "quaestor sessions list",
        "quaestor sessions show 3f2a --turn 2",
        "quaestor sessions export 3f2a --markdown -o talk.md",
    ),
    "serve": (
        "quaestor serve --open",
        "quaestor serve ~/src/client ~/notes --port 8080",
        "quaestor serve --model llama3.2 --base-url http://localhost:11434/v1",
    ),
    "mcp": ("quaestor mcp", "quaestor mcp ~/src/client ~/notes", "quaestor mcp --http --port 9000"),
    "install": ("quaestor install claude-code", "quaestor install cursor ~/src/client --dry-run"),
    "uninstall": ("quaestor uninstall claude-code", "quaestor uninstall cursor --dry-run"),
    "users": ("quaestor users add anna", "quaestor users list", "quaestor users revoke anna"),
    "usage": ("quaestor usage", "quaestor usage --by model --since 2026-01-01"),
    "tune": ("quaestor tune --dry-run", "quaestor tune ~/notes", "quaestor tune --undo"),
    "stats": ("quaestor stats", "quaestor stats ~/notes --verbose"),
    "eval": ("quaestor eval --self", "quaestor eval questions.json --corpus ~/notes --chunker lines:40"),
    "config": ("quaestor config show", "quaestor config show ~/notes --json"),
    "prompts": ("quaestor prompts show", "quaestor prompts show chat"),
    "doctor": ("quaestor doctor", "quaestor doctor --probe --model llama3.2 --base-url http://localhost:11434/v1"),
    "completion": ("quaestor completion bash >> ~/.bashrc", "quaestor completion fish | source"),
}


def examples_of(name: str) -> str:
    """Return the examples of a command as the end of its help; lines that are not wrapped, as click marks them."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in EXAMPLES[name])])
