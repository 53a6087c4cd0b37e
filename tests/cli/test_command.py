"""The command as people start it: real processes, and what becomes of Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import mercer as package
from mercer.cli import training
from mercer.cli.progress import Distance
from mercer.solvers import Progress

COMMAND = [sys.executable, "-c", "from mercer.cli import main; main()"]


def run(*arguments, code=0, command=COMMAND):
    result = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120)
    assert "Traceback" not in result.stderr
    assert result.returncode == code, result.stderr
    return result


def test_version(mercer):
    assert mercer("--version").output == f"mercer {package.__version__}\n"


def test_help_names_every_option(mercer):
    assert all(word in mercer("--help").output for word in ("fit", "predict", "info"))
    output = mercer("fit", "--help").output
    for option in (
        *("target", "out", "kernel", "C", "gamma", "task", "tol", "cv", "max-time", "solver"),
        *("precision", "threads", "no-scale", "quiet", "seed", "ignore", "epsilon", "nu"),
    ):
        assert f"--{option}" in output


def test_the_main_job_in_a_process():
    result = run("fit", "--cv", "2")
    assert "accuracy" in result.stdout
    assert result.stderr == ""
    assert os.listdir() == ["breast-cancer.mercer"]


def test_a_wrong_file_in_a_process():
    result = run("fit", "none.csv", code=2)
    assert result.stdout == ""
    assert result.stderr == "error: none.csv: no such file\n"


def test_importing_mercer_does_not_load_the_command_line():
    code = "import mercer, sys; print([m for m in ('typer', 'pandas', 'rich') if m in sys.modules])"
    assert run(command=[sys.executable, "-c", code]).stdout == "[]\n"


@pytest.mark.parametrize("name", ["typer", "rich"])
def test_without_the_extra_it_says_what_to_install(name):
    code = f"import sys; sys.modules[{name!r}] = None\nfrom mercer.cli import main; main()"
    result = run("fit", code=1, command=[sys.executable, "-c", code])
    assert "pip install 'mercer[cli]'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_ctrl_c_ends_a_process_with_130():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 20))
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(20)])
    frame.assign(y=rng.choice(["a", "b"], 4000)).to_csv("hard.csv", index=False)
    process = subprocess.Popen(
        [*COMMAND, "fit", "hard.csv", "--C", "1e6", "--tol", "1e-9", "--gamma", "0.001"],
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == "interrupted\n"
    assert os.listdir() == ["hard.csv"]


def test_ctrl_c_between_folds(mercer, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "_fold_score", interrupt)
    result = mercer("fit", code=130)
    assert result.stderr == "interrupted\n"
    assert os.listdir() == []


def report(iteration, violation):
    return Progress(iteration, violation, 0.0, 10, 0.0)


def test_progress_goes_from_nothing_to_all_and_never_back():
    distance = Distance(1, 1e-3)
    violations = [10.0, 20.0, 1.0, 3.0, 0.1, 1e-2, 2e-3, 1e-2]
    fractions = [distance.update(report(k, v)) for k, v in enumerate(violations)]
    assert fractions[0] == 0.0
    assert fractions == sorted(fractions)
    assert distance.update(report(99, 1e-3)) == pytest.approx(1.0)


def test_progress_over_several_problems():
    distance = Distance(3, 1e-3)
    ends = []
    for _ in range(3):
        distance.update(report(0, 5.0))
        ends.append(distance.update(report(9, 1e-3)))
    assert ends == pytest.approx([1 / 3, 2 / 3, 1.0])


def test_progress_of_a_run_that_goes_on_in_double_precision():
    distance = Distance(3, 1e-3)
    distance.update(report(0, 5.0))
    before = distance.update(report(100, 2e-3))
    assert distance.update(report(0, 3e-3)) == before
    assert distance.update(report(5, 1e-3)) == pytest.approx(1 / 3)
