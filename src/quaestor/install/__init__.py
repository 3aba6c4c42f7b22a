"""Tells coding agents and editors how to start Quaestor, by one entry in each program's settings file.

A settings file belongs to the user: everything else in it, including comments, stays unchanged. Each edited text is
parsed before it is written; an edit that would change anything but our entry is refused.
The package does not know what Quaestor does once it is started. Begin with ``install_entry``.
"""

from __future__ import annotations

from quaestor.install.install_entry import CLIENTS, Change, Client, Place, install, uninstall

__all__ = ["CLIENTS", "Change", "Client", "Place", "install", "uninstall"]
