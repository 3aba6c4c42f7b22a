"""Servers for tests: real sockets, scripted replies."""
