// Cholesky factors and triangular systems, for one instruction set.
#pragma once

#include <cstddef>

namespace mercer {

// Lower triangles, rows of which are `stride` apart.
template <class T>
struct FactorFunctions {
    std::size_t block;
    // The Cholesky factor in place of the n x n matrix `a`; `packed` has room for block * n
    // numbers. false if the matrix is not positive definite.
    bool (*cholesky)(T* a, std::size_t stride, std::size_t n, T* packed);
    // The same, going on from the factor of the first `from` rows and columns.
    bool (*append)(T* a, std::size_t stride, std::size_t from, std::size_t n);
    // x <- L^-1 x for each x of `rows`, in columns [begin, end): those before are done, and zero
    // before `first`, a multiple of 16.
    void (*solve_rows)(const T* factor, std::size_t stride, std::size_t first, std::size_t begin,
                       std::size_t end, T* rows, std::size_t row_stride, std::size_t count);
    // x <- L^-1 x and x <- L'^-1 x
    void (*solve_lower)(const T* factor, std::size_t stride, std::size_t n, T* x);
    void (*solve_upper)(const T* factor, std::size_t stride, std::size_t n, T* x);
    T (*inner_product)(const T* a, const T* b, std::size_t count);
};

}  // namespace mercer
