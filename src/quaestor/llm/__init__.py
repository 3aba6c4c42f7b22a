"""Language models: endpoints, the models behind them, tokens, ChatML, the tags in replies, and every prompt."""
