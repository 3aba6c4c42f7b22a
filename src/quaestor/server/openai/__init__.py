"""OpenAI's wire format over a corpus, for clients that know nothing of Quaestor.

It does not know pages or our own API; every route becomes one turn of a conversation.
Begin with ``chat_completions``.
"""
