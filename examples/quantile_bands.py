"""
Bands that hold a wanted share of the values
============================================

Quantile regression. The noise grows with x, so the band between the 10 % and the 90 % quantile must
widen.
"""

from __future__ import annotations

import numpy as np

from mercer import SVR

rng = np.random.default_rng(0)
X = rng.uniform(0, 6, (1500, 1))
y = np.sin(X[:, 0]) + rng.normal(scale=0.05 + 0.1 * X[:, 0])
train, test = slice(0, 1000), slice(1000, None)

machines = {
    level: SVR(loss="quantile", quantile=level, C=10.0).fit(X[train], y[train])
    for level in (0.1, 0.5, 0.9)
}
for level, machine in machines.items():
    below = np.mean(y[test] < machine.predict(X[test]))
    print(f"quantile {level:.1f}: {below:.3f} of the test values lie below it")

for x in (1.0, 5.0):
    low, high = (machines[level].predict([[x]])[0] for level in (0.1, 0.9))
    print(f"at x = {x:.0f} the band reaches from {low:+.2f} to {high:+.2f}")
