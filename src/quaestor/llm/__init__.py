"""Language models: endpoints, the models behind them, tokens, ChatML, the tags in replies, and every prompt.

The package does not know corpora, conversations or tools: messages go out, a reply comes back.
Begin with ``models``, the protocol that every model follows.
"""
