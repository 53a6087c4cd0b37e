#include "core/gram/dense_moments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>

namespace mercer {

namespace {

// Terms of each feature are added up by themselves, which leaves the compiler free to use vectors.
template <class S, class Term>
std::vector<double> feature_sums(const DenseRows<S>& rows, std::size_t step, const Term& term) {
    std::vector<double> sums(rows.n_features, 0.0);
    double* const out = sums.data();
    for (std::size_t i = 0; i < rows.n_rows; i += step) {
        const S* const x = rows.row(i);
        for (std::size_t k = 0; k < rows.n_features; ++k) out[k] += term(i, double(x[k]));
    }
    return sums;
}

double total(const std::vector<double>& sums) {
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

// An exponent of ones only, which infinity and no other numbers have, carries into the sign if one
// is added to it.
template <class S>
bool is_finite(const S* values, std::size_t count) {
    using Bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits ones = std::bit_cast<Bits>(std::numeric_limits<S>::infinity());
    constexpr Bits sign = Bits(1) << (8 * sizeof(S) - 1);
    constexpr Bits unit = sign - ones;
    Bits carried = 0;
    for (std::size_t i = 0; i < count; ++i) {
        carried |= (std::bit_cast<Bits>(values[i]) & ones) + unit;
    }
    return !(carried & sign);
}

Extent extent(const double* values, std::size_t count) {
    Extent found{values[0], values[0]};
    bool are_numbers = true;
    for (std::size_t i = 0; i < count; ++i) {
        found.least = std::min(found.least, values[i]);
        found.largest = std::max(found.largest, values[i]);
        are_numbers &= !std::isnan(values[i]);
    }
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return are_numbers ? found : Extent{none, none};
}

double absolute_sum(const double* values, std::size_t count) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += std::abs(values[i]);
    return sum;
}

template <class S>
std::vector<double> mean_row(const DenseRows<S>& rows, std::size_t step) {
    std::vector<double> mean = feature_sums(rows, step, [](std::size_t, double x) { return x; });
    const double count = double((rows.n_rows + step - 1) / step);
    for (double& value : mean) value /= count;
    return mean;
}

template <class S>
double weighted_variance(const DenseRows<S>& rows, const double* weight) {
    const double count =
        std::accumulate(weight, weight + rows.n_rows, 0.0) * double(rows.n_features);
    const auto plain = [=](std::size_t i, double x) { return weight[i] * x; };
    const double mean = total(feature_sums(rows, 1, plain)) / count;
    const auto square = [=](std::size_t i, double x) {
        return weight[i] * (x - mean) * (x - mean);
    };
    return total(feature_sums(rows, 1, square)) / count;
}

#define MERCER_INSTANTIATE(S)                                                \
    template bool is_finite(const S*, std::size_t);                          \
    template std::vector<double> mean_row(const DenseRows<S>&, std::size_t); \
    template double weighted_variance(const DenseRows<S>&, const double*);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
