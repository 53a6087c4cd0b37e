"""The vector power of two; test_instruction_sets.py repeats the checks on every instruction set."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mercer import Gram, _core
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Normalized, Polynomial, Sigmoid

LIMITS = {np.float32: np.float32(-126.0), np.float64: np.float64(-1022.0)}
KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(degree=3, gamma=0.4, coef0=0.7),
    "gaussian": Gaussian(0.3),
    "laplacian": Laplacian(0.2),
    "sigmoid": Sigmoid(0.3, -0.2),
    "normalized": Normalized(Polynomial(degree=2, coef0=1.0)),
}


def check_all() -> None:
    """The power of two of the instruction set in use (see test_instruction_sets.py)."""
    for x in some_floats():
        check_single(x)
    check_double()
    check_edges()


def floats_between(low: float, high: float, step: int = 1) -> NDArray[np.float32]:
    """Every ``step``-th float of [low, high], both negative, in descending order."""
    ends = np.array([-high, -low], np.float32).view(np.int32)
    return -np.arange(ends[0], ends[1] + 1, step, dtype=np.int32).view(np.float32)


def some_floats() -> Iterator[NDArray[np.float32]]:
    """A whole binade (where x first rounds to -1), the last one, and a comb of all."""
    limit = float(LIMITS[np.float32])
    yield floats_between(-1.0, -0.5)
    yield floats_between(limit, -64.0)
    yield floats_between(limit, -1e-45, step=1009)


def check_single(x: NDArray[np.float32]) -> None:
    values = _core.power_of_two(x)
    assert (values[1:] <= values[:-1]).all(), "not monotone"
    for part in range(0, len(x), 2**18):
        exact = np.exp2(x[part : part + 2**18].astype(np.float64))
        ulp = np.spacing(exact.astype(np.float32))
        worst = np.max(np.abs(values[part : part + 2**18] - exact) / ulp)
        assert worst <= 2, f"{worst} ulp"


def check_double() -> None:
    rng = np.random.default_rng(0)
    limit = float(LIMITS[np.float64])
    x = np.concatenate([rng.uniform(limit, 0, 300_000), -(10 ** rng.uniform(-300, 2, 100_000))])
    x = np.sort(np.append(x, [limit, 0.0]))
    values = _core.power_of_two(x)
    exact = np.exp2(x.astype(np.longdouble))
    worst = np.max(np.abs(values - exact) / np.spacing(exact.astype(np.float64)))
    assert worst <= 2, f"{worst} ulp"
    assert (np.diff(values) >= 0).all(), "not monotone"


def check_edges() -> None:
    for dtype, limit in LIMITS.items():
        below = np.array([np.nextafter(limit, dtype(-np.inf)), 2 * limit, -np.inf], dtype)
        assert (_core.power_of_two(below) == 0).all()
        smallest = _core.power_of_two(np.array([limit], dtype))
        assert smallest >= np.finfo(dtype).tiny, "denormal"
        assert (_core.power_of_two(np.array([0.0, -0.0], dtype)) == 1).all()
        # every number of values up to two vectors and a rest
        x = -np.arange(35, dtype=dtype)
        for count in range(36):
            whole = _core.power_of_two(x)[:count]
            assert _core.power_of_two(x[:count]).tobytes() == whole.tobytes()


def blocks() -> dict[str, list[list[float]]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(41, 7))
    every = np.arange(len(X))
    return {
        f"{name} {precision}": Gram(kernel, X, precision=precision).block(every, every).tolist()
        for name, kernel in KERNELS.items()
        for precision in ("single", "double")
    }


def test_the_exponential_is_right() -> None:
    check_all()
