"""What a trained machine tells of its parameters, and of rows it has not seen."""

from __future__ import annotations

from mercer.diagnostics.advice import Diagnosis, Finding, diagnose
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
from mercer.diagnostics.leave_one_out import LooPath, loo_path
from mercer.diagnostics.machine_bounds import LooBound, loo_bound
from mercer.diagnostics.normal_form import (
    NormalForm,
    PairCurvature,
    normal_form,
    pair_curvature,
)
from mercer.diagnostics.probabilities import LooProbability

__all__ = [
    "ClassifierComparison",
    "Diagnosis",
    "Finding",
    "LooBound",
    "LooPath",
    "LooProbability",
    "NormalForm",
    "PairCurvature",
    "PairedTest",
    "compare_classifiers",
    "diagnose",
    "jaakkola_haussler",
    "loo_bound",
    "loo_interval",
    "loo_path",
    "normal_form",
    "pair_curvature",
    "rlsc_bound",
    "rlsc_multiclass_bound",
    "xi_alpha",
]
