// Cycle breaking: where a pair comes back, a step along the sum of all steps since.
#pragma once

#include <deque>

#include "core/smo/step.hpp"

namespace mercer::smo {

// Pairs that follow each other in cycles move the variables along a valley. When the chosen pair is
// among those of the last steps, the step goes along the sum of the displacements since then, to
// the maximum or the box (Barbero et al. 2009). The gradient before each of those steps is kept.
template <class T>
class CycleBreaking final : public Step<T> {
  public:
    CycleBreaking(std::size_t n_variables, std::size_t window)
        : along_(n_variables), window_(window) {}

    StepRecord take(State<T>& state, Choice<T>& choice) override;
    void forget() override { past_.clear(); }

  private:
    struct Past {
        Pair pair;
        double length;
        std::vector<double> gradient;  // before the step
    };

    bool take_along(State<T>& state, std::size_t since, StepRecord& record);

    Direction along_;
    std::size_t window_;
    std::deque<Past> past_;
};

}  // namespace mercer::smo
