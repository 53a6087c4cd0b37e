"""What is shown of a result fits on a few lines, however many rows there were."""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import mercer
from mercer import SVC, Gram, certify, diagnostics, formulations, hull, lab, solve
from mercer.calibration.layout import Layout
from mercer.codes import OutputCode
from mercer.codes.decoding import decoding_named
from mercer.formulations import joined
from mercer.gram.expansion import Expansion
from mercer.kernels import Gaussian, Kernel
from mercer.least_squares.choice import fit_least_squares
from mercer.least_squares.job import Job, squared_loss
from mercer.lowrank import FeatureMap, incomplete_cholesky
from mercer.multiclass import multiclass_problem
from mercer.online import LearningCurves, PrequentialCurve
from mercer.plots import KernelMatrixDisplay
from mercer.problem.family import Family
from mercer.selection import Prior, make_objective, minimize
from mercer.solvers import Progress
from mercer.solvers.linear_system import System

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=60) > 0).astype(int)
SIGNS = 2.0 * Y - 1.0
GRAM = Gram(Gaussian(0.5), X)
SVM = formulations.svc(SIGNS, 1.0)
MACHINE = SVC(gamma=0.5).fit(X, Y)
SYSTEM = System(SIGNS[:, None], np.ones(60), True)
JOB = Job(Gaussian(0.5), X, SYSTEM, None, squared_loss(SYSTEM.targets), np.ones(60))
# Tables made to be printed, one line for each of what is compared or found.
REPORTS = {"ClassifierComparison", "Comparison", "Diagnosis", "FoldComparison"}
# What others implement, and what no result is.
DESCRIPTIONS = {"Distribution", "KernelMatrix", "Solver"}


