// The clock of a run: limits, signals and progress reports.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>

namespace mercer::active_set {

enum class Status { converged, max_iterations, max_time, stopped, unbounded, stalled };

// Called by the clock on the calling thread; false stops the run.
using Monitor = std::function<bool(double seconds)>;

struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

class Watch {
  public:
    Watch(double max_seconds, const Monitor& monitor)
        : max_seconds_(max_seconds), monitor_(monitor) {}

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

    // false if the run has to end; status() then says why.
    bool go_on() {
        const double now = seconds();
        if (now >= max_seconds_) return end(Status::max_time);
        if (now < next_) return true;
        next_ = now + 0.05;
        return !monitor_ || monitor_(now) || end(Status::stopped);
    }

    bool end(Status status) {
        status_ = status;
        return false;
    }
    Status status() const { return status_; }

  private:
    double max_seconds_, next_ = 0.0;
    const Monitor& monitor_;
    Status status_ = Status::converged;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace mercer::active_set
