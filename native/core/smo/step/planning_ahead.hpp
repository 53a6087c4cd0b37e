// Planning ahead: a step chosen for what it and the next one gain together.
#pragma once

#include <vector>

#include "core/smo/step.hpp"

namespace mercer::smo {

// After a free step, the step along B is the first half of the best double step along B and one of
// the last few pairs E, if both halves stay inside the box (docs/theory/smo.md#planning-ahead). The
// next selection must take E into account: this makes the double step gain at least 0.19 times what
// a Newton step along B would. Never twice in a row.
template <class T>
class PlanningAhead final : public Step<T> {
  public:
    explicit PlanningAhead(std::size_t n_recent) : n_recent_(n_recent) {}

    StepRecord take(State<T>& state, Choice<T>& choice) override;
    Hint hint() const override;

  private:
    struct Plan {
        double gain = 0.0, step = 0.0;
        bool exists = false;
    };

    Plan plan(const State<T>& state, const Choice<T>& choice, double slope, double curvature,
              const Candidate& next) const;

    std::size_t n_recent_;
    bool was_planned_ = false, was_free_ = false;
    double ratio_ = 1.0;
    std::vector<Candidate> recent_;     // pairs moved along, the last one first
    std::vector<Candidate> plan_base_;  // those the last plan could choose from
};

}  // namespace mercer::smo
