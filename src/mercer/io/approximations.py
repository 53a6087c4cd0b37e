"""Low-rank approximations and what a stream of blocks leaves behind."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.gram.cross import CrossGram
from mercer.io.consistency import require, require_array, require_rows
from mercer.io.recipe import Recipe, State, arguments_of, assembled
from mercer.kernels import Kernel
from mercer.least_squares.moments import Moments
from mercer.lowrank import FeatureMap, LowRank
from mercer.machines.least_squares.streaming import Stream

__all__ = ["APPROXIMATIONS"]

FITTED = ("basis_", "maps_", "trace_error_")
MOMENTS = ("bias", "n_rows", "total", "mean", "target_mean", "inner", "cross", "square", "rounding")
STREAM = ("kernel", "penalized", "low_rank", "diagonal", "moments")


def _take_low_rank(low_rank: LowRank) -> State:
    fitted = {name: vars(low_rank)[name] for name in FITTED if name in vars(low_rank)}
    return arguments_of(low_rank) | fitted


def _make_low_rank(state: State) -> LowRank:
    low_rank: LowRank = assembled(LowRank, FITTED.__contains__, state)
    low_rank._validate_params()
    if hasattr(low_rank, "maps_"):
        for name, kind in (("maps_", FeatureMap), ("basis_", np.ndarray)):
            parts = getattr(low_rank, name)
            is_tuple = isinstance(parts, tuple) and all(isinstance(part, kind) for part in parts)
            require(is_tuple and len(parts) == low_rank.n_models, f"{name} of low_rank_")
    return low_rank


def _take_features(features: FeatureMap) -> State:
    # The values against the rows know these, the kernel, their precision and the threads.
    values = features._gram.__getstate__()
    return values | {"rows": features.rows, "basis": features.landmarks, "factor": features.factor}


def _make_features(state: State) -> FeatureMap:
    features: FeatureMap = object.__new__(FeatureMap)
    features.kernel, features.rows = state["kernel"], state["rows"]
    features.landmarks, features.factor = state["basis"], state["factor"]
    require(isinstance(features.kernel, Kernel), "kernel of low_rank_")
    rank = len(features.landmarks)
    require_array(features.landmarks, "basis of low_rank_", "iu", (rank,))
    require(bool((features.landmarks >= 0).all()), "basis of low_rank_ must not be negative")
    if features.factor is not None:
        require_array(features.factor, "factor of low_rank_", "f", (rank, rank))
    if features.kernel.row_kind == "stored":
        require_array(features.rows, "rows of low_rank_", "iu", (rank,))
    else:
        require_rows(features.rows, "rows of low_rank_", (rank, np.shape(features.rows)[1]))
    threads = state["n_threads"]
    require(type(threads) is int and 0 < threads <= 1024, "n_threads of low_rank_")
    require(state["precision"] in ("single", "double"), "precision of low_rank_")
    shift = state["shift"]
    if shift is not None:
        require_array(shift, "shift of low_rank_", "f", (features.rows.shape[1],))
    features._gram = CrossGram(
        features.kernel,
        features.rows,
        precision=state["precision"],
        n_threads=threads,
        shift=shift,
    )
    return features


def _make_moments(state: State) -> Moments:
    rank, n_outputs = len(state["mean"]), len(state["target_mean"])
    moments = Moments(0, 0, bool(state["bias"]))
    vars(moments).update({name: state[name] for name in MOMENTS})
    shapes = {"mean": (rank,), "target_mean": (n_outputs,), "inner": (rank, rank)}
    for name, shape in (shapes | {"cross": (rank, n_outputs)}).items():
        require_array(getattr(moments, name), f"{name} of the moments", "f", shape)
    for name in ("n_rows", "total", "square", "rounding"):
        value = getattr(moments, name)
        require(isinstance(value, int | float) and np.isfinite(value), f"{name} of the moments")
    return moments


def _make_stream(state: State) -> Stream:
    stream: Stream = object.__new__(Stream)
    vars(stream).update({name: state[name] for name in STREAM})
    require(isinstance(stream.kernel, Kernel), "kernel of the stream")
    moments, low_rank = stream.moments, stream.low_rank
    require(isinstance(moments, list) and len(moments) > 0, "moments of the stream")
    require(all(isinstance(part, Moments) for part in moments), "moments of the stream")
    require(len({len(part.target_mean) for part in moments}) == 1, "targets of the stream")
    if low_rank is not None:
        require(isinstance(low_rank, LowRank) and hasattr(low_rank, "maps_"), "low_rank_")
        ranks = [features.rank for features in low_rank.maps_]
        require([len(part.mean) for part in moments] == ranks, "moments of the stream")
    return stream


def _taken(names: tuple[str, ...]) -> Any:
    return lambda value: {name: getattr(value, name) for name in names}


APPROXIMATIONS = (
    Recipe("LowRank", LowRank, _take_low_rank, _make_low_rank),
    Recipe("FeatureMap", FeatureMap, _take_features, _make_features),
    Recipe("Moments", Moments, _taken(MOMENTS), _make_moments),
    Recipe("Stream", Stream, _taken(STREAM), _make_stream),
)
