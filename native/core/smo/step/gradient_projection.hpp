// Steepest ascent within the free variables.
#pragma once

#include "core/smo/step.hpp"

namespace mercer::smo {

// Along the gradient of the free variables and the chosen pair, less its mean in each group: the
// projection onto what keeps the group sums (Rosen 1960; Lopez Lazaro 2011, appendix A). To the
// maximum or the box; where the box leaves less than the pair alone would gain, a plain step. Asks
// for the rows of all variables it moves.
template <class T>
class GradientProjection final : public Step<T> {
  public:
    explicit GradientProjection(std::size_t n_variables) : along_(n_variables) {}
    StepRecord take(State<T>& state, Choice<T>& choice) override;

  private:
    void project(const State<T>& state, Pair pair);

    Direction along_;
    std::vector<double> sums_, counts_;
};

}  // namespace mercer::smo
