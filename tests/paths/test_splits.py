"""``cv`` means the indices it gives: scores are those of scikit-learn's cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
)

from mercer import SVC, PathSVC, kernel_path, svc_grid

# C large enough for every bias to be unique: else each solver has its own.
N = 36
GROUPS = np.repeat(np.arange(6), [3, 8, 5, 9, 4, 7])


def sample() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        N, 4, n_informative=3, n_redundant=0, flip_y=0.2, weights=[0.6], random_state=3
    )


def custom() -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows in neither part, in both parts, and twice in one part."""
    rng = np.random.default_rng(5)
    return [(rng.integers(0, N, 25), rng.integers(0, N, 9)) for _ in range(3)]


CASES: dict[str, Callable[[], Any]] = {
    "int": lambda: 3,
    "KFold": lambda: KFold(4, shuffle=True, random_state=0),
    "StratifiedKFold": lambda: StratifiedKFold(5),
    "RepeatedStratifiedKFold": lambda: RepeatedStratifiedKFold(
        n_splits=3, n_repeats=2, random_state=0
    ),
    "TimeSeriesSplit": lambda: TimeSeriesSplit(3),
    "TimeSeriesSplit with a gap": lambda: TimeSeriesSplit(3, gap=2, max_train_size=20),
    "ShuffleSplit": lambda: ShuffleSplit(4, train_size=0.3, random_state=1),
    "StratifiedShuffleSplit": lambda: StratifiedShuffleSplit(
        3, train_size=12, test_size=7, random_state=0
    ),
    "LeaveOneOut": LeaveOneOut,
    "GroupKFold": lambda: GroupKFold(3),
    "StratifiedGroupKFold": lambda: StratifiedGroupKFold(3),
    "LeaveOneGroupOut": LeaveOneGroupOut,
    "GroupShuffleSplit": lambda: GroupShuffleSplit(3, random_state=2),
    "PredefinedSplit": lambda: PredefinedSplit(np.r_[np.repeat(-1, 12), np.arange(24) % 3]),
    "list": custom,
    "masks": lambda: [(np.arange(N) % 3 != k, np.arange(N) % 3 == k) for k in range(3)],
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_the_error_of_every_c_is_that_of_cross_val_score(name: str) -> None:
    X, y = sample()
    machine = PathSVC(gamma=0.3, cv=CASES[name](), C_max=30.0).fit(X, y, groups=GROUPS)
    for C in (0.7, 3.0, 20.0):
        other = SVC(C=C, gamma=0.3, tol=1e-9, solver="active-set")
        wanted = 1 - cross_val_score(other, X, y, cv=CASES[name](), groups=GROUPS)
        assert [error(C) for error in machine.cv_errors_] == pytest.approx(wanted)
        assert machine.cv_error_(C) == pytest.approx(wanted.mean())


@pytest.mark.parametrize(
    ("name", "class_weight"),
    [
        ("TimeSeriesSplit", None),
        ("TimeSeriesSplit", "balanced"),
        ("ShuffleSplit", "balanced"),
        ("GroupKFold", None),
        ("list", {0: 1.0, 1: 3.0}),
    ],
)
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_scores_of_grids_and_kernel_paths_are_those_of_cross_val_score(
    name: str, class_weight: Any
) -> None:
    X, y = sample()
    options = {"cv": CASES[name](), "groups": GROUPS, "class_weight": class_weight}
    grid = svc_grid(X, y, Cs=[1.4, 5.0], gammas=[0.1, 0.5], tol=1e-9, **options)
    path = kernel_path(X, y, C=5.0, gamma_min=0.1, gamma_max=0.5, accuracy=0.9, **options)
    machines = [(grid.gamma[i], grid.C[j], grid.scores[i, j]) for i in (0, 1) for j in (0, 1)]
    machines += [(path.gamma[0], 5.0, path.scores[0]), (path.gamma[-1], 5.0, path.scores[-1])]
    for gamma, C, score in machines:
        other = SVC(C=C, gamma=gamma, tol=1e-9, solver="active-set", class_weight=class_weight)
        wanted = cross_val_score(other, X, y, cv=CASES[name](), groups=GROUPS).mean()
        assert score == pytest.approx(wanted)


@pytest.mark.parametrize("cv", [StratifiedKFold(3), TimeSeriesSplit(3), "loo"])
def test_balanced_weights_are_those_of_the_training_rows(cv: Any) -> None:
    X, y = sample()
    machine = PathSVC(gamma=0.3, cv=cv, C_max=30.0, class_weight="balanced").fit(X, y)
    for C in (0.9, 2.3, 21.0):
        other = SVC(C=C, gamma=0.3, tol=1e-9, solver="active-set", class_weight="balanced")
        splits = LeaveOneOut() if cv == "loo" else cv
        wanted = 1 - cross_val_score(other, X, y, cv=splits).mean()
        assert machine.cv_error_(C) == pytest.approx(wanted)


def test_the_future_is_not_trained_on() -> None:
    """Labels that can be told from the rows only once the others are known."""
    X = np.arange(24.0)[:, None]
    y = np.r_[np.arange(12) % 2, np.repeat([0, 1], 6)]
    splits = [(np.arange(12), np.arange(12, 24))]
    machine = PathSVC(gamma=50.0, cv=splits, C_max=10.0).fit(X, y)
    other = SVC(C=3.0, gamma=50.0).fit(X[:12], y[:12])
    assert machine.cv_error_(3.0) == pytest.approx(1 - other.score(X[12:], y[12:]))


def test_a_generator_of_splits_is_read_once() -> None:
    X, y = sample()
    a = PathSVC(gamma=0.3, cv=(pair for pair in custom())).fit(X, y)
    b = PathSVC(gamma=0.3, cv=custom()).fit(X, y)
    assert np.array_equal(a.cv_error_.x, b.cv_error_.x)


EVERY, SOME = np.arange(N), np.arange(0, N, 2)
BAD: list[tuple[Any, str]] = [
    ([], "cv must give splits"),
    ([(EVERY, [])], r"cv must give some indices, got shape \(0,\) for the test rows of split 0"),
    ([([], EVERY)], "cv must give some indices.*train rows"),
    ([(EVERY, [N])], f"cv must give indices in 0..{N - 1}, got {N} in the test rows"),
    ([(EVERY, SOME), ([-1, 3], SOME)], "got -1 in the train rows of split 1"),
    ([(EVERY + 0.5, SOME)], "integers"),
    ([EVERY], "cv must give pairs"),
    ([(EVERY, SOME, SOME)], "cv must give pairs"),
    (1, "cv=1 gives no splits"),
    (2.5, "cv must be an integer"),
    ("five", "cv must be|cv. parameter"),
    (KFold(N + 1), "cv=KFold.*gives no splits"),
    (GroupKFold(2), "groups must be given"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_splits_are_named(number: int) -> None:
    X, y = sample()
    cv, message = BAD[number]
    with pytest.raises(ValueError, match=message):
        svc_grid(X, y, Cs=[1.0], gammas=[0.1], cv=cv)
    with pytest.raises(ValueError, match=message):
        kernel_path(X, y, cv=cv, gamma_min=0.1, gamma_max=1.0)
    if not isinstance(cv, (int, float)):  # which the constraints of the parameter refuse
        with pytest.raises(ValueError, match=message):
            PathSVC(cv=cv).fit(X, y)


def test_training_rows_of_one_class_are_named() -> None:
    X, y = sample()
    for weight in (None, np.where(y == 1, 1.0, (EVERY >= 18).astype(float))):
        train = np.flatnonzero(y == 1) if weight is None else EVERY[:18]
        with pytest.raises(ValueError, match=r"cv must train on at least two classes, got \[1\]"):
            PathSVC(cv=[(train, SOME)]).fit(X, y, sample_weight=weight)
        with pytest.raises(ValueError, match="cv must train on at least two classes"):
            svc_grid(X, y, Cs=[1.0], cv=[(train, SOME)], sample_weight=weight)


def test_groups_of_a_wrong_length_are_named() -> None:
    X, y = sample()
    with pytest.raises(ValueError, match=f"groups must have {N} entries"):
        PathSVC(cv=GroupKFold(2)).fit(X, y, groups=GROUPS[:5])


def test_pairs_that_are_left_out_share_nothing() -> None:
    X, y = sample()
    cv = list(LeavePOut(2).split(X))[::60]
    machine = PathSVC(gamma=0.3, cv=cv, C_max=5.0).fit(X, y)
    wanted = cross_val_score(SVC(C=2.0, gamma=0.3, tol=1e-9), X, y, cv=cv)
    assert machine.cv_error_(2.0) == pytest.approx(1 - wanted.mean())
