"""An evaluation's results as files: a page, tables, and an object for programs.

It does not know how the results came about. Begin with ``report_files``.
"""

from quaestor.evaluation.writing.report_files import write_results
from quaestor.evaluation.writing.report_json import results_object

__all__ = ["results_object", "write_results"]
