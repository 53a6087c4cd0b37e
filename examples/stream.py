"""
A stream: learn, save, forget, ask for labels
=============================================

Examples come in chunks; the machine can be saved in the middle and goes on elsewhere.
"""

from __future__ import annotations

import pickle

import numpy as np

from mercer import OnlineSVC
from mercer.lab import make_chessboard

X_test, y_test = make_chessboard(2000, random_state=99)

machine = OnlineSVC(C=1000.0, gamma=2.0, keep_rows=True)
for day in range(6):
    X, y = make_chessboard(500, random_state=day)
    machine.partial_fit(X, y, classes=[-1, 1])
    print(
        f"after {machine.n_seen_} examples {machine.n_kept_} are kept, "
        f"accuracy {machine.score(X_test, y_test):.3f}"
    )
    if day == 2:
        machine = pickle.loads(pickle.dumps(machine))  # elsewhere it goes on as it would have here

machine.finish()
print(f"finished: accuracy {machine.score(X_test, y_test):.3f}, violation {machine.violation_:.1e}")

gone = machine.support_ids_[:3]
machine.forget(gone)
left = np.isin(gone, machine.support_ids_).any()
print(f"without {gone.tolist()}: violation {machine.violation_:.1e}, any of them left: {left}")

pool, answers = make_chessboard(3000, random_state=7)
for strategy in ("margin", "random"):
    asker = OnlineSVC(C=1000.0, gamma=2.0, random_state=0)
    asker.active_fit(pool, answers, budget=300, batch_size=10, n_initial=60, strategy=strategy)
    print(f"300 labels, {strategy}: accuracy {asker.score(X_test, y_test):.3f}")
