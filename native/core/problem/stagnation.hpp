// Detects that a run only follows rounding.
//
// In exact arithmetic every step (of SMO, or one that solves a chunk) raises the objective. With
// rounded kernel values it may cycle forever instead. A window of many steps counts as such a cycle
// if in it neither the objective rose by more than its rounding nor the smallest violation fell.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>

#include "core/base/infinity.hpp"

namespace mercer {

// Sum of |beta_i gradient_i|.
template <class Betas, class Gradients>
double terms_size(const Betas& beta, const Gradients& gradient) {
    return std::transform_reduce(beta.begin(), beta.end(), gradient.begin(), 0.0, std::plus<>(),
                                 [](double b, double g) { return std::abs(b * g); });
}

template <class T>
class Stagnation {
  public:
    explicit Stagnation(std::size_t window) : window_(window), next_(window) {}

    void observe(double violation) { smallest_ = std::min(smallest_, violation); }

    // Whether a window ends with this step, so that `is_stuck` is to be asked.
    bool is_due(std::size_t step) const { return step >= next_; }

    // scale: the size of the terms whose sum the objective is, beta_i times gradient_i
    bool is_stuck(std::size_t step, double objective, double scale) {
        constexpr double rounding = 4.0 * double(std::numeric_limits<T>::epsilon());
        const double least = rounding * std::max(std::abs(objective), scale);
        const bool rose = objective - best_objective_ > least;
        const bool fell = smallest_ < 0.9 * last_smallest_;
        best_objective_ = std::max(best_objective_, objective);
        last_smallest_ = smallest_;
        next_ = step + window_;
        return !rose && !fell;
    }

  private:
    std::size_t window_, next_;
    double smallest_ = infinity;
    double last_smallest_ = smallest_, best_objective_ = -smallest_;
};

}  // namespace mercer
