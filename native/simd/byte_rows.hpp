// What the per-instruction-set code offers for rows of bytes (S: std::uint8_t or std::int8_t).
//
// Inner products are sums of integers, exact in 32 bits up to `most_byte_features` features, and
// become numbers of the precision T only then (Rifkin 2002, section 2.4.3). A product of two 16-bit
// pairs is one instruction, so features come in pairs, the last padded with zero:
//     panel p holds values[((p * n_pairs + k) * panel_width + lane) * 2 + h]
//                       = x[p * panel_width + lane][2 k + h]
#pragma once

#include <cstddef>
#include <cstdint>

namespace mercer {

struct LeafParameters;

// Even the largest distance, n_features 255^2, is below 2^31.
constexpr std::size_t most_byte_features = 33025;

// Rows on the left in blocks of `left_height`, two features widened to 16 bits in each number:
// values[(block * n_pairs + k) * height + r], padded with zero rows. A single row: height 1.
struct ByteLeftRows {
    const std::int32_t* values;
    const std::int32_t* norms;  // squared
    std::size_t count;
    std::size_t n_pairs;
};

template <class S>
struct BytePanels {
    const S* values;
    const std::int32_t* norms;
    std::size_t n_pairs;
};

// As in MicroKernels (micro_kernels.hpp), for all kernels of inner products.
template <class T, class S>
struct ByteFunctions {
    std::size_t panel_width;
    std::size_t left_height;

    void (*values)(const LeafParameters&, const ByteLeftRows&, const BytePanels<S>&,
                   std::size_t first, std::size_t last, T* out, std::size_t stride);
    void (*product)(const LeafParameters&, const ByteLeftRows&, const BytePanels<S>&,
                    std::size_t first, std::size_t last, const T* weights, std::size_t n_columns,
                    double* out, std::size_t stride);
};

struct ByteFunctionSet {
    ByteFunctions<float, std::uint8_t> single_unsigned;
    ByteFunctions<float, std::int8_t> single_signed;
    ByteFunctions<double, std::uint8_t> full_unsigned;
    ByteFunctions<double, std::int8_t> full_signed;
};

template <class T, class S>
const ByteFunctions<T, S>& byte_functions(const ByteFunctionSet& set) {
    constexpr bool is_single = sizeof(T) == sizeof(float), is_signed = S(-1) < S(0);
    if constexpr (is_single && is_signed) return set.single_signed;
    else if constexpr (is_single) return set.single_unsigned;
    else if constexpr (is_signed) return set.full_signed;
    else return set.full_unsigned;
}

}  // namespace mercer
