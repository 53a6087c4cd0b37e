// Rows appended to a Cholesky factor, and triangular systems solved for many rows at a time.
//
// A row x of `rows` stands for the solution of L x' = b', where b is what it held before.
// Left-looking: columns are finished a vector at a time, from inner products of what is finished of
// the rows and of the factor, which both lie in neighbouring numbers.
#pragma once

#include <cmath>
#include <cstddef>

#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

// Summed in four vectors that do not wait for each other.
template <class T>
static T inner_product(const T* a, const T* b, std::size_t count) {
    constexpr std::size_t lanes = Lanes<T>::count;
    Vector<T> sums[4]{};
    std::size_t k = 0;
    for (; k + 4 * lanes <= count; k += 4 * lanes) {
        for (std::size_t i = 0; i < 4; ++i) {
            sums[i] += load<T>(a + k + i * lanes) * load<T>(b + k + i * lanes);
        }
    }
    for (; k + lanes <= count; k += lanes) sums[0] += load<T>(a + k) * load<T>(b + k);
    const Vector<T> whole = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    T sum = 0;
    for (; k < count; ++k) sum += a[k] * b[k];
    for (std::size_t i = 0; i < lanes; ++i) sum += whole[i];
    return sum;
}

// The corner of the factor at columns [k, k + lanes): columns below the diagonal, and one over it.
template <class T>
struct CornerColumns {
    static constexpr std::size_t lanes = Lanes<T>::count;
    Vector<T> below[lanes];
    T inverse[lanes];

    CornerColumns(const T* factor, std::size_t stride, std::size_t k) {
        for (std::size_t b = 0; b < lanes; ++b) {
            below[b] = Vector<T>{};
            inverse[b] = T(1) / factor[(k + b) * stride + k + b];
            for (std::size_t c = b + 1; c < lanes; ++c) {
                below[b][c] = factor[(k + c) * stride + k + b];
            }
        }
    }
};

// sums[r * lanes + c] = inner product over [first, last) of row r and of row c of the factor, for
// two of those.
template <class T, std::size_t n_rows>
static inline void multiply_two(const T* rows, std::size_t row_stride, const T* factor,
                                std::size_t stride, std::size_t first, std::size_t last, T* sums) {
    constexpr std::size_t lanes = Lanes<T>::count;
    Vector<T> parts[n_rows][2]{};
    for (std::size_t j = first; j < last; j += lanes) {
        const Vector<T> left = load<T>(factor + j), right = load<T>(factor + stride + j);
        for (std::size_t r = 0; r < n_rows; ++r) {
            const Vector<T> x = load<T>(rows + r * row_stride + j);
            parts[r][0] += x * left;
            parts[r][1] += x * right;
        }
    }
    for (std::size_t r = 0; r < n_rows; ++r) {
        for (std::size_t c = 0; c < 2; ++c) {
            T sum = 0;
            for (std::size_t i = 0; i < lanes; ++i) sum += parts[r][c][i];
            sums[r * lanes + c] = sum;
        }
    }
}

// Finishes columns [k, k + lanes) of some rows; `first` and k are whole vectors.
template <class T, std::size_t n_rows>
static inline void solve_columns(const CornerColumns<T>& corner, const T* factor,
                                 std::size_t stride, std::size_t first, std::size_t k, T* rows,
                                 std::size_t row_stride) {
    constexpr std::size_t lanes = Lanes<T>::count;
    T sums[n_rows * lanes];
    for (std::size_t c = 0; c < lanes; c += 2) {
        multiply_two<T, n_rows>(rows, row_stride, factor + (k + c) * stride, stride, first, k,
                                sums + c);
    }
    Vector<T> values[n_rows];
    for (std::size_t r = 0; r < n_rows; ++r) {
        values[r] = load<T>(rows + r * row_stride + k) - load<T>(sums + r * lanes);
    }
    for (std::size_t b = 0; b < lanes; ++b) {
        for (std::size_t r = 0; r < n_rows; ++r) {
            const T x = values[r][b] * corner.inverse[b];
            values[r] -= splat<T>(x) * corner.below[b];
            rows[r * row_stride + k + b] = x;
        }
    }
}

template <class T>
static void solve_column(const T* factor, std::size_t stride, std::size_t first, std::size_t k,
                         T* rows, std::size_t row_stride, std::size_t count) {
    const T* pivot_row = factor + k * stride;
    for (std::size_t r = 0; r < count; ++r) {
        T* row = rows + r * row_stride;
        row[k] = (row[k] - inner_product(pivot_row + first, row + first, k - first)) / pivot_row[k];
    }
}

// Finishes columns [begin, end) of the rows. Those before `begin` are finished, and zero before
// `first`, a whole number of vectors.
template <class T>
static void solve_rows(const T* factor, std::size_t stride, std::size_t first, std::size_t begin,
                       std::size_t end, T* rows, std::size_t row_stride, std::size_t count) {
    constexpr std::size_t lanes = Lanes<T>::count;
    // So many rows stay in the nearest cache while the factor passes by.
    constexpr std::size_t together = 16, tile = 4;
    for (; count > together; count -= together, rows += together * row_stride) {
        solve_rows(factor, stride, first, begin, end, rows, row_stride, together);
    }
    std::size_t k = begin;
    for (; k < end && k % lanes; ++k) {
        solve_column(factor, stride, first, k, rows, row_stride, count);
    }
    for (; k + lanes <= end; k += lanes) {
        const CornerColumns<T> corner(factor, stride, k);
        std::size_t r = 0;
        for (; r + tile <= count; r += tile) {
            solve_columns<T, tile>(corner, factor, stride, first, k, rows + r * row_stride,
                                   row_stride);
        }
        for (; r < count; ++r) {
            solve_columns<T, 1>(corner, factor, stride, first, k, rows + r * row_stride,
                                row_stride);
        }
    }
    for (; k < end; ++k) solve_column(factor, stride, first, k, rows, row_stride, count);
}

// Goes on from a factor of the first `from` rows: false if a pivot is not positive.
template <class T>
static bool append(T* a, std::size_t stride, std::size_t from, std::size_t n) {
    solve_rows(a, stride, 0, 0, from, a + from * stride, stride, n - from);
    for (std::size_t k = from; k < n; ++k) {
        T* row = a + k * stride;
        const T left = row[k] - inner_product(row, row, k);
        if (!(left > T(0))) return false;
        row[k] = std::sqrt(left);
        solve_column(a, stride, 0, k, row + stride, stride, n - k - 1);
    }
    return true;
}

}  // namespace MERCER_ISA
}  // namespace mercer
