"""From files to an index: read, cut, embed, write, and update what has changed."""
