"""The one quadratic program behind every machine, and the certificate of a solution."""

from mercer.problem.problem import (
    Certificate,
    KernelMatrix,
    Problem,
    Solution,
    Status,
    assess,
    certify,
    certify_expansion,
    definiteness_at,
    distance_error,
)

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
    "distance_error",
]
