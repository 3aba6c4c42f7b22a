"""Which files of a folder are indexed: the walk, ignore rules, denied files, git's index, and notices of changes."""
