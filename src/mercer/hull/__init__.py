"""Convex hulls: nearest points, distances, separability, smallest balls, and a classifier."""

from __future__ import annotations

from mercer.hull.ball import enclosing_ball
from mercer.hull.classifier import HullClassifier
from mercer.hull.contains import contains
from mercer.hull.conversions import hull_classifier_like, nu_svc_like, svc_like
from mercer.hull.many import nearest_points_many
from mercer.hull.min_norm import min_norm_point
from mercer.hull.nearest import nearest_points, separable
from mercer.hull.penetration import penetration_depth
from mercer.hull.polygon import reduced_polygon
from mercer.hull.result import (
    EnclosingBall,
    MinNormPoint,
    NearestPoints,
    NearestPointsMany,
    Penetration,
)

__all__ = [
    "EnclosingBall",
    "HullClassifier",
    "MinNormPoint",
    "NearestPoints",
    "NearestPointsMany",
    "Penetration",
    "contains",
    "enclosing_ball",
    "hull_classifier_like",
    "min_norm_point",
    "nearest_points",
    "nearest_points_many",
    "nu_svc_like",
    "penetration_depth",
    "reduced_polygon",
    "separable",
    "svc_like",
]
