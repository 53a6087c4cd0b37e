"""SMO, RCH-MDM and RCH-GSK on the benchmark of Raetsch (Lopez Lazaro 2011, tables 5.2 to 5.5).

The official splits are not at hand: random splits of the same sizes. flare has other labels in the
file we have and is left out.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from studies.hulls import SETTINGS, compare
from studies.study import Column, Results, Row, Study

# Printed means of SMO, RCH-MDM and RCH-GSK: errors, support vectors, iterations, kernel operations.
PRINTED = {
    "titanic": ((22.6, 22.9, 22.7), (68.2, 113.6, 144.7), (116.9, 123.3, 9552.8),
                (35.7, 37.4, 54086.0)),
    "heart": ((15.9, 16.1, 16.1), (82.5, 82.5, 93.7), (108.8, 211.8, 241.1), (37.5, 72.7, 2241.4)),
    "breast-cancer": ((26.3, 29.4, 31.2), (116.7, 115.3, 149.6), (494.7, 748.4, 1500.4),
                      (200.3, 301.6, 21099.9)),
    "thyroid": ((4.4, 4.8, 4.3), (25.1, 25.1, 76.0), (134.6, 224.1, 999.3), (38.3, 63.4, 773.4)),
    "diabetis": ((23.5, 23.9, 23.9), (264.9, 265.2, 280.8), (236.1, 537.7, 336.1),
                 (222.3, 504.9, 30342.5)),
    "splice": ((10.8, 10.9, 10.9), (602.1, 627.6, 943.1), (955.2, 1208.4, 14093.0),
               (1915.3, 2420.3, 17164.0)),
    "image": ((3.4, 4.8, 27.5), (173.8, 138.5, 356.0), (5944.9, 12601.1, 16913.8),
              (15488.8, 32800.7, 887780.8)),
    "german": ((23.6, 24.3, 25.0), (400.8, 408.9, 443.8), (604.8, 1065.9, 940.2),
               (849.8, 1495.4, 170476.3)),
    "banana": ((12.1, 17.9, 21.1), (114.7, 95.7, 173.1), (7201.9, 35809.3, 34688.5),
               (5801.4, 28754.8, 498675.2)),
    "ringnorm": ((1.7, 1.7, 1.7), (150.3, 152.2, 400.0), (207.0, 368.1, 5518.8),
                 (166.6, 295.6, 2218.5)),
    "twonorm": ((3.0, 3.0, 3.0), (74.4, 75.0, 98.4), (180.7, 440.3, 765.4), (145.5, 353.5, 6967.9)),
    "waveform": ((9.9, 9.9, 9.9), (160.0, 161.0, 193.2), (176.9, 430.0, 404.1),
                 (142.5, 345.3, 13563.8)),
}  # fmt: skip
DRAWS = 10
# Positions in what hulls.compare returns of each solver: iterations, thousands of kernel values
# asked for, those computed, support vectors, error, distance from the optimum.
TABLES = {
    "Lopez Lazaro 2011, table 5.2": 4,
    "Lopez Lazaro 2011, table 5.3": 3,
    "Lopez Lazaro 2011, table 5.4": 0,
    "Lopez Lazaro 2011, table 5.5": 1,
}


def run(data: Path) -> Results:
    found: dict[str, list[Row]] = {table: [] for table in TABLES}
    for name, printed in PRINTED.items():
        draws = [compare(SETTINGS[name], seed, data, 1e-6) for seed in range(DRAWS)]
        means = np.mean(draws, axis=0)
        for (table, position), numbers in zip(TABLES.items(), printed, strict=True):
            ours = [round(float(mean[position]), 1) for mean in means]
            found[table].append(Row(name, numbers, ours))
    return found


def columns(first: str, last: str) -> tuple[Column, ...]:
    return Column("SMO", first), Column("RCH-MDM", first), Column("RCH-GSK", last)


STUDIES = (
    Study(
        "hulls",
        {
            "Lopez Lazaro 2011, table 5.2": columns("2.5", "2.5"),
            "Lopez Lazaro 2011, table 5.3": columns("10 %", ""),
            "Lopez Lazaro 2011, table 5.4": columns("20 %", ""),
            "Lopez Lazaro 2011, table 5.5": columns("20 %", ""),
        },
        ("titanic", "heart", "breast_cancer_ljubljana", "thyroid_new", "diabetes", "splice",
         "raetsch_image", "raetsch_german", "banana"),
        300,
        f"Means over {DRAWS} random splits of the source's sizes (its own are not at hand), "
        "standardised by the training rows; C and sigma of the source, first order, all stop when "
        "a step changes the dual value by less than a millionth, RCH-MDM not by a step that a "
        "bound cuts short. RCH-GSK is shown, not judged: where it stops is an accident.",
        run,
        ("hulls.py",),
    ),
)  # fmt: skip
