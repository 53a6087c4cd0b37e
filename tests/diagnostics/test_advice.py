"""Signs of badly chosen parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import LSSVR, RLSC, SVC, SVR, NuSVC, NuSVR, OneClassSVM, OnlineSVC, TunedRLSC, TunedSVC
from mercer.diagnostics import diagnose
from mercer.kernels import Gaussian
from mercer.selection.optimizers import Zoom

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
LABELS = X[:, 0] + 0.5 * RNG.normal(size=60) > 0
TARGETS = LABELS.astype(float)


def names(machine: Any, y: Any = LABELS) -> list[str]:
    return [finding.name for finding in diagnose(machine.fit(X, y)).findings]


@pytest.mark.parametrize(
    "machine", [SVC(), NuSVC(), SVR(), NuSVR(), OneClassSVM(nu=0.2)], ids=lambda m: type(m).__name__
)
def test_shares_are_those_of_the_coefficients(machine: Any) -> None:
    machine.set_params(tol=1e-6).fit(X, TARGETS)
    found = diagnose(machine)
    size = np.abs(machine.dual_coef_[0])
    assert found.support_share == len(machine.support_) / 60
    assert found.bounded_share == np.mean(size > size.max() * (1 - 1e-9))
    assert not found.findings
    assert repr(found).startswith("60 rows, ")
    assert repr(found).endswith("nothing unusual")


def test_bounds_of_weighted_rows_are_their_own() -> None:
    weight = RNG.integers(1, 4, size=60)
    weighted = SVC(tol=1e-6).fit(X, LABELS, sample_weight=weight)
    rows = np.repeat(np.arange(60), weight)
    repeated = SVC(tol=1e-6).fit(X[rows], LABELS[rows])
    n_bounded = diagnose(repeated).bounded_share * len(repeated.support_)
    bounded = diagnose(weighted).bounded_share
    full = np.isclose(np.abs(weighted.dual_coef_[0]), weight[weighted.support_])
    assert bounded == np.mean(full)
    assert n_bounded == pytest.approx(weight[weighted.support_[full]].sum())


def test_a_squared_loss_has_no_bounds() -> None:
    assert diagnose(SVC(loss="squared_hinge").fit(X, LABELS)).bounded_share == 0.0


def test_a_kernel_that_is_too_narrow_is_the_nearest_neighbour() -> None:
    found = diagnose(SVC(gamma=1e4, C=10.0).fit(X, LABELS))
    assert [finding.name for finding in found.findings] == ["nearest-neighbour"]
    assert "gamma" in found.findings[0].advice
    assert "nearest-neighbour: 100 % of the rows" in repr(found)


def test_a_small_C_leaves_no_free_vectors() -> None:
    balanced = np.arange(60) % 2
    assert names(SVC(C=1e-3), balanced) == [
        "nearly-all-support",
        "nearly-all-bounded",
        "no-free-vectors",
    ]
    # without a bias there is nothing to be undetermined
    assert "no-free-vectors" not in names(SVC(C=1e-3, fit_intercept=False), balanced)


def test_a_tube_below_the_noise_makes_every_row_a_support_vector() -> None:
    found = diagnose(SVR(epsilon=0.0).fit(X, X[:, 0] + RNG.normal(size=60)))
    assert found.findings[0].name == "nearly-all-support"
    assert "epsilon" in found.findings[0].advice


def test_early_ends_and_indefinite_kernels_are_found() -> None:
    with pytest.warns(UserWarning, match="max_iter"):
        assert "not-converged" in names(SVC(max_iter=2))
    with pytest.warns(UserWarning, match="semi-definite"):
        assert "indefinite-kernel" in names(SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0))


def test_pairs_of_classes_are_counted_together() -> None:
    machine = SVC(C=1e-3).fit(*load_iris(return_X_y=True))
    found = diagnose(machine)
    assert any("3 of 3 pairs" in finding.observed for finding in found.findings)


def test_the_edge_of_a_search_is_found() -> None:
    rare = X[:, 0] > 0.9
    tuned = TunedSVC(optimizer=Zoom(C_range=(1e-2, 1.0), n_C=3, n_widths=1, n_rounds=0), cv=3)
    with pytest.warns(UserWarning, match="edge"):
        tuned.fit(X, rare)
    found = diagnose(tuned)
    assert found.findings[0].name == "search-boundary"
    assert "largest C tried, 1" in found.findings[0].observed
    assert diagnose(TunedRLSC(max_evals=3).fit(X, LABELS)).n_rows == 60


def test_kernel_values_given_are_enough() -> None:
    machine = SVC(kernel="precomputed").fit(X @ X.T, LABELS)
    assert diagnose(machine) == diagnose(SVC(kernel="linear").fit(X, LABELS))


def test_other_machines_are_refused() -> None:
    with pytest.raises(TypeError, match=r"machine must be an SVC.*got KNeighborsClassifier"):
        diagnose(KNeighborsClassifier().fit(X, LABELS))
    with pytest.raises(NotFittedError):
        diagnose(SVC())


UNEVEN = X * [1.0, 1e-4]


@pytest.mark.parametrize(
    "machine",
    [SVC(), SVC(kernel="linear"), OneClassSVM(), RLSC(), OnlineSVC(gamma=0.5), NuSVC(gamma=1.0)],
    ids=repr,
)
def test_unscaled_features_are_called_unscaled(machine: Any) -> None:
    """Breast cancer as it comes was "nothing unusual"."""
    frame = pd.DataFrame(UNEVEN, columns=["area", "smoothness"])
    found = {finding.name: finding for finding in diagnose(machine.fit(frame, LABELS)).findings}
    assert "1 of 2 features" in found["unscaled-features"].observed
    assert "'smoothness' has a range of 0.000" in found["unscaled-features"].observed
    assert "StandardScaler" in found["unscaled-features"].advice
    scaled = make_pipeline(StandardScaler(), machine).fit(frame, LABELS)
    assert "unscaled-features" not in [finding.name for finding in diagnose(scaled).findings]


def test_features_that_a_kernel_or_a_rotation_weighs_are_not_called_unscaled() -> None:
    weighed = SVC(kernel=Gaussian([0.5, 0.5e8])).fit(UNEVEN, LABELS)
    rotated = make_pipeline(PCA(), SVC()).fit(UNEVEN, LABELS)
    given = SVC(kernel="precomputed").fit(UNEVEN @ UNEVEN.T, LABELS)
    sparse = SVC().fit(csr_array(X), LABELS)
    for machine in (weighed, rotated, given, sparse):
        names = [finding.name for finding in diagnose(machine).findings]
        assert "unscaled-features" not in names
    assert "unscaled-features" in repr(diagnose(SVC().fit(csr_array(UNEVEN), LABELS)))


def test_a_machine_is_found_inside_pipelines() -> None:
    alone = SVC(gamma=1e4, C=10.0).fit(X, LABELS)
    inside = make_pipeline("passthrough", SVC(gamma=1e4, C=10.0)).fit(X, LABELS)
    assert diagnose(inside) == diagnose(alone)
    target = TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR(epsilon=0.0)))
    found = diagnose(target.fit(X, X[:, 0] + RNG.normal(size=60)))
    assert found.findings[0].name == "nearly-all-support"
    with pytest.raises(NotFittedError):
        diagnose(make_pipeline(StandardScaler(), SVC()))


def test_a_stream_says_what_it_needs() -> None:
    stream = OnlineSVC(gamma=0.5, tol=1e-5).partial_fit(X, LABELS, classes=[False, True])
    found = diagnose(stream)
    assert found.n_rows == 60
    assert found.bounded_share is None
    assert [finding.name for finding in found.findings] == ["not-finished"]
    assert "finish()" in repr(found)
    finished = diagnose(stream.finish())
    assert not finished.findings
    assert 0 < finished.bounded_share < 1


def test_least_squares_that_repeat_their_targets() -> None:
    names = [f.name for f in diagnose(LSSVR(gamma=1e4, alpha=1e-6).fit(X, TARGETS)).findings]
    assert names == ["nearest-neighbour", "interpolation"]
    edge = diagnose(LSSVR(alpha=[1e3, 1e4]).fit(X, TARGETS)).findings
    assert [finding.name for finding in edge] == ["alpha-boundary"]
    assert "smallest of those tried, 1e+03" in edge[0].observed
    good = diagnose(RLSC(alpha="loo").fit(X, LABELS))
    assert (good.support_share, good.bounded_share, good.findings) == (1.0, 0.0, ())
    assert not diagnose(LSSVR(kernel="linear").partial_fit(X, TARGETS)).findings
