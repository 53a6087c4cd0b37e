// What is asked of a kernel matrix that is given, in one pass over it as it is stored.
#pragma once

#include <cstddef>

namespace mercer {

struct MatrixFacts {
    bool is_finite;  // the others mean something only if it is
    double largest;  // |K_ij|
    double skew;     // |K_ij - K_ji|
    double excess;   // |K_ij| - size_i size_j, at least 0
};

// The largest of each. Entry (i, j) is matrix[i * row_stride + j * column_stride]; `size` has one
// number for each of the n rows.
template <class S>
MatrixFacts matrix_facts(const S* matrix, std::size_t n, std::ptrdiff_t row_stride,
                         std::ptrdiff_t column_stride, const double* size);

// Whether (K + K') / (2 scale) + shift I, n x n by rows, has a Cholesky factor.
bool is_nearly_definite(const double* matrix, std::size_t n, double scale, double shift);

}  // namespace mercer
