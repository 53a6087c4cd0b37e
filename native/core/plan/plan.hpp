// Many problems on the rows of one Gram, solved in one call by all of its threads.
//
// Each problem is a part of the arrays of one. Few variables are solved in double precision, where
// a certificate costs nothing; more of them in single precision, and what matters of the gradient
// is then computed again in double precision (core/problem/selective_certificate.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/run.hpp"
#include "core/gram/gram.hpp"
#include "core/plan/part.hpp"
#include "core/plan/parts.hpp"
#include "core/problem/point.hpp"
#include "core/problem/selective_certificate.hpp"

namespace mercer::plan {

struct Options {
    double tolerance = 1e-3;
    std::size_t max_iterations = 100'000;  // pair steps of each problem
    double max_seconds = 1e300;            // of all of them together
    double poll_seconds = 0.05;
    std::size_t most_variables = 1500;  // of a problem; larger ones are left alone
    bool has_features = false;          // more digits can be had: the kernel is linear
    SelectiveOptions certificate;
};

// How the run of one problem ended, and the properties of its last point.
struct PartResult {
    PartRun run;
    PointReport report;  // its gradient is handed out separately
    double seconds = 0.0;
    double error = 0.0;     // of gradients that were not computed in double precision
    double rounding = 0.0;  // of those that were
    double squared_norm = 0.0;
    std::size_t evaluations = 0;  // kernel values of the rows that steps asked for
    // Whether the problem is solved (core/problem/acceptance.hpp); a limit of time or steps may
    // have ended it before.
    bool is_solved = false;
};

// Solves each problem from `beta`, the sums of its groups filled where they differ from one problem
// to the other. A problem without time left, or with too many variables, ends at its start.
// ensures: beta and gradient hold the points found, and depend on no number of threads. A monitor
// that returns false ends all runs; its reports cover all problems together. requires: beta is
// feasible except for sums that are filled
std::vector<PartResult> solve_parts(const Problems& problems, const Source& source,
                                    const Options& options, double* beta, double* gradient,
                                    const Monitor& monitor);

}  // namespace mercer::plan
