// The sums of vectors.hpp, compiled once per instruction set.

#include "simd/vectors.hpp"

namespace mercer {
namespace MERCER_ISA {

// Eight interleaved sums: independent sums fill the pipeline.
static double dot(const double* a, const double* b, std::size_t n) {
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

static void add_scaled(double* __restrict y, double weight, const double* __restrict x,
                       std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] += weight * x[i];
}

// In tiles of y that stay in the second cache, so long that each row is read in long runs; eight
// rows for each pass over a tile, then four, two, one.
static void add_rows(double* y, const double* weights, const double* const* x, std::size_t count,
                     std::size_t offset, std::size_t n) {
    constexpr std::size_t tile = 4096;
    for (std::size_t begin = 0; begin < n; begin += tile) {
        const std::size_t length = begin + tile < n ? tile : n - begin;
        const std::size_t first = offset + begin;
        double* __restrict out = y + begin;
        std::size_t j = 0;
        for (; j + 8 <= count; j += 8) {
            const double *a = x[j] + first, *b = x[j + 1] + first, *c = x[j + 2] + first,
                         *d = x[j + 3] + first, *e = x[j + 4] + first, *f = x[j + 5] + first,
                         *g = x[j + 6] + first, *h = x[j + 7] + first;
            const double* w = weights + j;
            const double p = w[0], q = w[1], r = w[2], s = w[3], t = w[4], u = w[5], v = w[6],
                         z = w[7];
            for (std::size_t i = 0; i < length; ++i) {
                out[i] += ((p * a[i] + q * b[i]) + (r * c[i] + s * d[i])) +
                          ((t * e[i] + u * f[i]) + (v * g[i] + z * h[i]));
            }
        }
        if (j + 4 <= count) {
            const double *a = x[j] + first, *b = x[j + 1] + first, *c = x[j + 2] + first,
                         *d = x[j + 3] + first;
            const double p = weights[j], q = weights[j + 1], r = weights[j + 2], s = weights[j + 3];
            for (std::size_t i = 0; i < length; ++i) {
                out[i] += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i]);
            }
            j += 4;
        }
        if (j + 2 <= count) {
            const double *a = x[j] + first, *b = x[j + 1] + first;
            const double p = weights[j], q = weights[j + 1];
            for (std::size_t i = 0; i < length; ++i) out[i] += p * a[i] + q * b[i];
            j += 2;
        }
        for (; j < count; ++j) add_scaled(out, weights[j], x[j] + first, length);
    }
}

extern const VectorFunctions vector_functions;
const VectorFunctions vector_functions = {dot, add_scaled, add_rows};

}  // namespace MERCER_ISA
}  // namespace mercer
