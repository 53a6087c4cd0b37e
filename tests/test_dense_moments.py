"""What the core says of rows and labels in one pass is what NumPy says in several."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import _core
from mercer.kernels.parameters.gamma import weighted_variance

TYPES = [np.float32, np.float64]


def drawn(shape, dtype, seed=0):
    return (3.0 + np.random.default_rng(seed).normal(size=shape)).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("place", [0, 17, 40])
def test_one_value_that_is_not_finite_is_seen(dtype, bad, place):
    values = drawn(41, dtype)
    extremes = [np.finfo(dtype).max, -np.finfo(dtype).max, np.finfo(dtype).tiny / 4, -0.0]
    values[1:5] = extremes
    assert _core.is_finite(values)
    values[place] = bad
    assert not _core.is_finite(values)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("step", [1, 3, 100])
def test_the_mean_row_is_that_of_every_so_many(dtype, step):
    rows = drawn((50, 7), dtype)
    expected = rows[::step].mean(axis=0, dtype=np.float64)
    np.testing.assert_allclose(_core.mean_row(rows, step), expected, rtol=1e-14)


@pytest.mark.parametrize("dtype", TYPES)
def test_the_variance_of_weighted_rows_is_that_of_repeated_ones(dtype):
    rows = drawn((60, 5), dtype)
    weight = np.random.default_rng(1).integers(0, 4, 60)
    repeated = np.repeat(rows, weight, axis=0).astype(np.float64)
    found = _core.weighted_variance(rows, weight.astype(np.float64))
    assert found == pytest.approx(repeated.var(), rel=1e-13)


@pytest.mark.parametrize("bad", [None, np.inf, -np.inf, np.nan])
def test_extents_and_sums_are_those_of_numpy(bad):
    values = np.random.default_rng(2).normal(size=33)
    if bad is not None:
        values[7] = bad
    np.testing.assert_array_equal(_core.extent(values), (values.min(), values.max()))
    assert _core.absolute_sum(values) == pytest.approx(np.abs(values).sum(), nan_ok=True)


def test_boxes_are_closed_where_weights_are_zero():
    weight = np.array([0.0, 2.0, 1e300])
    np.testing.assert_array_equal(_core.box_sizes(weight, 3.0), [0.0, 6.0, 3e300])
    np.testing.assert_array_equal(_core.box_sizes(weight, 1e20), [0.0, 2e20, np.inf])
    np.testing.assert_array_equal(_core.box_sizes(weight, np.inf), [0.0, np.inf, np.inf])


def test_rows_that_the_core_does_not_read_have_the_same_variance():
    rows, weight = drawn((60, 5), np.float64), np.arange(60.0)
    found = weighted_variance(np.asfortranarray(rows), weight)
    assert found == pytest.approx(weighted_variance(rows, weight), rel=1e-13)


@pytest.mark.parametrize("labels", [[2, 0, 2, 5], [1], [0, 0, 0], [7, 7, 1, 3, 3, 1, 0, 2]])
def test_classes_are_counted_as_unique_finds_them(labels):
    y = np.array(labels, dtype=np.intp)
    found = _core.count_classes(y)
    expected = np.unique(y, return_inverse=True)
    if y.max() >= 2 * len(y):
        assert found is None
        return
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("labels", [[-1, 1, 1], [0, 1, 100]])
def test_classes_that_are_negative_or_large_are_left_to_others(labels):
    assert _core.count_classes(np.array(labels, dtype=np.intp)) is None
