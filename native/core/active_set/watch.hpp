// The clock of a run: limits, signals and progress reports.
#pragma once

#include <functional>

#include "core/base/run.hpp"

namespace mercer::active_set {

// Called by the clock on the calling thread; false stops the run.
using Monitor = std::function<bool(double seconds)>;

class Watch {
  public:
    Watch(double max_seconds, const Monitor& monitor)
        : max_seconds_(max_seconds), monitor_(monitor) {}

    // false if the run has to end; status() then says why.
    bool go_on() {
        const double now = clock_.seconds();
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
    Clock clock_;
};

}  // namespace mercer::active_set
