"""The pictures of a path show what there is."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_classification

from mercer import (
    Path,
    PathSVC,
    kernel_path,
    nu_svr_path,
    one_class_path,
    svc_grid,
    svc_path,
    svr_path,
)

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def sample() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(120, 4, flip_y=0.1, random_state=0)


def path() -> Path:
    X, y = sample()
    return svc_path(X[:80], y[:80], gamma=0.2)


def test_coefficients_free_rows_and_error_share_their_axis() -> None:
    X, y = sample()
    axes = path().plot(X[80:], y[80:])
    names = [axis.get_ylabel() for axis in axes]
    assert names == ["coefficient / bound", "free rows", "error"]
    assert axes[-1].get_xlabel() == "C"
    assert all(axis.get_xscale() == "log" for axis in axes)
    limits = {tuple(axis.get_xlim()) for axis in axes}
    assert len(limits) == 1
    texts = [text.get_text() for text in axes[0].get_legend().get_texts()]
    assert texts == ["class 0", "class 1"]
    axes[0].figure.canvas.draw()


def test_every_line_is_the_share_of_a_bound() -> None:
    axes = path().plot()
    assert len(axes) == 2
    values = np.concatenate([line.get_ydata() for line in axes[0].lines if len(line.get_ydata())])
    assert values.min() >= 0
    assert values.max() <= 1 + 1e-12


def test_the_least_error_is_marked_where_it_is() -> None:
    X, y = sample()
    one = path()
    axis = one.plot(X[80:], y[80:])[2]
    low, high = axis.get_xlim()
    error = one.error(X[80:], y[80:])
    inside = [value for begin, end, value in error.pieces() if begin < high and end > low]
    assert axis.get_title(loc="right") == f"least {min(inside):.3g}"
    assert axis.patches


@pytest.mark.parametrize("accuracy", [0.0, 0.01])
def test_regression_and_trivial_paths_can_be_drawn(accuracy: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 1))
    axes = svr_path(X, np.sin(X[:, 0]), accuracy=accuracy).plot()
    assert axes[0].get_legend() is None
    axes[0].figure.canvas.draw()
    trivial = svc_path(np.ones((4, 2)), [1, -1, 1, -1], accuracy=accuracy)
    trivial.plot(np.ones((2, 2)), [1, -1])[0].figure.canvas.draw()


def test_given_axes_are_used_and_counted() -> None:
    _, axes = plt.subplots(2)
    assert path().plot(axes=axes)[0] is axes[0]
    with pytest.raises(ValueError, match="axes must be 2 axes"):
        path().plot(axes=axes[:1])


def test_other_results_can_be_drawn() -> None:
    X, y = sample()
    machine = PathSVC(gamma=0.2, C_max=20.0).fit(X, y)
    assert machine.plot()[0].get_title(loc="right") == f"C = {machine.C_:.3g}"
    assert [axis.get_ylabel() for axis in one_class_path(X).plot()] == [
        "coefficient / bound",
        "free rows",
    ]
    widths = kernel_path(X, y, gamma_min=0.1, gamma_max=1.0, accuracy=0.5, cv=3)
    assert [axis.get_ylabel() for axis in widths.plot()] == ["support vectors", "score"]
    grid = svc_grid(X, y, Cs=[0.5, 5.0], gammas=[0.1, 1.0])
    axis = grid.plot()[0]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("C", "gamma")
    axis.figure.canvas.draw()
    regression = svr_path(X[:80], X[:80, 0], gamma=0.2)
    assert regression.plot(X[80:], X[80:, 0])[2].get_ylabel() == "error"
    labels = np.where(X[:, 0] > 1, 2, y)
    several = PathSVC(gamma=0.2, C_max=5.0).fit(X, labels)
    assert len(several.plot()) == 1
    counts = svc_grid(X, labels, Cs=[0.5, 5.0], gammas=[0.1]).plot()[0].images[0].get_array()
    assert counts.shape == (1, 2)
    assert (counts <= 120).all()
    assert len(several.paths_[2].plot()) == 2
    with pytest.raises(ValueError, match="axes must be 2 axes"):
        one_class_path(X).plot(axes=axis)


def test_axes_that_are_none_had_an_error_about_spines() -> None:
    X, y = sample()
    grid = svc_grid(X, y, Cs=[0.5, 5.0], gammas=[0.1, 1.0])
    machine = PathSVC(gamma=0.2, C_max=5.0, cv=2).fit(X, y)
    tubes = nu_svr_path(X, X[:, 0])
    for result in (grid, machine, machine.path_, one_class_path(X), tubes):
        with pytest.raises(TypeError, match=r"axes must be \d axes of matplotlib, got 3"):
            result.plot(axes=3)


def test_short_representations() -> None:
    X, y = sample()
    assert repr(svc_grid(X, y, Cs=[1.0], gammas=[0.1], cv=3)).startswith("<Grid of 1 gamma times")
    assert repr(one_class_path(X)).startswith("<Path over nu of 120 rows")
    assert repr(kernel_path(X, y, gamma_min=0.5, gamma_max=1.0)).startswith(
        "<Path over gamma of 120"
    )
