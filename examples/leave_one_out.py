"""
Choose alpha by exact leave-one-out
===================================

Next to cross-validation: both look at the same 40 values. Cross-validation trains 200 machines on
four fifths of the rows; leave-one-out is one fit on all of them, and its error is that of 331
machines never trained.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import scale

from mercer import LSSVR

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(scale(X), y, random_state=0)
alphas, gamma = np.logspace(-4, 4, 40), 0.02

began = time.perf_counter()
machine = LSSVR(alpha=alphas, gamma=gamma).fit(X_train, y_train)
fit_seconds = time.perf_counter() - began

began = time.perf_counter()
# KernelRidge has no bias: the mean is taken out by hand
search = GridSearchCV(
    KernelRidge(kernel="rbf", gamma=gamma), {"alpha": alphas}, scoring="neg_mean_squared_error"
).fit(X_train, y_train - y_train.mean())
search_seconds = time.perf_counter() - began

by_search = search.predict(X_test) + y_train.mean()
print(f"leave-one-out:    alpha {machine.alpha_:8.3g}, estimated error {machine.loo_error_:.0f}, "
      f"test error {np.mean((machine.predict(X_test) - y_test) ** 2):.0f}")  # fmt: skip
print(f"cross-validation: alpha {search.best_params_['alpha']:8.3g}, "
      f"estimated error {-search.best_score_:.0f}, "
      f"test error {np.mean((by_search - y_test) ** 2):.0f}")  # fmt: skip
print(f"cross-validation took {search_seconds / fit_seconds:.0f} times as long")

# Any row of the table of errors can be checked: train without one row, alpha as it was.
row = 7
rest = np.arange(len(y_train)) != row
without = LSSVR(alpha=machine.alpha_, gamma=gamma).fit(X_train[rest], y_train[rest])
print(f"row {row} left out: {machine.loo_values_[row]:.6f} by the formula, "
      f"{without.predict(X_train[[row]])[0]:.6f} by training without it")  # fmt: skip
print(f"the machine uses {machine.dof_:.1f} degrees of freedom")
