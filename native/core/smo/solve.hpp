// The SMO loop: select a pair, take a step, until the violation is small.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "core/gram/gram.hpp"
#include "core/problem/problem.hpp"
#include "core/smo/options.hpp"
#include "core/smo/trace.hpp"

namespace mercer::smo {

// Before anything is known the objective has no bound.
struct Progress {
    std::size_t iteration = 0;
    double violation = std::numeric_limits<double>::infinity();
    double objective = -std::numeric_limits<double>::infinity();
    std::size_t n_active = 0;
    double seconds = 0.0;
    double error = 0.0;  // bound of that of the objective
};

// Called by the clock on the calling thread; false stops the run.
using Monitor = std::function<bool(const Progress&)>;

enum class Status {
    converged,
    max_iterations,
    max_time,
    stopped,
    unbounded,
    stalled,  // steps are lost in rounding
    stuck,    // the selection found no pair, though there is a violation (pure maximum gain)
};

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
// came with. `gradient` of the starting point may be null.
template <class T>
Result solve(const ProblemView& problem, Gram<T>& gram, const Options& options, double* beta,
             const double* gradient, const Monitor& monitor);

}  // namespace mercer::smo
