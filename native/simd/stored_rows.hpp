// Sums of rows of kernel values that are stored, in the order of the fused product of
// micro_kernels.cpp.
#pragma once

#include <cstddef>

#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

// out[j] += sum_r rows[r][j] weights[r * apart] for the columns j in [begin, end).
template <class T>
static void add_some(const T* const* rows, std::size_t n_rows, std::size_t begin, std::size_t end,
                     const T* weights, std::size_t apart, double* out) {
    constexpr std::size_t lanes = Lanes<T>::count;
    for (std::size_t j = begin; j < end; j += lanes) {
        const std::size_t used = end - j < lanes ? end - j : lanes;
        Vector<T> sum{};
        for (std::size_t r = 0; r < n_rows; ++r) {
            sum += splat<T>(weights[r * apart]) * load_some<T>(rows[r] + j, used);
        }
        for (std::size_t k = 0; k < used; ++k) out[j + k] += double(sum[k]);
    }
}

// The same of a whole block of rows, as far as there are whole vectors of columns; returns where
// those end.
template <class T, int height>
static inline std::size_t add_block(const T* const* rows, std::size_t begin, std::size_t end,
                                    const T* weights, std::size_t apart, double* out) {
    constexpr std::size_t lanes = Lanes<T>::count;
    const T* row[height];
    Vector<T> weight[height];
    for (int r = 0; r < height; ++r) {
        row[r] = rows[r];
        weight[r] = splat<T>(weights[std::size_t(r) * apart]);
    }
    std::size_t j = begin;
    for (; j + lanes <= end; j += lanes) {
        Vector<T> sum{};
#pragma GCC unroll 16
        for (int r = 0; r < height; ++r) sum += weight[r] * load<T>(row[r] + j);
        add_to(out + j, sum);
    }
    return j;
}

// Columns are visited in tiles whose sums stay in the first-level cache.
template <class T, int height>
static void add_product(const T* const* rows, std::size_t n_rows, std::size_t columns,
                        const T* weights, std::size_t n_columns, double* out, std::size_t stride) {
    constexpr std::size_t block = height, tile = 1024;
    for (std::size_t begin = 0; begin < columns; begin += tile) {
        const std::size_t end = columns - begin < tile ? columns : begin + tile;
        for (std::size_t row = 0; row < n_rows; row += block) {
            const std::size_t count = n_rows - row < block ? n_rows - row : block;
            for (std::size_t c = 0; c < n_columns; ++c) {
                const T* w = weights + row * n_columns + c;
                const std::size_t from = count == block
                                             ? add_block<T, height>(rows + row, begin, end, w,
                                                                    n_columns, out + c * stride)
                                             : begin;
                add_some(rows + row, count, from, end, w, n_columns, out + c * stride);
            }
        }
    }
}

}  // namespace MERCER_ISA
}  // namespace mercer
