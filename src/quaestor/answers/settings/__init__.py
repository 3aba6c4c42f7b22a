"""Answers about settings: options of the command line, variables of the environment, keys of configuration files.

``explain_option`` explains one by its name, and ``named_settings`` finds one by what it does ("the default timeout").
``usage_questions`` answers how something is done where an option does it, ``option_lists`` lists them all, and
``configuration`` says how a project is configured as a whole. ``setting_declarations`` reads what a line of code
declares, ``setting_questions`` what a question asks. The package does not know the values that are set on a machine.
Begin with ``explain_option``.
"""

from __future__ import annotations
