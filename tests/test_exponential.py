"""The vector power of two, and kernel values, on every instruction set of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mercer import Gram, _core
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Normalized, Polynomial, Sigmoid

LEVELS = ("baseline", "avx2", "avx512")
LIMITS = {np.float32: np.float32(-126.0), np.float64: np.float64(-1022.0)}
KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(degree=3, gamma=0.4, coef0=0.7),
    "gaussian": Gaussian(0.3),
    "laplacian": Laplacian(0.2),
    "sigmoid": Sigmoid(0.3, -0.2),
    "normalized": Normalized(Polynomial(degree=2, coef0=1.0)),
}


@cache
def examine(level: str) -> subprocess.CompletedProcess[str]:
    """All checks of this file in a process that computes on one instruction set."""
    code = "import test_exponential; test_exponential.check_all()"
    environment = os.environ | {"MERCER_ISA": level, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, check=False, text=True)


@cache
def available() -> tuple[str, ...]:
    """The levels this machine runs, from the message that refuses one nobody has."""
    names = examine("abacus").stderr.rsplit("available: ", 1)[-1].strip().split(", ")
    return tuple(level for level in LEVELS if level in names)


def check_all() -> None:
    """Checks, then prints the level in use and the blocks of kernel values."""
    level = _core.instruction_set()
    for x in some_floats():
        check_single(x)
    check_double()
    check_edges()
    print(json.dumps({"level": level, "blocks": blocks()}))


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


@pytest.mark.parametrize("level", LEVELS)
def test_the_exponential_is_right_on_every_instruction_set(level: str) -> None:
    """A level the machine lacks is refused by name."""
    result = examine(level)
    if level in available():
        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout)["level"] == level
    else:
        assert f"MERCER_ISA={level} cannot run on this machine" in result.stderr


def test_the_best_instruction_set_is_the_default() -> None:
    assert _core.instruction_set() == (os.environ.get("MERCER_ISA") or available()[-1])


def test_kernel_values_agree_between_instruction_sets() -> None:
    first, *others = (json.loads(examine(level).stdout)["blocks"] for level in available())
    for other in others:
        for name, block in other.items():
            tolerance = 1e-6 if name.endswith("single") else 1e-12
            scale = np.abs(block).max()
            np.testing.assert_allclose(block, first[name], rtol=0, atol=tolerance * scale)
