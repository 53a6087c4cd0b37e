"""The parameters of a kernel: constructor arguments and unconstrained coordinates."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer.kernels.parameters.hyperparameters import Hyperparameter, Parameter
from mercer.kernels.parameters.identity import key_of, written
from mercer.kernels.rows import FloatArray

__all__ = ["Parametrized"]

_LONGEST = 400  # characters of a repr: full metrics of many features have more


@cache
def _argument_names(kind: type) -> tuple[str, ...]:
    """Names of the constructor arguments, looked up once: every fit asks for them."""
    return tuple(inspect.signature(kind).parameters)


class Parametrized:
    """A value object: constructor arguments kept under their own names, never changed.

    Only :meth:`set_params` changes one in place, because scikit-learn's searches ask for it.
    Nested kernels are replaced, not changed, for other kernels may share them.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self):
            raise AttributeError(
                f"{type(self).__name__} is immutable: use set_params({name}=...) or build a new one"
            )
        super().__setattr__(name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor arguments; with `deep`, also ``part__argument`` of parts."""
        names = _argument_names(type(self))  # type: ignore[arg-type]
        own = {name: getattr(self, name) for name in names}
        if not deep:
            return own
        nested = {
            f"{name}__{key}": value
            for name, part in own.items()
            if hasattr(part, "get_params")
            for key, value in part.get_params(deep=True).items()
        }
        return own | nested

    def set_params(self, **params: Any) -> Self:
        """Change constructor arguments, ``part__argument`` for those of a part, in place."""
        if params:
            changed = self._replace(**self._nested_changes(params))
            vars(self).clear()
            vars(self).update(vars(changed))
        return self

    def _replace(self, **changes: Any) -> Self:
        return type(self)(**(self.get_params(deep=False) | changes))

    def _nested_changes(self, params: Mapping[str, Any]) -> dict[str, Any]:
        own = self.get_params(deep=False)
        changes = {name: value for name, value in params.items() if "__" not in name}
        nested: dict[str, dict[str, Any]] = {}
        for path, value in params.items():
            name, separator, rest = path.partition("__")
            if name not in own or (separator and not hasattr(own[name], "get_params")):
                raise ValueError(
                    f"{path!r} is not a parameter of {type(self).__name__}; "
                    f"its parameters are {sorted(self.get_params())}"
                )
            if separator:
                nested.setdefault(name, {})[rest] = value
        for name, inner in nested.items():
            part = changes.get(name, own[name])
            fresh = type(part)(**part.get_params(deep=False))
            changes[name] = fresh.set_params(**inner)
        return changes

    def __repr__(self) -> str:
        text = written(self)
        if len(text) <= _LONGEST:
            return text
        return f"<{type(self).__name__} kernel with {len(self.theta)} free parameters>"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return key_of(self) == key_of(other)

    def __hash__(self) -> int:
        return hash(key_of(self))

    def _parameters(self) -> tuple[Parameter, ...]:
        """Own parameters, without those of the parts."""
        return ()

    def _parts(self) -> Mapping[str, Parametrized]:
        """Kernels this one is made of, by constructor argument."""
        return {}

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        """All parameters, those of parts first, in the order of ``theta``."""
        nested = [
            hyperparameter._replace(name=f"{name}__{hyperparameter.name}")
            for name, part in self._parts().items()
            for hyperparameter in part.hyperparameters
        ]
        return nested + [parameter.hyperparameter for parameter in self._parameters()]

    @property
    def parameter_names(self) -> list[str]:
        """One name per entry of ``theta``."""
        nested = [
            f"{name}__{element}"
            for name, part in self._parts().items()
            for element in part.parameter_names
        ]
        free = [parameter for parameter in self._parameters() if not parameter.fixed]
        return nested + [element for parameter in free for element in parameter.element_names]

    @property
    def theta(self) -> FloatArray:
        """The parameters that are not fixed, in unconstrained coordinates."""
        nested = [part.theta for part in self._parts().values()]
        own = [p.coordinates for p in self._parameters() if not p.fixed]
        return np.concatenate([np.empty(0), *nested, *own])

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest value of each entry of ``theta``, shape (p, 2)."""
        free = [entry.bounds for entry in self.hyperparameters if not entry.fixed]
        return np.concatenate([np.empty((0, 2)), *free])

    @property
    def n_dims(self) -> int:
        """The number of entries of ``theta``."""
        return sum(entry.n_elements for entry in self.hyperparameters if not entry.fixed)

    def clone_with_theta(self, theta: ArrayLike) -> Self:
        """Return the same kernel at other coordinates."""
        rest = self._checked_coordinates("theta", theta)
        changes: dict[str, Any] = {}
        for name, part in self._parts().items():
            inner, rest = rest[: part.n_dims], rest[part.n_dims :]
            changes[name] = part.clone_with_theta(inner) if inner.size else part
        for parameter in self._parameters():
            if not parameter.fixed:
                size = parameter.coordinates.size
                changes[parameter.name], rest = parameter.moved(rest[:size]), rest[size:]
        return self._replace(**changes)

    def pulled_back(self, theta: ArrayLike, gradient: ArrayLike) -> FloatArray:
        """A gradient by the theta of ``clone_with_theta(theta)``, by the theta of this kernel.

        They differ where parameters move in a chart of their own, as a full metric does.
        """
        at = self._checked_coordinates("theta", theta)
        rest = self._checked_coordinates("gradient", gradient)
        found = []
        for part in self._parts().values():
            n = part.n_dims
            found.append(part.pulled_back(at[:n], rest[:n]))
            at, rest = at[n:], rest[n:]
        for parameter in self._parameters():
            if not parameter.fixed:
                n = parameter.coordinates.size
                found.append(parameter.pulled_back(at[:n], rest[:n]))
                at, rest = at[n:], rest[n:]
        return np.concatenate([np.empty(0), *found])

    def retract(self, step: ArrayLike) -> Self:
        """Return the kernel moved by `step` from here, in the coordinates of ``theta``."""
        return self.clone_with_theta(self.theta + self._checked_coordinates("step", step))

    def _checked_coordinates(self, name: str, values: ArrayLike) -> FloatArray:
        coordinates = np.asarray(values, dtype=np.float64)
        if coordinates.shape != (self.n_dims,):
            raise ValueError(
                f"{name} must have shape ({self.n_dims},), one entry for each of "
                f"{self.parameter_names}, got shape {coordinates.shape}"
            )
        if not np.all(np.isfinite(coordinates)):
            raise ValueError(f"{name} must be finite, got {coordinates}")
        return coordinates

    def _gather(self, derivatives: Mapping[str, FloatArray | float]) -> FloatArray:
        """Derivatives by own parameter name -> their entries of a gradient, fixed ones left out."""
        free = [p.name for p in self._parameters() if not p.fixed]
        return np.concatenate([np.empty(0), *(np.atleast_1d(derivatives[name]) for name in free)])
