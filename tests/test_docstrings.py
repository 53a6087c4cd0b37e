"""``help()`` of a machine describes every parameter and every fitted attribute itself."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import re
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mercer
from mercer.machines.docstrings import documented, entries

MACHINES = {
    "SVC": {},
    "NuSVC": {},
    "SVR": {},
    "NuSVR": {},
    "OneClassSVM": {},
    "RLSC": {"low_rank": 20},
    "LSSVC": {},
    "LSSVR": {"robust": "huber"},
    "ReducedSVC": {"low_rank": 20},
    "HullClassifier": {},
    "PathSVC": {"cv": 2},
    "OnlineSVC": {},
    "OnlineSVR": {},
    "LowRank": {},
}
# Clusters are made with a package that not everybody has.
HAS_DASK = importlib.util.find_spec("distributed") is not None
ROOMS = sorted(
    info.name
    for info in pkgutil.iter_modules(mercer.__path__)
    if info.ispkg and not info.name.startswith("_") and (HAS_DASK or info.name != "dask")
)


def fitted(name: str) -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    machine = getattr(mercer, name)(**MACHINES[name])
    if name == "LowRank":
        return machine.fit(X)
    machine.fit(X, (X[:, 0] > 0).astype(int))
    machine.predict(X)
    return machine


def is_attribute(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


@pytest.mark.parametrize("name", MACHINES)
def test_every_parameter_is_described_in_the_order_of_the_signature(name: str) -> None:
    cls = getattr(mercer, name)
    described = entries(cls.__doc__, "Parameters")
    parameters = inspect.signature(cls).parameters
    assert list(described) == list(parameters)
    for key, text in described.items():
        assert len(text.splitlines()) > 1, key
        shown = re.search(r"default=(.+)$", text.splitlines()[0])
        assert shown is not None, key
        assert eval(shown[1]) == parameters[key].default, key


@pytest.mark.parametrize("name", MACHINES)
def test_every_attribute_is_described(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = fitted(name)
    properties = inspect.getmembers(type(machine), lambda member: isinstance(member, property))
    names = {*vars(machine), *(key for key, _ in properties)}
    described = entries(type(machine).__doc__, "Attributes")
    assert {key for key in names if is_attribute(key)} <= set(described)
    for key, text in described.items():
        assert len(text.splitlines()) > 1, key


def test_no_machine_describes_what_others_have() -> None:
    for name in ("SVR", "NuSVR", "OneClassSVM", "LSSVR"):
        assert "classes_" not in entries(getattr(mercer, name).__doc__, "Attributes")
    for name in ("RLSC", "LSSVC", "LSSVR", "PathSVC"):
        assert "dual_gap_" not in entries(getattr(mercer, name).__doc__, "Attributes")


def test_examples_stay_at_the_end() -> None:
    for name in ("SVR", "RLSC", "LSSVR", "PathSVC"):
        text = inspect.cleandoc(getattr(mercer, name).__doc__)
        headings = re.findall(r"^([A-Z]\w+)\n-+$", text, re.MULTILINE)
        assert headings == ["Parameters", "Attributes", "Examples"]


def test_own_words_win() -> None:
    class First:
        """First.

        Parameters
        ----------
        a : int, default=1
            The first a.
        b : int, default=2
            The first b.

        Attributes
        ----------
        c_ : int
            The first c.
        d_ : int
            The first d.
        """

    @documented(like=First, without=["d_"])
    class Second:
        """Second.

        Parameters
        ----------
        b : int, default=3
            The second b.
        """

        def __init__(self, b: int = 3, a: int = 1) -> None: ...

    assert list(entries(Second.__doc__, "Parameters")) == ["b", "a"]
    assert "The second b." in Second.__doc__
    assert "The first b." not in Second.__doc__
    assert list(entries(Second.__doc__, "Attributes")) == ["c_"]


def without_example(module: ModuleType) -> list[str]:
    """Public classes and functions of a module whose docstrings show no Python."""
    public = {name: getattr(module, name) for name in module.__all__}
    return [
        name
        for name, thing in public.items()
        if (inspect.isclass(thing) or inspect.isfunction(thing))
        and ">>>" not in (thing.__doc__ or "")
    ]


def test_every_public_name_has_an_example() -> None:
    """They are run by test_documentation.py."""
    assert without_example(mercer) == []


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_object_of_a_room_has_an_example(room: str) -> None:
    module = importlib.import_module(f"mercer.{room}")
    assert without_example(module) == []


def test_regressors_do_not_document_attributes_of_classifiers() -> None:
    """``LSSVR`` listed ``multiclass_`` and a reference to a ``predict_proba`` it does not have."""
    for regressor in (mercer.SVR, mercer.NuSVR, mercer.LSSVR, mercer.TunedSVR, mercer.OnlineSVR):
        text = regressor.__doc__ or ""
        assert not re.search(r"^\s*(multiclass_|code_|multilabel_|classes_) :", text, re.MULTILINE)
        assert "predict_proba" not in text
