"""Machines that learn all classes in one quadratic program."""

from mercer.multiclass.certificate import certify_multiclass
from mercer.multiclass.formulations import ALL_IN_ONE, multiclass_problem
from mercer.multiclass.problem import MulticlassProblem
from mercer.multiclass.solver import AllInOne, solve_multiclass

__all__ = [
    "ALL_IN_ONE",
    "AllInOne",
    "MulticlassProblem",
    "certify_multiclass",
    "multiclass_problem",
    "solve_multiclass",
]
