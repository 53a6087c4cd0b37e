// Sums over contiguous numbers, for one instruction set.
//
// Compiled without fused operations, and summed in one fixed order: results do not depend on the
// instruction set.
#pragma once

#include <cstddef>

namespace mercer {

struct VectorFunctions {
    // sum_i a[i] b[i]
    double (*dot)(const double* a, const double* b, std::size_t n);
    // y += weight x
    void (*add_scaled)(double* y, double weight, const double* x, std::size_t n);
    // y[i] += sum_j weights[j] x[j][offset + i] for i < n
    void (*add_rows)(double* y, const double* weights, const double* const* x, std::size_t count,
                     std::size_t offset, std::size_t n);
};

}  // namespace mercer
