"""A small corpus and a scripted server for conversations."""

from corpus_of_two import corpus  # noqa: F401 - a fixture
from scripted_server import scripted_server  # noqa: F401 - a fixture
