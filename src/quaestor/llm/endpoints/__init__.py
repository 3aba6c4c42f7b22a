"""What all OpenAI-compatible endpoints have in common: the client, what goes wrong, in which words, when to try again.

Knows neither models nor embedders; both build on it.
"""

OPENAI_URL = "https://api.openai.com/v1"
"""Where requests go unless an address is set."""
