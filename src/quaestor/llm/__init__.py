"""Language models: endpoints, the models behind them, tokens, ChatML, the tags in replies, and all prompts.

The package does not know corpora, conversations or tools: it sends messages and receives a reply.
Begin with ``models``, the protocol that every model follows.
"""
