// Steps along the pair alone, and what the other policies share with them.
#pragma once

#include "core/smo/step.hpp"

namespace mercer::smo {

// The step of `factor` times the distance to the maximum along the pair, or to the box; not taken
// yet. Fetches the rows.
template <class T>
StepRecord newton_record(State<T>& state, Choice<T>& choice, double factor = 1.0);

// Whether the step is lost in the rounding of the coefficients.
template <class T>
bool is_lost(const State<T>& state, const StepRecord& record);

// Takes the step of the record, unless it is unbounded or stalled.
template <class T>
void take_recorded(State<T>& state, const Choice<T>& choice, StepRecord& record);

// factor = 1 is plain SMO; factor 1.1 keeps 99 % of the gain of every free step
// (Glasmachers 2008, section 7.2.3).
template <class T>
class Newton final : public Step<T> {
  public:
    explicit Newton(double factor) : factor_(factor) {}
    StepRecord take(State<T>& state, Choice<T>& choice) override;

  private:
    double factor_;
};

// The maximum over the working set of large-maximum-gain.
template <class T>
class SetStep final : public Step<T> {
  public:
    StepRecord take(State<T>& state, Choice<T>& choice) override;
};

}  // namespace mercer::smo
