"""Kernel machines over a Dask cluster; needs the extra ``mercer[dask]``."""

from __future__ import annotations

try:
    import dask as _dask  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise ImportError("mercer.dask needs Dask: pip install 'mercer[dask]'") from error

from mercer.dask.blocks import BlockError, BlockReport
from mercer.dask.ensemble import DaskChunkedEnsemble
from mercer.dask.lssvr import DaskLSSVR
from mercer.dask.rlsc import DaskRLSC
from mercer.dask.tuned import DaskTunedSVC

__all__ = [
    "BlockError",
    "BlockReport",
    "DaskChunkedEnsemble",
    "DaskLSSVR",
    "DaskRLSC",
    "DaskTunedSVC",
]
