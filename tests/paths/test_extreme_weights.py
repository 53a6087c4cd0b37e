"""Weights of any size: a right answer without a warning, or a refusal that names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mercer import (
    PathSVC,
    kernel_path,
    nu_svc_path,
    nu_svr_path,
    one_class_path,
    svc_grid,
    svc_path,
    svr_path,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
TWO = (X[:, 0] + 0.5 * RNG.normal(size=30) > 0).astype(int)
THREE = RNG.integers(0, 3, 30)
FOLLOWED: dict[str, Callable[..., Any]] = {
    "svc_path": lambda **options: svc_path(X, TWO, **options),
    "artificial": lambda **options: svc_path(X, TWO, start="artificial", **options),
    "approximate": lambda **options: svc_path(X, TWO, accuracy=0.01, **options),
    "balanced": lambda **options: svc_path(X, TWO, class_weight="balanced", **options),
    "svr_path": lambda **options: svr_path(X, X[:, 0], **options),
}
ASKED: dict[str, Callable[..., Any]] = {
    **FOLLOWED,
    "nu_svc_path": lambda **options: nu_svc_path(X, TWO, **options),
    "nu_svr_path": lambda **options: nu_svr_path(X, X[:, 0], **options),
    "one_class_path": lambda **options: one_class_path(X, **options),
    "svc_grid": lambda **options: svc_grid(X, TWO, Cs=[0.1, 1.0], cv=3, **options),
    "kernel_path": lambda **options: kernel_path(X, TWO, gamma_min=0.1, gamma_max=0.2, **options),
    "PathSVC": lambda **options: PathSVC().fit(X, TWO, **options),
    "three classes": lambda **options: PathSVC().fit(X, THREE, **options),
    "loo": lambda **options: PathSVC(cv="loo", C_max=5.0).fit(X, TWO, **options),
}

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


@pytest.mark.parametrize("name", ASKED)
def test_weights_of_1e308_gave_an_index_error(name: str) -> None:
    with pytest.raises(ValueError, match=r"sample_weight.* less than 4e307, got .* 1e\+308"):
        ASKED[name](sample_weight=np.full(30, 1e308))


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("size", [1e300, 1e-250])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_extreme_weights_gave_raw_warnings_of_numpy(name: str, size: float) -> None:
    ASKED[name](sample_weight=np.full(30, size))


@pytest.mark.parametrize("name", FOLLOWED)
@pytest.mark.parametrize("power", [990, -60, -300, -700])
def test_a_path_scales_with_its_weights(name: str, power: int) -> None:
    weight = RNG.integers(1, 4, 30)
    plain = FOLLOWED[name](sample_weight=weight, C_max=8.0)
    scaled = FOLLOWED[name](sample_weight=np.ldexp(weight, power), C_max=np.ldexp(8.0, -power))
    assert scaled.status == plain.status
    for C in (0.01, 0.3, 2.0, 7.9):
        at = np.ldexp(C, -power)
        # an approximate path has the solutions it needs, at places of its own
        accuracy = 0.5 if name == "approximate" else 1e-7
        assert scaled.intercept(at) == pytest.approx(plain.intercept(C), abs=accuracy)
        assert scaled.coef(at) == pytest.approx(plain.coef(C), abs=accuracy)
        assert scaled.certificate(at).infeasibility < 1e-12


def test_C_that_overflow_with_the_weights_gave_raw_warnings() -> None:
    weight = np.full(30, 1e200)
    with pytest.raises(ValueError, match=r"Cs times the sum of sample_weight .*got 1e\+150"):
        svc_grid(X, TWO, Cs=[1.0, 1e150], sample_weight=weight)
    for follow in (
        lambda: kernel_path(X, TWO, C=1e150, sample_weight=weight),
        lambda: nu_svr_path(X, X[:, 0], C=1e150, sample_weight=weight),
    ):
        with pytest.raises(ValueError, match=r"C times the sum of sample_weight .*got 1e\+150"):
            follow()
    trivial = svc_path(0 * X, TWO, sample_weight=weight)
    with pytest.raises(ValueError, match="C must be at most"):
        trivial.coef(1e150)


def test_a_complete_path_kept_within_its_box() -> None:
    """Where it became complete a coefficient was beyond C times its weight, by its last digit."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        rows, weight = rng.normal(size=(6, 2)), rng.random(6)
        path = svc_path(rows, np.arange(6) % 2, gamma=1.0, C_max=np.inf, sample_weight=weight)
        for C in path.C:
            assert (np.abs(path.coef(C)) <= C * weight).all()


@pytest.mark.parametrize("size", [1e-308, 5e-324])
def test_weights_that_vanish_gave_a_division_by_zero(size: float) -> None:
    with pytest.raises(ValueError, match=r"nu_min=0\.01 times the sum of sample_weight"):
        one_class_path(X, sample_weight=np.full(30, size))
