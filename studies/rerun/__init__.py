"""The studies that compute tables of the sources at the sources' own sizes."""

from studies.rerun import (
    glasmachers_online,
    glasmachers_planning,
    glasmachers_selection,
    glasmachers_strategies,
    glasmachers_walks,
    lazaro,
    rifkin_codes,
    rifkin_text,
    sentelle_accuracy,
    sentelle_low_rank,
    sentelle_paths,
    sentelle_toy,
    sentelle_training,
    sizes,
)

MODULES = (
    glasmachers_selection,
    glasmachers_walks,
    glasmachers_planning,
    glasmachers_online,
    glasmachers_strategies,
    sentelle_training,
    sentelle_toy,
    sentelle_low_rank,
    sentelle_paths,
    sentelle_accuracy,
    rifkin_codes,
    rifkin_text,
    lazaro,
    sizes,
)
STUDIES = {study.name: study for module in MODULES for study in module.STUDIES}
