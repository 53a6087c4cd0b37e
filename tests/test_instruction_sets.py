"""What every instruction set must do, in one process for each: to start one takes seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mercer import Gram, Problem, _core, certify, solve
from mercer.formulations import nu_svc, nu_svr, one_class, svc, svr
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Precomputed
from mercer.solvers import Chunked
from mercer.solvers.active_set.basis import Basis
from test_exponential import blocks

TESTS = Path(__file__).parent
LEVELS = ("baseline", "avx2", "avx512")
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


def active_set_coef() -> str:
    """The coefficients an active set ends with, on kernel values that were given, as bytes."""
    X, cases = problems()
    matrix = Gaussian(0.3)(X, X) + 1e-3 * np.eye(len(X))
    basis = Basis(cases["svc"], Gram(Precomputed(positive_definite=True), matrix))
    basis._native.run(_core.SimplexOptions(), None)
    return basis.coef.tobytes().hex()


def check() -> None:
    """What holds on every instruction set, checked on the one in use."""
    import test_free_factor

    import test_byte_rows
    import test_exponential

    test_exponential.check_all()
    test_byte_rows.check_inner_products()
    test_byte_rows.check_kernels()
    assert test_free_factor.worst_residual() <= 100


@cache
def values() -> dict[str, Any]:
    """What is the same on all instruction sets, to the bit or to rounding."""
    return {"coef": active_set_coef(), "objectives": objectives(), "blocks": blocks()}


def python(level: str, code: str) -> subprocess.CompletedProcess[str]:
    """A process that computes on one instruction set."""
    folders = os.pathsep.join(map(str, (TESTS, TESTS / "solvers")))
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"MERCER_ISA": level, "PYTHONPATH": folders},
        capture_output=True,
        check=False,
        text=True,
    )


# The core without the package, whose imports take seconds.
CORE = f"""
import importlib.util
spec = importlib.util.spec_from_file_location("mercer._core", {_core.__file__!r})
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
print(core.instruction_set())
"""


@cache
def available() -> list[str]:
    """The levels this machine runs, from the message that refuses one nobody has."""
    names = python("abacus", CORE).stderr.rsplit("available: ", 1)[-1].strip().split(", ")
    return [level for level in LEVELS if level in names]


@pytest.mark.parametrize("level", LEVELS)
def test_an_instruction_set_is_the_one_asked_for_or_refused(level: str) -> None:
    result = python(level, CORE)
    if level in available():
        assert result.stdout.strip() == level
    else:
        assert f"MERCER_ISA={level} cannot run on this machine" in result.stderr


def test_the_best_instruction_set_is_the_default() -> None:
    assert _core.instruction_set() == (os.environ.get("MERCER_ISA") or available()[-1])


@pytest.mark.parametrize("level", available())
def test_every_instruction_set_computes_the_same(level: str) -> None:
    code = "import json, test_instruction_sets as t; t.check(); print(json.dumps(t.values()))"
    result = python(level, code)
    assert result.returncode == 0, result.stderr
    found, here = json.loads(result.stdout), values()
    assert found["coef"] == here["coef"]
    for name, objective in here["objectives"].items():
        assert found["objectives"][name] == pytest.approx(objective, rel=1e-3, abs=1e-3), name
    for name, block in here["blocks"].items():
        tolerance = (1e-6 if name.endswith("single") else 1e-12) * np.abs(block).max()
        np.testing.assert_allclose(found["blocks"][name], block, rtol=0, atol=tolerance)
