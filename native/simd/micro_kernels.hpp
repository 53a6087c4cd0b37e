// What the per-instruction-set code offers: values of the built-in kernels between packed rows.
//
// Dense rows are kept in panels of `panel_width` rows, feature by feature:
//     panel p holds values[(p * n_features + k) * panel_width + lane] = x[p * panel_width + lane][k]
// so that one vector load reads one feature of neighbouring rows. Every entry is summed over the
// features in ascending order in its own lane: a value does not depend on where in a block it was
// computed, nor, except for the laplacian, on whether the rows are stored dense or sparse.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/byte_rows.hpp"
#include "simd/scan.hpp"
#include "simd/subproblem.hpp"

namespace mercer {

// A gaussian takes |x - z|^2 from norms and inner products, or by differences where that would lose
// too many digits.
enum class LeafKind { linear, polynomial, gaussian, gaussian_by_differences, laplacian, sigmoid };

constexpr bool is_of_distances(LeafKind kind) {
    return kind == LeafKind::gaussian || kind == LeafKind::gaussian_by_differences ||
           kind == LeafKind::laplacian;
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
struct LeafFunctions {
    std::size_t panel_width;
    std::size_t left_height;    // rows of a left block
    std::size_t sparse_height;  // rows of a left block against sparse rows

    // out[r * stride + (p - first) * panel_width + lane] for left rows r and panels [first, last).
    void (*values)(const LeafParameters&, const LeftRows<T>&, const Panels<T>&, std::size_t first,
                   std::size_t last, T* out, std::size_t stride);
    // out[c * stride + (p - first) * panel_width + lane] += sum_r value(r, .) weights[r * n_columns + c]
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

// Lower triangles, rows of which are `stride` apart.
template <class T>
struct FactorFunctions {
    std::size_t block;
    // The Cholesky factor in place of the n x n matrix `a`; `packed` has room for block * n numbers.
    // false if the matrix is not positive definite.
    bool (*cholesky)(T* a, std::size_t stride, std::size_t n, T* packed);
    // The same, going on from the factor of the first `from` rows and columns.
    bool (*append)(T* a, std::size_t stride, std::size_t from, std::size_t n);
    // x <- L^-1 x for each x of `rows`, in columns [begin, end): those before are done, and zero
    // before `first`, a multiple of 16.
    void (*solve_rows)(const T* factor, std::size_t stride, std::size_t first, std::size_t begin,
                       std::size_t end, T* rows, std::size_t row_stride, std::size_t count);
    // x <- L^-1 x and x <- L'^-1 x
    void (*solve_lower)(const T* factor, std::size_t stride, std::size_t n, T* x);
    void (*solve_upper)(const T* factor, std::size_t stride, std::size_t n, T* x);
    T (*inner_product)(const T* a, const T* b, std::size_t count);
};

struct InstructionSet {
    const char* name;
    const LeafFunctions<float>* single;
    const LeafFunctions<double>* full;
    const SquareFunctions<float>* square_single;
    const SquareFunctions<double>* square_full;
    const FactorFunctions<float>* factor_single;
    const FactorFunctions<double>* factor_full;
    const ScanFunctions<float>* scan_single;
    const ScanFunctions<double>* scan_full;
    const ByteFunctionSet* bytes;
};

template <class T>
const LeafFunctions<T>& leaf_functions(const InstructionSet& set);
template <>
inline const LeafFunctions<float>& leaf_functions<float>(const InstructionSet& set) {
    return *set.single;
}
template <>
inline const LeafFunctions<double>& leaf_functions<double>(const InstructionSet& set) {
    return *set.full;
}

template <class T>
const SquareFunctions<T>& square_functions(const InstructionSet& set);
template <>
inline const SquareFunctions<float>& square_functions<float>(const InstructionSet& set) {
    return *set.square_single;
}
template <>
inline const SquareFunctions<double>& square_functions<double>(const InstructionSet& set) {
    return *set.square_full;
}

template <class T>
const ScanFunctions<T>& scan_functions(const InstructionSet& set);
template <>
inline const ScanFunctions<float>& scan_functions<float>(const InstructionSet& set) {
    return *set.scan_single;
}
template <>
inline const ScanFunctions<double>& scan_functions<double>(const InstructionSet& set) {
    return *set.scan_full;
}

template <class T>
const FactorFunctions<T>& factor_functions(const InstructionSet& set);
template <>
inline const FactorFunctions<float>& factor_functions<float>(const InstructionSet& set) {
    return *set.factor_single;
}
template <>
inline const FactorFunctions<double>& factor_functions<double>(const InstructionSet& set) {
    return *set.factor_full;
}

// The best instruction set of this machine, or the one named by the environment variable
// MERCER_ISA. Throws std::runtime_error if that names none this machine can run.
const InstructionSet& instruction_set();

}  // namespace mercer
