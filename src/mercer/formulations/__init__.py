"""From labels and parameters to a problem, and from its solution back to a machine.

Every function returns a :class:`Formulation`: the six arrays of docs/design.md, section 2,
in signed variables and LIBSVM's scale, together with the way back to the coefficients, the
intercept and whatever else the machine learns. No kernel value is needed.
"""

from __future__ import annotations

from mercer.formulations.bias_and_rho import FittedParameters, Formulation
from mercer.formulations.classification import nu_svc, one_sided_huber, pinball, svc
from mercer.formulations.conversions import (
    C_from_alpha,
    C_from_hulls,
    C_from_lambda,
    C_from_nu_svc,
    alpha_from_C,
    alpha_from_lambda,
    lambda_from_alpha,
    lambda_from_C,
    mu_from_nu,
    mu_from_one_class,
    mu_from_svc,
    nu_from_C,
    nu_from_mu,
    one_class_from_mu,
)
from mercer.formulations.hulls import enclosing_ball, minimum_norm, nearest_points, one_class
from mercer.formulations.ranges import C_range, ParameterRange, parameter_range
from mercer.formulations.regression import (
    absolute,
    huber,
    least_squares,
    nu_svr,
    quantile,
    svr,
)

__all__ = [
    "C_from_alpha",
    "C_from_hulls",
    "C_from_lambda",
    "C_from_nu_svc",
    "C_range",
    "FittedParameters",
    "Formulation",
    "ParameterRange",
    "absolute",
    "alpha_from_C",
    "alpha_from_lambda",
    "enclosing_ball",
    "huber",
    "lambda_from_C",
    "lambda_from_alpha",
    "least_squares",
    "minimum_norm",
    "mu_from_nu",
    "mu_from_one_class",
    "mu_from_svc",
    "nearest_points",
    "nu_from_C",
    "nu_from_mu",
    "nu_svc",
    "nu_svr",
    "one_class",
    "one_class_from_mu",
    "one_sided_huber",
    "parameter_range",
    "pinball",
    "quantile",
    "svc",
    "svr",
]
