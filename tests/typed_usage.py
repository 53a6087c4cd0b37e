"""What type checkers see: checked by mypy, see .ci/run."""

from __future__ import annotations

from typing import assert_type

import numpy as np

from mercer import (
    LSSVC,
    LSSVR,
    RLSC,
    SVC,
    SVR,
    HullClassifier,
    NuSVC,
    NuSVR,
    OneClassSVM,
    PathSVC,
    ReducedSVC,
)
from mercer.hull import NearestPoints, nearest_points

X, y = np.eye(4), np.array([0, 1, 0, 1])

assert_type(SVC().fit(X, y), SVC)
assert_type(SVC(multiclass="crammer-singer").fit(X, y), SVC)
assert_type(NuSVC().fit(X, y), NuSVC)
assert_type(SVR().fit(X, y), SVR)
assert_type(NuSVR().fit(X, y), NuSVR)
assert_type(OneClassSVM().fit(X), OneClassSVM)
assert_type(RLSC().fit(X, y), RLSC)
assert_type(LSSVC().fit(X, y), LSSVC)
assert_type(LSSVR().fit(X, y), LSSVR)
assert_type(ReducedSVC().fit(X, y), ReducedSVC)
assert_type(PathSVC().fit(X, y), PathSVC)
assert_type(HullClassifier().fit(X, y), HullClassifier)
assert_type(nearest_points(X, X + 3), NearestPoints)
