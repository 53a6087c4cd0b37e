"""An explanation, with the fields and the indexing of ``shap.Explanation``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer._shown import shown

__all__ = ["Explanation"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Explanation:
    """How much each feature moved each prediction.

    The fields are those of ``shap.Explanation``, and so is the indexing: rows first, then features
    by number or name, then outputs by number or name. ``explanation[3]`` is one row,
    ``explanation[:, "age"]`` one feature, ``explanation[..., "setosa"]`` one class.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_features) or (n_rows, n_features, n_outputs)
        Shapley values.
    base_values : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Mean of the function over the background: where every prediction starts.
    data : ndarray of shape (n_rows, n_features)
        The rows.
    feature_names : list of str, or str of one feature
        Their names.
    output_names : list of str, str of one output, or None
        Classes, or machines; None if there is one output only.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, explain
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = SVC().fit(X[50:], y[50:])
    >>> found = explain(machine, X[50:55], X[50:])
    >>> total = found.values.sum(axis=1) + found.base_values
    >>> bool(abs(total - machine.decision_function(X[50:55])).max() < 1e-9)
    True
    """

    values: FloatArray
    base_values: Any
    data: Any
    feature_names: Any
    output_names: Any = None

    __repr__ = shown()

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the values."""
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Explanation:
        keys = self._full_key(key if isinstance(key, tuple) else (key,))
        axes = self._axes
        found = dict(zip(axes, keys, strict=True))
        row, feature = found.get("row", ()), found.get("feature", ())
        output = found.get("output", ())
        return Explanation(
            values=self.values[keys],
            base_values=_taken(self.base_values, row, output),
            data=_taken(self.data, row, feature),
            feature_names=_taken_names(self.feature_names, feature),
            output_names=_taken_names(self.output_names, output),
        )

    @property
    def _axes(self) -> list[Literal["row", "feature", "output"]]:
        """The meaning of the axes of the values."""
        of_output = isinstance(self.output_names, list)
        of_feature = isinstance(self.feature_names, list)
        n_rest = of_output + of_feature
        axes: list[Literal["row", "feature", "output"]] = []
        axes += ["row"] if np.ndim(self.values) > n_rest else []
        axes += ["feature"] if of_feature else []
        axes += ["output"] if of_output else []
        return axes

    def _full_key(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        """A key for each axis, names turned into numbers."""
        axes = self._axes
        if any(one is Ellipsis for one in key):
            at = next(k for k, one in enumerate(key) if one is Ellipsis)
            between = (slice(None),) * (len(axes) - len(key) + 1)
            key = key[:at] + between + key[at + 1 :]
        if len(key) > len(axes):
            raise IndexError(f"an explanation with axes {axes} takes no {len(key)} indices")
        key += (slice(None),) * (len(axes) - len(key))
        return tuple(self._number(axis, one) for axis, one in zip(axes, key, strict=True))

    def _number(self, axis: str, key: Any) -> Any:
        if not isinstance(key, str):
            return key
        if axis == "row":
            raise KeyError(f"a row is taken by its number, got {key!r}; a feature is [:, {key!r}]")
        names = {"feature": self.feature_names, "output": self.output_names}.get(axis, [])
        if key not in names:
            raise KeyError(f"{key!r} is no {axis}: there are {names}")
        return names.index(key)

    def to_shap(self) -> Any:
        """The same as a ``shap.Explanation``, which shap's plots ask for; needs shap."""
        try:
            import shap  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            raise ImportError("to_shap needs shap: pip install shap") from error
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=self.data,
            feature_names=self.feature_names,
            output_names=self.output_names,
        )

    def plot_bar(self, *, max_features: int = 10, ax: Any = None) -> Any:
        """Draw the mean size of the values of each feature, the largest on top.

        Parameters
        ----------
        max_features : int, default=10
            Features shown; what is left is one bar.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib axes
        """
        from mercer.predictions.explanation_plots import bar

        return bar(self, max_features, ax)

    def plot_waterfall(self, *, max_features: int = 10, ax: Any = None) -> Any:
        """Draw how one row and one output get from the base value to their prediction.

        Parameters
        ----------
        max_features : int, default=10
            Features shown, the largest on top; what is left is one step.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib axes
        """
        from mercer.predictions.explanation_plots import waterfall

        return waterfall(self, max_features, ax)


def _taken(array: Any, *keys: Any) -> Any:
    """Entries by the keys of the axes that the array has."""
    own = tuple(key for key in keys if not isinstance(key, tuple))
    return np.asarray(array)[own] if own and np.ndim(array) else array


def _taken_names(names: Any, key: Any) -> Any:
    if not isinstance(names, list) or isinstance(key, tuple):
        return names
    if isinstance(key, int | np.integer):
        return names[key]
    return np.asarray(names, dtype=object)[key].tolist()
