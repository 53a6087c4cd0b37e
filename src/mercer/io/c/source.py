"""A growing C file: tables and functions, of which those in use are written."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.io.exchange.distances import narrowed

__all__ = ["HELPERS", "Source"]

NAME = re.compile(r"[A-Za-z_]\w*")
PER_LINE = 6

# Written with the functions of math.h in double precision; `Source.text` adds the f of float.
HELPERS = {
    "dot": """static number dot(const number *a, const number *b, int n)
{
    number sum = ZERO;
    int i;
    for (i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}""",
    "squared_distance": """static number squared_distance(const number *a, const number *b, int n)
{
    number sum = ZERO;
    int i;
    for (i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}""",
    "absolute_distance": """static number absolute_distance(const number *a, const number *b, int n)
{
    number sum = ZERO;
    int i;
    for (i = 0; i < n; i++)
        sum += FABS(a[i] - b[i]);
    return sum;
}""",
    "power": """static number power(number base, int exponent)
{
    number result = ONE;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2)
            result *= base;
    return result;
}""",
    "inverse_length": """static number inverse_length(number square)
{
    return square > ZERO ? ONE / SQRT(square) : ZERO;
}""",
    # rows without a length have the value 1 among them, 0 with others
    "normalized": """static number normalized(number value, number a, number b)
{
    if (a > ZERO && b > ZERO)
        return value * a * b;
    return a > ZERO || b > ZERO ? ZERO : ONE;
}""",
    "largest": """static int largest(const number *values, int n)
{
    int i, best = 0;
    for (i = 1; i < n; i++)
        if (values[i] > values[best])
            best = i;
    return best;
}""",
    "expit": """static number expit(number value)
{
    return ONE / (ONE + EXP(-value));
}""",
    "softmax": """static void softmax(number *values, int n)
{
    number top = values[largest(values, n)], sum = ZERO;
    int i;
    for (i = 0; i < n; i++) {
        values[i] = EXP(values[i] - top);
        sum += values[i];
    }
    for (i = 0; i < n; i++)
        values[i] /= sum;
}""",
}


class Source:
    """The parts of a C file.

    Parameters
    ----------
    precision : {"double", "single"}
        Type of all numbers.
    """

    def __init__(self, precision: str = "double") -> None:
        self.precision = precision
        self._suffix = "f" if precision == "single" else ""
        self._parts: dict[str, str] = dict(HELPERS)
        self._count = 0

    def fresh(self, stem: str) -> str:
        """A name that no other part has."""
        self._count += 1
        return f"{stem}_{self._count}"

    def number(self, value: float) -> str:
        """A literal that reads back as this number."""
        if np.isinf(value):
            return "INFINITY" if value > 0 else "(-INFINITY)"
        digits = f"{narrowed(value, np.float32):.9g}" if self._suffix else f"{float(value):.17g}"
        text = digits if re.search(r"[.e]", digits) else digits + ".0"
        text += self._suffix
        return f"({text})" if text.startswith("-") else text

    def table(self, stem: str, values: ArrayLike) -> str:
        """A constant array of one or two dimensions; equal ones are kept once."""
        array = np.asarray(values)
        if array.dtype.kind in "iu":
            kind, cells = "int", [str(int(cell)) for cell in array.ravel()]
        else:
            kind, cells = "number", [self._cell(cell) for cell in array.ravel()]
        shape = "".join(f"[{n}]" for n in array.shape)
        body = f"{shape} = {_braces(cells, array)};"
        for name, text in self._parts.items():
            if text.endswith(body) and text == f"static const {kind} {name}{body}":
                return name
        name = self.fresh(stem)
        self._parts[name] = f"static const {kind} {name}{body}"
        return name

    def _cell(self, value: float) -> str:
        return self.number(value).strip("()")

    def function(self, stem: str, head: str, lines: Iterable[str]) -> str:
        """A static function; in its head and lines ``@`` stands for its name."""
        name = self.fresh(stem)
        body = "\n".join(f"    {line}" if line else "" for line in lines)
        self._parts[name] = f"static {head.replace('@', name)}\n{{\n{body}\n}}"
        return name

    def text(self, public: list[str]) -> str:
        """The parts that public functions use, each before its use."""
        used: set[str] = set()
        open_ones = list(public)
        while open_ones:
            names = set(NAME.findall(open_ones.pop())) & set(self._parts)
            open_ones += [self._parts[name] for name in names - used]
            used |= names
        kept = [text for name, text in self._parts.items() if name in used]
        return "\n\n".join([*map(self._spelled, kept), *public])

    def _spelled(self, text: str) -> str:
        """Numbers and functions of the precision in use."""
        for name in ("EXP", "SQRT", "FABS", "TANH"):
            text = re.sub(rf"\b{name}\b", name.lower() + self._suffix, text)
        for name, digits in (("ZERO", "0.0"), ("ONE", "1.0")):
            text = re.sub(rf"\b{name}\b", digits + self._suffix, text)
        return text


def _braces(cells: list[str], array: NDArray[np.generic]) -> str:
    if array.ndim == 1:
        return "{\n" + _lines(cells) + "\n}"
    width = array.shape[1]
    rows = [cells[k : k + width] for k in range(0, len(cells), width)]
    return "{\n" + ",\n".join("{\n" + _lines(row) + "\n}" for row in rows) + "\n}"


def _lines(cells: list[str]) -> str:
    lines = [", ".join(cells[k : k + PER_LINE]) for k in range(0, len(cells), PER_LINE)]
    return ",\n".join(f"    {line}" for line in lines)
