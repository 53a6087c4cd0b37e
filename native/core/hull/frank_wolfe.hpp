// The algorithms of Gilbert and of Schlesinger and Kozinec on problems of the hull family.
//
// A point of each hull moves towards an extreme point of that hull, to the maximum on the way. What
// the extreme points promise bounds the distance to the optimal value (docs/theory/hulls.md#gap).
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/run.hpp"
#include "core/gram/gram.hpp"
#include "core/problem/problem.hpp"

namespace mercer::hull {

struct FrankWolfeOptions {
    // Whether all groups move in one step, as by Gilbert's algorithm on the difference of two
    // hulls; else only the one that promises most (GSK).
    bool joint = false;
    double tolerance = 1e-3;  // of the gap, relative to the larger of both values
    double least_size = 0.0;  // of these values, where both vanish
    // Whether a step that changes the objective by less than the tolerance times its size ends the
    // run, at any gap.
    bool stop_by_change = false;
    std::size_t max_iterations = 10'000'000;
    double max_seconds = 1e300;
    double poll_seconds = 0.05;
    std::size_t trace_stride = 0;  // iterations between two points of the trace; 0 for no trace
};

// The state before a step.
struct FrankWolfePoint {
    std::size_t iteration;
    double seconds, objective, gap;
};

struct FrankWolfeResult {
    Status status = Status::converged;
    std::size_t iterations = 0;
    double gap = infinity;
    double violation = infinity;  // no KKT violation is known: that the gap is finite
    double seconds = 0.0;
    bool drifted = false;
    std::size_t extreme_rows = 0;   // members of all extreme points that were moved to
    std::size_t clipped_steps = 0;  // that went all the way
    std::vector<FrankWolfePoint> trace;
};

// requires: every variable has a group, and lies between zero and a bound on the side of the
// group's sum; beta feasible. ensures: beta is the solution
template <class T>
FrankWolfeResult frank_wolfe(const ProblemView& problem, Gram<T>& gram,
                             const FrankWolfeOptions& options, double* beta,
                             const Monitor& monitor);

}  // namespace mercer::hull
