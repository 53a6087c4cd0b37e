// Where the variables of a problem stand while steps are taken on all of them: those of a group one
// after the other, in whole vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/problem/problem.hpp"
#include "simd/subproblem.hpp"

namespace mercer::plan {

class Layout {
  public:
    // Positions without a variable, which fill up vectors.
    struct Hole {
        std::size_t begin, end;
    };

    // `lanes` are the numbers of a vector. Variables of a group keep their order.
    void assign(const ProblemView& problem, std::size_t lanes);

    // Positions, with holes.
    std::size_t size() const { return size_; }
    std::size_t n_variables() const { return n_variables_; }
    std::size_t position(std::size_t variable) const {
        return is_plain() ? variable : position_[variable];
    }
    const std::vector<SubproblemRange>& ranges() const { return ranges_; }
    const std::vector<Hole>& holes() const { return holes_; }

    // Numbers of the variables to their positions, and back; holes are left alone.
    template <class From, class To>
    void spread(const From* values, To* out) const {
        if (is_plain()) {
            std::transform(values, values + n_variables_, out, [](From v) { return To(v); });
            return;
        }
        for (std::size_t i = 0; i < n_variables_; ++i) out[position_[i]] = To(values[i]);
    }
    void collect(const double* values, double* out) const {
        if (is_plain()) {
            std::copy_n(values, n_variables_, out);
            return;
        }
        for (std::size_t i = 0; i < n_variables_; ++i) out[i] = values[position_[i]];
    }

  private:
    // Whether each variable stands at its own number.
    bool is_plain() const { return ranges_.size() <= 1; }
    void add_range(std::size_t count, std::size_t lanes, bool is_alone);

    std::size_t size_ = 0, n_variables_ = 0;
    std::vector<std::size_t> position_;  // of each variable, unless all are plain
    std::vector<SubproblemRange> ranges_;
    std::vector<Hole> holes_;
};

}  // namespace mercer::plan
