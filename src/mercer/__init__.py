"""mercer: kernel machines trained exactly and fast, with a certificate on every result."""

from mercer.gram import Gram
from mercer.problem import Certificate, Problem, Solution, certify
from mercer.solvers import Smo, solve

__version__ = "0.1.0"

__all__ = ["Certificate", "Gram", "Problem", "Smo", "Solution", "certify", "solve"]
