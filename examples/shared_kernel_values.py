"""
A grid of C on one set of kernel values
=======================================

Each fit starts from the one before. Kernel values depend on the rows and the kernel, not on C: one
Gram serves all of them. With a Gram of its own, every fit would compute them anew.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_moons

from mercer import Gram, solve
from mercer.formulations import svc
from mercer.kernels import Gaussian

X, labels = make_moons(1000, noise=0.25, random_state=0)
y = np.where(labels == 1, 1.0, -1.0)
kernel = Gaussian("scale").resolve(X)
shared = Gram(kernel, X)

coef, n_alone = None, 0
print(f"{'C':>7}{'iterations':>12}{'support':>9}{'gap':>9}{'kernel values':>15}{'alone':>9}")
for C in (0.1, 1.0, 10.0, 100.0):
    problem = svc(y, C).problem
    solution = solve(problem, shared, start=coef)
    alone = solve(problem, Gram(kernel, X))
    coef, n_alone = solution.coef, n_alone + alone.n_kernel
    print(
        f"{C:7g}{solution.n_iter:12}{np.count_nonzero(coef):9}{solution.relative_gap:9.0e}"
        f"{solution.n_kernel:15,}{alone.n_kernel:9,}"
    )
share = shared.n_evaluations / n_alone
print(f"shared, {share:.0%} of the kernel values that a Gram for each C computes")
