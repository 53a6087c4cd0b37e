// Computes the last digits of a point that was found in single precision.
//
// Two things are computed once in double precision: the gradients of all variables with a
// coefficient or near the extremes, and the kernel rows of those that are free or may become free.
// Newton steps on the free variables, and the resulting gradients, need no other kernel values. The
// gradients of all other variables keep their errors, because they are not extremes.
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

// Polishes a point and its values, if that takes at most a fifth of the time of a fit with these
// steps. Returns false and changes nothing if it takes more, or if the violation does not become
// much smaller.
bool polish(const ProblemView& problem, Gram<double>& gram, double* beta, SelectiveValues& known,
            const StepCounts& steps, const Poll& poll);

}  // namespace mercer::chunked
