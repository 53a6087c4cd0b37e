// What the runs of all iterative solvers share: why they end, their clock, and their reports.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>

#include "core/base/infinity.hpp"

namespace mercer {

enum class Status {
    converged,
    max_iterations,
    max_time,
    stopped,
    unbounded,
    stalled,  // steps are lost in rounding
    stuck,    // the selection found no pair, though there is a violation (pure maximum gain)
};

// Thrown by work that was polled out before there is anything to return.
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

class Clock {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    // Seconds since the last lap.
    double lap() {
        const double now = seconds(), passed = now - last_;
        last_ = now;
        return passed;
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double last_ = 0.0;
};

// Before anything is known the objective has no bound.
struct Progress {
    std::size_t iteration = 0;
    double violation = infinity;
    double objective = -infinity;
    std::size_t n_active = 0;
    double seconds = 0.0;
    double error = 0.0;  // bound of that of the objective
};

// Called by the clock on the calling thread; false stops the run.
using Monitor = std::function<bool(const Progress&)>;

}  // namespace mercer
