"""What a trained machine reveals about its parameters, and about rows it has not seen."""

from __future__ import annotations

from mercer.diagnostics.advice import diagnose
from mercer.diagnostics.bounds import (
    jaakkola_haussler,
    loo_interval,
    rlsc_bound,
    rlsc_multiclass_bound,
    xi_alpha,
)
from mercer.diagnostics.comparison import (
    ClassifierComparison,
    PairedTest,
    compare_classifiers,
)
from mercer.diagnostics.finding import Diagnosis, Finding
from mercer.diagnostics.folds import FoldComparison, FoldTest, compare_over_folds
from mercer.diagnostics.leave_one_out import LooPath, loo_path
from mercer.diagnostics.machine_bounds import LooBound, loo_bound
from mercer.diagnostics.probabilities import LooProbability
from mercer.diagnostics.versions import show_versions

__all__ = [
    "ClassifierComparison",
    "Diagnosis",
    "Finding",
    "FoldComparison",
    "FoldTest",
    "LooBound",
    "LooPath",
    "LooProbability",
    "PairedTest",
    "compare_classifiers",
    "compare_over_folds",
    "diagnose",
    "jaakkola_haussler",
    "loo_bound",
    "loo_interval",
    "loo_path",
    "rlsc_bound",
    "rlsc_multiclass_bound",
    "show_versions",
    "xi_alpha",
]
