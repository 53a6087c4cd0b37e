// Where the variables of a problem stand while steps are taken on all of them: those of a group one
// after the other, in whole vectors.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/problem/problem.hpp"
#include "simd/subproblem.hpp"

namespace mercer::plan {

class Layout {
  public:
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

    // `lanes` are the numbers of a vector. Variables of a group keep their order.
    void assign(const ProblemView& problem, std::size_t lanes);

    // Positions, nobody at some of them.
    std::size_t size() const { return variable_.size(); }
    std::size_t n_variables() const { return position_.size(); }
    std::size_t position(std::size_t variable) const { return position_[variable]; }
    std::size_t variable(std::size_t position) const { return variable_[position]; }
    const std::vector<SubproblemRange>& ranges() const { return ranges_; }

    // Numbers of the variables at their positions, and back; where there is nobody none is moved.
    template <class T>
    void spread(const double* values, T* out) const {
        for (std::size_t i = 0; i < n_variables(); ++i) out[position_[i]] = T(values[i]);
    }
    void collect(const double* values, double* out) const {
        for (std::size_t i = 0; i < n_variables(); ++i) out[i] = values[position_[i]];
    }

  private:
    std::vector<std::size_t> position_, variable_;
    std::vector<SubproblemRange> ranges_;
};

}  // namespace mercer::plan
