"""A runner of the command in an empty directory, and small data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from mercer.cli.app import app


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return tmp_path


@pytest.fixture
def mercer():
    """Run the command; a traceback is a failure whatever the exit code."""

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert "Traceback" not in result.output
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def iris() -> pd.DataFrame:
    """Numbers, a category, a boolean, and a target of texts."""
    data = load_iris(as_frame=True)
    rng = np.random.default_rng(0)
    frame = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    colours = np.array(["red", "blue", "green"], dtype=object)
    return frame.assign(
        colour=rng.choice(colours, 150),
        wet=rng.random(150) > 0.5,
        species=np.asarray(data.target_names)[data.target],
    )


@pytest.fixture
def iris_csv(iris) -> str:
    iris.to_csv("iris.csv", index=False)
    return "iris.csv"
