"""Telling coding agents and editors how to start Quaestor: one entry in each one's own settings file.

A settings file belongs to the user: everything else in it, comments included, stays as it is, to the letter. It is read
again after every edit, and an edit that changed anything but our entry is never written.
The package does not know what Quaestor does once it is started. Begin with ``install_entry``.
"""

from __future__ import annotations

from quaestor.install.install_entry import CLIENTS, Change, Client, Place, install, uninstall

__all__ = ["CLIENTS", "Change", "Client", "Place", "install", "uninstall"]
