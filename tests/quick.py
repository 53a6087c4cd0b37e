"""The files of the quick tier, ``pytest -m quick``: at least one of every folder, about 40 seconds
of processor time in all. Add a file only if it is cheap."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
QUICK = frozenset(
    {
        "acceptance/test_dtypes.py",
        "acceptance/test_weights.py",
        "calibration/test_maps.py",
        "cli/test_predict_and_info.py",
        "cluster/test_cluster_least_squares.py",
        "codes/test_decoding.py",
        "datasets/test_load_example.py",
        "diagnostics/test_advice.py",
        "formulations/test_relations.py",
        "formulations/test_weights.py",
        "hull/test_nearest_points.py",
        "io/test_model_file.py",
        "kernels/test_kernel_gradients.py",
        "kernels/test_kernel_values.py",
        "lab/test_mdm_is_smo.py",
        "laws/test_machine_laws.py",
        "laws/test_solver_laws.py",
        "least_squares/test_leave_one_out.py",
        "lowrank/test_incomplete_cholesky.py",
        "machines/least_squares/test_machines.py",
        "machines/test_losses.py",
        "machines/test_machines.py",
        "multiclass/test_all_in_one_problems.py",
        "online/test_stream_laws.py",
        "parity/test_policy_parity.py",
        "paths/test_path_laws.py",
        "predictions/test_out_of_sample.py",
        "plots/test_displays.py",
        "report/test_page.py",
        "selection/test_definitions.py",
        "selection/test_values.py",
        "solvers/linear_system/test_systems.py",
        "solvers/test_smo.py",
        "tables/test_tables.py",
        "test_gram.py",
        "test_import_direction.py",
        "test_problem.py",
        "test_quick_tier.py",
        "test_references.py",
        "test_walks.py",
        "test_words.py",
        "training/test_training_set.py",
    }
)


def is_quick(path: Path) -> bool:
    return path.is_relative_to(TESTS) and path.relative_to(TESTS).as_posix() in QUICK
