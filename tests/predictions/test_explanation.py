"""What an explanation can be asked for, and its pictures."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import Explanation


@pytest.fixture
def many() -> Explanation:
    rng = np.random.default_rng(0)
    return Explanation(
        values=rng.normal(size=(6, 3, 2)),
        base_values=np.tile([0.1, -0.1], (6, 1)),
        data=rng.normal(size=(6, 3)),
        feature_names=["a", "b", "c"],
        output_names=["no", "yes"],
    )


def test_indices_are_those_of_shap(many: Explanation) -> None:
    assert len(many) == 6
    assert many.shape == (6, 3, 2)
    row = many[2]
    np.testing.assert_array_equal(row.values, many.values[2])
    np.testing.assert_array_equal(row.data, many.data[2])
    np.testing.assert_array_equal(row.base_values, [0.1, -0.1])
    one = many[..., "yes"]
    assert one.shape == (6, 3)
    assert one.output_names == "yes"
    np.testing.assert_array_equal(one.base_values, np.full(6, -0.1))
    feature = one[:, "b"]
    np.testing.assert_array_equal(feature.values, many.values[:, 1, 1])
    np.testing.assert_array_equal(feature.data, many.data[:, 1])
    assert feature.feature_names == "b"
    single = many[0, :, 1]
    assert single.shape == (3,)
    assert float(single.base_values) == -0.1
    some = many[[0, 3], :2]
    assert some.shape == (2, 2, 2)
    assert some.feature_names == ["a", "b"]


def test_wrong_indices_say_what_there_is(many: Explanation) -> None:
    with pytest.raises(KeyError, match="no feature"):
        many[:, "z"]
    with pytest.raises(IndexError, match="4 indices"):
        many[0, 0, 0, 0]


def test_plots_show_the_largest_features(many: Explanation) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    bar = many[..., 0].plot_bar()
    sizes = np.abs(many.values[..., 0]).mean(axis=0)
    names = [label.get_text() for label in bar.get_yticklabels()]
    assert names[0] == many.feature_names[sizes.argmax()]
    fall = many[1, :, 0].plot_waterfall(max_features=2)
    names = [label.get_text() for label in fall.get_yticklabels()]
    assert names[-1] == "2 other features"
    last = fall.patches[0].get_x() + fall.patches[0].get_width()
    assert last == pytest.approx(0.1 + many.values[1, :, 0].sum())
    with pytest.raises(ValueError, match="one row and one output"):
        many[0].plot_waterfall()
    with pytest.raises(ValueError, match="max_features"):
        many.plot_bar(max_features=0)
    plt.close("all")


def test_a_feature_in_the_place_of_a_row_is_told_where_it_belongs() -> None:
    found = Explanation(np.zeros((2, 2)), np.zeros(2), np.zeros((2, 2)), ["area", "mean"])
    with pytest.raises(KeyError, match=r"row is taken by its number.*\[:, 'area'\]"):
        found["area"]
