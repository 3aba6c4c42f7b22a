"""Which files of a folder are indexed: the walk, ignore rules, denied files, git's index, and notices of changes.

The package does not know indexes, nor how a file is converted or cut.
Begin with ``walk``; ``consistent_read`` reads one file so that its bytes and its hash agree.
"""
