"""Code matrices: what every code must be, and what each of them is known for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.codes import OutputCode, make_code
from mercer.codes.making import CODES, as_code


def separation_by_hand(matrix: np.ndarray) -> float:
    n = len(matrix)
    return min(
        float((1 - matrix[r].astype(int) * matrix[s]).sum() / 2) for r in range(n) for s in range(r)
    )


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8, 11])
def test_every_code_can_be_trained_and_told_apart(name: str, n: int) -> None:
    code = make_code(name, n, n_draws=50) if name in ("dense", "sparse") else make_code(name, n)
    matrix = code.matrix
    assert matrix.shape[0] == code.n_classes == n
    assert set(np.unique(matrix)) <= {-1, 0, 1}
    assert ((matrix == 1).any(axis=0) & (matrix == -1).any(axis=0)).all()
    assert len(np.unique(matrix, axis=0)) == n
    assert code.row_separation == separation_by_hand(matrix)
    assert code.has_zeros == (name in ("one-vs-one", "sparse") and n > 2 and 0 in matrix)
    # no machine is trained twice
    assert code.column_separation > 0


@pytest.mark.parametrize(("n", "dense", "sparse"), [(6, 26, 39), (10, 34, 50), (20, 44, 65)])
def test_sizes_and_separations_of_the_sources(n: int, dense: int, sparse: int) -> None:
    assert make_code("dense", n, n_draws=2).n_columns == dense
    assert make_code("sparse", n, n_draws=2).n_columns == sparse
    assert make_code("one-vs-all", n).row_separation == 2
    pairs = make_code("one-vs-one", n)
    assert pairs.n_columns == n * (n - 1) // 2
    assert pairs.row_separation == (pairs.n_columns + 1) / 2


@pytest.mark.parametrize("n", [3, 4, 7, 10])
def test_all_splits_occur_once(n: int) -> None:
    code = make_code("complete", n)
    assert code.n_columns == 2 ** (n - 1) - 1
    assert code.row_separation == code.largest_separation == 2 ** (n - 2)
    turned = code.matrix * code.matrix[0]
    assert len(np.unique(turned, axis=1).T) == code.n_columns


@pytest.mark.parametrize("n", [3, 5, 8, 9, 33, 64])
def test_rows_of_a_hadamard_code_are_equidistant(n: int) -> None:
    code = make_code("hadamard", n)
    bits = int(np.ceil(np.log2(n)))
    assert code.n_columns == 2**bits - 1
    assert code.is_equidistant
    assert code.row_separation == 2 ** (bits - 1)


def test_words_of_the_bch_code() -> None:
    """BCH(63, 7): roots alpha^1 ... alpha^30 of alpha with alpha^6 = alpha + 1 (or its inverse)."""
    matrix = make_code("bch", 128).matrix
    assert matrix.shape == (128, 63)
    bits = (matrix == 1).astype(int)
    distances = {int((a != b).sum()) for k, a in enumerate(bits) for b in bits[:k]}
    assert distances == {31, 32, 63}
    even = {tuple(word) for word in bits[:64]}
    assert make_code("bch", 64).is_equidistant
    words = {tuple(word) for word in bits}
    # linear and cyclic, and every word obeys the recurrence or is the complement of one that does
    assert all(tuple(np.bitwise_xor(a, b)) in words for a in bits[:8] for b in bits)
    assert all(tuple(np.roll(word, 1)) in words for word in bits)
    for word in even:
        w = np.array(word)
        np.testing.assert_array_equal(np.roll(w, -6), (w + np.roll(w, -1)) % 2)


def test_few_classes_of_the_bch_code_are_all_splits() -> None:
    for n in range(2, 8):
        np.testing.assert_array_equal(make_code("bch", n).matrix, make_code("complete", n).matrix)


def test_random_codes_are_seeded_and_the_best_of_many() -> None:
    a, b, c = (make_code("dense", 12, n_draws=200, random_state=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(a.matrix, b.matrix)
    assert not np.array_equal(a.matrix, c.matrix)
    for name in ("dense", "sparse"):
        few, many = (make_code(name, 12, n_draws=k).row_separation for k in (1, 3000))
        assert many > few


def test_a_random_code_that_wants_more_columns_than_there_are_gets_all() -> None:
    assert make_code("dense", 4).n_columns == 7
    # 602 usable columns of 6 classes, 301 up to their sign
    assert make_code("sparse", 6, n_columns=1000).n_columns == 301
    assert make_code("sparse", 6, n_columns=290, n_draws=3).column_separation > 0


def test_half_of_a_sparse_code_is_zero() -> None:
    listed = [make_code("sparse", 6, n_draws=1, random_state=s).matrix for s in range(60)]
    drawn = [make_code("sparse", 20, n_draws=1, random_state=s).matrix for s in range(20)]
    # of usable columns only, which are fuller
    assert 0.40 < np.mean([(m == 0).mean() for m in listed]) < 0.48
    assert 0.47 < np.mean([(m == 0).mean() for m in drawn]) < 0.53


def test_usual_codes_are_the_same_each_time() -> None:
    assert as_code("dense", 9) is as_code("dense", 9)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 6), st.integers(1, 6), st.integers(0, 10**6))
def test_a_given_matrix_is_taken_or_refused_for_a_reason(n: int, f: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).integers(-1, 2, size=(n, f))
    can_train = ((matrix == 1).any(axis=0) & (matrix == -1).any(axis=0)).all()
    tells = len(np.unique(matrix, axis=0)) == n and matrix.any(axis=1).all()
    if can_train and tells:
        code = as_code(matrix.astype(float), n)
        assert code.matrix.dtype == np.int8
        assert code.row_separation == separation_by_hand(matrix)
    else:
        with pytest.raises(ValueError, match="code must"):
            as_code(matrix, n)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ova", "one of"),
        ([[1, 2], [-1, 1]], "entries -1, 0 and 1, got 2"),
        ([[1.0, np.nan], [-1, 1]], "entries"),
        ([["a"], ["b"]], "entries"),
        (np.array([[1, None], [-1, 1]], dtype=object), "entries -1, 0 and 1, got nan"),
        ([1, -1], "matrix"),
        ([[1, 1], [-1, 1]], "column 1"),
        ([[1, 1], [1, 1], [-1, -1]], "equal rows 0 and 1"),
        ([[1], [0], [-1]], "row 1"),
    ],
)
def test_wrong_codes_are_named(code: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_code(code, 3)


def test_a_matrix_of_objects_is_its_numbers() -> None:
    matrix = make_code("sparse", 4).matrix
    np.testing.assert_array_equal(as_code(matrix.astype(object), 4).matrix, matrix)


def test_wrong_sizes_are_named() -> None:
    with pytest.raises(ValueError, match="each of the 4 classes, got 3 rows"):
        as_code(make_code("hadamard", 3), 4)
    with pytest.raises(ValueError, match="up to 14 classes"):
        make_code("complete", 15)
    with pytest.raises(ValueError, match="up to 128 classes"):
        make_code("bch", 129)
    with pytest.raises(ValueError, match="n_columns must be None"):
        make_code("bch", 12, n_columns=5)
    with pytest.raises(ValueError, match="at least 4"):
        make_code("dense", 12, n_columns=3)
    with pytest.raises(ValueError, match="n_classes must be at least 2"):
        make_code("dense", 1)
    with pytest.raises(TypeError, match="n_draws"):
        make_code("dense", 12, n_draws=1.5)  # type: ignore[arg-type]


def test_a_code_cannot_be_changed_behind_its_back() -> None:
    matrix = np.array([[1, -1], [-1, 1]])
    code = OutputCode(matrix)
    matrix[:] = 0
    assert code.matrix[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        code.matrix[0, 0] = 0
