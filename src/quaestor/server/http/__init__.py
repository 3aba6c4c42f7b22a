"""The HTTP server: OpenAI's API, our own, the pages, and what runs beside them."""
