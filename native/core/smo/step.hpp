// How far to go along a pair: each policy is a small type.
#pragma once

#include <memory>
#include <string>

#include "core/smo/selection.hpp"

namespace mercer::smo {

struct StepRecord {
    Pair pair;
    double length = 0.0;        // what was gone
    double newton = infinity;   // the maximum along the pair, box ignored
    bool free = false;          // not clipped by the box
    bool unbounded = false;     // nothing limits the step, and it was not taken
    bool stalled = false;       // too short for the precision of the coefficients: not taken
};

template <class T>
class Step {
  public:
    virtual ~Step() = default;
    // requires: choice.pair is violating
    virtual StepRecord take(State<T>& state, Choice<T>& choice) = 0;
};

template <class T>
std::unique_ptr<Step<T>> make_step(const std::string& name);

}  // namespace mercer::smo
