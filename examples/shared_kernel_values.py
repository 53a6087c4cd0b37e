"""A grid of C on one set of kernel values, each fit starting from the one before.

    python examples/shared_kernel_values.py

Kernel values depend on the rows and the kernel, not on C: one Gram serves all of them.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_moons

from mercer import Gram, solve
from mercer.formulations import svc
from mercer.kernels import Gaussian

X, labels = make_moons(1000, noise=0.25, random_state=0)
y = np.where(labels == 1, 1.0, -1.0)
gram = Gram(Gaussian("scale").resolve(X), X)

coef = None
print(f"{'C':>7}{'iterations':>12}{'support':>9}{'objective':>13}{'relative gap':>14}")
for C in (0.1, 1.0, 10.0, 100.0):
    solution = solve(svc(y, C).problem, gram, start=coef)
    coef = solution.coef
    print(
        f"{C:7g}{solution.n_iter:12}{np.count_nonzero(coef):9}{solution.objective:13.4f}"
        f"{solution.relative_gap:14.1e}"
    )
print(f"{gram.hit_rate:.0%} of the kernel rows asked for were there already")
