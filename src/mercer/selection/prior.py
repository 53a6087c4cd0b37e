"""Prior densities of the parameters of a machine (Glasmachers 2008, sections 9.2.3 and 12.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._shown import shown
from mercer.kernels import Gaussian, Kernel
from mercer.selection.space import Space
from mercer.selection.training_task import TrainingTask
from mercer.selection.widths import jaakkola_gamma

__all__ = ["Prior"]

FloatArray = NDArray[np.float64]

# gamma = factor * parameter ** power: 1 / (4 sigma^2) of sequences, 1 / (2 length^2) of
# scikit-learn's kernels
_WIDTHS = {"gamma": (1.0, 1.0), "sigma": (0.25, -2.0), "length_scale": (0.5, -2.0)}


@dataclass(frozen=True)
class Prior:
    """Flat in log C except for a small slope, normal in the logarithm of each width.

    The slope lets C fall where the criterion does not depend on it. A full metric
    ``G = B^2 / 2`` with ``B = exp(2A) b``, b being that of `gamma`, has a normal A.

    Attributes
    ----------
    gamma : float
        The width that is expected.
    deviation : float
        Standard deviation of log gamma.
    slope : float
        Derivative of the logarithm of the density by log C.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.selection import Prior, make_objective
    >>> space = make_objective("alignment", SVC(gamma=0.5), [[0.0], [1.0]], [0, 1]).space
    >>> density, gradient = Prior(gamma=1.0)(space, space.start)
    >>> gradient.round(3).tolist()  # towards smaller C, larger gamma
    [-0.001, 0.173]
    """

    gamma: float
    deviation: float = 2.0
    slope: float = -1e-3

    __repr__ = shown()

    @classmethod
    def of(cls, task: TrainingTask) -> Prior:
        """Around the median distance of rows of different classes."""
        return cls(jaakkola_gamma(task))

    def __call__(self, space: Space, theta: FloatArray) -> tuple[float, FloatArray]:
        """Logarithm of the density, up to a constant, and its gradient."""
        value, slope = self._of_kernel(space.kernel_at(theta))
        return self.slope * float(theta[0]) + value, np.concatenate([[self.slope], slope])

    def _of_kernel(self, kernel: Kernel) -> tuple[float, FloatArray]:
        value, gradient = 0.0, np.zeros(kernel.n_dims)
        if isinstance(kernel, Gaussian) and kernel._metric == "full":
            return self._of_metric(kernel) if kernel.n_dims else (value, gradient)
        for k, name in enumerate(kernel.parameter_names):
            width = _WIDTHS.get(name.split("__")[-1].split("[")[0])
            if width is not None:
                log_gamma = np.log(width[0]) + width[1] * float(kernel.theta[k])
                apart = (log_gamma - np.log(self.gamma)) / self.deviation
                value -= 0.5 * apart**2
                gradient[k] = -apart / self.deviation * width[1]
        return value, gradient

    def _of_metric(self, kernel: Gaussian) -> tuple[float, FloatArray]:
        """-|M|^2 / (2 deviation^2) with M = log G - log gamma, the norm of Frobenius.

        The chart moves B = sqrt(2 G) by E B + B E. M commutes with B, so that the derivative of
        |M|^2 is 8 tr(M E).
        """
        values, vectors = np.linalg.eigh(np.asarray(kernel._gamma))
        apart = (vectors * np.log(values / self.gamma)) @ vectors.T
        value = -0.5 * float((apart**2).sum()) / self.deviation**2
        slope = -4.0 * apart / self.deviation**2
        # an entry off the diagonal moves two of E
        upper = np.triu_indices(len(apart))
        doubled = np.where(upper[0] == upper[1], 1.0, 2.0)
        return value, slope[upper] * doubled
