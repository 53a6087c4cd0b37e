// Sums over contiguous numbers, by the instruction set in use (simd/vectors.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/infinity.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::active_set {

// |x|; what is not finite counts as infinite, which a largest value does not lose as it does NaN.
inline double magnitude(double x) {
    return std::isfinite(x) ? std::abs(x) : infinity;
}

inline bool are_finite(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

// sum_i a[i] b[i]
inline double dot(const double* a, const double* b, std::size_t n) {
    return instruction_set().vectors->dot(a, b, n);
}

// y += weight x
inline void add_scaled(double* y, double weight, const double* x, std::size_t n) {
    instruction_set().vectors->add_scaled(y, weight, x, n);
}

// y[i] += sum_j weights[j] x[j][offset + i] for i < n
inline void add_rows(double* y, const double* weights, const double* const* x, std::size_t count,
                     std::size_t offset, std::size_t n) {
    instruction_set().vectors->add_rows(y, weights, x, count, offset, n);
}

}  // namespace mercer::active_set
