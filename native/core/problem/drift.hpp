// The error that rounded kernel values may cause in an objective that is updated step by step.
//
// Along a displacement d kernel values with errors E change the objective by 1/2 d' E d. A run
// tends towards the directions in which that is large: up to 1/2 |E| |d|^2, where n x n independent
// errors have a norm of 2 sqrt(n) standard deviations of one (Wigner 1955). An error is about as
// large as a value, at most sqrt(K_ii K_jj), times half of epsilon: d is measured with weights
// K_ii. The bound is twice what this gives.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/problem/point.hpp"
#include "core/problem/problem.hpp"

namespace mercer {

template <class T>
class Drift {
  public:
    // gradient_error: of the gradient where the displacement begins
    Drift(const ProblemView& problem, double gradient_error)
        : per_squared_distance_(std::sqrt(double(problem.n_variables)) *
                                double(std::numeric_limits<T>::epsilon())),
          gradient_error_(gradient_error), may_be_unbounded_(mercer::may_be_unbounded(problem)) {}

    // squared: sum of d_i^2; weighted: of d_i^2 |K_ii|.
    double error(double squared, double weighted) const {
        return per_squared_distance_ * std::max(weighted, 0.0) +
               gradient_error_ * std::sqrt(std::max(squared, 0.0));
    }

    // Whether the error may be as large as the objective and as the gain since the start. False if
    // a variable is unbounded: there it takes as long to find out.
    bool hides(double error, double objective, double first) const {
        return !may_be_unbounded_ &&
               error > std::max(std::abs(objective), std::abs(objective - first));
    }
    bool may_be_unbounded() const { return may_be_unbounded_; }

  private:
    double per_squared_distance_, gradient_error_;
    bool may_be_unbounded_;
};

}  // namespace mercer
