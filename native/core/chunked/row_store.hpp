// Kernel rows that are kept if computing them again would cost more than reading them.
//
// The choice changes no bit of a result, because kept values are summed in the order of the fused
// product. So it may depend on a measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/gram/gram.hpp"
#include "core/problem/problem.hpp"

namespace mercer::chunked {

// full: the matrix of all rows is computed once and kept for all problems.
enum class RowPolicy { automatic, kept, computed, full };

// Seconds that computing a kernel value takes: of many rows together, and of a row alone.
struct Costs {
    double value = 0.0, value_alone = 0.0;
};

template <class T>
class RowStore {
  public:
    // Measures what a kernel value costs. `rows_at_once`: rows that are used together.
    RowStore(Gram<T>& gram, const ProblemView& problem, std::size_t rows_at_once, RowPolicy choice);

    const Costs& costs() const { return costs_; }

    // The full matrix if that is kept, else null.
    const T* full_matrix() const { return full_matrix_; }

    // Whether rows were kept.
    bool has_kept() const { return full_matrix_ || kept_ > 0; }

    // Rows that are about to be used, and may be again. requires: distinct
    void notice(const std::vector<std::size_t>& rows);
    // Whether to take the values of these rows with `n_columns` others from `product`.
    bool pays(const std::vector<std::size_t>& rows, std::size_t n_columns) const;
    // The time that computing values took: the first measurement may have been disturbed.
    void learn_cost(std::size_t n_values, double seconds);

    // out[i] = sum_k k(row i, rows[k]) weights[k] for the rows i of the problem's segments; false
    // if polled out. requires: pays(rows)
    bool product(const std::vector<std::size_t>& rows, const double* weights, double* out,
                 const Poll& poll);

  private:
    void find_segments(const ProblemView& problem);
    double measured_cost(std::size_t together) const;
    void watch_cache(std::size_t hits, std::size_t misses);

    Gram<T>& gram_;
    const T* full_matrix_ = nullptr;
    std::vector<std::size_t> segments_;  // that hold rows of the problem
    std::size_t width_ = 0;              // of kept rows: columns of these segments
    std::size_t capacity_ = 0;           // rows that fit into the cache
    std::size_t kept_ = 0;               // rows computed so far
    Costs costs_;
    // Both end when rows no longer fit and most requests are for lost ones.
    bool may_keep_ = false, always_keeps_ = false;
    double share_back_ = 0.0;             // of the rows used last, that were used before
    std::vector<std::uint8_t> was_used_;  // of each row
};

}  // namespace mercer::chunked
