"""The commands, one file each, imported only when they run.

A command reads its options, calls other packages, and prints; it does not know how a line is parsed (``click_group``).
Begin with ``search``, the smallest complete one.
"""
