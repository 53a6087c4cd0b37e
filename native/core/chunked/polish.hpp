// The last digits of a point that was found in single precision.
//
// What matters is computed once in double precision: the gradients of all variables with a
// coefficient or near the extremes, and the kernel rows of those that are free or may become free.
// Newton steps on the free variables, and the gradients they lead to, need no other kernel values.
// Gradients of all others keep their errors: they are no extremes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/gram/gram.hpp"
#include "core/problem/problem.hpp"

namespace mercer::chunked {

// A point whose gradient is known up to `error`; corrections: of the values K beta so far, or null.
struct RoughPoint {
    const double* beta;
    const double* gradient;
    const double* corrections;
    double error;
};

struct PolishedPoint {
    std::vector<double> beta, gradient, corrections;
};

// Steps of a fit.
struct StepCounts {
    std::size_t pair, newton;
};

// Whether a polish takes at most a fifth of a fit that took these steps.
bool is_polish_cheap(const ProblemView& problem, const Gram<double>& gram, const double* beta,
                     const StepCounts& steps);

// Nothing if the violation does not become much smaller.
std::optional<PolishedPoint> polish(const ProblemView& problem, Gram<double>& gram,
                                    const RoughPoint& point, const Poll& poll);

}  // namespace mercer::chunked
