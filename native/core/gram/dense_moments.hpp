// What is asked of dense rows before they are packed, each in one pass over them as they are
// stored: for few rows the calls of an array library take longer than the numbers.
#pragma once

#include <cstddef>
#include <vector>

namespace mercer {

// Rows one after the other, without gaps.
template <class S>
struct DenseRows {
    const S* values;
    std::size_t n_rows, n_features;

    const S* row(std::size_t i) const { return values + i * n_features; }
};

// Whether no value is infinite or NaN.
template <class S>
bool is_finite(const S* values, std::size_t count);

struct Extent {
    double least, largest;
};

// The least and the largest value, both NaN if any value is. requires: a value
Extent extent(const double* values, std::size_t count);

double absolute_sum(const double* values, std::size_t count);

// The mean of every `step`-th row, beginning with the first. requires: a row
template <class S>
std::vector<double> mean_row(const DenseRows<S>& rows, std::size_t step);

// The variance of all entries, row i counted weight[i] times:
//
//     sum_ik w_i (x_ik - m)^2 / (d sum_i w_i),  m = sum_ik w_i x_ik / (d sum_i w_i)
//
// requires: an entry, and a positive sum of the weights
template <class S>
double weighted_variance(const DenseRows<S>& rows, const double* weight);

}  // namespace mercer
