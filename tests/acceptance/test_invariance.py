"""What must not matter: the order of rows, copies with half of C, units, the origin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from machines.machine_cases import CASES, MachineCase, sample
from mercer import SVC, SVR
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Scaled

PRICED = [name for name in CASES if name.startswith(("svc", "svr", "nu-svr"))]
# a penalized bias has a kernel of its own
WITHOUT_OWN_KERNEL = [name for name in PRICED if not name.endswith("penalized")]
REGRESSIONS = [name for name in CASES if name.startswith("svr")]


def assert_same(one: Any, other: Any, tolerance: float = 1e-8) -> None:
    one, other = np.asarray(one), np.asarray(other)
    np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * np.abs(other).max())


def fitted(case: MachineCase, **parameters: Any) -> tuple[Any, Any]:
    """The machine on the sample, and what it says of its rows."""
    data = sample()
    machine = case.fit(data.X, data.targets(case), **parameters)
    return machine, case.values(machine, data.X)


def with_C(name: str, factor: float) -> dict[str, float]:
    """Parameters that make every loss cost ``factor`` times as much."""
    machine = CASES[name].machine
    changed = {"C": factor * machine.C}
    if name == "svc-huber":  # its slope beyond the margin is a weight, too
        changed["delta"] = factor * machine.delta
    return changed


@pytest.mark.parametrize("name", CASES)
def test_order_of_the_rows(name: str) -> None:
    case, data = CASES[name], sample()
    machine, values = fitted(case)
    order = np.random.default_rng(1).permutation(len(data.X))
    other = case.fit(data.X[order], data.targets(case)[order])
    assert other.objective_ == pytest.approx(machine.objective_, rel=1e-9)
    assert_same(case.values(other, data.X), values)


@pytest.mark.parametrize("name", PRICED)
def test_every_row_twice_at_half_of_C(name: str) -> None:
    case, data = CASES[name], sample()
    machine, values = fitted(case)
    twice = np.tile(np.arange(len(data.X)), 2)
    other = case.fit(data.X[twice], data.targets(case)[twice], **with_C(name, 0.5))
    assert other.objective_ == pytest.approx(machine.objective_, rel=1e-9)
    assert_same(case.values(other, data.X), values)


@pytest.mark.parametrize(
    ("name", "factor"), [("nu-svc", 1), ("nu-svc-squared", 1), ("one-class", 2)]
)
def test_every_row_twice_is_the_same_share(name: str, factor: int) -> None:
    """Coefficients double: so do the values of a one-class machine."""
    case, data = CASES[name], sample()
    _, values = fitted(case)
    twice = np.repeat(np.arange(len(data.X)), 2)
    other = case.fit(data.X[twice], data.targets(case)[twice])
    assert_same(case.values(other, data.X), factor * values)


UNITS: dict[str, Callable[[float], Kernel]] = {
    "gaussian": lambda s: Gaussian(0.3 / s**2),
    "scale": lambda s: Gaussian("scale"),
    "median": lambda s: Gaussian("median"),
    "laplacian": lambda s: Laplacian(0.3 / s),
    "polynomial": lambda s: Polynomial(2, 0.5 / s**2, 1.0),
    "linear": lambda s: Scaled(Linear(), s**-2),
}


@pytest.mark.parametrize("unit", [1e-6, 3.0, 1e6])
@pytest.mark.parametrize("name", UNITS)
def test_units_of_the_features(name: str, unit: float) -> None:
    data = sample()
    one = SVC(kernel=UNITS[name](1.0)).fit(data.X, data.labels)
    other = SVC(kernel=UNITS[name](unit)).fit(unit * data.X, data.labels)
    assert other.objective_ == pytest.approx(one.objective_, rel=1e-8)
    values = one.decision_function(data.X)
    assert_same(other.decision_function(unit * data.X), values, 1e-7)


@pytest.mark.parametrize("name", WITHOUT_OWN_KERNEL)
@pytest.mark.parametrize("factor", [1e-3, 50.0])
def test_units_of_the_kernel(name: str, factor: float) -> None:
    """c K with C/c: the same function, its norm 1/c of what it was."""
    case = CASES[name]
    machine, values = fitted(case, kernel=Gaussian(0.3))
    scaled = Scaled(Gaussian(0.3), factor)
    other, others = fitted(case, kernel=scaled, **with_C(name, 1 / factor))
    assert factor * other.objective_ == pytest.approx(machine.objective_, rel=1e-8)
    assert_same(others, values, 1e-7)


@pytest.mark.parametrize("origin", [1.0, 1e4])
def test_origin_of_the_features(origin: float) -> None:
    """Distances do not change; at 1e4 they lose eight digits."""
    data = sample()
    one = SVC().fit(data.X, data.labels)
    other = SVC().fit(data.X + origin, data.labels)
    assert other.objective_ == pytest.approx(one.objective_, rel=1e-6)
    assert_same(other.decision_function(data.X + origin), one.decision_function(data.X), 1e-6)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].targets == "labels"])
def test_names_of_the_classes(name: str) -> None:
    case, data = CASES[name], sample()
    machine, values = fitted(case)
    other = case.fit(data.X, -data.labels)
    assert other.objective_ == pytest.approx(machine.objective_, rel=1e-9)
    assert_same(case.values(other, data.X), -values)


@pytest.mark.parametrize("name", REGRESSIONS)
def test_units_of_the_targets(name: str) -> None:
    """s y, with tubes and corners s times as wide: s f. Linear losses then cost s C."""
    case, data, s = CASES[name], sample(), 100.0
    machine, values = fitted(case)
    squared = "squared" in machine.loss or machine.loss == "huber"
    changed = machine.C * (1.0 if squared else s)
    widths = {"epsilon": s * machine.epsilon, "delta": s * machine.delta}
    other = case.fit(data.X, s * data.numbers, C=changed, **widths)
    assert other.objective_ == pytest.approx(s**2 * machine.objective_, rel=1e-9)
    assert_same(case.values(other, data.X), s * values)


@pytest.mark.parametrize("name", ["svr", "svr-squared", "svr-quantile", "nu-svr", "svr-huber"])
def test_origin_of_the_targets(name: str) -> None:
    case, data = CASES[name], sample()
    machine, values = fitted(case)
    other = case.fit(data.X, data.numbers + 1000.0)
    assert other.objective_ == pytest.approx(machine.objective_, rel=1e-9)
    assert_same(case.values(other, data.X), values + 1000.0)


@pytest.mark.parametrize("name", [name for name in CASES if not name.endswith("penalized")])
def test_kernel_values_computed_before(name: str) -> None:
    case, data = CASES[name], sample()
    machine, values = fitted(case)
    K = machine.kernel_(data.X)
    other = case.fit(K, data.targets(case), kernel="precomputed")
    assert other.objective_ == pytest.approx(machine.objective_, rel=1e-9)
    assert_same(case.values(other, K), values)


def test_a_feature_that_is_always_zero() -> None:
    data = sample()
    wider = np.column_stack([data.X, np.zeros(len(data.X))])
    one, other = (SVR(gamma=0.3).fit(X, data.numbers) for X in (data.X, wider))
    assert other.objective_ == pytest.approx(one.objective_, rel=1e-12)
