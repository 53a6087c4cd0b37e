"""Saving and loading fitted machines."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.exceptions import InconsistentVersionWarning

from mercer._warning import warn
from mercer.io.archive import parse_json, read_archive, read_document, write_archive
from mercer.io.codec import decode, encode
from mercer.paths import CodePaths, ErrorCurve, Grid, PairPaths, StepFunction
from mercer.paths import Path as RegularizationPath

__all__ = ["load", "read_metadata", "save"]

PathLike = str | os.PathLike[str]
# What is saved besides estimators.
RESULTS = (RegularizationPath, PairPaths, CodePaths, Grid, StepFunction, ErrorCurve)


def save(estimator: Any, path: PathLike, *, metadata: dict[str, Any] | None = None) -> None:
    """Write an estimator to a model file.

    The file is a zip of one JSON document and plain arrays. It holds no code, so loading a file you
    do not trust is harmless.

    Parameters
    ----------
    estimator : estimator
        An SVC, NuSVC, SVR, NuSVR, OneClassSVM, RLSC, LSSVC, LSSVR, ReducedSVC, OnlineSVC or
        OnlineSVR, of low rank or not, with probabilities or not; a machine that tuned itself,
        with its search. Alone, as the last step of a Pipeline of scikit-learn's scalers
        (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, QuantileTransformer,
        PowerTransformer), encoders (OneHotEncoder, OrdinalEncoder), SimpleImputer, PCA and
        ColumnTransformer, or inside a CalibratedClassifierCV, CodeClassifier or
        TransformedTargetRegressor. Machines that learn block by block or from a stream go on from
        where they were. Also a PathSVC, and what the functions for paths return: Path, Grid,
        StepFunction and ErrorCurve, with the rows and the kernel that they predict with. What says
        how to run rather than what was learned is left out: ``callback``, ``n_jobs``, ``memory``
        of a pipeline, and the seconds that fits took. So equal fits give equal files.
    path : str or path
        Where to write it, by custom with the suffix ``.mercer``. An existing file is replaced
        in one step, when the new one is complete.
    metadata : dict, default=None
        Anything JSON can hold, for :func:`read_metadata`.

    Raises
    ------
    ValueError
        If a part of the estimator is a Python function or of a class that is not known.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.io import load, save
    >>> save(SVC().fit([[0.0], [1.0]], ["no", "yes"]), "model.mercer")  # doctest: +SKIP
    >>> load("model.mercer").predict([[0.9]])  # doctest: +SKIP
    array(['yes'], dtype='<U3')
    """
    if not _is_whole(estimator):
        raise ValueError(f"estimator must be an estimator or a path, got {estimator!r}")
    arrays: list[Any] = []
    document = {
        "written_by": _versions(),
        "metadata": _checked_metadata(metadata),
        "model": encode(estimator, arrays, type(estimator).__name__),
    }
    write_archive(Path(path), document, arrays)


def load(path: PathLike, *, mmap: bool = False) -> Any:
    """Return the estimator in a model file, equal to the saved one bit for bit.

    Only seconds, which are not saved, are NaN.

    Parameters
    ----------
    path : str or path
        A file written by :func:`save`, by this minor version of the format or any other.
    mmap : bool, default=False
        Leave large arrays in the file, which is mapped into memory: loading takes no time for
        them, and processes that load the same file share them. Changes of them are not written
        to the file. Their checksums are not compared, and the file must stay as it is for as
        long as the estimator is in use.

    Raises
    ------
    ValueError
        If the file is damaged, not a model file, of an unknown version, names a class other
        than those :func:`save` writes, or holds parts that do not fit together. Whatever is
        wrong with the content ends so; no more memory is taken than the file has bytes, but
        for a small factor.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.io import load, save
    >>> machine = SVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> save(machine, "machine.mercer")
    >>> load("machine.mercer").predict([[0.2], [2.8]]).tolist()
    [0, 1]
    """
    document, arrays = read_archive(Path(path), mmap)
    try:
        model = document["model"]
        if not isinstance(model, dict) or model.get("type") != "object":
            raise ValueError("its model is not an estimator")
        estimator = decode(model, arrays)
        if not _is_whole(estimator):
            raise ValueError(f"its model is a {type(estimator).__name__}")
    except Exception as error:
        # Whatever a damaged description runs into, the reader of the message needs the file.
        reason = f"{type(error).__name__}: {error}" if not isinstance(error, ValueError) else error
        raise ValueError(f"{path} does not hold a valid model: {reason}") from error
    _check_version(estimator, document)
    return estimator


def read_metadata(path: PathLike) -> dict[str, Any]:
    """Return the metadata of a model file and, as ``written_by``, the versions that wrote it.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.io import read_metadata, save
    >>> machine = SVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> save(machine, "machine.mercer")
    >>> sorted(read_metadata("machine.mercer"))
    ['written_by']
    """
    document = read_document(Path(path))
    metadata = document.get("metadata")
    if not isinstance(metadata, dict):
        raise ValueError(f"{path} does not hold a valid model: its metadata is {metadata!r}")
    return metadata | {"written_by": document.get("written_by")}


def _is_whole(value: Any) -> bool:
    """Whether it is what people save, not a part of it."""
    return hasattr(value, "fit") or isinstance(value, RESULTS)


def _check_version(estimator: Any, document: dict[str, Any]) -> None:
    """Warn if parts of scikit-learn come from another version of it, as its pickles do."""
    versions = document.get("written_by")
    written = versions.get("scikit-learn") if isinstance(versions, dict) else None
    is_ours = type(estimator).__module__.startswith("mercer.")
    if not is_ours and str(written).split(".")[:2] != sklearn.__version__.split(".")[:2]:
        warn(
            InconsistentVersionWarning(
                estimator_name=type(estimator).__name__,
                current_sklearn_version=sklearn.__version__,
                original_sklearn_version=str(written),
            ),
        )


def _versions() -> dict[str, str]:
    from mercer import __version__

    return {"mercer": __version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__}


def _checked_metadata(metadata: dict[str, Any] | None) -> dict[str, Any]:
    try:
        text = json.dumps({} if metadata is None else dict(metadata), allow_nan=False)
        checked: dict[str, Any] = parse_json(text)
    except (TypeError, ValueError) as error:
        raise ValueError(f"metadata must be a dict of JSON values: {error}") from error
    return checked
