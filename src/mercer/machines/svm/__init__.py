"""Support vector machines: classifiers, regressors, one class, and a reduced basis."""
