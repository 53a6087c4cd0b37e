"""
Texts classified as they are
============================

The kernel is a Python function of two lists of strings: two texts are similar if they share groups
of three letters.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from mercer import SVC
from mercer.kernels import FunctionKernel, Normalized

ENGLISH = "the mill stands by the river|where is the bread and the salt|she went through the wood"
GERMAN = "die muehle steht am fluss|wo ist das brot und das salz|sie ging durch den wald"
NEW = ["the bread is in the mill", "das brot ist in der muehle"]


def groups(text: str) -> Counter[str]:
    return Counter(text[i : i + 3] for i in range(len(text) - 2))


def shared_groups(left: list[str], right: list[str]) -> np.ndarray:
    rows, columns = ([groups(text) for text in texts] for texts in (left, right))
    return np.array([[sum(a[g] * b[g] for g in a) for b in columns] for a in rows])


texts = [*ENGLISH.split("|"), *GERMAN.split("|")]
languages = ["English"] * 3 + ["German"] * 3

machine = SVC(C=10.0, kernel=Normalized(FunctionKernel(shared_groups))).fit(texts, languages)
for text, language in zip(NEW, machine.predict(NEW), strict=True):
    print(f"{language:8} {text}")
print(f"KKT violation {machine.violation_:.1e}, relative gap {machine.dual_gap_:.1e}")
