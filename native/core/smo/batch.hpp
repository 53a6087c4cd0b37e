// Many small problems on the rows of one Gram, solved one by one from its full matrix: each takes
// as long as its own numbers, however many rows the Gram has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/point.hpp"
#include "core/smo/solve.hpp"

namespace mercer::smo {

// How the run of one problem ended, and what is true of the point it came to.
struct PartResult {
    Result run;
    PointReport report;  // from kernel values of the matrix; its gradient is handed out separately
    double squared_norm = 0.0, linear_size = 0.0;
    double sum_of_sizes = 0.0;    // of |beta|
    double missing_sum = 0.0;     // the most that a group lacks of its sum
    double curvature = 0.0;       // |k(x, x)| of the row with the largest |beta|
    std::size_t evaluations = 0;  // kernel values that it takes
};

// The variables offsets[k] .. offsets[k + 1] of `all` are problem k, with the group sums of `all`.
// Solves each from zero, by as many threads as the Gram has; `options` are those of each run, but
// for max_seconds, which all share: one that has no time left ends where it starts. ensures: beta
// and gradient hold the points found, and depend on no number of threads. A monitor that says no
// ends all runs.
// requires: zero is feasible; offsets ascend from 0 to the number of variables
std::vector<PartResult> solve_parts(const ProblemView& all, std::span<const std::int64_t> offsets,
                                    Gram<double>& gram, const Options& options, double* beta,
                                    double* gradient, const Monitor& monitor);

}  // namespace mercer::smo
