// How far rounded kernel values may have put an objective off that is followed from step to step.
//
// Along a way d kernel values with errors E change the objective by 1/2 d' E d. A run seeks the
// directions in which that is large: up to 1/2 |E| |d|^2, where n x n independent errors have a norm
// of 2 sqrt(n) standard deviations of one (Wigner 1955). An error is about as large as a value, at
// most sqrt(K_ii K_jj), times half of epsilon: d is measured with weights K_ii. The bound is twice
// what this gives.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace mercer {

template <class T>
class Drift {
  public:
    // gradient_error: of the gradient at the beginning of the way
    Drift(std::size_t n_variables, double gradient_error)
        : per_way_(std::sqrt(double(n_variables)) * double(std::numeric_limits<T>::epsilon())),
          gradient_error_(gradient_error) {}

    // way: sum of d_i^2; weighted: of d_i^2 |K_ii|.
    double error(double way, double weighted) const {
        return per_way_ * std::max(weighted, 0.0) + gradient_error_ * std::sqrt(std::max(way, 0.0));
    }

  private:
    double per_way_, gradient_error_;
};

// Whether an error may be as large as the objective, and as what was gained since the start.
inline bool is_drift(double error, double objective, double first) {
    return error > std::max(std::abs(objective), std::abs(objective - first));
}

}  // namespace mercer
