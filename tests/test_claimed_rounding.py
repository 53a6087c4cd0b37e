"""Bounds of rounding: they hold for every kind of kernel, and solutions claim them."""

from __future__ import annotations

from functools import reduce
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from kernels.kernel_cases import NUMERIC, rows
from mercer import Gram, Smo, certify, solve, svc_grid
from mercer.formulations import svc
from mercer.gram.native import RowSet, build_kernel, fixed_rows, takes_bytes
from mercer.gram.rounding import carries, rounding_of_rows
from mercer.kernels import Linear, Polynomial
from mercer.kernels import form as shapes

RNG = np.random.default_rng(0)
BASE = RNG.normal(size=(60, 4))
LABELS = (BASE[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)


@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_solutions_of_a_grid_claimed_no_rounding(offset: float) -> None:
    X = BASE + offset
    grid = svc_grid(X, LABELS, Cs=[0.1, 1.0], kernel="poly", degree=2, gammas=[1e-3])
    sign = np.where(LABELS == 1, 1.0, -1.0)
    gram = Gram(Polynomial(degree=2, gamma=1e-3), X, precision="double")
    for C, solution in zip(grid.C, grid.solutions[0], strict=True):
        expected = certify(svc(sign, float(C)).problem, gram, solution.coef)
        assert solution.rounding == pytest.approx(expected.rounding, rel=1e-6)
        assert 0.0 < solution.rounding <= solution.error


@pytest.mark.parametrize("stopping", ["margin", "violation", "gap", "relative-change"])
def test_every_rule_of_stopping_tells_its_rounding(stopping: Any) -> None:
    problem = svc(np.where(LABELS == 1, 1.0, -1.0), 1.0).problem
    for precision in ("single", "double"):
        gram = Gram(Linear(), BASE, precision=precision)  # type: ignore[arg-type]
        found = solve(problem, gram, Smo(stopping=stopping))
        assert found.rounding == pytest.approx(certify(problem, gram, found.coef).rounding)
        assert 0.0 < found.rounding <= found.error


def exactly(form: shapes.Form, X: NDArray[np.longdouble]) -> NDArray[np.longdouble]:
    """Kernel values by their definition, in more digits than double precision has."""
    match form:
        case shapes.Leaf():
            return leaf_exactly(form, X)
        case shapes.Constant():
            return np.full((len(X), len(X)), np.longdouble(form.value))
        case shapes.Scaled():
            return np.longdouble(form.factor) * exactly(form.part, X)
        case shapes.Sum():
            return sum(exactly(part, X) for part in form.parts)  # type: ignore[return-value]
        case shapes.Product():
            return reduce(np.multiply, [exactly(part, X) for part in form.parts])
        case shapes.Normalized():
            values = exactly(form.part, X)
            lengths = np.sqrt(np.diagonal(values))
            return values / np.multiply.outer(lengths, lengths)
    raise TypeError(f"no values of {form!r}")


def leaf_exactly(leaf: shapes.Leaf, X: NDArray[np.longdouble]) -> NDArray[np.longdouble]:
    transform, gamma = leaf.transform, np.longdouble(leaf.gamma)
    if transform is not None:
        X = X * transform if transform.ndim == 1 else X @ transform.astype(np.longdouble)
    apart = X[:, None] - X
    base = gamma * (X @ X.T) + np.longdouble(leaf.coef0)
    match leaf.kind:
        case "linear":
            return X @ X.T
        case "polynomial":
            return base**leaf.degree
        case "sigmoid":
            return np.tanh(base)
        case "gaussian":
            return np.exp(-gamma * (apart**2).sum(axis=2))
        case "laplacian":
            return np.exp(-gamma * np.abs(apart).sum(axis=2))
    raise TypeError(f"no values of kind {leaf.kind!r}")


SOME = rows(25, seed=3)
ROWS = {
    "ordinary": SOME,
    "far": SOME + 1e3,
    "sparse": sparse.csr_array(SOME),
    "sparse, far entries": sparse.csr_array(1e4 * SOME),
    "bytes": np.random.default_rng(0).integers(1, 256, SOME.shape).astype(np.uint8),
}


@pytest.mark.parametrize("at", ROWS)
@pytest.mark.parametrize("name", NUMERIC)
def test_values_err_by_no_more_than_the_bound_of_their_rows(name: str, at: str) -> None:
    form, X = NUMERIC[name].form(), ROWS[at]
    dense = X.toarray() if sparse.issparse(X) else X
    expected = exactly(form, np.asarray(dense, dtype=np.longdouble))
    i = np.arange(X.shape[0])
    wrong = np.abs(Gram(NUMERIC[name], X, precision="double").block(i, i) - expected)
    bound = np.sqrt(np.broadcast_to(rounding_of_rows(form, fixed_rows(X, "double", form)), 25))
    assert (wrong <= np.multiply.outer(bound, bound)).all()


def test_a_polynomial_of_degree_zero_knows_its_rounding_at_rows_of_zeros() -> None:
    gram = Gram(Polynomial(degree=0, coef0=0.0), np.zeros((5, 2)), precision="double")
    assert 0.0 < np.max(rounding_of_rows(gram.form, RowSet(np.zeros((5, 2)), "double"))) < 1e-14


def test_the_cases_have_every_kind_of_leaf() -> None:
    kinds = {leaf.kind for kernel in NUMERIC.values() for leaf in kernel.form().leaves}
    assert kinds == set(get_args(shapes.LeafKind)) == set(shapes.COMPUTED_FROM)
    assert {k for k, of in shapes.COMPUTED_FROM.items() if of != "products"} == shapes.EXPONENTIALS


@pytest.mark.parametrize("X", [BASE, sparse.csr_array(BASE), BASE.astype(np.uint8)])
def test_a_kind_without_formulas_never_gets_those_of_another(X: Any) -> None:
    leaf: Any = shapes.Leaf(kind="cauchy", gamma=0.5)  # type: ignore[arg-type]
    packed = RowSet(X, "double")
    for ask in (rounding_of_rows, carries):
        with pytest.raises((KeyError, TypeError, AssertionError), match="cauchy"):
            ask(leaf, packed)
    for ask in (takes_bytes, build_kernel):
        with pytest.raises((KeyError, ValueError), match="cauchy"):
            ask(leaf, packed, packed)
