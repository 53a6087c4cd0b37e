"""The parameters that are searched: theta = (log of C, nu or 1/alpha, then the kernel's theta)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mercer._shown import shown
from mercer.kernels import Gaussian, Kernel
from mercer.kernels.parameters.hyperparameters import POSITIVE_BOUNDS
from mercer.kernels.widths import widths_of
from mercer.machines.kernel_values import resolve_kernel
from mercer.machines.least_squares.machine import LeastSquaresMachine
from mercer.machines.svm.one_class import OneClassSVM
from mercer.machines.with_kernel import with_kernel
from mercer.problem.family import Powers
from mercer.selection.training_task import TrainingTask

__all__ = ["Space"]

FloatArray = NDArray[np.float64]

_AT_END = 1e-6  # of logarithms
_PENALTIES = {"C": (1e-4, 1e7), "nu": (1e-4, 1.0), "alpha": (1e-7, 1e7)}
_REACH = 1e6  # factor around the gamma that the rows suggest


@dataclass(frozen=True, eq=False)
class Space:
    """From theta to a machine with that C and kernel.

    For least squares C is ``1 / alpha``; machines with ``nu`` in place of C have that.

    Attributes
    ----------
    machine : estimator
        The machine whose C and kernel are searched.
    kernel : Kernel
        The kernel at the start, all its parameters numbers. The theta of a full metric is zero
        there, and counts from it.
    C_scale : float
        Theta counts C divided by this. If the targets of a regression are multiplied by a factor,
        and C and epsilon with them, the machine is the same up to that factor.
    reach : tuple of float
        Range of every gamma whose own range is the default one.
    C_range, gamma_range : pair of float or None
        Ranges of C and of every gamma that were asked for, in place of all others.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.selection import make_objective
    >>> space = make_objective("alignment", SVC(gamma=0.5), [[0.0], [1.0]], [0, 1]).space
    >>> space.names, space.start.round(3).tolist()
    (['log C', 'gamma'], [0.0, -0.693])
    """

    machine: Any
    kernel: Kernel
    C_scale: float = 1.0
    reach: tuple[float, float] = POSITIVE_BOUNDS
    C_range: tuple[float, float] | None = None
    gamma_range: tuple[float, float] | None = None

    __repr__ = shown("names kernel C_range gamma_range")

    @classmethod
    def of(cls, task: TrainingTask) -> Space:
        """That of a task; rules such as gamma="scale" become numbers."""
        kernel: Kernel = resolve_kernel(task.machine, task.rows, task.weight)
        asked = task.C_range, task.gamma_range
        space = cls(task.machine, kernel, 1.0, _reach(task, kernel), *asked)
        if task.gamma_range is not None and not space._is_gamma.any():
            raise ValueError(f"gamma_range needs a kernel with a gamma to choose, got {kernel!r}")
        return replace(space, C_scale=task.target_scale) if space.penalty == "C" else space

    @property
    def penalty(self) -> str:
        """Name of the machine's parameter that the first entry stands for."""
        if isinstance(self.machine, LeastSquaresMachine):
            return "alpha"
        return "C" if hasattr(self.machine, "C") else "nu"

    @property
    def powers(self) -> Powers:
        """How the problems of the machine change with C."""
        if self.penalty == "nu":
            is_one_class = isinstance(self.machine, OneClassSVM)
            return Powers(box=0.0, ridge=1.0 if is_one_class else 0.0)
        if getattr(self.machine, "loss", None) == "huber" and not hasattr(self.machine, "epsilon"):
            # the weight of a surplus is given by delta alone
            return Powers(box=0.0)
        return Powers()

    @property
    def n_dims(self) -> int:
        """Number of parameters."""
        return 1 + self.kernel.n_dims

    @property
    def names(self) -> list[str]:
        """One name for each entry of theta."""
        first = "nu" if self.penalty == "nu" else "C"
        return [f"log {first}", *self.kernel.parameter_names]

    @property
    def start(self) -> FloatArray:
        """Theta of the machine as it is."""
        given = getattr(self.machine, self.penalty)
        number = float(given) if np.ndim(given) == 0 and not isinstance(given, str) else 1.0
        number = 1.0 / number if self.penalty == "alpha" else number / self.C_scale
        first = np.log(number if 0.0 < number < np.inf else 1.0)
        return np.concatenate([[first], self.kernel.theta])

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest value of every entry, shape (n_dims, 2)."""
        kernel = np.array(self.kernel.bounds, dtype=np.float64)
        if self.gamma_range is not None:
            kernel[self._is_gamma] = np.log(self.gamma_range)
        else:
            is_usual = self._is_gamma & (kernel == np.log(POSITIVE_BOUNDS)).all(axis=1)
            kernel[is_usual] = np.log(self.reach)
        log_C = np.log(_PENALTIES[self.penalty])
        if self.C_range is not None and self.penalty == "C":
            log_C = np.log(self.C_range) - np.log(self.C_scale)
        return np.concatenate([[log_C], kernel])

    @property
    def _is_gamma(self) -> NDArray[np.bool_]:
        """Which of the kernel's parameters are the logarithm of a gamma."""
        return np.asarray(self.width_direction == 1.0)

    def Cs_within(self, usual: FloatArray) -> FloatArray:
        """The log C of a grid, at equal distances: those usual or, as close, of the range asked."""
        return _spread(usual, None if self.C_range is None else self.bounds[0])

    def shifts_within(self, theta: FloatArray, usual: FloatArray) -> FloatArray:
        """The same of steps of all widths from ``theta``."""
        if self.gamma_range is None:
            return usual
        return _spread(usual, np.log(self.gamma_range) - theta[1:][self._is_gamma].mean())

    @property
    def widths(self) -> list[FloatArray]:
        """The gamma of every kernel that has one and may move it."""
        return widths_of(self.kernel)

    @property
    def width_direction(self) -> FloatArray:
        """The step of the kernel's theta that multiplies every gamma by e; zero without widths."""
        found = []
        for name in self.kernel.parameter_names:
            last, _, place = name.split("__")[-1].partition("[")
            rows = place.rstrip("]").split(",")
            if last == "sigma":
                # gamma = 1 / (4 sigma^2)
                found.append(-0.5)
            elif last == "length_scale":
                # gamma = 1 / (2 length^2), of scikit-learn's kernels
                found.append(-0.5)
            elif last != "gamma":
                found.append(0.0)
            elif len(rows) == 2:
                # of a full metric log gamma moves by 4 with the diagonal of its chart
                found.append(0.25 if rows[0] == rows[1] else 0.0)
            else:
                found.append(1.0)
        return np.array(found)

    def edges(self, theta: FloatArray, is_hard: bool = False) -> list[str]:
        """What lies at an end of its range: C, or all widths at the same end.

        That one of several widths, or a weight of a sum, ends there is no fault: its feature or
        part is not needed. nu is given, not searched. Beyond a hard margin C changes nothing.
        """
        low, high = np.isclose(theta, self.bounds.T, atol=_AT_END).astype(int)
        at, direction = high - low, np.sign(self.width_direction)
        is_told = at[0] < 0 or (at[0] > 0 and not is_hard)
        found = []
        if is_told and self.penalty != "nu":
            found.append(f"{self.penalty} = {self.penalty_at(theta):.3g}")
        ends = set((at[1:] * direction)[direction != 0].tolist())
        if len(ends) == 1 and (end := ends.pop()):
            found.append(f"the {'narrowest' if end > 0 else 'widest'} kernel")
        return found

    def checked(self, theta: ArrayLike) -> FloatArray:
        """``theta`` as a vector of the right length with finite entries."""
        vector = np.asarray(theta, dtype=np.float64)
        if vector.shape != (self.n_dims,):
            raise ValueError(
                f"theta must have shape ({self.n_dims},), one entry for each of {self.names}, "
                f"got shape {vector.shape}"
            )
        if not np.isfinite(vector).all():
            raise ValueError(f"theta must be finite, got {vector}")
        return vector

    def kernel_at(self, theta: FloatArray) -> Kernel:
        """The kernel."""
        return self.kernel.clone_with_theta(theta[1:]) if self.kernel.n_dims else self.kernel

    def machine_at(self, theta: FloatArray) -> Any:
        """An unfitted machine with this C; its kernel is as it was."""
        return clone(self.machine).set_params(**{self.penalty: self.penalty_at(theta)})

    def penalty_at(self, theta: FloatArray) -> float:
        """The machine's parameter that the first entry stands for."""
        C = float(np.exp(theta[0]))
        return 1.0 / C if self.penalty == "alpha" else C * self.C_scale

    def tuned(self, theta: FloatArray) -> Any:
        """An unfitted machine with this C and kernel."""
        return with_kernel(self.machine_at(theta), self.kernel_at(theta))

    def moved_to(self, theta: FloatArray) -> tuple[Space, FloatArray]:
        """The space around the kernel at ``theta``, and what theta is there.

        Only a full metric has another theta: it counts from where it is.
        """
        space = replace(self, kernel=self.kernel_at(theta))
        return space, np.concatenate([theta[:1], space.kernel.theta])


def _reach(task: TrainingTask, kernel: Kernel) -> tuple[float, float]:
    """The default range of a gamma, wider where features are so small or large that it is not.

    Rows suggest 1 / (d variance) next to squares, and the root of that next to distances.
    """
    if kernel.row_kind != "numeric" or not kernel.n_dims:
        return POSITIVE_BOUNDS
    scale = float(Gaussian("scale").resolve(task.rows, sample_weight=task.weight).gamma)  # type: ignore[arg-type]
    low, high = sorted((scale, float(np.sqrt(scale))))
    return min(POSITIVE_BOUNDS[0], low / _REACH), max(POSITIVE_BOUNDS[1], high * _REACH)


def _spread(usual: FloatArray, ends: FloatArray | None) -> FloatArray:
    """The usual values or, about as far apart, at least three from one end to the other."""
    if ends is None or len(usual) < 2:
        return usual
    count = int(np.ceil((ends[1] - ends[0]) / (usual[1] - usual[0]) - 1e-9)) + 1
    return np.linspace(ends[0], ends[1], max(count, 3))
