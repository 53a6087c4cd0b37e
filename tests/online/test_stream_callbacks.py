"""The callback of a stream hears of the whole call, and ends the whole call."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mercer import OnlineSVC
from mercer.online import intake

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 5))
Y = RNG.integers(0, 4, 1500)  # hard: each call takes long enough to report several times
OPTIONS = {"C": 100.0, "gamma": 0.5}


def finish(callback):
    machine = OnlineSVC(keep_rows=True, **OPTIONS).partial_fit(X[:50], Y[:50])
    machine.partial_fit(X, Y)
    machine._learned.stream.restart(np.zeros_like(machine._learned.stream.state()["beta"]))
    return machine.set_params(callback=callback).finish()


CALLS = {
    "fit": lambda c: OnlineSVC(n_epochs=2, callback=c, **OPTIONS).fit(X, Y),
    "fit, judged": lambda c: OnlineSVC(probability=True, callback=c, **OPTIONS).fit(X, Y),
    "fit, row by row": lambda c: OnlineSVC(
        selection="second-order", n_epochs=2, callback=c, **OPTIONS
    ).fit(X[:300], Y[:300]),
    "partial_fit": lambda c: OnlineSVC(callback=c, **OPTIONS).partial_fit(X, Y),
    "partial_fit, judged": lambda c: OnlineSVC(probability=True, callback=c, **OPTIONS).partial_fit(
        X, Y
    ),
    "window": lambda c: OnlineSVC(window=1400, callback=c, **OPTIONS).partial_fit(X, Y),
    "finish": finish,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_callback_was_called_again_after_it_had_asked_for_an_end(name, monkeypatch):
    monkeypatch.setattr(intake, "_REPORT", 0.0)
    seen = []

    def end(progress):
        seen.append(progress)
        return True

    with pytest.warns(ConvergenceWarning, match="callback"):
        machine = CALLS[name](end)
    assert len(seen) == 1
    assert not name.startswith("fit") or machine.fit_status_ == 1
    if name in ("finish", "window"):
        assert machine.fit_status_ == 1
        assert "callback" in {solution.status for solution in machine.solutions_}


@pytest.mark.parametrize("name", CALLS)
def test_seconds_and_iterations_went_back_within_a_call(name, monkeypatch):
    monkeypatch.setattr(intake, "_REPORT", 0.0)
    seen = []
    CALLS[name](seen.append)
    assert len(seen) > 1
    for values in ([p.seconds for p in seen], [p.iteration for p in seen]):
        assert values == sorted(values)
