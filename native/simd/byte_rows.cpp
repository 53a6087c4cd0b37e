// The micro-kernels of byte_rows.hpp, compiled once per instruction set (MERCER_ISA names it).

#include "simd/byte_rows.hpp"

#include <cassert>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "simd/finish.hpp"

namespace mercer {
namespace MERCER_ISA {

typedef std::int32_t Ints __attribute__((vector_size(MERCER_VECTOR_BYTES)));
typedef std::uint32_t Unsigneds __attribute__((vector_size(MERCER_VECTOR_BYTES)));
typedef std::int16_t Shorts __attribute__((vector_size(MERCER_VECTOR_BYTES)));
typedef std::int32_t HalfInts __attribute__((vector_size(MERCER_VECTOR_BYTES / 2)));

constexpr int lanes = MERCER_VECTOR_BYTES / sizeof(std::int32_t);
constexpr int width = 2 * lanes;

// The bytes of a vector of lanes, a pair of features each, widened. GCC 12 would do so by halves.
template <class S>
static inline Shorts load_pairs(const S* p) {
    [[maybe_unused]] constexpr bool is_signed = S(-1) < S(0);
#if MERCER_VECTOR_BYTES == 64 && defined(__AVX512BW__)
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return (Shorts)(is_signed ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes));
#elif MERCER_VECTOR_BYTES == 32 && defined(__AVX2__)
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return (Shorts)(is_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes));
#else
    typedef S Bytes __attribute__((vector_size(MERCER_VECTOR_BYTES / 2), aligned(1)));
    return __builtin_convertvector(*reinterpret_cast<const Bytes*>(p), Shorts);
#endif
}

static inline Ints load_ints(const std::int32_t* p) {
    typedef std::int32_t Unaligned __attribute__((vector_size(MERCER_VECTOR_BYTES), aligned(4)));
    return *reinterpret_cast<const Unaligned*>(p);
}

