"""From files to an index: read, cut, embed, write, and keep it in step with what changes."""
