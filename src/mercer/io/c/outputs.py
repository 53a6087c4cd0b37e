"""What the values of machines mean, as C functions."""

from __future__ import annotations

import numpy as np

from mercer.io.c.source import Source
from mercer.io.exchange.model import Decoded, OneClassValues, Output, TwoClasses, Votes

__all__ = ["chosen", "decisions"]

VALUES = "void @(const number *x, number *out)"
LABEL = "int @(const number *x)"
# Of a margin z, as in mercer.codes.
LOSSES = {
    "hamming": "z > ZERO ? ZERO : z < ZERO ? ONE : ONE / (ONE + ONE)",
    "hinge": "z < ONE ? ONE - z : ZERO",
    "squared_hinge": "z < ONE ? (ONE - z) * (ONE - z) : ZERO",
    "squared_error": "(ONE - z) * (ONE - z)",
    "exponential": "EXP(-z < -STEEP ? -STEEP : -z > STEEP ? STEEP : -z)",
}
STEEPEST = {"double": 500.0, "single": 80.0}


def decisions(source: Source, output: Output, values: str, n_values: int) -> tuple[str, int]:
    """The function of decision values, and their number."""
    match output:
        case OneClassValues():
            zero = source.number(output.zero)
            lines = [f"{values}(x, out);", f"if (FABS(out[0]) <= {zero})", "    out[0] = ZERO;"]
            return source.function("decision", VALUES, lines), 1
        case Votes() if not output.by_pairs:
            return _scores_of_votes(source, len(output.classes), values, n_values, True)
        case Decoded():
            return _scores_of_code(source, output, values, n_values)
    return values, n_values


def chosen(source: Source, output: Output, values: str, n_values: int) -> str:
    """The function of the position of the class; of one class 1 and -1."""
    if isinstance(output, OneClassValues | TwoClasses):
        name, _ = decisions(source, output, values, n_values)
        result = "value >= ZERO ? 1 : -1" if isinstance(output, OneClassValues) else "value > ZERO"
        lines = ["number value;", f"{name}(x, &value);", f"return {result};"]
        return source.function("label", LABEL, lines)
    if isinstance(output, Votes):
        n_classes, ties = len(output.classes), output.break_ties
        name, width = _scores_of_votes(source, n_classes, values, n_values, ties)
    else:
        name, width = decisions(source, output, values, n_values)
    lines = [f"number scores[{width}];", f"{name}(x, scores);", f"return largest(scores, {width});"]
    return source.function("label", LABEL, lines)


def _scores_of_votes(
    source: Source, n_classes: int, values: str, n_values: int, break_ties: bool
) -> tuple[str, int]:
    """Votes, and s / (3 (|s| + 1)) of summed values s to break ties."""
    lines = [
        f"number values[{n_values}], sums[{n_classes}] = {{ZERO}};",
        "int i, j, pair = 0;",
        f"{values}(x, values);",
        f"for (i = 0; i < {n_classes}; i++)",
        "    out[i] = ZERO;",
        f"for (i = 0; i < {n_classes}; i++)",
        f"    for (j = i + 1; j < {n_classes}; j++, pair++) {{",
        "        out[values[pair] >= ZERO ? i : j] += ONE;",
        "        sums[i] += values[pair];",
        "        sums[j] -= values[pair];",
        "    }",
    ]
    share = f"    out[i] += sums[i] / ({source.number(3.0)} * (FABS(sums[i]) + ONE));"
    ties = [f"for (i = 0; i < {n_classes}; i++)", share] if break_ties else ["(void) sums;"]
    return source.function("scores", VALUES, [*lines, *ties]), n_classes


def _scores_of_code(source: Source, output: Decoded, values: str, n_values: int) -> tuple[str, int]:
    """Negated losses of the code words (Allwein et al. 2000)."""
    steep = source.number(STEEPEST[source.precision])
    expression = LOSSES[output.loss].replace("STEEP", steep)
    loss = source.function("loss", "number @(number z)", [f"return {expression};"])
    n_classes, n_columns = output.matrix.shape
    code = source.table("code", output.matrix.astype(np.intp))
    lines = [f"number values[{n_values}];"]
    lines += [f"number mixed[{n_columns}];"] if output.mixes else []
    lines += ["int i, j;", f"{values}(x, values);"]
    name = "mixed" if output.mixes else "values"
    if output.mixes:
        lines += [
            f"for (j = 0; j < {n_columns}; j++) {{",
            "    mixed[j] = ZERO;",
            f"    for (i = 0; i < {n_classes}; i++)",
            f"        mixed[j] += {code}[i][j] > 0 ? values[i] : -values[i];",
            "}",
        ]
    lines += [
        f"for (i = 0; i < {n_classes}; i++) {{",
        "    out[i] = ZERO;",
        f"    for (j = 0; j < {n_columns}; j++) {{",
        f"        const int sign = {code}[i][j];",
        f"        out[i] -= {loss}(sign > 0 ? {name}[j] : sign < 0 ? -{name}[j] : ZERO);",
        "    }",
        "}",
    ]
    return source.function("scores", VALUES, lines), n_classes
