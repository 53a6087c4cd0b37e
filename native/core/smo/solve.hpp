// The SMO loop: select a pair, take a step, until the violation is small.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/run.hpp"
#include "core/gram/gram.hpp"
#include "core/problem/problem.hpp"
#include "core/smo/options.hpp"
#include "core/smo/trace.hpp"

namespace mercer::smo {

struct Result {
    Status status = Status::converged;
    std::size_t iterations = 0;
    double violation = 0.0;
    double seconds = 0.0;
    bool drifted = false;  // whether it stalled because rounding may hide what was gained
    Counters counters;
    std::vector<TracePoint> trace;
};

// requires: beta feasible. ensures: beta is the solution, within the box and with the group sums it
// came with. `gradient` of the starting point may be null, and so may `matrix`: all kernel values,
// row by row, of a Gram of one segment.
template <class T>
Result solve(const ProblemView& problem, Gram<T>& gram, const Options& options, double* beta,
             const double* gradient, const Monitor& monitor, const T* matrix = nullptr);

}  // namespace mercer::smo
