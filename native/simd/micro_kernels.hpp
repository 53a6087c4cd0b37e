// Micro-kernels: values of the built-in kernels between packed rows, for one instruction set.
//
// Dense rows are kept in panels of `panel_width` rows, feature by feature:
//     panel p holds values[(p * n_features + k) * panel_width + lane] = x[p * panel_width +
//     lane][k]
// so that one vector load reads one feature of neighbouring rows. Every entry is summed over the
// features in ascending order in its own lane: a value does not depend on where in a block it was
// computed, nor, except for the laplacian, on whether the rows are stored dense or sparse.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mercer {

// A gaussian takes |x - z|^2 from norms and inner products, or by differences where that would lose
// too many digits.
enum class LeafKind { linear, polynomial, gaussian, gaussian_by_differences, laplacian, sigmoid };

// What a kernel is computed from, summed over the features. The compiler refuses a kind that a
// switch leaves out (-Werror=switch), and formulas without a case for it.
enum class LeafTerms { products, squared_differences, absolute_differences };

// A gaussian takes inner products and squared norms.
constexpr LeafTerms terms_of(LeafKind kind) {
    switch (kind) {
        case LeafKind::linear:
        case LeafKind::polynomial:
        case LeafKind::gaussian:
        case LeafKind::sigmoid: return LeafTerms::products;
        case LeafKind::gaussian_by_differences: return LeafTerms::squared_differences;
        case LeafKind::laplacian: return LeafTerms::absolute_differences;
    }
    __builtin_unreachable();
}

// Whether k(x, x) is 1 for all rows: exp(-gamma distance).
constexpr bool is_unit(LeafKind kind) {
    switch (kind) {
        case LeafKind::linear:
        case LeafKind::polynomial:
        case LeafKind::sigmoid: return false;
        case LeafKind::gaussian:
        case LeafKind::gaussian_by_differences:
        case LeafKind::laplacian: return true;
    }
    __builtin_unreachable();
}

// Whether norms of a leaf are sums of absolute values, on sparse rows.
constexpr bool takes_one_norms(LeafKind kind) {
    return terms_of(kind) == LeafTerms::absolute_differences;
}

// requires: gamma > 0, degree >= 0
struct LeafParameters {
    LeafKind kind = LeafKind::linear;
    double gamma = 1.0;
    double coef0 = 0.0;
    int degree = 3;
};

// Rows on the left in blocks of `left_height` (against sparse rows: `sparse_height`), feature by
// feature: values[(block * n_features + k) * height + r], padded with zero rows. A single row is
// stored plainly: height 1.
template <class T>
struct LeftRows {
    const T* values;
    const T* norms;  // squared norms (laplacian on sparse rows: 1-norms)
    std::size_t count;
    std::size_t n_features;
};

template <class T>
struct Panels {
    const T* values;
    const T* norms;
    std::size_t n_features;
};

template <class T>
struct SparseRows {
    const std::int64_t* start;  // n_rows + 1 offsets
    const std::int32_t* feature;
    const T* values;
    const T* norms;
};

template <class T>
struct MicroKernels {
    std::size_t panel_width;
    std::size_t left_height;    // rows of a left block
    std::size_t sparse_height;  // rows of a left block against sparse rows

    // out[r * stride + (p - first) * panel_width + lane] for left rows r and panels [first, last).
    void (*values)(const LeafParameters&, const LeftRows<T>&, const Panels<T>&, std::size_t first,
                   std::size_t last, T* out, std::size_t stride);
    // out[c * stride + (p - first) * panel_width + lane] += sum_r value(r, .) weights[r * n_columns
    // + c]
    void (*product)(const LeafParameters&, const LeftRows<T>&, const Panels<T>&, std::size_t first,
                    std::size_t last, const T* weights, std::size_t n_columns, double* out,
                    std::size_t stride);
    // out[r * stride + j - first] for left rows r and sparse rows [first, last).
    void (*sparse_values)(const LeafParameters&, const LeftRows<T>&, const SparseRows<T>&,
                          std::size_t first, std::size_t last, T* out, std::size_t stride);
    // out[c * stride + j] += sum_r rows[r][j] weights[r * n_columns + c], summed in the order of
    // `product`, for values that were computed in some other way.
    void (*add_product)(const T* const* rows, std::size_t n_rows, std::size_t columns,
                        const T* weights, std::size_t n_columns, double* out, std::size_t stride);
    // Sums of squares, rounded as the inner products above are: of x, and of each row of a panel.
    T (*squared_norm)(const T* x, std::size_t count);
    void (*panel_norms)(const T* panel, std::size_t n_features, T* out);
    // k(x, x) of rows with these squared norms, rounded as the values above are.
    void (*diagonal)(const LeafParameters&, const T* norms, T* out, std::size_t count);
    // out = 2^x for x <= 0
    void (*power_of_two)(const T* x, T* out, std::size_t count);
};

}  // namespace mercer
