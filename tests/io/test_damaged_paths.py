"""A damaged file of a path is refused with a ValueError, or is a path like any other."""

from __future__ import annotations

import damage
import numpy as np
import pytest
from path_results import RESULTS, answers

from mercer.io import save

NAMES = [
    *("path", "regression", "outliers", "low rank, precomputed", "nu", "widths", "grid"),
    *("curve", "two classes", "three classes"),
]


@pytest.mark.parametrize("kind", ["resealed", "crafted", "altered"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_file_is_refused_or_harmless(name, kind, tmp_path):
    make, rows = RESULTS[name]
    path = tmp_path / "m.mercer"
    save(make(), path)
    rng = np.random.default_rng(0)
    files = getattr(damage, kind)(path.read_bytes(), 12, rng)
    outcomes = [damage.opened(content, path, rows, answers) for content in files]
    assert "refused" in outcomes
