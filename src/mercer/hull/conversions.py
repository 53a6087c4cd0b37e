"""From one of SVC, NuSVC and HullClassifier, fitted, to the parameters of another.

The relations of C, nu and mu depend on the solution (Lopez Lazaro 2011, section 5.1.2;
docs/theory/hulls.md#c-nu-and-mu), so they are known of a fitted machine only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.hull.classifier import HullClassifier
from mercer.kernels.convert import DEFAULTS
from mercer.machines import SVC, NuSVC

__all__ = ["hull_classifier_like", "nu_svc_like", "svc_like"]

Machine = SVC | NuSVC | HullClassifier

_NO_DIGIT = 0.5  # relative gap, of which on rho is rounding


def svc_like(machine: Machine) -> SVC:
    """The :class:`~mercer.SVC`, not fitted, that equals a fitted machine of two classes.

    Parameters
    ----------
    machine : NuSVC, HullClassifier or SVC
        Fitted, of two classes, with the hinge loss and the bias of the KKT conditions.

    Returns
    -------
    SVC
        With the kernel of ``machine`` and C = 1/rho, or mu/rho. Of several C that give the same
        machine except for its bias, one.

    Examples
    --------
    >>> from mercer import NuSVC
    >>> from mercer.hull import svc_like
    >>> machine = NuSVC(nu=0.75, kernel="linear").fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> round(svc_like(machine).C, 6)
    0.125
    """
    return SVC(C=_C(machine), **_shared(machine))


def nu_svc_like(machine: Machine) -> NuSVC:
    """The :class:`~mercer.NuSVC`, not fitted, that equals a fitted machine of two classes.

    Parameters
    ----------
    machine : SVC, HullClassifier or NuSVC
        Fitted, of two classes, with the hinge loss and the bias of the KKT conditions.

    Returns
    -------
    NuSVC
        With the kernel of ``machine`` and nu = 2 / (mu W), W being the sum of the weights. The
        machines of several C may have the same nu, where a class has no free coefficient: then
        they agree except for scale and bias.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.hull import nu_svc_like
    >>> machine = SVC(kernel="linear", C=0.5).fit([[0.0], [1.0], [1.5], [3.0]], [0, 0, 1, 1])
    >>> round(nu_svc_like(machine).nu, 6)
    0.638889
    """
    shared = _shared(machine)
    mu = _mu(machine)
    if mu == np.inf:
        raise ValueError("machine must have a finite mu or C, got whole hulls, which have no nu")
    return NuSVC(nu=min(2.0 / (mu * machine._weight_sum), 1.0), **shared)


def hull_classifier_like(machine: Machine) -> HullClassifier:
    """The :class:`HullClassifier`, not fitted, that equals a fitted machine of two classes.

    Parameters
    ----------
    machine : SVC, NuSVC or HullClassifier
        Fitted, of two classes, with the hinge loss and the bias of the KKT conditions.

    Returns
    -------
    HullClassifier
        With the kernel of ``machine`` and mu = 2 C / sum |coef|; above 1 that means the convex
        hulls. The machines of several C may have the same mu, as for :func:`nu_svc_like`.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.hull import hull_classifier_like
    >>> X, y = [[0.0], [1.0], [1.5], [3.0]], [0, 0, 1, 1]
    >>> machine = SVC(kernel="linear", C=0.5).fit(X, y)
    >>> like = hull_classifier_like(machine).fit(X, y)
    >>> like.predict([[0.9], [1.6]]).tolist() == machine.predict([[0.9], [1.6]]).tolist()
    True
    """
    return HullClassifier(mu=_mu(machine), **_shared(machine))


def _check(machine: Any) -> None:
    if not isinstance(machine, (SVC, NuSVC, HullClassifier)):
        raise TypeError(
            f"machine must be an SVC, a NuSVC or a HullClassifier, got {type(machine).__name__}"
        )
    check_is_fitted(machine)
    if len(machine.classes_) != 2:
        raise ValueError(
            "machine must have two classes, for each pair has parameters of its own, got "
            f"{len(machine.classes_)} classes"
        )
    if getattr(machine, "loss", "hinge") != "hinge":
        raise ValueError(f"machine must have loss='hinge', got loss={machine.loss!r}")
    if getattr(machine, "fit_intercept", True) is not True:
        raise ValueError(
            "machine must have a free bias, fit_intercept=True, got "
            f"fit_intercept={machine.fit_intercept!r}"
        )
    if getattr(machine, "bias", "multiplier") != "multiplier":
        raise ValueError(f"machine must have bias='multiplier', got bias={machine.bias!r}")
    if not (_coef_sum(machine) > 0.0 and np.all(getattr(machine, "rho_", 1.0) > 0.0)):
        raise ValueError("machine must have a margin, got one whose reduced hulls overlap")
    gap = machine.dual_gap_
    if hasattr(machine, "rho_") and gap is not None and gap >= _NO_DIGIT:
        raise ValueError(
            "machine must have a margin that is known, got one whose reduced hulls overlap or "
            f"that has not converged: its relative duality gap is {gap:.3g}"
        )


def _shared(machine: Machine) -> dict[str, Any]:
    """The parameters that mean the same for all of them."""
    _check(machine)
    parameters = machine.get_params(deep=False)
    shared = {*parameters} & {*HullClassifier().get_params(deep=False)} - {"mu", "bias", "solver"}
    # what a named kernel was made of is part of the kernel
    kernel = DEFAULTS | {"kernel": machine.kernel_}
    return {name: parameters[name] for name in shared} | kernel


def _coef_sum(machine: Machine) -> float:
    return float(np.abs(machine.dual_coef_).sum())


def _C(machine: Machine) -> float:
    _check(machine)
    if isinstance(machine, SVC):
        return float(machine.C)
    if isinstance(machine, NuSVC):
        return 1.0 / float(machine.rho_[0])
    return float(machine.mu_[0] / machine.rho_[0])


def _mu(machine: Machine) -> float:
    """2 C / sum |coef|, the coefficients being those of margin 1 (scaled by 1/rho)."""
    _check(machine)
    if isinstance(machine, HullClassifier):
        return float(machine.mu_[0])
    return 2.0 * _C(machine) / _coef_sum(machine)
