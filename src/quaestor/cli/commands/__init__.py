"""The commands, one file each, imported only when they run.

A command reads its options, calls what does the work, and prints; it does not know how a line is parsed
(``click_group``).
Begin with ``search``, the smallest whole one.
"""
