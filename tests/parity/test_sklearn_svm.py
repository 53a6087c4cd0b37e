"""scikit-learn's own svm tests, run on mercer's machines.

Those that are left out assert a documented difference or a private attribute; each is named in
docs/differences.md.
"""

from pathlib import Path

import pytest
from sklearn_suite import load_suite

# Name of the test -> key phrase of the documented difference.
DIFFERENCES = {
    "test_negative_sample_weights_mask_all_samples": "negative weights",
    "test_negative_weights_svc_leave_just_one_label": "negative weights",
    "test_negative_weights_svc_leave_two_labels": "negative weights",
    "test_negative_weight_equal_coeffs": "negative weights",
    "test_bad_input": "sparse rows",
    "test_svc_nonfinite_params": "overflow",
    "test_svc_invalid_break_ties_param": "break_ties",
    "test_svc_ovr_tie_breaking": "break_ties",
    "test_custom_kernel_not_array_input": "blocks",
    "test_svr_errors": "wrong shape",
    "test_tweak_params": "private",
    "test_svc_raises_error_internal_representation": "private",
    "test_svc_nusvc_probA_probB_deprecated": "probA_",
    "test_svc": "one sample",
}
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def global_random_seed():
    return 0


for _file in ("test_svm.py", "test_sparse.py"):
    for _name, _test in load_suite(_file).items():
        if _name.startswith("test_") and _name not in DIFFERENCES:
            globals()[f"{_name}_of_{_file.removesuffix('.py')}"] = _test


@pytest.mark.parametrize("phrase", sorted(set(DIFFERENCES.values())))
def test_differences_are_documented(phrase):
    page = Path(__file__).parents[2] / "docs" / "differences.md"
    assert phrase in page.read_text()
