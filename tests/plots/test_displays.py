"""Displays draw the numbers of the machines, refuse what they cannot draw, and draw again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

from mercer import (
    LSSVR,
    SVC,
    CalibratedSVC,
    ConformalSVC,
    ConformalSVR,
    OneClassSVM,
    PathSVC,
    TunedSVC,
    explain,
    plots,
    svc_grid,
    svc_path,
)

plt.switch_backend("Agg")

X, y = make_moons(120, noise=0.25, random_state=0)
machine = SVC(C=10.0).fit(X, y)


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def test_the_boundary_is_the_decision_function() -> None:
    drawn = plots.BoundaryDisplay.from_estimator(machine, X, y, grid_resolution=20)
    point = np.array([[drawn.x0[3], drawn.x1[7]]])
    assert drawn.response[7, 3] == machine.decision_function(point)[0]
    rows, rings = drawn.ax_.collections[-2:]
    assert rows.get_offsets().data == pytest.approx(X)
    assert rings.get_offsets().data == pytest.approx(machine.support_vectors_)
    assert plt.gcf() is drawn.figure_
    ax = plt.subplots()[1]
    assert drawn.plot(ax=ax).ax_ is ax


def test_boundaries_of_classes_outliers_numbers_and_frames() -> None:
    pd = pytest.importorskip("pandas")
    rows, labels = load_iris(return_X_y=True)
    rows = rows[:, :2]
    three = plots.BoundaryDisplay.from_estimator(SVC().fit(rows, labels), rows, labels)
    assert set(np.unique(three.response)) <= {0.0, 1.0, 2.0}
    outliers = plots.BoundaryDisplay.from_estimator(OneClassSVM(nu=0.2).fit(X), X)
    assert outliers.levels == (0.0,)
    plots.BoundaryDisplay.from_estimator(LSSVR().fit(X, X[:, 0]), X, X[:, 0])
    frame = pd.DataFrame(X, columns=["a", "b"])
    named = SVC().fit(frame, np.where(y == 1, "yes", "no"))
    plots.BoundaryDisplay.from_estimator(named, frame, np.where(y == 1, "yes", "no"))


def test_what_cannot_be_drawn_is_refused_by_name() -> None:
    rows, labels = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="2 features to be drawn, got 4"):
        plots.BoundaryDisplay.from_estimator(SVC().fit(rows, labels), rows, labels)
    with pytest.raises(ValueError, match="must have predict_proba, got SVC"):
        plots.CalibrationDisplay.from_estimator(machine, X, y)
    with pytest.raises(ValueError, match="must be a PathSVC, got SVC"):
        plots.PathDisplay.from_estimator(machine)
    with pytest.raises(ValueError, match="must be a tuned machine, got SVC"):
        plots.SearchDisplay.from_estimator(machine)
    with pytest.raises(ValueError, match="ConformalSVC or ConformalSVR, got SVC"):
        plots.CoverageDisplay.from_estimator(machine, X, y)
    with pytest.raises(ValueError, match="solver='auto', 'smo' or an Smo"):
        plots.ConvergenceDisplay.from_estimator(SVC(solver="active-set"), X, y)
    with pytest.raises(ValueError, match="kind must be"):
        plots.ExplanationDisplay.from_estimator(machine, X[:2], kind="pie")
    with pytest.raises(TypeError, match="ax must be axes"):
        plots.BoundaryDisplay.from_estimator(machine, X, y, ax=3)
    with pytest.raises(ValueError, match="y_prob must hold probabilities"):
        plots.CalibrationDisplay.from_predictions([0, 1], [0.5, 1.5])


def test_paths_are_those_of_the_machine() -> None:
    chosen = PathSVC(cv=3, C_max=100.0).fit(X, y)
    assert len(plots.PathDisplay.from_estimator(chosen).axes_) == 1
    assert len(plots.PathDisplay.from_estimator(chosen, X, y).axes_) == 3
    path = svc_path(X, y, C_max=10.0)
    drawn = plots.PathDisplay.from_path(path)
    assert len(drawn.axes_) == 2
    assert drawn.ax_ is drawn.axes_[0]


@pytest.mark.parametrize("labels", [y, None], ids=["classes", "outliers"])
def test_convergence_ends_where_the_fit_ends(labels: Any) -> None:
    one = SVC(C=10.0, tol=1e-4) if labels is not None else OneClassSVM(nu=0.3, tol=1e-4)
    drawn = plots.ConvergenceDisplay.from_estimator(one, X, labels)
    assert drawn.missing.min() == 0.0
    assert drawn.violation[-1] <= drawn.violation[0]
    assert (np.diff(drawn.iteration) >= 0).all()
    assert drawn.ax_.lines[0].get_ydata() == pytest.approx(drawn.violation)
    assert not hasattr(one, "solutions_")  # a copy was fitted


def test_the_kernel_matrix_is_sorted_by_class() -> None:
    drawn = plots.KernelMatrixDisplay.from_estimator(machine, X, y)
    i, j = drawn.order[5], drawn.order[90]
    assert drawn.matrix[5, 90] == pytest.approx(machine.kernel_(X[[i]], X[[j]])[0, 0])
    assert (np.diff(y[drawn.order]) >= 0).all()
    assert drawn.edges.tolist() == [int((y == 0).sum())]
    few = plots.KernelMatrixDisplay.from_estimator(machine, X, y, max_rows=50)
    assert len(few.matrix) <= 50


def test_searches_and_grids() -> None:
    tuned = TunedSVC(cv=3).fit(X, y)
    surface = plots.SearchDisplay.from_estimator(tuned)
    assert surface.ax_.get_ylabel().endswith("gamma")
    course = plots.SearchDisplay.from_estimator(tuned, kind="history")
    assert course.ax_.lines[0].get_ydata() == pytest.approx(tuned.history_[-1].values)
    grid = svc_grid(X, y, Cs=[1.0, 10.0], gammas=[0.5, 1.0, 2.0])
    assert plots.SearchDisplay.from_grid(grid).ax_.images[0].get_array().shape == (3, 2)


def test_calibration_counts_rows() -> None:
    calibrated = CalibratedSVC(SVC()).fit(X, y)
    drawn = plots.CalibrationDisplay.from_estimator(calibrated, X, y, n_bins=4)
    said = calibrated.predict_proba(X)[:, 1]
    part = np.argsort(said, kind="stable")[:30]
    assert drawn.said[0] == pytest.approx(said[part].mean())
    assert drawn.observed[0] == y[part].mean()
    assert (drawn.interval[:, 0] <= drawn.observed).all()
    assert (drawn.observed <= drawn.interval[:, 1]).all()


def test_coverage_counts_sets_and_intervals() -> None:
    sets = ConformalSVC(SVC(), kind="split", random_state=0).fit(X[:80], y[:80])
    drawn = plots.CoverageDisplay.from_estimator(sets, X[80:], y[80:], alphas=[0.2])
    assert drawn.observed[0] == sets.predict_set(X[80:], 0.2)[np.arange(40), y[80:]].mean()
    target = X[:, 0] ** 2
    ends = ConformalSVR(LSSVR(), kind="split", random_state=0).fit(X[:80], target[:80])
    drawn = plots.CoverageDisplay.from_estimator(ends, X[80:], target[80:], alphas=[0.2])
    low, high = ends.predict_interval(X[80:], 0.2).T
    assert drawn.observed[0] == np.mean((low <= target[80:]) & (target[80:] <= high))


def test_bars_are_mean_sizes_and_a_waterfall_ends_at_the_prediction() -> None:
    bars = plots.ExplanationDisplay.from_estimator(machine, X[:10], background=X[::5])
    sizes = np.abs(explain(machine, X[:10], X[::5]).values).mean(axis=0)
    widths = [bar.get_width() for bar in bars.ax_.patches]
    assert sorted(widths) == pytest.approx(sorted(sizes))
    one = plots.ExplanationDisplay.from_estimator(machine, X[:1], background=X[::5])
    assert one.kind == "waterfall"
    end = one.explanation.base_values + one.explanation.values.sum()
    assert end == pytest.approx(machine.decision_function(X[:1])[0])
