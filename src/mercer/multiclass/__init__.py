"""Machines that learn all classes in one quadratic program."""

from mercer.multiclass.certificate import certify_multiclass
from mercer.multiclass.formulations import multiclass_problem
from mercer.multiclass.problem import MulticlassProblem
from mercer.multiclass.solver import AllInOne, solve_multiclass

__all__ = [
    "AllInOne",
    "MulticlassProblem",
    "certify_multiclass",
    "multiclass_problem",
    "solve_multiclass",
]
