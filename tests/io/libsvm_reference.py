"""What LIBSVM says of a row, straight from the text of a model and the definitions."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np


class TextModel:
    """A LIBSVM model text, evaluated row by row."""

    def __init__(self, text: str) -> None:
        head, body = text.split("SV\n", 1) if "\nSV\n" not in text else text.split("\nSV\n", 1)
        self.header = {line.split()[0]: line.split()[1:] for line in head.splitlines()}
        self.n_coef = int(self.header["nr_class"][0]) - 1
        self.rows = [line.split() for line in body.splitlines()]
        assert len(self.rows) == int(self.header["total_sv"][0])

    def number(self, key: str) -> float:
        return float(self.header[key][0])

    def kernel(self, vector: dict[int, float], x: np.ndarray) -> float:
        kind = self.header["kernel_type"][0]
        if kind == "precomputed":
            return float(x[int(vector[0]) - 1])
        z = np.zeros(len(x))
        for index, value in vector.items():
            z[index - 1] = value
        match kind:
            case "linear":
                return float(x @ z)
            case "polynomial":
                inner = self.number("gamma") * (x @ z) + self.number("coef0")
                return float(inner ** self.number("degree"))
            case "rbf":
                return float(np.exp(-self.number("gamma") * ((x - z) @ (x - z))))
            case "sigmoid":
                return float(np.tanh(self.number("gamma") * (x @ z) + self.number("coef0")))
        raise AssertionError(kind)

    def values(self, x: np.ndarray) -> list[float]:
        """One value for each pair of classes; a single one without classes."""
        coef, kernel = [], []
        for words in self.rows:
            coef.append([float(word) for word in words[: self.n_coef]])
            pairs = (word.split(":") for word in words[self.n_coef :])
            kernel.append(self.kernel({int(i): float(v) for i, v in pairs}, x))
        rho = [float(word) for word in self.header["rho"]]
        if "label" not in self.header:
            return [sum(c[0] * k for c, k in zip(coef, kernel, strict=True)) - rho[0]]
        starts = np.cumsum([0, *map(int, self.header["nr_sv"])])
        values = []
        for p, (i, j) in enumerate(combinations(range(len(starts) - 1), 2)):
            total = sum(coef[s][j - 1] * kernel[s] for s in range(starts[i], starts[i + 1]))
            total += sum(coef[s][i] * kernel[s] for s in range(starts[j], starts[j + 1]))
            values.append(total - rho[p])
        return values

    def label(self, x: np.ndarray) -> int:
        """The class with most votes, the first of those that tie."""
        labels = [int(word) for word in self.header["label"]]
        votes = [0] * len(labels)
        for (i, j), value in zip(combinations(range(len(labels)), 2), self.values(x), strict=True):
            votes[i if value > 0 else j] += 1
        return labels[int(np.argmax(votes))]


def permuted_text(text: str, order: list[int]) -> str:
    """The same model with its classes in another order, as ``svm-train`` might write it."""
    model = TextModel(text)
    n_classes = len(order)
    starts = np.cumsum([0, *map(int, model.header["nr_sv"])])
    rho = dict(zip(combinations(range(n_classes), 2), map(float, model.header["rho"]), strict=True))
    new_rho = []
    for i, j in combinations(range(n_classes), 2):
        a, b = order[i], order[j]
        new_rho.append(rho[a, b] if a < b else -rho[b, a])
    lines = []
    for i, c in enumerate(order):
        for words in model.rows[starts[c] : starts[c + 1]]:
            lines.append(" ".join([*_turned(words, i, order), *words[model.n_coef :]]))
    header: dict[str, Any] = model.header | {
        "rho": [f"{value:.17g}" for value in new_rho],
        "label": [model.header["label"][c] for c in order],
        "nr_sv": [model.header["nr_sv"][c] for c in order],
    }
    if "probA" in header:
        header |= _turned_probabilities(header, order)
    head = [" ".join([key, *words]) for key, words in header.items()]
    return "\n".join([*head, "SV", *lines]) + "\n"


def _turned_probabilities(header: dict[str, Any], order: list[int]) -> dict[str, list[str]]:
    """1 / (1 + exp(A f + B)) of the first class is 1 / (1 + exp(A (-f) - B)) of the second."""
    pairs = list(combinations(range(len(order)), 2))
    slopes = dict(zip(pairs, header["probA"], strict=True))
    offsets = dict(zip(pairs, map(float, header["probB"]), strict=True))
    places = [(order[i], order[j]) for i, j in pairs]
    turned = [offsets[a, b] if a < b else -offsets[b, a] for a, b in places]
    return {
        "probA": [slopes[min(pair), max(pair)] for pair in places],
        "probB": [f"{value:.17g}" for value in turned],
    }


def _turned(words: list[str], place: int, order: list[int]) -> list[str]:
    own = order[place]
    coef = []
    for other_place, other in enumerate(order):
        if other != own:
            value = float(words[other - (other > own)])
            sign = 1.0 if (own < other) == (place < other_place) else -1.0
            coef.append(f"{sign * value:.17g}")
    return coef
