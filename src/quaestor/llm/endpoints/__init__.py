"""What all OpenAI-compatible endpoints have in common: the client, its failures in plain sentences, and retries.

It does not know models or embedders; both build on it. Begin with ``client``.
"""

OPENAI_URL = "https://api.openai.com/v1"
"""Where requests go unless an address is set."""
