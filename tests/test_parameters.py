"""One name and one default for one thing, over all public functions and estimators."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import mercer

ROOMS = [room for room in mercer._ROOMS if room not in ("dask", "lab")]
# Defaults that hold wherever a public function or estimator has the parameter ...
DEFAULTS: dict[str, Any] = {
    "C": 1.0,
    "cache_size": "auto",
    "callback": None,
    "class_weight": None,
    "cv": 5,
    "decoding": "auto",
    "degree": 3,
    "epsilon": 0.1,
    "fit_intercept": True,
    "gamma": "scale",
    "groups": None,
    "kernel": "rbf",
    "low_rank": None,
    "max_iter": -1,
    "max_time": None,
    "n_jobs": None,
    "n_threads": None,
    "nu": 0.5,
    "precision": "auto",
    "random_state": None,
    "sample_weight": None,
    "scoring": None,
    "shrinking": True,
    "solver": "auto",
    "tol": 1e-3,
    "verbose": False,
    "warm_start": False,
}
# ... but for these, each for a reason.
KERNELS = ("Gaussian", "Laplacian", "Polynomial", "Sigmoid")
HULLS = ("contains", "enclosing_ball", "min_norm_point", "nearest_points", "separable")
LEAST_SQUARES = ("LSSVC", "LSSVR", "RLSC")
OTHERS: dict[str, dict[str, Any]] = {
    # a cache for each gamma at work, of which there are as many as threads
    "cache_size": {"svc_grid": 100.0},
    # leave-one-out costs nothing, or folds are asked for; the t-test over ten folds
    "cv": {
        **dict.fromkeys(("TunedRLSC", "TunedOneClassSVM", "kernel_path", "svc_grid"), None),
        "compare_over_folds": 10,
    },
    # bounds are stated for one loss
    "decoding": {"possible_loo_errors": "hinge", "training_error_bound": "loss"},
    # a share of the scale of the targets, which a search divides by
    "epsilon": {"TunedSVR": "scale"},
    # as its author has it (Rifkin 2002), and the path of its leave-one-out errors
    "fit_intercept": {"RLSC": False, "loo_path": False},
    # a kernel as an object has numbers, not rules
    "gamma": dict.fromkeys(KERNELS, 1.0),
    # points as they are, without a kernel
    "kernel": dict.fromkeys(HULLS, None),
    # what the class is for
    "low_rank": {"ReducedSVC": 100},
    # the share of rows that a search rejects: half of them would be no outliers
    "nu": {"TunedOneClassSVM": 0.1},
    # what is factored or exported has all its digits
    "precision": dict.fromkeys(("FeatureMap", "to_c", "to_onnx"), "double"),
    # equal calls give equal codes, and the noise of a search is the same
    "random_state": {"TunedOneClassSVM": 0, "make_code": 0},
    # relative residuals of systems instead of KKT violations; hulls: by the algorithm, or exact
    "tol": {
        **dict.fromkeys(LEAST_SQUARES, 1e-6),
        **dict.fromkeys(("enclosing_ball", "min_norm_point", "nearest_points"), None),
        "nearest_points_many": 0.0,
    },
}
# Other libraries' names, or names of other places, for what has a name here.
SYNONYMS = {
    "seed": "random_state",
    "rng": "random_state",
    "seconds": "max_time",
    "timeout": "max_time",
    "time_limit": "max_time",
    "tolerance": "tol",
    "n_workers": "n_threads, or n_jobs for processes",
    "cache": "cache_size",
    "max_iterations": "max_iter",
}


def public_callables() -> Iterator[tuple[str, Any]]:
    """Functions and classes that are called with parameters; results are not."""
    for room in ROOMS:
        module = importlib.import_module(f"mercer.{room}")
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not dataclasses.is_dataclass(value):
                yield name, value


CALLABLES = dict(public_callables())


def found_defaults(parameter: str) -> dict[str, Any]:
    out = {}
    for name, value in CALLABLES.items():
        own = inspect.signature(value).parameters.get(parameter)
        if own is not None and own.default is not inspect.Parameter.empty:
            out[name] = own.default
    return out


@pytest.mark.parametrize("parameter", DEFAULTS)
def test_a_parameter_has_one_default(parameter: str) -> None:
    found = found_defaults(parameter)
    expected = dict.fromkeys(found, DEFAULTS[parameter]) | OTHERS.get(parameter, {})
    assert found == expected


def test_a_thing_has_one_name() -> None:
    found = {
        f"{name}({own}=): write {SYNONYMS[own]}"
        for name, value in CALLABLES.items()
        for own in inspect.signature(value).parameters
        if own in SYNONYMS
    }

    assert found == set()
