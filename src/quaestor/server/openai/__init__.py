"""OpenAI's wire format over a corpus, for clients that know nothing of us."""