// a0 b0 + a1 b1 of the pairs in each lane.
static inline Ints multiply_pairs(Shorts a, Shorts b) {
#if MERCER_VECTOR_BYTES == 64 && defined(__AVX512BW__)
    return (Ints)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif MERCER_VECTOR_BYTES == 32 && defined(__AVX2__)
    return (Ints)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif MERCER_VECTOR_BYTES == 16 && defined(__SSE2__)
    return (Ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    const Ints first = ((Ints)((Unsigneds)a << 16) >> 16) * ((Ints)((Unsigneds)b << 16) >> 16);
    return first + ((Ints)a >> 16) * ((Ints)b >> 16);
#endif
}

// sums[r][h] = inner products of left row r with half a panel.
template <class S, int height>
static inline void accumulate(const std::int32_t* a, const S* b, std::size_t n_pairs,
                              Ints (&sums)[height][2]) {
    for (int r = 0; r < height; ++r) sums[r][0] = sums[r][1] = Ints{};
    for (std::size_t k = 0; k < n_pairs; ++k, a += height, b += 2 * width) {
        const Shorts b0 = load_pairs<S>(b), b1 = load_pairs<S>(b + width);
#pragma GCC unroll 16
        for (int r = 0; r < height; ++r) {
            const Shorts left = (Shorts)(a[r] - Ints{});
            sums[r][0] += multiply_pairs(left, b0);
            sums[r][1] += multiply_pairs(left, b1);
        }
    }
}

// A vector of integers takes one vector of float, two of double.
template <class T>
constexpr int parts = sizeof(T) / sizeof(float);

static inline void to_numbers(Ints v, Vector<float>* out) {
    out[0] = __builtin_convertvector(v, Vector<float>);
}

static inline void to_numbers(Ints v, Vector<double>* out) {
    union {
        Ints whole;
        HalfInts halves[2];
    } both = {v};
    out[0] = __builtin_convertvector(both.halves[0], Vector<double>);
    out[1] = __builtin_convertvector(both.halves[1], Vector<double>);
}

// |x - z|^2 = |x|^2 + |z|^2 - 2 x'z fits 31 bits, even where the sum of the norms does not.
template <LeafKind kind>
static inline Ints exact(Ints sum, std::int32_t left, Ints right) {
    if constexpr (kind != LeafKind::gaussian) return sum;
    return (Ints)(((Unsigneds)right + std::uint32_t(left)) - ((Unsigneds)sum + (Unsigneds)sum));
}

template <class T, class S, int height, LeafKind kind>
static inline void tile(const LeafParameters& leaf, const std::int32_t* a,
                        const std::int32_t* left_norms, const S* b, const std::int32_t* right_norms,
                        std::size_t n_pairs, Vector<T> (&out)[height][2 * parts<T>]) {
    Ints sums[height][2];
    accumulate<S, height>(a, b, n_pairs, sums);
    for (int r = 0; r < height; ++r) {
        for (int h = 0; h < 2; ++h) {
            const Ints norms = load_ints(right_norms + h * lanes);
            to_numbers(exact<kind>(sums[r][h], left_norms[r], norms), &out[r][h * parts<T>]);
        }
        if constexpr (kind == LeafKind::gaussian) {
            finish_distances<T, 2 * parts<T>>(leaf, out[r]);
        } else {
            static_assert(kind == LeafKind::linear || kind == LeafKind::polynomial ||
                          kind == LeafKind::sigmoid);
            finish<T, kind, 2 * parts<T>>(leaf, {}, out[r]);
        }
    }
}

// Calls work(row, rows, p, values of `rows` left rows from `row` on with panel p) for all tiles.
// Panels visited together stay in the second-level cache while all left rows pass by.
template <class T, class S, int height, LeafKind kind, class Work>
static inline void for_tiles(const LeafParameters& leaf, const ByteLeftRows& left,
                             const BytePanels<S>& right, std::size_t first, std::size_t last,
                             const Work& work) {
    const std::size_t pairs = left.n_pairs;
    const std::size_t fit = (std::size_t(256) << 10) / (2 * width * pairs + 1);
    const std::size_t visit = fit < 1 ? 1 : fit > 64 ? 64 : fit;
    for (std::size_t group = first; group < last; group += visit) {
        const std::size_t group_end = group + visit < last ? group + visit : last;
        for (std::size_t row = 0; row < left.count; row += height) {
            const int rows = left.count - row < height ? int(left.count - row) : height;
            for (std::size_t p = group; p < group_end; ++p) {
                Vector<T> t[height][2 * parts<T>];
                tile<T, S, height, kind>(leaf, left.values + row * pairs, left.norms + row,
                                         right.values + p * pairs * 2 * width,
                                         right.norms + p * width, pairs, t);
                work(row, rows, p, t);
            }
        }
    }
}

// Calls work.template operator()<kind, height>() for the kind of the leaf and the layout of the
// left.
template <class Work>
static inline void for_layout(const LeafParameters& leaf, std::size_t count, const Work& work) {
    for_kind(leaf.kind, [&]<LeafKind kind>() {
        // Differences of features one by one are no sums of products; those of a gaussian are
        // exact.
        if constexpr (terms_of(kind) != LeafTerms::products) {
            assert(!"a kernel of inner products");
        } else if (count == 1) {
            work.template operator()<kind, 1>();
        } else {
            work.template operator()<kind, MERCER_LEFT_HEIGHT>();
        }
    });
}

template <class T, class S>
static void values(const LeafParameters& leaf, const ByteLeftRows& left, const BytePanels<S>& right,
                   std::size_t first, std::size_t last, T* out, std::size_t stride) {
    constexpr int step = Lanes<T>::count;
    for_layout(leaf, left.count, [&]<LeafKind kind, int height>() {
        for_tiles<T, S, height, kind>(leaf, left, right, first, last,
                                      [&](std::size_t row, int rows, std::size_t p, const auto& t) {
                                          T* column = out + row * stride + (p - first) * width;
                                          for (int r = 0; r < rows; ++r, column += stride) {
                                              for (int q = 0; q < 2 * parts<T>; ++q)
                                                  store<T>(column + q * step, t[r][q]);
                                          }
                                      });
    });
}

template <class T, class S>
static void product(const LeafParameters& leaf, const ByteLeftRows& left,
                    const BytePanels<S>& right, std::size_t first, std::size_t last,
                    const T* weights, std::size_t n_columns, double* out, std::size_t stride) {
    constexpr int step = Lanes<T>::count, n_parts = 2 * parts<T>;
    for_layout(leaf, left.count, [&]<LeafKind kind, int height>() {
        for_tiles<T, S, height, kind>(
            leaf, left, right, first, last,
            [&](std::size_t row, int rows, std::size_t p, const auto& t) {
                for (std::size_t c = 0; c < n_columns; ++c) {
                    Vector<T> sums[n_parts] = {};
                    for (int r = 0; r < rows; ++r) {
                        const Vector<T> w = splat<T>(weights[(row + r) * n_columns + c]);
                        for (int q = 0; q < n_parts; ++q) sums[q] += w * t[r][q];
                    }
                    double* target = out + c * stride + (p - first) * width;
                    for (int q = 0; q < n_parts; ++q) add_to(target + q * step, sums[q]);
                }
            });
    });
}

template <class T, class S>
static constexpr ByteFunctions<T, S> functions = {width, MERCER_LEFT_HEIGHT, values<T, S>,
                                                  product<T, S>};

extern const ByteFunctionSet byte_functions;
const ByteFunctionSet byte_functions = {
    functions<float, std::uint8_t>, functions<float, std::int8_t>, functions<double, std::uint8_t>,
    functions<double, std::int8_t>};

}  // namespace MERCER_ISA
}  // namespace mercer
