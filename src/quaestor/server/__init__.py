"""The HTTP server: a page for people, our own API, and OpenAI's API.

The package owns routes, access control, uploads and the processes that serve; it does not know how an answer is made.
Begin with ``http/app``, which puts the application together; ``api``, ``openai`` and ``web`` hold its routes.
"""
