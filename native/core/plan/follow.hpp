// The machines of a search: many problems, each for one C after the other, that are asked for
// values, not for certificates.
//
// A machine is one run in single precision from the solution of the C before. A kernel value in
// single precision is off by some 6e-8 (root mean square), and values of a machine with
// coefficients beta by that times |beta|: if three times that is not small, double precision
// continues from there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/run.hpp"
#include "core/plan/parts.hpp"
#include "core/problem/problem.hpp"

namespace mercer::plan {

struct FollowOptions {
    double tolerance = 1e-3;
    std::size_t max_iterations = 20'000;  // pair steps of a machine, and ten for each variable
    double max_seconds = 1e300;           // of all of them together
    double poll_seconds = 0.05;
    double most_error = 0.02;        // of a value that single precision may have
    std::size_t most_at_once = 300;  // variables; more are solved in chunks
};

// What each C does to the problems: factors of their boxes, which ascend, and of their ridges.
struct Scales {
    std::span<const double> box, ridge;

    std::size_t size() const { return box.size(); }
};

// The result of a machine; the time or the monitor may have ended the run early.
enum class State : std::uint8_t { not_reached, converged, not_converged };

// For each C and problem, C by C.
struct Followed {
    std::vector<double> multiplier;  // of the group, 0 without one
    std::vector<std::int64_t> iterations;
    std::vector<State> state;
};

// The problems are those at C = 1. ensures: beta and gradient, n_variables for each C,
// hold the points found and their gradients; they depend on no number of threads. What was not
// reached is undefined. The monitor says no to end all runs.
// requires: zero is feasible; the variables of a problem are of one group, or of none; there is a
// Gram of single precision, and its matrix fits into the cache
Followed follow_parts(const Problems& problems, const Source& source, const Scales& scales,
                      const FollowOptions& options, double* beta, double* gradient,
                      const Monitor& monitor);

}  // namespace mercer::plan
