"""How well classes are predicted: verdict, confusion, each class, each threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, roc_auc_score

from mercer.diagnostics import compare_classifiers
from mercer.diagnostics.intervals import error_interval
from mercer.report.judged import Judged, plain

__all__ = ["class_scores", "class_verdict", "confusion", "flagged_verdict", "thresholds"]

MOST_CLASSES = 30  # in a matrix or a table of the page
MOST_CONFUSIONS = 30
MOST_THRESHOLDS = 101


def class_verdict(judged: Judged, confidence: float) -> dict[str, Any]:
    """Accuracy next to that of always predicting the most frequent class, with intervals.

    The class that is most frequent among these very rows is the best that one can always say:
    the comparison favours the baseline, never the machine.
    """
    assert judged.truth is not None
    labels, counts = np.unique(judged.truth, return_counts=True)
    usual = labels[counts.argmax()]
    always = np.full_like(judged.truth, usual)
    said = {"baseline": always, "machine": judged.predicted.astype(judged.truth.dtype, copy=False)}
    found = compare_classifiers(said, judged.X, judged.truth, confidence=confidence)
    (wrong_low, wrong_high), own = found.intervals[1].tolist(), found.pairs[0]
    base_low, base_high = found.intervals[0].tolist()
    return {
        "n_rows": judged.n_rows,
        "n_right": int((judged.predicted == judged.truth).sum()),
        "confidence": confidence,
        "accuracy": 1.0 - float(found.errors[1]),
        "accuracy_interval": [1.0 - wrong_high, 1.0 - wrong_low],
        "baseline": plain(usual),
        "baseline_accuracy": 1.0 - float(found.errors[0]),
        "baseline_interval": [1.0 - base_high, 1.0 - base_low],
        "gain": own.difference,
        "gain_interval": list(own.interval),
        "p_value": own.p_value,
        "balanced_accuracy": _balanced(judged, labels),
        "roc_auc": _area(judged, labels),
    }


def _balanced(judged: Judged, labels: NDArray[Any]) -> float:
    recalls = [np.mean(judged.predicted[judged.truth == own] == own) for own in labels]
    return float(np.mean(recalls))


def _area(judged: Judged, labels: NDArray[Any]) -> float | None:
    """Area under the ROC curve, of two classes."""
    if judged.above is None or len(labels) != 2 or judged.classes is None:
        return None
    return float(roc_auc_score(judged.truth == judged.classes[1], judged.above))


def flagged_verdict(judged: Judged, confidence: float) -> dict[str, Any]:
    """The share of rows predicted to be outliers, without true labels to compare with."""
    count = int((judged.predicted == -1).sum())
    low, high = error_interval(np.array([count]), judged.n_rows, confidence)[0].tolist()
    return {
        "n_rows": judged.n_rows,
        "n_flagged": count,
        "confidence": confidence,
        "flagged": count / judged.n_rows,
        "flagged_interval": [low, high],
    }


def confusion(judged: Judged) -> dict[str, Any]:
    """Counts of true and predicted classes; of many classes the most frequent confusions."""
    classes = judged.classes
    assert classes is not None
    counts = confusion_matrix(judged.truth, judged.predicted, labels=classes)
    is_small = len(classes) <= MOST_CLASSES
    wrong = counts - np.diag(np.diag(counts))
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSIONS]
    pairs = [(int(k) // len(classes), int(k) % len(classes)) for k in order]
    return {
        "classes": [plain(label) for label in classes] if is_small else None,
        "counts": counts.tolist() if is_small else None,
        "most_confused": [
            {"true": plain(classes[i]), "said": plain(classes[j]), "count": int(wrong[i, j])}
            for i, j in pairs
            if wrong[i, j]
        ],
    }


def class_scores(judged: Judged, confidence: float) -> list[dict[str, Any]]:
    """How much of each class is found, and how often it is right to say it.

    Intervals are exact (Clopper & Pearson 1934). Of many classes those with most rows.
    """
    assert judged.classes is not None
    scores = []
    for label in judged.classes:
        own, said = judged.truth == label, judged.predicted == label
        right = int((own & said).sum())
        recall, found_within = _share(right, int(own.sum()), confidence)
        precision, right_within = _share(right, int(said.sum()), confidence)
        total = int(own.sum()) + int(said.sum())
        scores.append(
            {
                "class": plain(label),
                "n_rows": int(own.sum()),
                "n_said": int(said.sum()),
                "n_right": right,
                "recall": recall,
                "recall_interval": found_within,
                "precision": precision,
                "precision_interval": right_within,
                "f1": 2.0 * right / total if total else None,
            }
        )
    return sorted(scores, key=lambda one: -one["n_rows"])[:MOST_CLASSES]


def _share(count: int, n: int, confidence: float) -> tuple[float | None, list[float] | None]:
    if not n:
        return None, None
    return count / n, error_interval(np.array([count]), n, confidence)[0].tolist()


def thresholds(judged: Judged) -> dict[str, Any] | None:
    """Of two classes: what is predicted rightly and wrongly for each threshold."""
    if judged.above is None or judged.classes is None or judged.truth is None:
        return None
    values = judged.above
    is_second = judged.truth == judged.classes[1]
    second, first = np.sort(values[is_second]), np.sort(values[~is_second])
    edges = _edges(values, judged.threshold)
    return {
        "classes": [plain(label) for label in judged.classes],
        "value_name": judged.value_name,
        "own": int(np.searchsorted(edges, judged.threshold)),
        "threshold": edges.tolist(),
        "true_second": (len(second) - np.searchsorted(second, edges, side="right")).tolist(),
        "false_second": (len(first) - np.searchsorted(first, edges, side="right")).tolist(),
        "n_second": len(second),
        "n_first": len(first),
    }


def _edges(values: NDArray[np.float64], own: float) -> NDArray[np.float64]:
    """Thresholds over the whole range, the one of the machine among them."""
    shares = np.linspace(0.0, 1.0, MOST_THRESHOLDS - 1)
    spread = np.quantile(values, shares)
    rounded = [float(f"{value:.4g}") for value in spread.tolist()]
    return np.unique([*rounded, own])
