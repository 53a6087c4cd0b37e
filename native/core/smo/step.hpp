// How far to go along a pair: each policy is a small type in step/.
#pragma once

#include <cstdint>
#include <memory>

#include "core/smo/selection.hpp"

namespace mercer::smo {

enum class StepKind : std::uint8_t {
    free,     // not clipped by the box
    clipped,  // ends on a bound
    planned,  // longer, shorter or backwards, for the sake of the next step
    joint,    // along a direction of more than the pair
    refined,  // a Newton step of all free variables (refine.hpp)
};

struct StepRecord {
    Pair pair;
    double length = 0.0;       // of the step as taken
    double newton = infinity;  // the maximum along the pair, box ignored
    StepKind kind = StepKind::free;
    bool unbounded = false;  // nothing limits the step, and it was not taken
    bool stalled = false;    // lost in the rounding of the coefficients: not taken
};

template <class T>
class Step {
  public:
    virtual ~Step() = default;
    // requires: choice.pair is violating. ensures: the choice has its rows
    virtual StepRecord take(State<T>& state, Choice<T>& choice) = 0;
    // What the next selection should know.
    virtual Hint hint() const { return {}; }
    // The variables were moved by other means.
    virtual void forget() {}
};

template <class T>
std::unique_ptr<Step<T>> make_step(const Options& options, std::size_t n_variables);

}  // namespace mercer::smo
