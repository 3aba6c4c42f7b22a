"""Our own API, for the pages and for programs that want all that there is."""
