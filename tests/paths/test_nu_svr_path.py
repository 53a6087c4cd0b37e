"""Nu-SVR machines for every nu, read off the path over the tube."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import NuSVR, nu_svr_path

NUS = (0.003, 0.05, 0.2, 0.45, 0.7, 0.95, 1.0)


def sample(seed: int, *, coarse: bool = False) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(50, 3))
    y = 2.0 * np.sin(X[:, 0]) + X[:, 1] + 0.3 * random.normal(size=50) + 100.0 * (seed % 2)
    return (np.round(X), np.round(y)) if coarse else (X, y)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("coarse", [False, True], ids=["any", "ties"])
@pytest.mark.parametrize("C", [0.01, 1.0, 300.0])
def test_there_was_no_path_of_nu_svr(kernel: str, coarse: bool, C: float) -> None:
    """Every machine is that of NuSVR, also where rows and targets repeat."""
    X, y = sample(int(C) % 7 + coarse, coarse=coarse)
    weight = np.random.default_rng(0).integers(0, 4, 50)
    path = nu_svr_path(X, y, C=C, kernel=kernel, gamma=0.5, sample_weight=weight)
    assert path.status == "complete"
    assert path.end == 1.0
    for nu in NUS:
        machine = NuSVR(C=C, nu=nu, kernel=kernel, gamma=0.5, tol=1e-10, solver="active-set")
        machine.fit(X, y, sample_weight=weight)
        found = path.certificate(nu)
        assert found.infeasibility < 1e-12 * C
        assert found.violation < 1e-8
        assert found.objective == pytest.approx(machine.objective_, rel=1e-9)
        assert found.gap < 1e-9 * (1.0 + abs(found.objective))
        low, high = path.solutions.epsilon_interval(nu)
        assert low - 1e-8 <= machine.epsilon_ <= high + 1e-8
        assert low <= path.solutions.epsilon_at(nu) <= high
        if high - low < 1e-9:
            assert path.predict(X, nu) == pytest.approx(machine.predict(X), abs=1e-6)


def test_nu_bounds_the_rows_outside_the_tube() -> None:
    X, y = sample(2)
    path = nu_svr_path(X, y, C=5.0)
    assert (np.diff(path.nu) >= 0).all()
    assert (np.diff(path.epsilon) <= 0).all()
    for nu in np.linspace(0.02, 1.0, 25):
        away, epsilon = np.abs(path.predict(X, nu) - y), path.solutions.epsilon_at(nu)
        assert (away > epsilon + 1e-9).mean() <= nu + 1e-12
        assert (away >= epsilon - 1e-9).mean() >= min(nu, path.solutions.knots.nu[-1]) - 1e-12


def test_a_weight_is_a_repetition() -> None:
    X, y = sample(3)
    weight = np.random.default_rng(1).integers(0, 3, 50)
    again = np.repeat(np.arange(50), weight)
    weighted = nu_svr_path(X, y, gamma=0.4, sample_weight=weight)
    repeated = nu_svr_path(X[again], y[again], gamma=0.4)
    for nu in NUS:
        assert weighted.solutions.epsilon_at(nu) == pytest.approx(
            repeated.solutions.epsilon_at(nu), abs=1e-9
        )
        assert weighted.predict(X, nu) == pytest.approx(repeated.predict(X, nu), abs=1e-8)


def test_the_scale_and_the_place_of_the_targets_do_not_matter() -> None:
    X, y = sample(2)
    path = nu_svr_path(X, y, C=2.0)
    moved = nu_svr_path(X, 1e-150 * y - 1e-147, C=2e-150)
    for nu in NUS:
        assert 1e150 * moved.solutions.epsilon_at(nu) == pytest.approx(
            path.solutions.epsilon_at(nu), abs=1e-9
        )
        values = 1e150 * (moved.predict(X, nu) + 1e-147)
        assert values == pytest.approx(path.predict(X, nu), abs=1e-9)


def test_it_ends_where_it_is_asked_to() -> None:
    X, y = sample(0)
    path = nu_svr_path(X, y, C=3.0, epsilon_min=0.5)
    assert path.status == "epsilon_min"
    assert path.solutions.epsilon_at(path.end) == pytest.approx(0.5)
    with pytest.raises(ValueError, match=r"nu must be positive and at most .*, got 0.9"):
        path.coef(0.9)
    wide = nu_svr_path(X, y, epsilon_min=50.0)
    assert wide.end == 0.0
    assert "Path over nu of 50 rows: 0 events" in repr(wide)
    assert nu_svr_path(X, y, max_events=7).status == "max-events"
    stopped = nu_svr_path(X, y, callback=lambda progress: True)
    assert stopped.status == "callback"


def test_equal_targets_have_one_machine() -> None:
    X, _ = sample(0)
    path = nu_svr_path(X, np.full(50, 3.25))
    assert path.status == "trivial"
    assert path.solutions.epsilon_at(0.5) == 0.0
    assert (path.predict(X, 0.5) == 3.25).all()
    assert path.certificate(0.5).gap == 0.0


def test_the_path_of_an_approximation_is_that_of_its_features() -> None:
    X, y = sample(4)
    path = nu_svr_path(X, y, C=2.0, gamma=0.3, low_rank=12)
    assert path.low_rank is not None
    for nu in NUS:
        assert path.certificate(nu).relative_gap < 1e-9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"C": 0.0}, "C must be positive and finite, got 0.0"),
        ({"epsilon_min": -1.0}, r"epsilon_min must not be negative, and finite, got -1.0"),
        ({"max_events": 0.5}, "max_events"),
    ],
)
def test_wrong_arguments_are_named(options: dict, words: str) -> None:
    X, y = sample(0)
    with pytest.raises((TypeError, ValueError), match=words):
        nu_svr_path(X, y, **options)


def test_wrong_data_are_named() -> None:
    X, y = sample(0)
    with pytest.raises(ValueError, match="y"):
        nu_svr_path(X, np.where(y > 0, np.nan, y))
    with pytest.raises(ValueError, match="positive semi-definite"):
        nu_svr_path(X, y, kernel="sigmoid", gamma=1.0, coef0=-1.0)
    path = nu_svr_path(X, y)
    with pytest.raises(TypeError, match="nu must be a number"):
        path.predict(X, "0.5")
    with pytest.raises(ValueError, match="3 features"):
        path.predict(X[:, :2], 0.5)


def test_the_picture_shows_the_tube() -> None:
    X, y = sample(0)
    labels = [axis.get_ylabel() for axis in nu_svr_path(X, y).plot()]
    assert labels == ["coefficient / bound", "epsilon", "free rows"]


def few_values(kind: str) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 2))
    value = X[:, 0] + 0.3 * random.normal(size=120)
    targets = {
        "labels": (value > 0).astype(float),
        "ratings": np.clip(np.round(3.0 + value), 1.0, 5.0),
        "zeros": np.maximum(value, 0.0),
    }
    return X, targets[kind]


@pytest.mark.parametrize("kind", ["labels", "ratings", "zeros"])
@pytest.mark.parametrize("C", [1e-3, 0.1, 1.0, 100.0])
def test_targets_of_few_values_ended_the_path_at_the_first_tie(kind: str, C: float) -> None:
    X, y = few_values(kind)
    path = nu_svr_path(X, y, C=C)
    assert path.status == "complete"
    assert len(path.segments.changed) < 20 * len(y)
    for nu in (1e-16, 1e-6, 0.01, 0.05, 0.2, 0.5, 0.8, 1.0):
        found = path.certificate(nu)
        assert found.infeasibility < 1e-13
        assert found.violation < 1e-9
        assert found.gap <= 1e-10 * (1.0 + abs(found.objective))
        if nu >= 0.01:
            machine = NuSVR(C=C, nu=nu, tol=1e-10, solver="active-set").fit(X, y)
            assert found.objective == pytest.approx(machine.objective_, rel=1e-9)
            low, high = path.solutions.epsilon_interval(nu)
            assert low - 1e-9 <= machine.epsilon_ <= high + 1e-9


@pytest.mark.parametrize("scale", [1e-100, 1e-12, 1e12, 1e100, 2.0**200])
def test_the_path_of_few_values_depended_on_their_scale(scale: float) -> None:
    X, y = few_values("labels")
    path = nu_svr_path(X, y, C=0.1)
    scaled = nu_svr_path(X, scale * y, C=0.1 * scale)
    assert scaled.status == "complete"
    for nu in (0.01, 0.1, 0.6, 1.0):
        assert scaled.solutions.epsilon_at(nu) / scale == pytest.approx(
            path.solutions.epsilon_at(nu), abs=1e-9
        )
        assert scaled.predict(X, nu) / scale == pytest.approx(path.predict(X, nu), abs=1e-7)
        assert scaled.certificate(nu).violation < 1e-9 * scale


@pytest.mark.parametrize(("n", "C"), [(50, 100.0), (100, 10.0), (100, 1e3), (50, 1e-3)])
def test_labels_on_a_line_were_refused_by_words_about_the_start(n: int, C: float) -> None:
    """Nearly singular kernel matrices: what is offered is certified, or the status says so."""
    random = np.random.default_rng(n + int(C))
    X = random.normal(size=(n, 1))
    y = (X[:, 0] + 0.5 * random.normal(size=n) > 0).astype(float)
    path = nu_svr_path(X, y, C=C)
    assert path.status in ("complete", "precision-limit")
    assert len(path.segments.changed) < 100 * n
    for nu in np.linspace(0.01, 1.0, 12) * path.end:
        if nu > 0:
            found = path.certificate(nu)
            assert found.infeasibility < 1e-9
            assert found.gap <= 1e-7 * (1.0 + abs(found.objective))
