// Sums over contiguous numbers, in an order that never depends on the machine.
#pragma once

#include <cstddef>

namespace mercer::active_set {

// sum_i a[i] b[i], in eight interleaved sums: independent chains fill the pipeline.
inline double dot(const double* a, const double* b, std::size_t n) {
    double sums[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (std::size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
    }
    double rest = 0.0;
    for (; i < n; ++i) rest += a[i] * b[i];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
}

// y += weight x
inline void add_scaled(double* __restrict y, double weight, const double* __restrict x,
                       std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] += weight * x[i];
}

// y += weights[0] x[0] + ... + weights[3] x[3]: one pass over y for four rows.
inline void add_four(double* __restrict y, const double* weights, const double* const* x,
                     std::size_t offset, std::size_t n) {
    const double *__restrict a = x[0] + offset, *__restrict b = x[1] + offset;
    const double *__restrict c = x[2] + offset, *__restrict d = x[3] + offset;
    const double p = weights[0], q = weights[1], r = weights[2], s = weights[3];
    for (std::size_t i = 0; i < n; ++i) y[i] += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i]);
}

// y[i] += sum_j weights[j] x[j][offset + i] for i < n, in tiles of y that stay in the first cache.
inline void add_rows(double* y, const double* weights, const double* const* x, std::size_t count,
                     std::size_t offset, std::size_t n) {
    constexpr std::size_t tile = 1024;
    for (std::size_t begin = 0; begin < n; begin += tile) {
        const std::size_t length = begin + tile < n ? tile : n - begin;
        std::size_t j = 0;
        for (; j + 4 <= count; j += 4) {
            add_four(y + begin, weights + j, x + j, offset + begin, length);
        }
        for (; j < count; ++j) add_scaled(y + begin, weights[j], x[j] + offset + begin, length);
    }
}

}  // namespace mercer::active_set
