"""Paths, grids, error curves and PathSVC come back from a file as they were."""

from __future__ import annotations

import copy
from dataclasses import fields, replace

import numpy as np
import pytest
from io_cases import assert_same
from path_results import RESULTS, STORED, THREE, TWO, X, Z, answers
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import KFold, LeaveOneOut, PredefinedSplit, RepeatedKFold

from mercer import PathSVC, kernel_path, svc_path
from mercer.io import load, save
from mercer.io.path_results import GRID_STATUSES
from mercer.kernels import FunctionKernel, Gaussian


def through_file(value, tmp_path):
    save(value, tmp_path / "m")
    return load(tmp_path / "m")


def refuses(value, words, tmp_path):
    save(value, tmp_path / "m")
    with pytest.raises(ValueError, match=words):
        load(tmp_path / "m")


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore")
def test_every_answer_is_the_same(name, tmp_path):
    make, rows = RESULTS[name]
    result = make()
    loaded = through_file(result, tmp_path)
    assert type(loaded) is type(result)
    save(loaded, tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()
    assert_same(answers(loaded, rows), answers(result, rows))
    # What was asked before does not matter.
    save(loaded, tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


def changed(path, **changes):
    """The path with other parts, in the path or in its solutions."""
    names = {field.name for field in fields(path)}
    own = {name: value for name, value in changes.items() if name in names}
    others = {name: value for name, value in changes.items() if name not in names}
    return replace(path, solutions=replace(path.solutions, **others), **own)


@pytest.mark.parametrize("name", ["path", "outliers", "nu of regression", "widths"])
def test_a_path_can_be_loaded_whatever_its_end_was(name, tmp_path):
    """Kernel paths that ended with "max-events" or "precision-limit" were saved for nothing."""
    path = RESULTS[name][0]()
    for status in path.solutions.statuses:
        assert through_file(changed(path, status=status), tmp_path).status == status
    refuses(changed(path, status="over"), "the status is 'over'", tmp_path)


def test_a_grid_can_be_loaded_whatever_its_end_was(tmp_path):
    grid = RESULTS["grid"][0]()
    for status in GRID_STATUSES:
        assert through_file(replace(grid, status=status), tmp_path).status == status
    refuses(replace(grid, status="over"), "the status is 'over'", tmp_path)


def test_a_kernel_path_of_few_events_can_be_loaded(tmp_path):
    path = kernel_path(X, TWO, gamma_min=0.01, gamma_max=10.0, max_events=3)
    assert path.status == "max-events"
    assert through_file(path, tmp_path).status == "max-events"


def test_the_paths_of_all_pairs_share_their_rows(tmp_path):
    machine = through_file(PathSVC(C_max=5.0, cv=2).fit(X, THREE), tmp_path)
    assert machine.paths_ is machine.path_.paths
    assert len({id(path.kernel_values) for path in machine.paths_}) == 1
    assert machine.paths_[0].gram is machine.paths_[2].gram


@pytest.mark.parametrize(
    "cv",
    [
        *(3, "loo", KFold(3, shuffle=True, random_state=1), LeaveOneOut()),
        RepeatedKFold(n_splits=2, n_repeats=2, random_state=1),
        PredefinedSplit(np.arange(30) % 3),
    ],
)
def test_a_machine_that_is_not_fitted_keeps_its_splits(cv, tmp_path):
    machine = PathSVC(C_max=2.0, cv=cv, low_rank=9)
    loaded = through_file(machine, tmp_path)
    assert repr(loaded) == repr(machine)
    assert_same(loaded.fit(X, TWO).predict(Z), machine.fit(X, TWO).predict(Z))


def test_what_a_file_cannot_hold_is_refused_by_name(tmp_path):
    function = FunctionKernel(lambda A, B: np.asarray(A) @ np.asarray(B).T)
    with pytest.raises(ValueError, match=r"Path.kernel_values.kernel is a FunctionKernel"):
        save(svc_path(list(X), TWO, kernel=function), tmp_path / "m")
    with pytest.raises(ValueError, match=r"PathSVC.cv is a builtins.list_iterator"):
        save(PathSVC(cv=iter([])), tmp_path / "m")
    with pytest.raises(ValueError, match=r"PathSVC.scoring is .*Use the name of a score"):
        save(PathSVC(scoring=make_scorer(f1_score)), tmp_path / "m")
    path = svc_path(X, TWO, C_max=2.0)
    with pytest.raises(ValueError, match="must be an estimator or a path, got Problem"):
        save(path.problem, tmp_path / "m")
    with pytest.raises(ValueError, match="has no kernel and no rows"):
        save(replace(path, kernel_values=None), tmp_path / "m")


WRONG_SEGMENTS = {
    "a variable beyond the last": ("changed", lambda a: np.full_like(a, 30)),
    "a negative variable": ("changed", lambda a: a - 31),
    "no such side": ("side", lambda a: np.full_like(a, -128)),
    "no such first side": ("first_side", lambda a: a + np.int8(3)),
    "another first side": ("first_side", lambda a: np.zeros_like(a)),
    "changes that end too late": ("changes_end", lambda a: a + 1),
    "changes that go back": ("changes_end", lambda a: np.r_[a[1], a[0] - 1, a[2:]]),
    "changes that begin too early": ("changes_end", lambda a: np.r_[-1, a[1:]]),
    "values that end too late": ("values_end", lambda a: a + 10**12),
    "ends that are floats": ("values_end", lambda a: a.astype(float)),
    "fewer values": ("values", lambda a: a[:-1]),
    "fewer breakpoints": ("parameter", lambda a: a[:-1]),
    "no breakpoints": ("parameter", lambda a: a[:0]),
    "breakpoints that rise": ("parameter", lambda a: a[::-1].copy()),
    "a matrix": ("parameter", lambda a: a[None]),
    "values that are NaN": ("values", lambda a: a * np.nan),
    "rates that are infinite": ("rates", lambda a: a + np.inf),
    "a bias that is NaN": ("bias", lambda a: a * np.nan),
    "single precision": ("rates", lambda a: a.astype(np.float32)),
    "an end beyond the last": ("end_parameter", lambda end: 1e9),
    "an end that is NaN": ("end_parameter", lambda end: np.nan),
    "an end in words": ("end_parameter", lambda end: "end"),
}


@pytest.mark.parametrize("name", WRONG_SEGMENTS)
def test_segments_that_do_not_fit_together_are_refused(name, tmp_path):
    field, spoil = WRONG_SEGMENTS[name]
    path = svc_path(X, TWO, C_max=5.0)
    segments = replace(path.segments, **{field: spoil(getattr(path.segments, field))})
    refuses(changed(path, segments=segments), "do not fit together", tmp_path)


WRONG_PARTS = {
    "status": "unknown",
    "start": "never",
    "C_begin": -1.0,
    "start_rate": "fast",
    "classes": np.array(["good", "good"]),
}


@pytest.mark.parametrize("name", WRONG_PARTS)
def test_parts_of_a_path_that_make_no_sense_are_refused(name, tmp_path):
    path = changed(svc_path(X, TWO, C_max=5.0), **{name: WRONG_PARTS[name]})
    refuses(path, "do not fit together", tmp_path)


def test_rows_and_positions_that_do_not_fit_together_are_refused(tmp_path):
    path = svc_path(X, TWO, C_max=5.0)
    for index in (path.problem.index + 1, path.problem.index * 0):
        wrong = copy.copy(path.problem)
        vars(wrong)["index"] = index
        refuses(changed(path, problem=wrong), "index must", tmp_path)
    for rows in (X[:-1], X[:, :2], X * np.nan, X[0], X[:0], X.astype(complex)):
        values = copy.copy(path.kernel_values)
        values.rows = rows
        refuses(replace(path, kernel_values=values), "do not fit together", tmp_path)
    stored = svc_path(STORED, TWO, kernel="precomputed", C_max=5.0, low_rank=2)
    stored.low_rank.maps_[0].rows[0] = 30
    refuses(stored, "rows of low_rank must lie in 0..29", tmp_path)
    approximate = svc_path(X, TWO, C_max=5.0, low_rank=5)
    for change in ({"kernel": Gaussian([1.0, 2.0])}, {"factor": None}, {"rows": Z[:5, :2]}):
        wrong = copy.deepcopy(approximate)
        features = wrong.low_rank.maps_[0]
        vars(features).update(change)
        vars(features._gram).update({k: v for k, v in change.items() if k == "kernel"})
        refuses(wrong, "does not hold a valid model", tmp_path)
    values = copy.copy(path.kernel_values)
    values.kernel = Gaussian([1.0, 2.0])
    refuses(replace(path, kernel_values=values), "does not hold a valid model", tmp_path)


def test_rows_whose_kernel_values_overflow_are_refused_when_asked_for(tmp_path):
    path = svc_path(X.copy(), TWO, C_max=5.0, kernel="linear")
    path.rows[5] *= 1e200
    loaded = through_file(path, tmp_path)
    for ask in (loaded.certificate, loaded.leave_one_out):
        with pytest.raises(ValueError, match="kernel values must be finite"):
            ask(1.0)


def test_a_machine_with_the_paths_of_another_is_refused(tmp_path):
    machine = PathSVC(C_max=5.0, cv=2).fit(X, THREE)
    other = PathSVC(C_max=5.0, cv=2).fit(X[:20], THREE[:20])
    for name, wrong in (
        ("path_", machine.paths_[0]),
        ("path_", other.path_),
        ("path_", replace(machine.path_, pairs=((0, 1), (0, 2), (2, 1)))),
        ("path_", replace(machine.path_, pairs=((0, 1), (0, 2), (1, 3)))),
        ("C_", "large"),
        ("cv_error_", 0.5),
        ("cv_errors_", None),
        ("intercept_", machine.intercept_[:1]),
    ):
        spoiled = copy.copy(machine)
        setattr(spoiled, name, wrong)
        refuses(spoiled, "do not fit together", tmp_path)


@pytest.mark.parametrize("name", ["widths", "grid"])
def test_solutions_of_other_rows_are_refused(name, tmp_path):
    result = RESULTS[name][0]()
    found = result.solutions if name == "grid" else result.solutions.at_breakpoints
    first = next(iter(np.ravel(np.array(found, dtype=object))))
    for wrong in (
        replace(first, coef=first.coef[:-1], gradient=first.gradient[:-1]),
        replace(first, multiplier=np.zeros(0)),
        "a solution",
    ):
        solutions = np.array(found, dtype=object)
        solutions.flat[0] = wrong
        if name == "grid":
            spoiled = replace(result, solutions=solutions)
        else:
            spoiled = changed(result, at_breakpoints=tuple(solutions))
        refuses(spoiled, "do not fit together", tmp_path)
