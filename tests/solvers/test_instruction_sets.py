"""The trainer on every instruction set this machine has."""

from __future__ import annotations

import json

import numpy as np
import pytest

from levels import output_at_level
from mercer import Gram, Problem, _core, certify, solve
from mercer.formulations import nu_svc, nu_svr, one_class, svc, svr
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Precomputed
from mercer.solvers import Chunked
from mercer.solvers.active_set.basis import Basis
from test_exponential import available

KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(degree=2, gamma=0.3, coef0=1.0),
    "gaussian": Gaussian(0.3),
    "laplacian": Laplacian(0.2),
}


def problems() -> tuple[np.ndarray, dict[str, Problem]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    X[60:] = X[:20]  # copies
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, 1.0, -1.0)
    targets = X[:, 1] + 0.3 * y
    return X, {
        "svc": svc(y, 2.0).problem,
        "squared": svc(y, 2.0, loss="squared_hinge").problem,
        "nu-svc": nu_svc(y, 0.4).problem,
        "svr": svr(targets, 2.0, 0.1).problem,
        "nu-svr": nu_svr(targets, 2.0, 0.4).problem,
        "one-class": one_class(80, 0.3).problem,
    }


def objectives() -> dict[str, float]:
    """The dual value of every problem, each certified."""
    X, cases = problems()
    out = {}
    for precision in ("single", "double"):
        for kernel_name, kernel in KERNELS.items():
            gram = Gram(kernel, X, precision=precision)
            for name, problem in cases.items():
                solution = solve(problem, gram, Chunked(chunk_size=16), tol=1e-3)
                assert solution.converged
                assert certify(problem, gram, solution.coef).violation <= 1e-3
                out[f"{name} {kernel_name} {precision}"] = solution.objective
    return out


@pytest.mark.parametrize("level", available())
def test_every_instruction_set_finds_the_same_optimum(level):
    code = "import json, test_instruction_sets as t; print(json.dumps(t.objectives()))"
    printed = output_at_level(level, code)
    here = objectives()
    for name, value in json.loads(printed).items():
        assert value == pytest.approx(here[name], rel=1e-3, abs=1e-3), name


def active_set_coef() -> str:
    """The coefficients an active set ends with, on kernel values that were given, as bytes."""
    X, cases = problems()
    matrix = Gaussian(0.3)(X, X) + 1e-3 * np.eye(len(X))
    basis = Basis(cases["svc"], Gram(Precomputed(positive_definite=True), matrix))
    basis._native.run(_core.SimplexOptions(), None)
    return basis.coef.tobytes().hex()


@pytest.mark.parametrize("level", available())
def test_the_active_set_has_the_same_bits_with_every_instruction_set(level):
    code = "import test_instruction_sets as t; print(t.active_set_coef())"
    assert output_at_level(level, code).strip() == active_set_coef()
