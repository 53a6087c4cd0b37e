// Newton steps on all free variables together.
//
// Pair steps converge linearly and slowly when the kernel matrix of the free variables is
// ill-conditioned; a Newton step finishes such a problem at once.
#pragma once

#include "core/smo/state.hpp"

namespace mercer::smo {

enum class RefineOutcome {
    full,       // the maximum over the free variables was reached
    blocked,    // a variable met its bound, or a flat direction was followed: worth another step
    idle,       // nothing to do: too few or too many free variables
    unbounded,  // the objective grows without limit
};

// Goes to the maximum over the free variables, or to the first bound on the way. With H the kernel
// matrix of the free variables plus ridge plus a small proximal term, and A summing over groups:
//     H d + A' nu = gradient,   A d = 0
// requires: kernel values in double precision (else idle)
template <class T>
RefineOutcome newton_step(State<T>& state, std::size_t max_free);

// What the next one costs, about, in nanoseconds; a pair step costs one for each variable and 800.
template <class T>
double newton_work(const State<T>& state);

}  // namespace mercer::smo
