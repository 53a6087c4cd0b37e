"""A wheel in one look: the core loads, every machine fits, its certificate holds.

Needs nothing but pytest and the package, so that it can be run against a wheel.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import mercer
from mercer import SVC, SVR, Gram, NuSVC, NuSVR, OneClassSVM, certify
from mercer.formulations import svc
from mercer.io import load, save
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Sigmoid

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
LABELS = (X[:, 0] + 0.3 * RNG.normal(size=120) > 0).astype(int)
MACHINES = [SVC(), NuSVC(nu=0.3), SVR(), NuSVR(), OneClassSVM(nu=0.2)]
KERNELS = [Linear(), Polynomial(coef0=1.0), Gaussian(0.4), Laplacian(0.4), Sigmoid(0.1)]


def fitted(machine: Any, rows: Any = X) -> Any:
    return machine.fit(rows, LABELS)


def test_the_version_is_that_of_the_distribution() -> None:
    assert mercer.__version__ == version("mercer")


@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine_is_certified_and_survives_a_pickle(machine: Any) -> None:
    values = fitted(machine).predict(X)
    assert machine.solutions_[0].converged
    assert machine.dual_gap_ < 1e-3
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(machine)).predict(X), values)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("precision", ["single", "double"])
def test_the_core_and_python_agree_on_kernel_values(kernel: Kernel, precision: Any) -> None:
    everything = np.arange(len(X))
    values = Gram(kernel, X, precision=precision).block(everything, everything)
    tolerance = 1e-5 if precision == "single" else 1e-12
    np.testing.assert_allclose(values, kernel(X), rtol=tolerance, atol=tolerance)


def test_a_certificate_does_not_depend_on_the_solver() -> None:
    machine = fitted(SVC())
    coef = np.zeros(len(X))
    coef[machine.support_] = machine.dual_coef_[0]
    proof = certify(svc(2.0 * LABELS - 1, 1.0).problem, Gram(machine.kernel_, X), coef)
    assert proof.violation <= machine.tol
    assert proof.objective == pytest.approx(machine.objective_)


def test_threads_and_storage_do_not_matter() -> None:
    alone, together = (fitted(SVC(n_threads=n)).decision_function(X) for n in (1, 4))
    assert alone.tobytes() == together.tobytes()
    thin = fitted(SVC(gamma=0.3), sparse.csr_array(X)).decision_function(X)
    np.testing.assert_allclose(thin, fitted(SVC(gamma=0.3)).decision_function(X), atol=1e-9)


def test_model_files_hold_the_machine(tmp_path: Any) -> None:
    machine = fitted(SVC(kernel=Gaussian([0.5, 0.4, 0.3, 0.2])))
    save(machine, tmp_path / "model.mercer")
    again = load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(again.decision_function(X), machine.decision_function(X))


ALONE = """
import re, sys
from importlib import metadata

def names(distribution):
    "The distributions it needs, extras left out, and theirs."
    found = {distribution.lower().replace("_", "-")}
    for line in metadata.requires(distribution) or []:
        if "extra ==" not in line:
            found |= names(re.match(r"[\\w.-]+", line).group())
    return found

needed = names("mercer")
assert needed >= {"mercer", "numpy", "scipy", "scikit-learn"}
packages = metadata.packages_distributions()
hidden = {p for p, owners in packages.items()
          if not any(o.lower().replace("_", "-") in needed for o in owners)}

class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"{name} is hidden")

sys.meta_path.insert(0, Hide())
started = set(sys.modules)  # the interpreter itself may have loaded a hidden one
import numpy as np
from sklearn.base import clone
import mercer
from mercer import datasets, diagnostics, formulations, hull, io, kernels, lab, paths, solvers

X = np.random.default_rng(0).normal(size=(40, 3))
y = (X[:, 0] > 0).astype(int)
for name in mercer.__all__:
    made = getattr(mercer, name)
    if isinstance(made, type) and hasattr(made, "fit") and hasattr(made, "predict"):
        clone(made()).fit(X, y).predict(X)
print(sorted((set(sys.modules) - started) & hidden))
"""


def test_the_core_needs_nothing_but_its_requirements() -> None:
    """numpy, scipy, scikit-learn and what these need: everything else cannot be imported."""
    run = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"
