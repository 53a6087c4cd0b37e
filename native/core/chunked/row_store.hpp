// Kernel rows that are kept, where computing them again would cost more than reading them.
//
// Which of the two is done changes no bit of a result: kept values are summed in the order of the
// fused product. So the choice may rest on a measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/gram.hpp"
#include "core/problem.hpp"

namespace mercer::chunked {

// whole: the matrix of all rows is computed once and kept for all problems.
enum class KernelRows { automatic, kept, computed, whole };

template <class T>
class RowStore {
  public:
    // Measures what a kernel value costs. `rows_at_once`: rows that are used together.
    RowStore(Gram<T>& gram, const ProblemView& problem, std::size_t rows_at_once, KernelRows choice);

    // Seconds that computing one kernel value takes.
    double price() const { return price_; }

    // The whole matrix if that is kept, else null.
    const T* whole() const { return whole_; }

    // Whether rows are kept. Ends when they no longer fit and most requests are for lost ones.
    bool is_open() const { return is_open_; }

    // Rows whose values with `n_columns` others are about to be used. Begins to keep them if enough
    // come back, unless many columns are no longer asked for: kept rows are whole.
    void notice(const std::vector<std::size_t>& rows, std::size_t n_columns);

    // out[i] = sum_k k(row i, rows[k]) weights[k] for the rows i of the problem's segments; false if
    // polled out. requires: is_open()
    bool product(const std::vector<std::size_t>& rows, const double* weights, double* out,
                 const Poll& poll);

  private:
    void find_segments(const ProblemView& problem);
    bool may_keep(std::size_t rows_at_once, KernelRows choice) const;
    double measured_price() const;
    void add_segment(Indices rows, std::size_t segment, const T* weights, double* out);
    void watch_cache(std::size_t hits, std::size_t misses);

    Gram<T>& gram_;
    const T* whole_ = nullptr;
    std::vector<std::size_t> segments_;  // that hold rows of the problem
    std::size_t capacity_ = 0;  // rows that fit into the cache
    std::size_t kept_ = 0;      // rows computed so far
    double price_ = 0.0;        // seconds for a kernel value
    bool is_open_, may_open_ = false;
    std::size_t n_noticed_ = 0;
    std::vector<std::uint8_t> was_used_;  // of each row, while the store may open
};

}  // namespace mercer::chunked
