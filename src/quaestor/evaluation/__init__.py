"""How well a corpus is searched: questions with known answers, metrics, comparisons, and learning from them."""
