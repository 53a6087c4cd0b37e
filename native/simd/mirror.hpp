// The lower half of a symmetric matrix from the upper one, a tile of vectors at a time.
#pragma once

#include <utility>

#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

// The lanes of both in turn: those of the first halves, and those of the second halves.
template <class T, std::size_t... lane>
static inline Vector<T> interleave_first(Vector<T> a, Vector<T> b, std::index_sequence<lane...>) {
    return __builtin_shufflevector(a, b, (lane / 2 + lane % 2 * sizeof...(lane))...);
}

template <class T, std::size_t... lane>
static inline Vector<T> interleave_second(Vector<T> a, Vector<T> b, std::index_sequence<lane...>) {
    constexpr std::size_t half = sizeof...(lane) / 2;
    return __builtin_shufflevector(a, b, (half + lane / 2 + lane % 2 * sizeof...(lane))...);
}

// to[c][r] = from[r][c] for a tile of as many rows and columns as a vector has lanes. Interleaving
// row k with row k + lanes / 2 moves a bit of the row to the column: done for each bit, rows have
// become columns.
template <class T>
static inline void transpose_tile(const T* from, std::size_t from_stride, T* to,
                                  std::size_t to_stride) {
    constexpr std::size_t lanes = Lanes<T>::count;
    constexpr auto all = std::make_index_sequence<lanes>();
    Vector<T> rows[lanes];
    for (std::size_t k = 0; k < lanes; ++k) rows[k] = load<T>(from + k * from_stride);
    for (std::size_t bit = 1; bit < lanes; bit *= 2) {
        Vector<T> next[lanes];
        for (std::size_t k = 0; k < lanes / 2; ++k) {
            next[2 * k] = interleave_first<T>(rows[k], rows[k + lanes / 2], all);
            next[2 * k + 1] = interleave_second<T>(rows[k], rows[k + lanes / 2], all);
        }
        for (std::size_t k = 0; k < lanes; ++k) rows[k] = next[k];
    }
    for (std::size_t k = 0; k < lanes; ++k) store<T>(to + k * to_stride, rows[k]);
}

// matrix[c][r] = matrix[r][c] for rows r in [begin, end) and columns c in [end, last).
template <class T>
static void mirror(T* matrix, std::size_t stride, std::size_t begin, std::size_t end,
                   std::size_t last) {
    constexpr std::size_t lanes = Lanes<T>::count;
    std::size_t c = end;
    for (; c + lanes <= last; c += lanes) {
        std::size_t r = begin;
        for (; r + lanes <= end; r += lanes) {
            transpose_tile(matrix + r * stride + c, stride, matrix + c * stride + r, stride);
        }
        for (std::size_t i = c; i < c + lanes; ++i) {
            for (std::size_t j = r; j < end; ++j) matrix[i * stride + j] = matrix[j * stride + i];
        }
    }
    for (; c < last; ++c) {
        for (std::size_t r = begin; r < end; ++r) matrix[c * stride + r] = matrix[r * stride + c];
    }
}

}  // namespace MERCER_ISA
}  // namespace mercer
