// Some rows of a multiclass problem, solved on their kernel matrix while all others stay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/run.hpp"
#include "core/multiclass/row.hpp"

namespace mercer::multiclass {

struct Options {
    double tolerance = 1e-3;
    std::size_t max_steps = 10'000'000;
    double max_seconds = infinity;
    double objective = 0.0;  // of the point it starts from
};

struct Chunk {
    std::size_t n_rows;
    const double* kernel;       // n_rows x n_rows
    const std::int64_t* label;  // class of each row
    const double* upper;        // bound of each row
    double* alpha;              // n_rows x n_classes, moved
    double* values;             // n_classes x n_rows, f at every row, brought up to date
};

struct Result {
    Status status = Status::converged;
    std::size_t steps = 0;
    double violation = infinity;
    double gain = 0.0;
};

// Moves `alpha` until no row of the chunk violates by more than the tolerance.
Result solve(const Loss& loss, const Chunk& chunk, const Options& options, const Monitor& monitor);

}  // namespace mercer::multiclass
