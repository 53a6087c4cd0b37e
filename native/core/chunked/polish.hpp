// The last digits of a point that was found in single precision.
//
// What matters is computed once in double precision: the gradients of all variables with a
// coefficient or near the extremes, and the kernel rows of those that are free or may become free.
// Newton steps on the free variables, and the gradients they lead to, need no other kernel values.
// Gradients of all others keep their errors: they are no extremes.
#pragma once

#include <cstddef>

#include "core/gram/gram.hpp"
#include "core/problem/problem.hpp"
#include "core/problem/selective_certificate.hpp"

namespace mercer::chunked {

// Steps of a fit.
struct StepCounts {
    std::size_t pair, newton;
};

// Moves a point, and its values with it, to its last digits, if that takes at most a fifth of a fit
// of these steps. false, and nothing has changed, if it takes more or if the violation does not
// become much smaller.
bool polish(const ProblemView& problem, Gram<double>& gram, double* beta, SelectiveValues& known,
            const StepCounts& steps, const Poll& poll);

}  // namespace mercer::chunked
