"""From Python values to JSON with arrays on the side, and back.

Plain JSON stands for None, booleans, integers, finite floats, strings and lists. Every JSON
object has a "type", which says what it stands for; objects of a class are taken apart and put
together by the recipes of :mod:`mercer.io.registry`, the only classes there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.io.archive import LEAST, MOST
from mercer.io.frames import frame_of, frame_state, is_frame
from mercer.io.npy import PLAIN_KINDS
from mercer.io.registry import recipe_named, recipe_of
from mercer.problem import Solutions

__all__ = ["decode", "encode"]

Tree = Any
Arrays = list[Any]  # of ndarrays; None for those that were taken

PLAIN = (type(None), bool, int, str)
# What files call attributes, whose names in the code may change.
IN_FILES = {"shift": "origin", "_shift": "_origin"}
IN_CODE = {name: attribute for attribute, name in IN_FILES.items()}
SPARSE = {
    name: getattr(sp, name) for name in ("csr_array", "csr_matrix", "csc_array", "csc_matrix")
}


def encode(value: Any, arrays: Arrays, place: str) -> Tree:
    """Return the tree of a value, its arrays appended to `arrays`.

    Parameters
    ----------
    value : object
        What to write.
    arrays : list of ndarray
        Gets the arrays of the value; the tree refers to them by position.
    place : str
        What the value is to the reader of an error message.
    """
    if type(value) is int and not LEAST <= value <= MOST:
        raise ValueError(f"{place} is an integer of more than 64 bits, which cannot be saved")
    if type(value) in PLAIN:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"type": "float", "value": repr(value)}
    if isinstance(value, np.ndarray):
        return _encode_array(value, arrays, place)
    if isinstance(value, np.generic):
        return {"type": "scalar", "array": _kept(np.asarray(value), arrays, place)}
    if sp.issparse(value):
        return _encode_sparse(value, arrays, place)
    if isinstance(value, Solutions):
        value = tuple(value)
    if type(value) in (list, tuple):
        items = [encode(item, arrays, f"{place}[{k}]") for k, item in enumerate(value)]
        return items if type(value) is list else {"type": "tuple", "items": items}
    if type(value) is slice:
        ends = (value.start, value.stop, value.step)
        return {"type": "slice", "items": [encode(end, arrays, place) for end in ends]}
    if isinstance(value, type) and (value in _TYPES.values() or issubclass(value, np.generic)):
        return {"type": "dtype", "name": _type_name(value)}
    if isinstance(value, np.dtype) and value.kind in (*PLAIN_KINDS, "O"):
        return {"type": "cells", "dtype": value.str}
    if isinstance(value, Mapping):
        return _encode_mapping(value, arrays, place)
    if is_frame(value):
        return {"type": "frame", "state": encode(frame_state(value, place), arrays, place)}
    return _encode_object(value, arrays, place)


def _encode_array(array: NDArray[Any], arrays: Arrays, place: str) -> Tree:
    if array.dtype.kind == "O":
        items = array.ravel().tolist()
        if not all(map(_is_item, items)):
            raise ValueError(f"{place} is an array of Python objects, which cannot be saved")
        return {
            "type": "objects",
            "shape": list(array.shape),
            "items": [encode(item, arrays, place) for item in items],
        }
    return {"type": "array", "array": _kept(array, arrays, place)}


def _is_item(value: Any) -> bool:
    """Whether an array of objects may hold it."""
    return type(value) in (*PLAIN, float) or isinstance(value, np.generic)


def _kept(array: NDArray[Any], arrays: Arrays, place: str) -> int:
    if array.dtype.kind not in PLAIN_KINDS or array.dtype.fields is not None:
        raise ValueError(f"{place} is an array of {array.dtype}, which cannot be saved")
    arrays.append(array)
    return len(arrays) - 1


def _encode_sparse(matrix: Any, arrays: Arrays, place: str) -> Tree:
    name = type(matrix).__name__
    if name not in SPARSE:
        raise ValueError(f"{place} is a {name}, only {sorted(SPARSE)} can be saved")
    parts = {part: _kept(getattr(matrix, part), arrays, place) for part in _SPARSE_PARTS}
    return {"type": "sparse", "class": name, "shape": [int(n) for n in matrix.shape]} | parts


_SPARSE_PARTS = ("data", "indices", "indptr")


def _encode_mapping(mapping: Mapping[Any, Any], arrays: Arrays, place: str) -> Tree:
    items = [
        [encode(key, arrays, place), encode(item, arrays, f"{place}[{key!r}]")]
        for key, item in mapping.items()
    ]
    return {"type": "dict", "items": items}


def _encode_object(value: Any, arrays: Arrays, place: str) -> Tree:
    recipe = recipe_of(value, place)
    state = {
        IN_FILES.get(name, name): encode(item, arrays, f"{place}.{name}")
        for name, item in recipe.take(value).items()
    }
    return {"type": "object", "class": recipe.name, "state": state}


def decode(tree: Tree, arrays: Arrays) -> Any:
    """Return the value of a tree; ValueError if it is not one that :func:`encode` makes.

    Every array stands for one part only and is taken out of `arrays`, so that what is made of
    a file is never larger than the file.
    """
    if isinstance(tree, list):
        return [decode(item, arrays) for item in tree]
    if not isinstance(tree, dict):
        return tree
    kind = tree.get("type")
    if kind not in _DECODERS:
        raise ValueError(f"unknown type {kind!r}")
    return _DECODERS[kind](tree, arrays)


def _stored(position: Any, arrays: Arrays) -> NDArray[Any]:
    if type(position) is not int or not 0 <= position < len(arrays):
        raise ValueError(f"there is no array {position!r}, the file has {len(arrays)}")
    array, arrays[position] = arrays[position], None
    if array is None:
        raise ValueError(f"array {position} is used twice")
    return array


def _decode_objects(tree: dict[str, Any], arrays: Arrays) -> NDArray[Any]:
    items = [decode(item, arrays) for item in tree["items"]]
    if not all(map(_is_item, items)):
        raise ValueError("an array of objects must hold plain values")
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(tree["shape"])


def _decode_dict(tree: dict[str, Any], arrays: Arrays) -> dict[Any, Any]:
    items = [(decode(key, arrays), decode(item, arrays)) for key, item in tree["items"]]
    for key, _ in items:
        if not _is_key(key):
            raise ValueError(f"a key must be a plain value, got {key!r:.60}")
    return dict(items)


def _is_key(value: Any) -> bool:
    """Whether values of its kind cannot be chosen to collide by thousands."""
    if not isinstance(value, np.generic):
        return type(value) in (*PLAIN, float)
    return value.dtype.kind in "biuSUmM" or (value.dtype.kind == "f" and value.dtype.itemsize <= 8)


def _decode_sparse(tree: dict[str, Any], arrays: Arrays) -> Any:
    if tree["class"] not in SPARSE:
        raise ValueError(f"unknown sparse class {tree['class']!r}")
    parts = {part: _stored(tree[part], arrays) for part in _SPARSE_PARTS}
    n_rows, n_columns = tree["shape"]
    n_lines = n_rows if tree["class"].startswith("csr") else n_columns
    indptr = parts["indptr"]
    # SciPy's own check below does not look at offsets that fall back to 0
    if indptr.shape != (n_lines + 1,) or (indptr[1:] < indptr[:-1]).any():
        raise ValueError(f"a sparse matrix of shape {tree['shape']} has a wrong indptr")
    matrix = SPARSE[tree["class"]](tuple(tree["shape"]), dtype=parts["data"].dtype)
    # Set one by one: the constructor would choose another width for the indices.
    for part, array in parts.items():
        setattr(matrix, part, array)
    # Indices beyond the shape would be read beyond the arrays by compiled code.
    matrix.check_format(full_check=True)
    return matrix


def _decode_object(tree: dict[str, Any], arrays: Arrays) -> Any:
    recipe = recipe_named(tree["class"])
    state = tree["state"].items()
    return recipe.make({IN_CODE.get(name, name): decode(item, arrays) for name, item in state})


# Kinds of columns that are no kinds of arrays.
_TYPES: dict[str, type] = {
    "object": object,
    **{
        f"any {cls.__name__}": cls
        for cls in (np.number, np.integer, np.signedinteger, np.floating, np.inexact)
    },
    **{f"python {cls.__name__}": cls for cls in (bool, int, float, str)},
}


def _type_name(cls: type) -> str:
    own = [name for name, known in _TYPES.items() if known is cls]
    return own[0] if own else np.dtype(cls).name


def _decode_dtype(tree: dict[str, Any]) -> type:
    name = str(tree["name"])
    return _TYPES[name] if name in _TYPES else _plain_dtype(name).type


def _plain_dtype(name: str) -> np.dtype[Any]:
    dtype = np.dtype(name)
    if dtype.kind not in PLAIN_KINDS:
        raise ValueError(f"unknown dtype {dtype}")
    return dtype


def _decode_cells(tree: dict[str, Any]) -> np.dtype[Any]:
    name = str(tree["dtype"])
    return np.dtype(object) if name == "|O" else _plain_dtype(name)


def _decode_float(tree: dict[str, Any], arrays: Arrays) -> float:
    return float({"inf": "inf", "-inf": "-inf", "nan": "nan"}[tree["value"]])


_DECODERS: dict[str, Callable[[dict[str, Any], Arrays], Any]] = {
    "array": lambda tree, arrays: _stored(tree["array"], arrays),
    "scalar": lambda tree, arrays: _stored(tree["array"], arrays).reshape(())[()],
    "tuple": lambda tree, arrays: tuple(decode(tree["items"], arrays)),
    "slice": lambda tree, arrays: slice(*decode(tree["items"], arrays)),
    "dict": _decode_dict,
    "dtype": lambda tree, arrays: _decode_dtype(tree),
    "cells": lambda tree, arrays: _decode_cells(tree),
    "float": _decode_float,
    "frame": lambda tree, arrays: frame_of(decode(tree["state"], arrays)),
    "objects": _decode_objects,
    "sparse": _decode_sparse,
    "object": _decode_object,
}
