// Momentum: the previous displacement as a second direction, and conjugate directions.
#pragma once

#include "core/smo/step.hpp"

namespace mercer::smo {

// The maximum over the plane of the pair and the previous displacement, if it lies in the box; a
// plain step otherwise (Lopez et al. 2011). Such a step gains at least as much as the Newton step
// along the pair. After a step to the maximum of its plane the gradient has no component along the
// displacement, and what remains is a step along the pair made conjugate to it: a selection that
// knows this direction makes the step one of conjugate directions.
template <class T>
class Momentum final : public Step<T> {
  public:
    Momentum(std::size_t n_variables, bool tells_selection)
        : last_(n_variables), tells_selection_(tells_selection) {}

    StepRecord take(State<T>& state, Choice<T>& choice) override;
    Hint hint() const override;

  private:
    bool take_joint(State<T>& state, const Choice<T>& choice, StepRecord& record);

    Direction last_;
    bool tells_selection_;
};

}  // namespace mercer::smo
