// The micro-kernels of micro_kernels.hpp, compiled once per instruction set (MERCER_ISA names it).

#include "simd/micro_kernels.hpp"

#include "simd/finish.hpp"
#include "simd/stored_rows.hpp"

namespace mercer {
namespace MERCER_ISA {

#ifndef MERCER_LEFT_HEIGHT
#define MERCER_LEFT_HEIGHT 6
#endif

template <class T>
struct Shape {
    static constexpr int lanes = Lanes<T>::count;
    static constexpr int width = 2 * lanes;
    static constexpr int height = MERCER_LEFT_HEIGHT;
    static constexpr int sparse_height = 4 * lanes;
    // Panels visited together stay in the second-level cache while all left rows pass by.
    static std::size_t panels_per_visit(std::size_t n_features) {
        const std::size_t bytes = width * n_features * sizeof(T) + 1;
        const std::size_t fit = (std::size_t(256) << 10) / bytes;
        return fit < 1 ? 1 : fit > 64 ? 64 : fit;
    }
};

// One term of an inner product, or of a distance |a - b|_1 or |a - b|^2.
template <class T, LeafKind kind>
static inline void add_term(Vector<T>& sum, Vector<T> a, Vector<T> b) {
    constexpr LeafTerms terms = terms_of(kind);
    if constexpr (terms == LeafTerms::absolute_differences) {
        sum += absolute<T>(a - b);
    } else if constexpr (terms == LeafTerms::squared_differences) {
        const Vector<T> apart = a - b;
        sum += apart * apart;
    } else {
        static_assert(terms == LeafTerms::products);
        sum += a * b;
    }
}

// sums[r][h] = sum_k a[k][r] * b[k][h] (of distances: |a - b| or (a - b)^2), k ascending.
template <class T, int height, LeafKind kind>
static inline void accumulate(const T* a, const T* b, std::size_t n_features,
                              Vector<T> (&sums)[height][2]) {
    constexpr int lanes = Shape<T>::lanes;
    for (int r = 0; r < height; ++r) sums[r][0] = sums[r][1] = Vector<T>{};
    for (std::size_t k = 0; k < n_features; ++k, a += height, b += 2 * lanes) {
        const Vector<T> b0 = load<T>(b), b1 = load<T>(b + lanes);
#pragma GCC unroll 16
        for (int r = 0; r < height; ++r) {
            const Vector<T> left = splat<T>(a[r]);
            add_term<T, kind>(sums[r][0], left, b0);
            add_term<T, kind>(sums[r][1], left, b1);
        }
    }
}

template <class T, int height, LeafKind kind>
static inline void tile(const LeafParameters& leaf, const T* a, const T* left_norms, const T* b,
                        const T* right_norms, std::size_t n_features, Vector<T> (&out)[height][2]) {
    constexpr int lanes = Shape<T>::lanes;
    accumulate<T, height, kind>(a, b, n_features, out);
    const Vector<T> right0 = load<T>(right_norms), right1 = load<T>(right_norms + lanes);
    constexpr int together = height % 3 ? 1 : 3;
#pragma GCC unroll 4
    for (int first = 0; first < height; first += together) {
        Vector<T> value[2 * together], norms[2 * together];
#pragma GCC unroll 3
        for (int r = 0; r < together; ++r) {
            const Vector<T> left = splat<T>(left_norms[first + r]);
            value[2 * r] = out[first + r][0];
            value[2 * r + 1] = out[first + r][1];
            norms[2 * r] = left + right0;
            norms[2 * r + 1] = left + right1;
        }
        finish<T, kind, 2 * together>(leaf, norms, value);
#pragma GCC unroll 3
        for (int r = 0; r < together; ++r) {
            out[first + r][0] = value[2 * r];
            out[first + r][1] = value[2 * r + 1];
        }
    }
}

template <class T, int height, LeafKind kind>
static void values_of(LeafParameters leaf, const LeftRows<T>& left, const Panels<T>& right,
                      std::size_t first, std::size_t last, T* out, std::size_t stride) {
    using S = Shape<T>;
    const std::size_t d = left.n_features, visit = S::panels_per_visit(d);
    for (std::size_t group = first; group < last; group += visit) {
        const std::size_t group_end = group + visit < last ? group + visit : last;
        for (std::size_t row = 0; row < left.count; row += height) {
            const int rows = left.count - row < height ? int(left.count - row) : height;
            for (std::size_t p = group; p < group_end; ++p) {
                Vector<T> t[height][2];
                tile<T, height, kind>(leaf, left.values + row * d, left.norms + row,
                                      right.values + p * d * S::width, right.norms + p * S::width,
                                      d, t);
                T* column = out + row * stride + (p - first) * S::width;
                for (int r = 0; r < rows; ++r, column += stride) {
                    store<T>(column, t[r][0]);
                    store<T>(column + S::lanes, t[r][1]);
                }
            }
        }
    }
}

// A single left row reads each panel once: what it costs is reading them. Several runs of panels,
// far apart, are read side by side, which keeps more of the memory's lines busy than one run does.
constexpr int runs = 4;

// As `accumulate`, of one row with panels `apart` numbers from each other.
template <class T, LeafKind kind>
static inline void accumulate_one(const T* a, const T* b, std::size_t apart, std::size_t n_features,
                                  Vector<T> (&sums)[runs][2]) {
    constexpr int lanes = Shape<T>::lanes;
    for (auto& sum : sums) sum[0] = sum[1] = Vector<T>{};
    for (std::size_t k = 0; k < n_features; ++k, b += 2 * lanes) {
        const Vector<T> left = splat<T>(a[k]);
#pragma GCC unroll 4
        for (int r = 0; r < runs; ++r) {
            add_term<T, kind>(sums[r][0], left, load<T>(b + r * apart));
            add_term<T, kind>(sums[r][1], left, load<T>(b + r * apart + lanes));
        }
    }
}

// A single left row has a layout of its own (height 1): SMO and paths ask for one row at a time.
template <class T, LeafKind kind>
static void values_of_one(const LeafParameters& leaf, const LeftRows<T>& left,
                          const Panels<T>& right, std::size_t first, std::size_t last, T* out,
                          std::size_t stride) {
    using S = Shape<T>;
    const std::size_t d = left.n_features, length = (last - first) / runs;
    const Vector<T> left_norm = splat<T>(left.norms[0]);
    for (std::size_t p = first; p < first + length; ++p) {
        Vector<T> sums[runs][2];
        accumulate_one<T, kind>(left.values, right.values + p * d * S::width, length * d * S::width,
                                d, sums);
        constexpr int together = 4;
        for (int v = 0; v < 2 * runs; v += together) {
            Vector<T> value[together], norms[together];
            std::size_t at[together];  // rows from the first one of panel p
            for (int k = 0; k < together; ++k) {
                at[k] = (v + k) / 2 * length * S::width + (v + k) % 2 * S::lanes;
                value[k] = sums[(v + k) / 2][(v + k) % 2];
                norms[k] = left_norm + load<T>(right.norms + p * S::width + at[k]);
            }
            finish<T, kind, together>(leaf, norms, value);
            for (int k = 0; k < together; ++k) {
                store<T>(out + (p - first) * S::width + at[k], value[k]);
            }
        }
    }
    const std::size_t done = runs * length;
    values_of<T, 1, kind>(leaf, left, right, first + done, last, out + done * S::width, stride);
}

template <class T>
static void values(const LeafParameters& leaf, const LeftRows<T>& left, const Panels<T>& right,
                   std::size_t first, std::size_t last, T* out, std::size_t stride) {
    for_kind(leaf.kind, [&]<LeafKind kind>() {
        if (left.count == 1) {
            values_of_one<T, kind>(leaf, left, right, first, last, out, stride);
        } else {
            values_of<T, Shape<T>::height, kind>(leaf, left, right, first, last, out, stride);
        }
    });
}

template <class T, int height, LeafKind kind>
static void product_of(LeafParameters leaf, const LeftRows<T>& left, const Panels<T>& right,
                       std::size_t first, std::size_t last, const T* weights, std::size_t n_columns,
                       double* out, std::size_t stride) {
    using S = Shape<T>;
    const std::size_t d = left.n_features, visit = S::panels_per_visit(d);
    for (std::size_t group = first; group < last; group += visit) {
        const std::size_t group_end = group + visit < last ? group + visit : last;
        for (std::size_t row = 0; row < left.count; row += height) {
            const int rows = left.count - row < height ? int(left.count - row) : height;
            for (std::size_t p = group; p < group_end; ++p) {
                Vector<T> t[height][2];
                tile<T, height, kind>(leaf, left.values + row * d, left.norms + row,
                                      right.values + p * d * S::width, right.norms + p * S::width,
                                      d, t);
                for (std::size_t c = 0; c < n_columns; ++c) {
                    Vector<T> sum0{}, sum1{};
                    for (int r = 0; r < rows; ++r) {
                        const Vector<T> w = splat<T>(weights[(row + r) * n_columns + c]);
                        sum0 += w * t[r][0];
                        sum1 += w * t[r][1];
                    }
                    double* target = out + c * stride + (p - first) * S::width;
                    add_to(target, sum0);
                    add_to(target + S::lanes, sum1);
                }
            }
        }
    }
}

template <class T>
static void product(const LeafParameters& leaf, const LeftRows<T>& left, const Panels<T>& right,
                    std::size_t first, std::size_t last, const T* weights, std::size_t n_columns,
                    double* out, std::size_t stride) {
    for_kind(leaf.kind, [&]<LeafKind kind>() {
        if (left.count == 1) {
            product_of<T, 1, kind>(leaf, left, right, first, last, weights, n_columns, out, stride);
        } else {
            product_of<T, Shape<T>::height, kind>(leaf, left, right, first, last, weights,
                                                  n_columns, out, stride);
        }
    });
}

// Kernel values from a row of inner products, in place.
template <class T, LeafKind kind>
static void finish_row(const LeafParameters& leaf, T left_norm, const T* right_norms, T* row,
                       std::size_t count) {
    constexpr int lanes = Lanes<T>::count;
    const Vector<T> left = splat<T>(left_norm);
    std::size_t j = 0;
    for (; j + lanes <= count; j += lanes) {
        const Vector<T> norms = left + load<T>(right_norms + j);
        store<T>(row + j, finish_one<T, kind>(leaf, load<T>(row + j), norms));
    }
    if (j < count) {
        const Vector<T> norms = left + load_some<T>(right_norms + j, count - j);
        const Vector<T> last = finish_one<T, kind>(leaf, load_some<T>(row + j, count - j), norms);
        for (std::size_t i = j; i < count; ++i) row[i] = last[i - j];
    }
}

// min(|x|, |z|) where the signs agree, else 0: what two numbers have in common.
template <class T>
static inline Vector<T> overlap(Vector<T> x, T z) {
    const Vector<T> along = z < 0 ? -x : x, size = splat<T>(z < 0 ? -z : z);
    const Integers<T> smaller = along < size;
    return at_least_zero<T>(keep_where<T>(smaller, along) + keep_where<T>(~smaller, size));
}

// One sparse row against a block of left rows scattered over all features, side by side:
// scattered[k * height + r]. distance: |x - z|_1 = |x|_1 + |z|_1 - 2 overlap. Only features that
// both have count, in ascending order, so that distances are symmetric and those of copies exactly
// zero. Several vectors at a time: one alone would wait for its own last sum.
template <class T, bool distance>
static inline void sparse_column(const T* scattered, const T* left_norms,
                                 const SparseRows<T>& right, std::size_t j, T* out) {
    using S = Shape<T>;
    constexpr int vectors = S::sparse_height / S::lanes;
    Vector<T> sum[vectors]{};
    for (std::int64_t e = right.start[j]; e < right.start[j + 1]; ++e) {
        const T* x = scattered + std::size_t(right.feature[e]) * S::sparse_height;
        const T z = right.values[e];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            if constexpr (distance) {
                sum[v] += overlap<T>(load<T>(x + v * S::lanes), z);
            } else {
                sum[v] += load<T>(x + v * S::lanes) * splat<T>(z);
            }
        }
    }
    for (int v = 0; v < vectors; ++v) {
        if constexpr (distance) {
            const Vector<T> norms = load<T>(left_norms + v * S::lanes) + splat<T>(right.norms[j]);
            sum[v] = norms - (sum[v] + sum[v]);
        }
        store<T>(out + v * S::lanes, sum[v]);
    }
}

// Columns are turned into rows a few at a time, while they are in the cache.
template <class T, bool distance>
static void sparse_block(const LeftRows<T>& left, std::size_t row, const SparseRows<T>& right,
                         std::size_t first, std::size_t last, T* out, std::size_t stride) {
    constexpr std::size_t height = Shape<T>::sparse_height, width = 16;
    const T* scattered = left.values + row * left.n_features;
    const std::size_t rows = left.count - row < height ? left.count - row : height;
    alignas(64) T turned[width * height];
    for (std::size_t j = first; j < last; j += width) {
        const std::size_t columns = last - j < width ? last - j : width;
        for (std::size_t c = 0; c < columns; ++c) {
            sparse_column<T, distance>(scattered, left.norms + row, right, j + c,
                                       turned + c * height);
        }
        for (std::size_t r = 0; r < rows; ++r) {
            T* target = out + r * stride + (j - first);
            for (std::size_t c = 0; c < columns; ++c) target[c] = turned[c * height + r];
        }
    }
}

template <class T, bool distance>
static void sparse_single(const LeftRows<T>& left, const SparseRows<T>& right, std::size_t first,
                          std::size_t last, T* out) {
    for (std::size_t j = first; j < last; ++j) {
        T sum = 0;
        for (std::int64_t e = right.start[j]; e < right.start[j + 1]; ++e) {
            const T x = left.values[right.feature[e]], z = right.values[e];
            if constexpr (distance) {
                const T along = z < 0 ? -x : x, size = z < 0 ? -z : z;
                sum += along < 0 ? T(0) : along < size ? along : size;
            } else {
                sum = multiply_add(x, z, sum);
            }
        }
        if constexpr (distance) sum = (left.norms[0] + right.norms[j]) - (sum + sum);
        out[j - first] = sum;
    }
}

template <class T>
static void sparse_values(const LeafParameters& leaf, const LeftRows<T>& left,
                          const SparseRows<T>& right, std::size_t first, std::size_t last, T* out,
                          std::size_t stride) {
    const bool distance = takes_one_norms(leaf.kind);
    if (left.count == 1) {
        (distance ? sparse_single<T, true> : sparse_single<T, false>)(left, right, first, last,
                                                                      out);
    } else {
        for (std::size_t row = 0; row < left.count; row += Shape<T>::sparse_height) {
            (distance ? sparse_block<T, true> : sparse_block<T, false>)(left, row, right, first,
                                                                        last, out + row * stride,
                                                                        stride);
        }
    }
    for_kind(leaf.kind, [&]<LeafKind kind>() {
        for (std::size_t r = 0; r < left.count; ++r) {
            finish_row<T, kind>(leaf, left.norms[r], right.norms + first, out + r * stride,
                                last - first);
        }
    });
}

template <class T>
static void power_of_two_of(const T* x, T* out, std::size_t count) {
    constexpr int lanes = Lanes<T>::count;
    for (std::size_t i = 0; i < count; i += lanes) {
        const std::size_t used = count - i < lanes ? count - i : lanes;
        Vector<T> value[1] = {load_some<T>(x + i, used)};
        powers_of_two<T, 1>(value);
        for (std::size_t k = 0; k < used; ++k) out[i + k] = value[0][k];
    }
}

// Norms summed as the inner products are: a row's distance to its own copy is exactly zero.
template <class T>
static T squared_norm(const T* x, std::size_t count) {
    T sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum = multiply_add(x[k], x[k], sum);
    return sum;
}

template <class T>
static void panel_norms(const T* panel, std::size_t n_features, T* out) {
    constexpr int lanes = Lanes<T>::count;
    Vector<T> sum[2] = {};
    for (std::size_t k = 0; k < n_features; ++k, panel += 2 * lanes) {
        for (int h = 0; h < 2; ++h) {
            const Vector<T> x = load<T>(panel + h * lanes);
            sum[h] += x * x;
        }
    }
    for (int h = 0; h < 2; ++h) store<T>(out + h * lanes, sum[h]);
}

template <class T>
static void diagonal(const LeafParameters& leaf, const T* norms, T* out, std::size_t count) {
    const bool is_one = is_unit(leaf.kind);
    for (std::size_t i = 0; i < count; ++i) out[i] = is_one ? T(1) : norms[i];
    if (is_one) return;
    for_kind(leaf.kind,
             [&]<LeafKind kind>() { finish_row<T, kind>(leaf, T(0), norms, out, count); });
}

template <class T>
static constexpr MicroKernels<T> functions = {Shape<T>::width,
                                              Shape<T>::height,
                                              Shape<T>::sparse_height,
                                              values<T>,
                                              product<T>,
                                              sparse_values<T>,
                                              add_product<T, Shape<T>::height>,
                                              squared_norm<T>,
                                              panel_norms<T>,
                                              diagonal<T>,
                                              power_of_two_of<T>};

extern const MicroKernels<float> micro_kernels_single;
extern const MicroKernels<double> micro_kernels_full;
const MicroKernels<float> micro_kernels_single = functions<float>;
const MicroKernels<double> micro_kernels_full = functions<double>;

}  // namespace MERCER_ISA
}  // namespace mercer
