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

namespace mercer::chunked {

// gradient: at beta, up to `error`; corrections: of the values K beta so far. All are brought up to
// date. false, and nothing is changed, if the violation does not become much smaller.
bool polish(const ProblemView& problem, Gram<double>& gram, double error, double* beta,
            double* gradient, double* corrections, const Poll& poll);

}  // namespace mercer::chunked
