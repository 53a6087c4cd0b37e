"""The one quadratic program behind every machine, and the certificate of a solution."""

from mercer.problem.certificate import certify
from mercer.problem.problem import Problem
from mercer.problem.solution import Certificate, Solution, Status
from mercer.problem.solutions import Solutions

__all__ = [
    "Certificate",
    "Problem",
    "Solution",
    "Solutions",
    "Status",
    "certify",
]
