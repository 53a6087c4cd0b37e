"""scikit-learn's callbacks, of scikit-learn 1.9 and newer, hear of every fit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, CalibratedSVC, ConformalSVC, OneClassSVM, TunedSVC
from mercer._sklearn import CallbackSupportMixin
from mercer.io import load, save

X = np.random.default_rng(0).normal(size=(60, 2))
Y = X[:, 0] > 0.0
HAS_CALLBACKS = hasattr(CallbackSupportMixin, "set_callbacks")


class Heard:
    """A callback of scikit-learn that every estimator inside another hears of, too."""

    max_propagation_depth = None

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.scores: list[float] = []

    def setup(self, estimator, context) -> None:
        """Nothing to set up."""

    def teardown(self, estimator, context) -> None:
        """Nothing to take down."""

    def on_fit_task_begin(self, estimator, context) -> None:
        self.begun.append(context.estimator_name)

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator) -> None:
        if context.estimator_name.endswith("SVC"):
            self.scores.append(float(fitted_estimator.score(X, Y[: len(X)])))


@pytest.mark.parametrize(
    "machine",
    [SVC(), SVR(), OneClassSVM(), TunedSVC(max_evals=3, cv=2), CalibratedSVC(), ConformalSVC()],
    ids=lambda own: type(own).__name__,
)
def test_a_machine_is_one_task(machine) -> None:
    if not HAS_CALLBACKS:
        return
    heard = Heard()
    plain = clone(machine).fit(X, Y)
    watched = machine.set_callbacks(heard).fit(X, Y)
    assert heard.begun == [type(machine).__name__]
    np.testing.assert_array_equal(watched.predict(X), plain.predict(X))
    assert "_callback_fit_ctx" not in vars(watched)


def test_pipelines_and_searches_pass_them_on_without_a_warning() -> None:
    if not HAS_CALLBACKS:
        return
    heard = Heard()
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0, 2.0]}, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.set_callbacks(heard).fit(X, Y)
    assert heard.begun.count("SVC") == 5
    assert len(heard.scores) == 5


def test_a_model_file_keeps_no_callbacks(tmp_path) -> None:
    if not HAS_CALLBACKS:
        return
    machine = SVC().set_callbacks(Heard()).fit(X, Y)
    save(machine, tmp_path / "machine.mercer")
    assert "_skl_callbacks" not in vars(load(tmp_path / "machine.mercer"))
