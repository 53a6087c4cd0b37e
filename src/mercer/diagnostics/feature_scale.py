"""Whether features were given to a machine in units that differ too much.

Kernels look at distances or inner products, in which a feature that is a hundred times smaller
than another one has a ten-thousandth of its say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.diagnostics.finding import Finding
from mercer.kernels import Gaussian, Laplacian, Linear, Polynomial, Sigmoid

__all__ = ["unscaled_features"]

FloatArray = NDArray[np.float64]

_SMALL = 0.01  # of the range of the widest feature: as good as not there
_SHARE = 0.5  # of the features that are so small
# Kernels to which all features are alike.
_KERNELS = (Gaussian, Laplacian, Linear, Polynomial, Sigmoid)


def unscaled_features(machine: Any, names: Any = None) -> Iterator[Finding]:
    """Find features that the others drown, by the ranges of the support vectors.

    Parameters
    ----------
    machine : estimator
        Fitted.
    names : sequence of str, default=None
        What its features are called; None means as it was told, or by number.
    """
    ranges = _ranges(machine)
    if ranges is None or np.count_nonzero(ranges) < 2:
        return
    used = np.flatnonzero(ranges)
    small = used[ranges[used] < _SMALL * ranges.max()]
    if len(small) < _SHARE * len(used):
        return
    names = getattr(machine, "feature_names_in_", None) if names is None else names
    ends = ranges.argmax(), small[ranges[small].argmin()]
    widest, narrowest = (_named(feature, ranges, names) for feature in ends)
    yield Finding(
        "unscaled-features",
        f"{len(small)} of {len(used)} features have less than {_SMALL:.0%} of the range of the "
        f"widest and hardly any say: {widest}, {narrowest}",
        f"Scale the features first: make_pipeline(StandardScaler(), {type(machine).__name__}(...))",
    )


def _named(feature: Any, ranges: FloatArray, names: Any) -> str:
    name = f"feature {feature}" if names is None else repr(str(names[feature]))
    return f"{name} has a range of {ranges[feature]:.3g}"


def _ranges(machine: Any) -> FloatArray | None:
    """Largest minus smallest value of every feature, as the kernel sees them; None if unknown."""
    kernel, rows = machine.kernel_, getattr(machine, "support_vectors_", None)
    is_known = isinstance(kernel, _KERNELS) and (isinstance(rows, np.ndarray) or sp.issparse(rows))
    if not is_known or rows is None or rows.ndim != 2 or min(rows.shape) < 2:
        return None
    gamma = np.asarray(getattr(kernel, "gamma", 1.0), dtype=np.float64)
    if gamma.ndim == 2:
        return None
    high, low = rows.max(axis=0), rows.min(axis=0)
    if sp.issparse(rows):
        high, low = (np.asarray(end.todense()).ravel() for end in (high, low))
    width = np.asarray(high, dtype=np.float64) - low
    return width if gamma.ndim == 0 else np.sqrt(gamma) * width
