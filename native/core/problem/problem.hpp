// The quadratic program of docs/design.md, section 2, as the solvers see it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mercer {

//     maximize    linear' beta - 1/2 beta' (K[index, index] + diag(ridge)) beta
//     subject to  lower <= beta <= upper, sum of beta over group g = group_sum[g]
//
// Solvers that step from a feasible point never change its sums, and do not read group_sum.
// requires: lower <= upper, ridge >= 0, group in -1 .. n_groups - 1, index < rows of the Gram
struct ProblemView {
    std::size_t n_variables;
    std::size_t n_groups;
    const std::int64_t* index;
    const double* linear;
    const double* lower;
    const double* upper;
    const double* ridge;
    const std::int8_t* group;
    const double* group_sum;
};

}  // namespace mercer
