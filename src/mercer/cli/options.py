"""The options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mercer.cli.choices import Choice, ClassWeight, Kernel, Missing, Precision, SearchedKernel, Task

__all__ = [
    "DATA",
    "MACHINE",
    "RUN",
    "AsJson",
    "CRange",
    "Category",
    "ChoiceOption",
    "ClassWeightOption",
    "Coef0",
    "ColumnKinds",
    "CommandTime",
    "Cost",
    "Degree",
    "Epsilon",
    "ErrorWeight",
    "File",
    "Folds",
    "Force",
    "Gamma",
    "GammaRange",
    "Ignore",
    "Impute",
    "Keep",
    "KernelOption",
    "Libsvm",
    "MaxTime",
    "MissingOption",
    "Nu",
    "Out",
    "PrecisionOption",
    "Quiet",
    "Relevance",
    "Scale",
    "Scoring",
    "SearchedKernelOption",
    "Seed",
    "Solver",
    "Target",
    "TaskOption",
    "Test",
    "TestSize",
    "Text",
    "Threads",
    "Threshold",
    "Tol",
]

DATA = "Data"
MACHINE = "Machine"
RUN = "Run"


def _several_folds(folds: int) -> int:
    if folds == 1:
        raise typer.BadParameter("one fold leaves nothing to learn from: give 0 or 2 and more")
    return folds


File = Annotated[
    Path | None,
    typer.Argument(
        help="Table: CSV, TSV, Parquet, Arrow, Excel, ARFF, npy, npz or LIBSVM text, also "
        "compressed; - is standard input. Without it: the breast cancer example."
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help="Column to predict. Default: the one called target, label, class or y.",
        rich_help_panel=DATA,
    ),
]
TaskOption = Annotated[
    Task,
    typer.Option(
        help="What to learn. auto: texts, and whole numbers with at most 20 different values, "
        "are classes; other numbers are regression.",
        rich_help_panel=DATA,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(help="Column to leave out; may be repeated.", rich_help_panel=DATA),
]
Category = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to take as a category though it looks like numbers; may be repeated.",
        rich_help_panel=DATA,
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of texts to take the words of (TF-IDF); may be repeated.",
        rich_help_panel=DATA,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to learn from though it is unique or constant; may be repeated.",
        rich_help_panel=DATA,
    ),
]
ColumnKinds = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="NAME=KIND,...",
        help="Overrule what columns are taken for: number, category, date, text, drop.",
        rich_help_panel=DATA,
    ),
]
MissingOption = Annotated[
    Missing,
    typer.Option(
        help="Missing values. impute: median and an indicator, a category of their own; "
        "drop: leave the rows out; error: refuse them.",
        rich_help_panel=DATA,
    ),
]
Impute = Annotated[
    bool, typer.Option("--impute", help="The same as --missing impute.", rich_help_panel=DATA)
]
Scale = Annotated[
    bool,
    typer.Option("--scale/--no-scale", help="Scale numbers first.", rich_help_panel=DATA),
]
Test = Annotated[
    Path | None,
    typer.Option(help="File of rows to judge the machine by.", rich_help_panel=DATA),
]
TestSize = Annotated[
    float | None,
    typer.Option(help="Share of the rows to judge the machine by.", rich_help_panel=DATA),
]
ClassWeightOption = Annotated[
    ClassWeight,
    typer.Option(
        help="balanced: rows of rare classes weigh more.",
        rich_help_panel=MACHINE,
    ),
]
KernelOption = Annotated[Kernel, typer.Option(help="Similarity.", rich_help_panel=MACHINE)]
SearchedKernelOption = Annotated[
    SearchedKernel,
    typer.Option(help="Similarity; auto tries several.", rich_help_panel=MACHINE),
]
ErrorWeight = Annotated[
    float,
    typer.Option(
        "--C",
        help="Weight of errors.",
        rich_help_panel=MACHINE,
    ),
]
CRange = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--C-range",
        metavar="LOW HIGH",
        help="Smallest and largest C to try.",
        rich_help_panel=MACHINE,
    ),
]
ChoiceOption = Annotated[
    Choice,
    typer.Option(
        help="Which C. best: the middle (of log C) of the widest range with the fewest errors on "
        "held-out rows; one-se: of the first range within one standard error of that, a simpler "
        "machine.",
        rich_help_panel=MACHINE,
    ),
]
Gamma = Annotated[
    str,
    typer.Option(help="Kernel width: scale, auto, median or a number.", rich_help_panel=MACHINE),
]
GammaRange = Annotated[
    tuple[float, float] | None,
    typer.Option(
        metavar="LOW HIGH", help="Smallest and largest gamma to try.", rich_help_panel=MACHINE
    ),
]
Degree = Annotated[int, typer.Option(help="Degree of poly.", rich_help_panel=MACHINE)]
Coef0 = Annotated[
    float, typer.Option(help="Constant of poly and sigmoid.", rich_help_panel=MACHINE)
]
Epsilon = Annotated[
    float,
    typer.Option(
        help="Regression: error that costs nothing, a share of the spread of the target (with "
        "--no-scale in its unit).",
        rich_help_panel=MACHINE,
    ),
]
Nu = Annotated[
    float,
    typer.Option(help="Outliers: fraction of rows to flag, about.", rich_help_panel=MACHINE),
]
Tol = Annotated[float, typer.Option(help="Largest KKT violation accepted.", rich_help_panel=RUN)]
MaxTime = Annotated[
    float | None, typer.Option(help="Most seconds for one fit.", rich_help_panel=RUN)
]
CommandTime = Annotated[
    float | None,
    typer.Option(
        "--max-time",
        help="Most seconds for all of it: reading, searching, training, judging.",
        rich_help_panel=RUN,
    ),
]
Solver = Annotated[str, typer.Option(help="Solver.", rich_help_panel=RUN)]
PrecisionOption = Annotated[
    Precision, typer.Option(help="Precision of kernel values.", rich_help_panel=RUN)
]
Threads = Annotated[
    int | None, typer.Option(help="Threads. Default: all CPUs.", rich_help_panel=RUN)
]
Folds = Annotated[
    int,
    typer.Option(
        "--cv",
        min=0,
        help="Folds of cross-validation, 2 or more; 0: none.",
        callback=_several_folds,
        rich_help_panel=RUN,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the folds.", rich_help_panel=RUN)]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Model file. Default: FILE.mercer, beside FILE."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the model file if there is one.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON instead, of a documented schema.")]
Proba = Annotated[
    bool,
    typer.Option(
        "--proba", help="Keep probabilities of the classes, for predict.", rich_help_panel=RUN
    ),
]
Conformal = Annotated[
    bool,
    typer.Option(
        "--conformal",
        help="Keep what predict needs for sets of labels (--set 0.9) and intervals (--interval "
        "0.9): the machines of 5 folds.",
        rich_help_panel=RUN,
    ),
]
Libsvm = Annotated[
    str | None,
    typer.Option(
        metavar="OPTIONS",
        help='Train as svm-train does, e.g. "-s 0 -t 2 -c 10 -g 0.5", and say what it says; '
        "the model is FILE.model.",
        rich_help_panel=MACHINE,
    ),
]
Relevance = Annotated[
    bool,
    typer.Option(
        "--relevance", help="One width for each column; shows them.", rich_help_panel=MACHINE
    ),
]
Scoring = Annotated[
    str | None,
    typer.Option(
        help="Score to tune for: roc_auc, f1, balanced_accuracy, r2, ..., as scikit-learn calls "
        "them. Default: accuracy, or squared errors.",
        rich_help_panel=RUN,
    ),
]
Cost = Annotated[
    str | None,
    typer.Option(
        "--cost",
        metavar="CLASS=COST,...",
        help="Of two classes: what an error on a row of each costs, e.g. yes=10,no=1. The "
        "threshold is where rows held out by folds cost least.",
        rich_help_panel=RUN,
    ),
]
Threshold = Annotated[
    str | None,
    typer.Option(
        "--threshold",
        metavar="SCORE",
        help="Of two classes: choose the threshold for a score of labels, balanced_accuracy, "
        "f1_macro, ..., of rows held out by folds.",
        rich_help_panel=RUN,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show errors only.")]
