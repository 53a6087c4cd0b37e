// The options of an SMO run: names of policies, their parameters, tolerances and limits.
#pragma once

#include <cstddef>
#include <string>

namespace mercer::smo {

struct Options {
    std::string selection = "second-order";
    std::string fallback = "second-order";  // of maximum gain, where the last set is in a corner
    double eta = 1e-8;                      // share of the box that counts as being on its bound
    std::size_t recent_rows = 10;           // rows of recent-maximum-gain
    std::size_t set_size = 3;               // variables of large-maximum-gain

    std::string step = "newton";
    double factor = 1.1;          // of over-relaxed
    std::size_t recent_sets = 1;  // sets planning-ahead plans with
    std::size_t window = 30;      // steps cycle-breaking looks back

    double tolerance = 1e-3;
    // Whether a step of maximum gain below the tolerance ends the run, at any violation.
    bool stop_by_step = false;
    // Whether a step that changes the objective by less than the tolerance times its size ends the
    // run, at any violation.
    bool stop_by_change = false;
    std::size_t max_iterations = 10'000'000;
    double max_seconds = 1e300;
    double poll_seconds = 0.05;
    bool shrinking = true;
    // Free variables up to which Newton steps help: during long runs, and to refine the result.
    std::size_t newton_limit = 0;
    double gradient_error = 0.0;   // of the gradient that is given
    std::size_t trace_stride = 0;  // iterations between two points of the trace; 0 for no trace
};

}  // namespace mercer::smo
