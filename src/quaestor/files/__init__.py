"""Which files of a folder are indexed: the walk, ignore rules, what is denied, git's index, and hearing of changes."""
