// The arrays of a problem, as Python holds them, checked once for all calls that take it.
#pragma once

#include <optional>
#include <stdexcept>

#include "bind/bind.hpp"
#include "core/problem/problem.hpp"

namespace mercer::bind {

class BoundProblem {
  public:
    // Throws std::invalid_argument if lengths differ.
    BoundProblem(IndexArray index, Array1<double> linear, Array1<double> lower,
                 Array1<double> upper, Array1<double> ridge, Array1<std::int8_t> group,
                 Array1<double> group_sum);

    std::size_t size() const { return view_.n_variables; }
    // One more than the largest row index; if one is negative more than any Gram has.
    std::size_t n_rows() const { return n_rows_; }
    // As the core sees it. It stays valid while this lives.
    const ProblemView& view() const { return view_; }
    // Throws nb::index_error unless all variables are on the first `n_rows` rows.
    const ProblemView& view_on(std::size_t n_rows) const;
    // The numbers of an array. Throws std::invalid_argument unless there is one per variable.
    template <class Array>
    auto* entries(const Array& array) const {
        if (array.size() != size()) {
            throw std::invalid_argument("a point must have one entry per variable");
        }
        return array.data();
    }
    // The same; null if there is no array.
    const double* entries_or_null(const std::optional<Array1<double>>& array) const {
        return array ? entries(*array) : nullptr;
    }

  private:
    IndexArray index_;
    Array1<double> linear_, lower_, upper_, ridge_;
    Array1<std::int8_t> group_;
    Array1<double> group_sum_;
    std::size_t n_rows_ = 0;
    ProblemView view_;
};

}  // namespace mercer::bind
