"""The Model Context Protocol: a corpus as tools for coding agents, over stdio and streamable HTTP.

The package does not know models: the agent that calls it is one. Begin with ``mcp_tools`` (what each tool does), then
``sdk_server``; ``fast_start`` answers before the SDK is imported.
"""
