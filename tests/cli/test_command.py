"""The command as people start it: real processes, and what becomes of Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import mercer as package
from mercer import SVC
from mercer.cli import main
from mercer.cli.models import training
from mercer.cli.output.progress import Distance
from mercer.datasets import load_example
from mercer.io import load
from mercer.solvers import Progress

COMMAND = "from mercer.cli import main; main()"

# Says when the machine is about to be fitted.
ANNOUNCED = """
import os
from mercer import PathSVC, SVC
from mercer.cli import main
def announce(kind):
    fit = kind.fit
    kind.fit = lambda *arguments: os.write(1, b"training\\n") and fit(*arguments)
announce(SVC), announce(PathSVC)
main()
"""


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
    light = "import mercer, sys; assert not {'typer', 'mercer.cli', 'mercer.io'} & set(sys.modules)"
    command = [sys.executable, "-c", f"{light}\n{COMMAND}", "fit", "--cv", "2"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "accuracy" in result.stdout
    assert result.stderr == ""
    assert os.listdir() == ["breast-cancer.mercer"]


@pytest.mark.parametrize("name", ["typer", "rich"])
def test_without_the_extra_it_says_what_to_install(name, monkeypatch, capsys):
    for module in [m for m in sys.modules if m.split(".")[0] == name or m == "mercer.cli.app"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    errors = capsys.readouterr().err
    assert f"the mercer command needs {name}, which is not installed" in errors
    assert "pip install 'mercer[cli]'" in errors


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_a_process_with_130():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 20))
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(20)])
    frame.assign(y=rng.choice(["a", "b"], 4000)).to_csv("hard.csv", index=False)
    options = ["fit", "hard.csv", "--C", "1e6", "--tol", "1e-9", "--gamma", "0.001"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", ANNOUNCED, *options], **pipes)
    assert process.stdout.readline() == "training\n"
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == "interrupted: keeping the machine as far as it was trained\n"
    assert "saved as hard.csv.mercer" in output
    assert "terminated early (Ctrl-C)" in output
    assert len(load("hard.csv.mercer").predict(frame)) == 4000


def hard_csv(n_rows: int, classes: str) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 10)), columns=[f"x{k}" for k in range(10)])
    frame["y"] = rng.choice(list(classes), n_rows)
    frame.to_csv("hard.csv", index=False)
    return frame


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("classes", "is_terminal", "command", "kept"),
    [
        ("abcde", False, "fit --C 1e3 --tol 1e-9 --gamma 0.01", "the machine as far"),
        ("ab", True, "path", "the path as far as it was followed"),
        ("abcde", False, "path --choice one-se --test-size 0.2", "the path as far"),
    ],
)
def test_ctrl_c_keeps_what_there_is_of_several_classes_and_of_a_path(
    classes, is_terminal, command, kept
):
    """Nothing was kept of them, unless one was watching at a terminal."""
    name, *options = command.split()
    frame = hard_csv(9000 if name == "fit" else 1500, classes)
    command = [sys.executable, "-c", ANNOUNCED, name, "hard.csv", *options]
    ours, theirs = pty.openpty() if is_terminal else os.pipe()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    assert process.stdout.readline() == "training\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    seen = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while piece := os.read(ours, 65536):
            seen += piece
    os.close(ours)
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 130
    assert f"interrupted: keeping {kept}".encode() in seen
    assert b"Traceback" not in seen
    assert "saved as hard.csv.mercer" in output
    assert "(Ctrl-C" in output
    machine = load("hard.csv.mercer")
    assert machine[-1].callback is None
    assert set(machine.predict(frame)) <= set(classes)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("command", ["predict", "report", "evaluate", "explain"])
def test_ctrl_c_leaves_no_half_written_file_and_no_traceback(mercer, command, monkeypatch):
    load_example_csv()
    mercer("fit", "rows.csv", "--target", "y", "--cv", 0, "-q")
    before = sorted(os.listdir())
    options = {"predict": ["-o", "said.csv"], "report": ["-o", "r.html"], "explain": ["--row", 0]}

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(SVC, "decision_function", interrupt)
    monkeypatch.setattr(SVC, "predict", interrupt)
    given = options.get(command, [])
    assert (
        mercer(command, "rows.csv.mercer", "rows.csv", *given, code=130).output == "interrupted\n"
    )
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_ctrl_c_after_the_training_keeps_the_machine(mercer, command, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"mercer.cli.commands.{command}.with_sets", interrupt)
    result = mercer(command, "--cv", 2, "--conformal", code=130)
    assert "interrupted: keeping the machine without" in result.stderr
    assert "saved as breast-cancer.mercer" in result.stdout


def test_ctrl_c_between_folds(mercer, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "_fold_score", interrupt)
    result = mercer("fit", code=130)
    assert result.stderr == "interrupted: keeping the machine without cross-validation\n"
    assert os.listdir() == ["breast-cancer.mercer"]
    assert "saved as breast-cancer.mercer" in result.stdout


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


@pytest.mark.parametrize("command", ["fit", "tune", "evaluate"])
def test_a_terminal_sees_at_once_that_something_is_going_on(command, mercer):
    """Nothing was shown while the machines were imported, for seconds."""
    if command == "evaluate":
        load_example_csv()
        mercer("fit", "rows.csv", "--target", "y", "--cv", 0, "-q")
    given = {"evaluate": ["rows.csv.mercer", "rows.csv"]}.get(command, [])
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, command, *given],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    word = {"fit": b"starting", "tune": b"starting", "evaluate": b"judging"}[command]
    seen = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while word not in seen:
            seen += os.read(ours, 65536)
    process.kill()
    process.wait()
    os.close(ours)
    assert word in seen[:200]


def load_example_csv():
    X, y, names = load_example()
    pd.DataFrame(X, columns=names).assign(y=y).to_csv("rows.csv", index=False)


def test_a_reader_that_stops_early_ends_the_command_quietly(mercer, directory):
    mercer("fit", "--cv", 0, "-q")
    for command in ("--help", "report breast-cancer.mercer -o -"):
        code = "from mercer.cli import main; main()"
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen([sys.executable, "-c", code, *command.split()], **pipes)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == -signal.SIGPIPE
