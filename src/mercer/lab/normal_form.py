"""The shape of a problem's objective on its feasible directions, and how fast pairs must gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._shown import shown
from mercer.gram import Gram
from mercer.problem import Problem

__all__ = ["NormalForm", "PairCurvature", "normal_form", "pair_curvature"]

FloatArray = NDArray[np.float64]

_MOST_VARIABLES = 3000


@dataclass(frozen=True, eq=False)
class NormalForm:
    """Feasible directions, split into those that bend the objective, tilt it, or do neither.

    Attributes
    ----------
    curved : ndarray of shape (n_variables, rank)
        Orthonormal directions along which the objective bends, by falling curvature.
    curvature : ndarray of shape (rank,)
        How much, all positive.
    tilted : ndarray of shape (n_variables, 0 or 1)
        The direction along which the objective is linear and not constant, if there is one. An
        infinite box in this direction means an unbounded problem.
    flat : ndarray of shape (n_variables, n_flat)
        Orthonormal directions along which neither objective nor gradient change: the optima of
        a problem differ by these alone.

    Examples
    --------
    >>> from mercer import Gram
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import normal_form
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> form = normal_form(svc([-1, -1, 1, 1], C=1.0).problem, gram)
    >>> form.curved.shape, form.tilted.shape, form.flat.shape
    ((4, 1), (4, 1), (4, 1))
    """

    curved: FloatArray
    curvature: FloatArray
    tilted: FloatArray
    flat: FloatArray

    __repr__ = shown()

    @property
    def has_unique_optimum(self) -> bool:
        """Whether no two points have the same gradient: then there is one optimum at most."""
        return self.flat.shape[1] == 0


def normal_form(problem: Problem, gram: Gram, *, rounding: float = 1e-10) -> NormalForm:
    """Split the feasible directions of a small problem (Glasmachers 2008, section 5).

    With an orthonormal basis B of V = {v : every group of v sums to 0, v_i = 0 where
    lower_i = upper_i}, the eigenvectors of B'(K + ridge)B with positive eigenvalues bend the
    objective; on the others it is linear, with the slope of the linear term.

    Parameters
    ----------
    problem : Problem
        At most 3,000 variables: the cost is cubic.
    gram : Gram
        Its kernel values; positive semi-definite.
    rounding : float, default=1e-10
        Eigenvalues and slopes up to this share of the largest count as zero.

    Returns
    -------
    NormalForm

    Examples
    --------
    >>> from mercer import Gram
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import normal_form
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> normal_form(svc([-1, -1, 1, 1], C=1.0).problem, gram).has_unique_optimum
    False
    """
    _check_size(problem)
    basis = _feasible_directions(problem)
    matrix = _matrix(problem, gram)
    values, vectors = np.linalg.eigh(basis.T @ matrix @ basis)
    is_curved = values > rounding * np.abs(values).max(initial=0.0)
    descending = np.flatnonzero(is_curved)[::-1]
    rest = vectors[:, ~is_curved]
    slope = rest.T @ (basis.T @ problem.linear)
    steep = bool(np.linalg.norm(slope) > rounding * np.linalg.norm(problem.linear))
    # An orthogonal matrix whose first column is the slope.
    turned = np.linalg.qr(np.column_stack([slope, np.eye(len(slope))]))[0] if steep else None
    split = rest @ turned if turned is not None else rest
    return NormalForm(
        curved=basis @ vectors[:, descending],
        curvature=values[descending],
        tilted=basis @ split[:, : int(steep)],
        flat=basis @ split[:, int(steep) :],
    )


@dataclass(frozen=True)
class PairCurvature:
    """The range of curvatures of all pairs, and what follows for the gain of a step.

    A selection is a sigma-selection if the step it chooses gains at least sigma times the square
    of the largest violation; free steps of such a selection converge linearly (Glasmachers 2008,
    definition 5.1 and theorem 5.8).

    Attributes
    ----------
    largest : float
        The largest curvature Q of a pair of one group.
    smallest : float
        The smallest that is positive.

    Examples
    --------
    >>> from mercer.lab import PairCurvature
    >>> curvature = PairCurvature(largest=4.0, smallest=1.0)
    >>> curvature.most_violating, curvature.second_order
    (0.125, 0.03125)
    """

    largest: float
    smallest: float

    @property
    def most_violating(self) -> float:
        """Sigma of the most violating pair: 1 / (2 Q_max)."""
        return 1.0 / (2.0 * self.largest)

    @property
    def second_order(self) -> float:
        """Sigma of second-order selection: Q_min / (2 Q_max^2)."""
        return self.smallest / (2.0 * self.largest**2)


def pair_curvature(problem: Problem, gram: Gram) -> PairCurvature:
    """Curvatures Q_ij = H_ii - 2 H_ij + H_jj of all pairs, H = K + ridge, of a small problem.

    Parameters
    ----------
    problem : Problem
        At most 3,000 variables.
    gram : Gram
        Its kernel values.

    Returns
    -------
    PairCurvature

    Examples
    --------
    >>> from mercer import Gram
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import pair_curvature
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> found = pair_curvature(svc([-1, -1, 1, 1], C=1.0).problem, gram)
    >>> found.largest, found.smallest  # squared distances of two rows
    (9.0, 1.0)
    """
    _check_size(problem)
    H = _matrix(problem, gram)
    diagonal = np.diagonal(H)
    curvature = diagonal[:, None] + diagonal - 2.0 * H
    same = (problem.group[:, None] == problem.group) & (problem.group >= 0)
    found = curvature[same & (curvature > 1e-14 * diagonal.max(initial=0.0))]
    if not len(found):
        raise ValueError("problem must have a pair of variables of one group that differ")
    return PairCurvature(float(found.max()), float(found.min()))


def _check_size(problem: Problem) -> None:
    if problem.n_variables > _MOST_VARIABLES:
        raise ValueError(
            f"problem must have at most {_MOST_VARIABLES} variables, got {problem.n_variables}"
        )


def _matrix(problem: Problem, gram: Gram) -> FloatArray:
    rows, which = np.unique(problem.index, return_inverse=True)
    block = gram.block(rows, rows, precision="double").astype(np.float64)
    return block[np.ix_(which, which)] + np.diag(problem.ridge)


def _feasible_directions(problem: Problem) -> FloatArray:
    """Orthonormal basis: zero where the box is a point, and zero sums of every group."""
    n, moves = problem.n_variables, problem.lower < problem.upper
    members = [(problem.group == g) & moves for g in range(problem.n_groups)]
    normals = np.array([m.astype(np.float64) for m in members if m.any()])
    where = np.flatnonzero(moves)
    if not len(normals):
        return np.eye(n)[:, where]
    left = np.linalg.svd(normals[:, where].T, full_matrices=True)[0]
    basis = np.zeros((n, len(where) - len(normals)))
    basis[where] = left[:, len(normals) :]
    return basis
