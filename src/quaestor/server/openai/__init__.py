"""OpenAI's API in front of a corpus, for clients that know nothing of Quaestor.

It does not know pages or our own API; every request becomes one turn of a conversation.
Begin with ``chat_completions``.
"""
