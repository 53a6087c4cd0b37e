"""Loads scikit-learn's own svm test files with mercer's machines in place of its own."""

import importlib.resources
import types

import pytest
import sklearn.svm
import sklearn.svm.tests

import mercer

MACHINES = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")


def mercer_svm() -> types.ModuleType:
    """``sklearn.svm`` with the five machines replaced."""
    module = types.ModuleType("svm")
    module.__dict__.update(vars(sklearn.svm))
    module.__dict__.update({name: getattr(mercer, name) for name in MACHINES})
    return module


def load_suite(file_name: str) -> dict[str, object]:
    """The namespace of a test file that was executed with the five machines replaced."""
    path = importlib.resources.files(sklearn.svm.tests) / file_name
    module = types.ModuleType(f"sklearn_{file_name.removesuffix('.py')}")
    module.__file__ = str(path)
    svm = mercer_svm()
    # Decorators of the file read the machines while it is executed.
    with pytest.MonkeyPatch.context() as patch:
        for name in MACHINES:
            patch.setattr(sklearn.svm, name, getattr(svm, name))
        exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    for name, value in list(vars(module).items()):
        if value is sklearn.svm:
            setattr(module, name, svm)
    return vars(module)
