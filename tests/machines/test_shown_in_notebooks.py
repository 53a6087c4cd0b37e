"""What a notebook shows of a machine: after the fit also its certificate."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import LSSVR, RLSC, SVC, OneClassSVM, TunedSVC

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.where(X[:, 0] > 0, "<b>", "c")


@pytest.mark.parametrize("machine", [SVC(), OneClassSVM(), RLSC(), LSSVR()], ids=repr)
def test_a_fitted_machine_shows_its_certificate(machine):
    assert "status" not in machine._repr_html_().rpartition("</div>")[2]
    machine.fit(X, X[:, 0] if isinstance(machine, LSSVR) else Y)
    shown = machine._repr_html_().rpartition("</div>")[2]
    words = "converged" if hasattr(machine, "solutions_") else "solved by"
    assert words in shown
    assert "Gaussian(gamma=" in shown


def test_a_tuned_machine_shows_what_it_chose():
    machine = TunedSVC(max_evals=4)
    assert "<table>" not in machine._repr_html_().rpartition("</div>")[2]
    shown = machine.fit(X, Y)._repr_html_().rpartition("</div>")[2]
    assert str(machine.best_params_["C"]) in shown
    assert machine.best_estimator_.solutions_[0].status in shown
