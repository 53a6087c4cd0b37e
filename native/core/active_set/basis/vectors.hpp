// Sums over contiguous numbers. Wider registers are used where there are any, without fused
// operations and with sums in one fixed order: the results do not depend on the machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace mercer::active_set {

// |x|; what is not finite counts as infinite, which a largest value does not lose as it does NaN.
inline double magnitude(double x) {
    return std::isfinite(x) ? std::abs(x) : std::numeric_limits<double>::infinity();
}

inline bool are_finite(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

// sum_i a[i] b[i]
double dot(const double* a, const double* b, std::size_t n);

// y += weight x
void add_scaled(double* y, double weight, const double* x, std::size_t n);

// y[i] += sum_j weights[j] x[j][offset + i] for i < n
void add_rows(double* y, const double* weights, const double* const* x, std::size_t count,
              std::size_t offset, std::size_t n);

}  // namespace mercer::active_set
