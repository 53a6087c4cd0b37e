// Large chunks solved in the cache: SvmFu (Rifkin 2002, section 2.4) on today's hardware.
//
//     repeat: choose about a thousand variables; solve the problem restricted to them on a dense
//             working matrix; update the gradient of all active variables with the fused kernel
//             product
//
// Kernel values are recomputed rather than stored: a product entry costs less than a cache miss.
#pragma once

#include <cstddef>

#include "core/base/run.hpp"
#include "core/chunked/row_store.hpp"
#include "core/gram/gram.hpp"
#include "core/problem/problem.hpp"

namespace mercer::chunked {

struct Options {
    double tolerance = 1e-3;
    std::size_t chunk_size = 1024;
    std::size_t keep = 512;
    std::size_t max_iterations = 10'000'000;  // pair steps
    double max_seconds = 1e300;
    double poll_seconds = 0.05;
    bool shrinking = true;
    RowPolicy kernel_rows = RowPolicy::automatic;
    // Whether to start at zero instead if the objective falls at the end of the line to the start.
    // requires: zero is feasible
    bool may_start_at_zero = false;
    // Whether to begin with pair steps on all variables, as long as they ask for few kernel rows
    // (core/plan/few_rows.hpp).
    bool few_rows_first = false;
    // Of the gradient that is given.
    double gradient_error = 0.0;
};

struct Result {
    Status status = Status::converged;
    std::size_t chunks = 0, iterations = 0, newton_steps = 0, unshrinks = 0;
    double violation = 0.0, seconds = 0.0;
    // Choosing chunks, their working matrices, pair steps, gradients, and bringing variables back.
    double select_seconds = 0.0, gather_seconds = 0.0, solve_seconds = 0.0, update_seconds = 0.0,
           repair_seconds = 0.0;
    bool keeps_rows = false;
    // The dual value that was followed, and whether the bound of its error ended the run.
    double objective = 0.0;
    bool drifted = false;
};

// requires: beta feasible. ensures: beta is the solution, within the box and with the group sums it
// came with; gradient_out its gradient in the precision of the kernel values.
template <class T>
Result solve(const ProblemView& problem, Gram<T>& gram, const Options& options, double* beta,
             const double* gradient, double* gradient_out, const Monitor& monitor);

}  // namespace mercer::chunked
