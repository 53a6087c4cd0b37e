// Two pairs at once, one in each of two groups.
#pragma once

#include "core/smo/step.hpp"

namespace mercer::smo {

// The maximum over the chosen pair and the most violating pair of another group, within the box of
// both: for nearest points a step in either hull (Lopez Lazaro 2011, section 5.1.3.4). Without
// another violating group a plain step.
template <class T>
class FourVector final : public Step<T> {
  public:
    StepRecord take(State<T>& state, Choice<T>& choice) override;
};

}  // namespace mercer::smo
