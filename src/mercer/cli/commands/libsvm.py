"""``mercer fit --libsvm``: the options and the words of LIBSVM's svm-train."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import cross_val_predict

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.cli.data.tables import SparseData, read_file
from mercer.cli.errors import InputError
from mercer.cli.models.estimators import checked
from mercer.cli.output.destination import check_destination
from mercer.io import save_libsvm

__all__ = ["parse_options", "train_like_libsvm"]

KERNELS = ("linear", "poly", "rbf", "sigmoid")
MACHINES = (SVC, NuSVC, OneClassSVM, SVR, NuSVR)
NUMBERS = "stdgrcnpmehbv"


@dataclass(frozen=True)
class SvmTrain:
    """What the options say; numbers by their letter, weights by label."""

    numbers: dict[str, float]
    weights: dict[int, float] = field(default_factory=dict)

    def of(self, letter: str, default: float) -> float:
        """The value of an option."""
        return self.numbers.get(letter, default)


def parse_options(text: str) -> SvmTrain:
    """Return the options of svm-train; InputError names one that is none."""
    numbers: dict[str, float] = {}
    weights: dict[int, float] = {}
    words = iter(shlex.split(text))
    for word in words:
        if word == "-q":
            continue
        try:
            if word.startswith("-w"):
                weights[int(word[2:])] = float(next(words))
            elif len(word) == 2 and word[0] == "-" and word[1] in NUMBERS:
                numbers[word[1]] = float(next(words))
            else:
                raise InputError(f"--libsvm: {word!r} is no option of svm-train")
        except StopIteration:
            raise InputError(f"--libsvm: {word} needs a value") from None
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"--libsvm: {word} needs a number, {error}") from None
    for letter, most in (("s", 4), ("t", 3)):
        if numbers.get(letter, 0) not in range(most + 1):
            raise InputError(f"--libsvm: -{letter} must be 0..{most}, got {numbers[letter]:g}")
    if numbers.get("b", 0):
        raise InputError("--libsvm: -b 1 is not served; mercer tune --proba keeps probabilities")
    return SvmTrain(numbers, weights)


def train_like_libsvm(
    text: str, file: Path | None, out: Path | None, force: bool, threads: int | None
) -> list[str]:
    """Train as svm-train does, write a model that svm-predict reads, return what it says."""
    options = parse_options(text)
    if file is None:
        raise InputError("--libsvm needs a FILE of LIBSVM text")
    content = read_file(file)
    if not isinstance(content, SparseData):
        raise InputError(f"--libsvm: {file} must be LIBSVM text: LABEL INDEX:VALUE ...")
    X = content.rows(content.first_index)
    is_class = options.of("s", 0) < 2
    y = content.y.astype(np.int64) if is_class else content.y
    machine = checked(_machine(options, X.shape[1], threads))
    if "v" in options.numbers:
        return _cross_validated(machine, X, y, int(options.of("v", 5)), is_class)
    path = Path(f"{file.name}.model") if out is None else out
    check_destination(path, file)
    if path.exists() and not force:
        raise InputError(f"the file {path} exists; replace it with --force, or give another name")
    machine.fit(X) if isinstance(machine, OneClassSVM) else machine.fit(X, y)
    save_libsvm(machine, path)
    return list(_said(machine, options, _thresholds(path)))


def _thresholds(path: Path) -> list[float]:
    """The values of rho, as the file has them."""
    with open(path, encoding="ascii") as lines:
        line = next(own for own in lines if own.startswith("rho"))
    return [float(value) for value in line.split()[1:]]


def _machine(options: SvmTrain, n_features: int, threads: int | None) -> Any:
    kind = MACHINES[int(options.of("s", 0))]
    common: dict[str, Any] = {
        "kernel": KERNELS[int(options.of("t", 2))],
        "degree": int(options.of("d", 3)),
        "gamma": options.of("g", 1.0 / max(n_features, 1)) or 1.0 / max(n_features, 1),
        "coef0": options.of("r", 0.0),
        "tol": options.of("e", 1e-3),
        "n_threads": threads,
    }
    if kind in (SVC, SVR, NuSVR):
        common["C"] = options.of("c", 1.0)
    if kind in (NuSVC, OneClassSVM, NuSVR):
        common["nu"] = options.of("n", 0.5)
    if kind is SVR:
        common["epsilon"] = options.of("p", 0.1)
    if kind is SVC and options.weights:
        common["class_weight"] = options.weights
    return kind(**common)


def _said(machine: Any, options: SvmTrain, rhos: list[float]) -> Iterator[str]:
    """The lines that svm-train prints for each problem, and for all."""
    C = getattr(machine, "C", 1.0)
    bounds = [C, *(C * weight for weight in options.weights.values())]
    for solution, rho in zip(machine.solutions_, rhos, strict=True):
        sizes = np.abs(solution.coef[solution.coef != 0.0])
        is_bounded = np.isclose(sizes[:, None], bounds, rtol=1e-9, atol=0.0).any(axis=1)
        yield "*"
        yield f"optimization finished, #iter = {solution.n_iter}"
        if isinstance(machine, SVC):
            yield f"nu = {sizes.sum() / (C * max(len(solution.coef), 1)):.6f}"
        yield f"obj = {-solution.objective:.6f}, rho = {rho:.6f}"
        yield f"nSV = {len(sizes)}, nBSV = {int(is_bounded.sum())}"
    yield f"Total nSV = {machine.dual_coef_.shape[1]}"


def _cross_validated(machine: Any, X: Any, y: Any, folds: int, is_class: bool) -> list[str]:
    if folds < 2 or isinstance(machine, OneClassSVM):
        raise InputError("--libsvm: -v must be 2 or more, and needs labels")
    predicted = cross_val_predict(machine, X, y, cv=folds)
    if is_class:
        return [f"Cross Validation Accuracy = {100 * np.mean(predicted == y):g}%"]
    error, correlation = np.mean(np.square(predicted - y)), np.corrcoef(predicted, y)[0, 1]
    return [
        f"Cross Validation Mean squared error = {error:g}",
        f"Cross Validation Squared correlation coefficient = {correlation**2:g}",
    ]
