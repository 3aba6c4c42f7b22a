"""The Model Context Protocol: a corpus as tools for coding agents, over stdio and streamable HTTP."""
