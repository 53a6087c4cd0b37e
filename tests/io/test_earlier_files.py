"""Files that earlier versions wrote are read as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mercer.calibration.sigmoid import Sigmoid
from mercer.io import archive, load, read_metadata
from mercer.io.registry import recipe_named

FILES = Path(__file__).parent / "earlier"


@pytest.mark.parametrize(
    "name", [path.stem for path in sorted(FILES.iterdir()) if path.stem != "command"]
)
@pytest.mark.filterwarnings("ignore")
def test_files_of_earlier_versions_give_their_answers(name: str) -> None:
    file = FILES / f"{name}.mercer"
    model, known = load(file), read_metadata(file)
    rows, arguments = (
        np.array(known["rows"]),
        [known[name] for name in ("C", "value") if name in known],
    )
    answer = getattr(model, "decision_function", model.predict)(rows, *arguments)
    np.testing.assert_allclose(answer, known["values"], atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_models_of_the_command_line_of_earlier_versions_give_their_answers() -> None:
    file = FILES / "command.mercer"
    known = read_metadata(file)
    rows = pd.DataFrame(known["rows"], columns=known["names"])
    rows[known["columns"]["categories"]] = rows[known["columns"]["categories"]].map(str)
    answer = load(file).decision_function(rows.drop(columns="target"))
    np.testing.assert_allclose(answer, known["values"], atol=1e-9)


def test_sigmoid_maps_of_earlier_files_go_by_the_name_of_the_kernel() -> None:
    made = recipe_named("Sigmoid").make({"slope": 2.0, "offset": 1.0})
    assert made == Sigmoid(2.0, 1.0)


def test_there_is_a_file_of_every_version() -> None:
    documents = [archive.read_document(file) for file in FILES.glob("*.mercer")]
    versions = {(known["version"], known.get("minor_version", 0)) for known in documents}
    assert versions == {(archive.VERSION, minor) for minor in range(archive.MINOR_VERSION + 1)}
