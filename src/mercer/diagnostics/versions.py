"""The facts for a bug report: versions, processor, threads."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

__all__ = ["show_versions"]

PACKAGES = (
    *("mercer", "numpy", "scipy", "scikit-learn", "threadpoolctl"),
    *("pandas", "pyarrow", "openpyxl", "typer", "rich", "matplotlib", "onnx", "dask", "cma"),
)


def show_versions() -> None:
    """Print the versions of mercer, Python and the packages it uses, and the processor.

    Examples
    --------
    >>> import mercer
    >>> mercer.show_versions()  # doctest: +ELLIPSIS
    mercer          ...
    """
    from mercer import _core
    from mercer._threads import resolve_threads

    found = {name: _version(name) for name in PACKAGES}
    found |= {
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "processor": platform.machine(),
        "instructions": str(_core.instruction_set()),
        "threads": str(resolve_threads(None)),
    }
    sys.stdout.write("".join(f"{name:15} {value}\n" for name, value in found.items()))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        from mercer import __version__

        return __version__ if name == "mercer" else "not installed"
