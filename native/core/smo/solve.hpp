// The SMO loop: select a pair, take a step, until the violation is small.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/gram.hpp"
#include "core/problem.hpp"

namespace mercer::smo {

struct Progress {
    std::size_t iteration;
    double violation;
    double objective;
    std::size_t n_active;
    double seconds;
};

// Called by the clock on the calling thread; false stops the run.
using Monitor = std::function<bool(const Progress&)>;

struct Options {
    std::string selection = "second-order";
    std::string step = "newton";
    double tolerance = 1e-3;
    std::size_t max_iterations = 10'000'000;
    double max_seconds = 1e300;
    double poll_seconds = 0.05;
    bool shrinking = true;
    // Free variables up to which Newton steps help: during long runs, and to refine the result to
    // `refined_tolerance` (relative to the size of the gradient and the linear term).
    std::size_t newton_limit = 0;
    double refined_tolerance = 1e-11;
};

enum class Status { converged, max_iterations, max_time, stopped, unbounded, stalled };

struct Result {
    Status status = Status::converged;
    std::size_t iterations = 0;
    double violation = 0.0;
    double seconds = 0.0;
    std::size_t free_steps = 0, clipped_steps = 0, newton_steps = 0, unshrinks = 0;
};

// requires: beta feasible. ensures: beta is the solution, within the box and with the group sums it
// came with. `gradient` of the starting point may be null.
template <class T>
Result solve(const ProblemView& problem, Gram<T>& gram, const Options& options, double* beta,
             const double* gradient, const Monitor& monitor);

}  // namespace mercer::smo
