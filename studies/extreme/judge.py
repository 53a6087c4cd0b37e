"""What became of one extreme problem: refused, ended with a status, or a claim that holds."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from problems import ExtremeProblem

import mercer
from mercer import formulations as fm
from reference import kernel_matrix, refutation

__all__ = ["judge"]


def judge(problem: ExtremeProblem) -> str:
    """One of "refused", "warned", "fine", or "WRONG: ..." with the reason."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            wrong = _check(problem)
        except (ValueError, TypeError) as error:
            return "refused" if str(error) else "WRONG: an error without a word"
        except Exception as error:  # whatever it is, it should have been one of those above
            return f"WRONG: {type(error).__name__}: {error}"
    told = [str(entry.message) for entry in said]
    if wrong.startswith("not finite") and told:
        return "warned"
    numeric = [text for text in told if text.startswith(("overflow", "invalid", "divide"))]
    if not wrong and numeric:
        wrong = f"raw warning: {numeric[0]}"
    return f"WRONG: {wrong}" if wrong else "warned" if told else "fine"


def _check(problem: ExtremeProblem) -> str:
    if problem.name in ("svc_path", "svr_path", "one_class_path", "kernel_path", "svc_grid"):
        return _check_path(problem)
    machine = getattr(mercer, problem.name)(**problem.parameters, n_threads=1)
    machine.fit(problem.X, _targets(problem), sample_weight=problem.weight)
    for method in ("decision_function", "predict"):
        if hasattr(machine, method) and not _is_finite(getattr(machine, method)(problem.new)):
            return f"not finite: {method}"
    if not hasattr(machine, "solutions_") or len(machine.solutions_) > 1:
        return ""
    return _check_solution(problem, machine)


def _targets(problem: ExtremeProblem) -> Any:
    return problem.numbers if problem.name in ("SVR", "NuSVR", "LSSVR") else problem.labels


def _is_finite(values: Any) -> bool:
    values = np.asarray(values)
    return values.dtype.kind != "f" or bool(np.isfinite(values).all())


def _check_solution(problem: ExtremeProblem, machine: Any) -> str:
    solution = machine.solutions_[0]
    if solution.status != "converged":
        return ""
    if not np.isfinite(solution.objective):
        return "converged without a finite objective"
    if getattr(machine, "fit_intercept", True) == "penalized":
        return ""
    formulation = _formulate(problem)
    K = kernel_matrix(machine.kernel_, problem.X)
    if K is None or formulation is None:
        return ""
    if formulation.problem.linear.shape != solution.coef.shape:
        return ""
    return refutation(formulation.problem, K, solution.coef, machine.tol)


def _formulate(problem: ExtremeProblem) -> fm.Formulation | None:
    p, y = problem.parameters, np.where(problem.labels == problem.labels.max(), 1.0, -1.0)
    w = np.ones(len(y)) if problem.weight is None else problem.weight
    bias = p.get("fit_intercept", True)
    loss = p.get("loss", "")
    if problem.name == "SVC" and loss in ("hinge", "squared_hinge"):
        return fm.svc(y, p["C"], w, loss=loss, fit_intercept=bias)
    if problem.name == "NuSVC":
        return fm.nu_svc(y, p["nu"], w, loss=loss)
    if problem.name == "OneClassSVM":
        return fm.one_class(len(y), p["nu"], w, squared=loss == "squared_hinge")
    if problem.name == "SVR" and "insensitive" in loss:
        return fm.svr(problem.numbers, p["C"], p["epsilon"], w, loss=loss, fit_intercept=bias)
    return None


def _check_path(problem: ExtremeProblem) -> str:
    function = getattr(mercer, problem.name)
    arguments = dict(problem.parameters, sample_weight=problem.weight, n_threads=1)
    if problem.name == "one_class_path":
        path = function(problem.X, **arguments)
        return "" if _is_finite(path.decision_function(problem.new, path.nu[0])) else "not finite"
    y = problem.numbers if problem.name == "svr_path" else problem.labels
    path = function(problem.X, y, **arguments)
    if problem.name == "svc_grid":
        return "" if _is_finite(path.decision_function(problem.new, 0, 0)) else "not finite"
    if problem.name == "kernel_path":
        width = float(problem.parameters["gamma_min"])
        return "" if _is_finite(path.decision_function(problem.new, width)) else "not finite"
    return _check_at(problem, path, float(path.C[len(path.C) // 2]))


def _check_at(problem: ExtremeProblem, path: Any, C: float) -> str:
    if not _is_finite(path.decision_function(problem.new, C)):
        return "not finite"
    K = kernel_matrix(path.kernel, problem.X) if hasattr(path, "kernel") else None
    if K is None or path.status not in ("complete", "C_max", "trivial"):
        return ""
    scaled = replace(path.problem, lower=C * path.problem.lower, upper=C * path.problem.upper)
    coef = path.coef(C)
    if coef.shape != scaled.linear.shape:
        return ""
    return refutation(scaled, K, coef, 1e-6 * max(1.0, float(np.abs(scaled.linear).max())))
