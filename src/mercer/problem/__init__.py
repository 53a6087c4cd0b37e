"""The one quadratic program behind every machine, and the certificate of a solution."""

from mercer.problem.certificate import (
    KernelMatrix,
    assess,
    certify,
    certify_expansion,
    definiteness_at,
    reported,
    rounding_error,
)
from mercer.problem.problem import Problem
from mercer.problem.solution import Certificate, Solution, Status, lowered

__all__ = [
    "Certificate",
    "KernelMatrix",
    "Problem",
    "Solution",
    "Status",
    "assess",
    "certify",
    "certify_expansion",
    "definiteness_at",
    "lowered",
    "reported",
    "rounding_error",
]
