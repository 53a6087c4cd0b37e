"""A report to share: one page on a fitted machine and how well it predicts."""

from mercer.report.reasons import explain_row
from mercer.report.report import Report, write_report
from mercer.report.search import trials

__all__ = ["Report", "explain_row", "trials", "write_report"]