def quietly(make: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


SHOWN: dict[str, Callable[[], Any]] = {
    "Gram": lambda: GRAM,
    "Expansion": lambda: Expansion(Gaussian(0.5), X, SIGNS[:, None]),
    "FeatureMap": lambda: FeatureMap(Gaussian(0.5), X, np.arange(20)),
    "IncompleteCholesky": lambda: incomplete_cholesky(GRAM, rank=20),
    "Problem": lambda: SVM.problem,
    "Formulation": lambda: SVM,
    "FittedParameters": lambda: SVM.fitted_parameters(solve(SVM.problem, GRAM)),
    "Solution": lambda: solve(SVM.problem, GRAM),
    "Solutions": lambda: SVC().fit(X, np.resize([0, 1, 2], 60)).solutions_,
    "Certificate": lambda: certify(SVM.problem, GRAM, np.zeros(60)),
    "MulticlassProblem": lambda: multiclass_problem("weston-watkins", Y, 2, 1.0),
    "Path": lambda: mercer.svc_path(X, Y, gamma=0.5),
    "PairPaths": lambda: mercer.PathSVC(cv=2).fit(X, np.resize([0, 1, 2], 60)).path_,
    "CodePaths": lambda: (
        mercer.PathSVC(cv=2, multiclass="one-vs-all").fit(X, np.resize([0, 1, 2], 60)).path_
    ),
    "Path over nu, one class": lambda: mercer.one_class_path(X, gamma=0.5),
    "Path over nu": lambda: mercer.nu_svc_path(X, Y, gamma=0.5),
    "Path over nu, regression": lambda: mercer.nu_svr_path(X, X[:, 0], gamma=0.5),
    "Path over gamma": lambda: mercer.kernel_path(X, Y, C=1.0, gamma_min=0.3, gamma_max=0.6),
    "Grid": lambda: mercer.svc_grid(X, Y, Cs=[1.0, 2.0, 3.0, 4.0, 5.0], gammas=[0.5]),
    "StepFunction": lambda: mercer.svc_path(X, Y, gamma=0.5).error(X, Y),
    "ErrorCurve": lambda: mercer.svr_path(X, X[:, 0] ** 2, gamma=0.5).error(X, X[:, 0] ** 2),
    "Progress": lambda: Progress.at(1.0, "C", steps=3, n_free=4, seconds=0.5),
    "OutOfSample": lambda: mercer.out_of_sample(SVC(), X, Y, 3),
    "Explanation": lambda: mercer.explain(MACHINE, X),
    "Influence": lambda: mercer.influence(MACHINE, X),
    "Suspects": lambda: mercer.suspects(MACHINE, X, Y),
    "NearestPoints": lambda: hull.nearest_points(X + 9.0, X),
    "NearestPointsMany": lambda: hull.nearest_points_many(np.stack([X, X]), np.stack([X, X]) + 9.0),
    "MinNormPoint": lambda: hull.min_norm_point(X + 9.0),
    "EnclosingBall": lambda: hull.enclosing_ball(X),
    "Penetration": lambda: hull.penetration_depth(X, X + 0.1),
    "LooPath": lambda: diagnostics.loo_path(Gaussian(0.5)(X), SIGNS, [0.1, 1.0]),
    "LooBound": lambda: diagnostics.loo_bound(MACHINE, X, Y),
    "History": lambda: mercer.TunedSVC(max_evals=4, cv=2).fit(X, Y).history_[0],
    "Objective": lambda: make_objective("cv", SVC(), X, Y, cv=2),
    "Space": lambda: make_objective("cv", SVC(), X, Y, cv=2).space,
    "Prior": lambda: Prior(0.5),
    "Calibration": lambda: mercer.CalibratedSVC(SVC(), cv=2).fit(X, Y).calibration_,
    "Layout": lambda: Layout(2, "two"),
    "Decoding": lambda: decoding_named("hamming"),
    "OutputCode": lambda: OutputCode(np.eye(12) * 2 - 1, "dense"),
    "LearningCurves": lambda: LearningCurves(np.arange(50), {"random": np.ones((9, 50))}),
    "PrequentialCurve": lambda: PrequentialCurve(*np.arange(120.0).reshape(4, 30)),
    "HullTrace": lambda: lab.hull_trace(X + 9.0, X, max_steps=8),
    "NormalForm": lambda: lab.normal_form(SVM.problem, GRAM),
    "BaselinePath": lambda: lab.hastie_path(Gaussian(0.5)(X), SIGNS),
    "Chessboard": lambda: lab.Chessboard(n_features=8, distortion=np.eye(8)),
    "Hyperparameter": lambda: Gaussian(np.ones(12)).hyperparameters[0],
    "Job": lambda: JOB,
    "LeastSquaresFit": lambda: fit_least_squares(JOB),
    "Scan": lambda: fit_least_squares(JOB).scan,
    "Gaussian": lambda: Gaussian(np.eye(12), metric="full"),
    "Family": lambda: Family(SVM.problem),
    "JoinedFormulations": lambda: joined.JoinedFormulations(SVM, np.arange(0, 61, 2)),
    "JoinedParameters": lambda: joined.JoinedParameters.of(
        [formulations.FittedParameters(np.ones(40), 0.5, 2.0)] * 30
    ),
    "Minimum": lambda: minimize(lambda x: (float(x @ x), 2 * x), np.ones(12)),
    "KernelMatrixDisplay": lambda: KernelMatrixDisplay.from_estimator(MACHINE, X, Y),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_result_is_shown_in_a_few_lines_without_its_arrays(name: str) -> None:
    text = repr(quietly(SHOWN[name]))
    assert " object at 0x" not in text
    assert len(text.splitlines()) <= 5, text
    assert max(map(len, text.splitlines())) <= 100, text
    assert not re.search(r"(-?\d[\d.e+-]*,? +){8}", text), text


def public_classes() -> dict[str, type]:
    rooms = (importlib.import_module(f"mercer.{room}") for room in mercer._ROOMS)
    members = [(name, getattr(room, name)) for room in rooms for name in room.__all__]
    return {name: member for name, member in members if isinstance(member, type)}


def test_no_public_object_is_shown_as_an_address() -> None:
    left = {name: cls for name, cls in public_classes().items() if name not in DESCRIPTIONS}
    assert {name for name, cls in left.items() if cls.__repr__ is object.__repr__} == set()


def test_every_public_class_with_arrays_is_among_those_tried() -> None:
    """A dataclass of numbers and words alone may show itself as dataclasses do."""
    with_arrays = {
        name
        for name, cls in public_classes().items()
        if "Array" in " ".join(map(str, inspect.get_annotations(cls).values()))
        and not issubclass(cls, BaseEstimator | Kernel)
    }
    assert with_arrays - REPORTS <= {*SHOWN}
