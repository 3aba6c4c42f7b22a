"""What an evaluation found, as files: a page, tables, and an object for programs."""

from quaestor.evaluation.writing.report_files import write_results
from quaestor.evaluation.writing.report_json import results_object

__all__ = ["results_object", "write_results"]
