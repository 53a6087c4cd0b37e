// Exact interventional Shapley values of kernel expansions.
//
// The kernel is a polynomial of x's times a product over the features of
// exp(-log 2 (square_l u_l^2 + absolute_l |u_l|)), u = x - s. A coalition takes its features from
// the row and the others from a background row (docs/theory/predictions.md#shapley-values).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/base/threads.hpp"
#include "simd/shapley.hpp"

namespace mercer::explain {

// A row-major matrix.
struct Matrix {
    const double* values;
    std::size_t n_rows, n_columns;

    const double* row(std::size_t i) const { return values + i * n_columns; }
};

struct ProductKernel {
    const double *square, *absolute;  // n_features
    const double* coefficients;       // of (x's)^k / k!, k = 0, ..., degree
    std::size_t degree;
    bool is_flat;  // without the exponential
};

struct Functions {
    ProductKernel kernel;
    Matrix support;  // n_support x n_features
    Matrix coef;     // n_support x n_outputs
};

struct Background {
    Matrix rows;
    const double* weights;
};

// Returns false to stop the work, which then throws Interrupted.
using Poll = std::function<bool()>;

// Writes the values, n_rows x n_features x n_outputs.
// requires: as many features everywhere; `rules` whose last one is good for n_features factors; if
//           the kernel is flat, has a degree of 1 to most_degrees and the first rule is exact below
void shapley_values(const Functions& functions, const Matrix& rows, const Background& background,
                    const QuadratureRules& rules, ThreadPool& threads, const Poll& poll,
                    double* out);

}  // namespace mercer::explain
