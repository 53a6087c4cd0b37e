// Asks the monitor now and then, on the thread that made it; all threads learn what it says.
#pragma once

#include <atomic>
#include <exception>
#include <thread>

#include "core/base/run.hpp"

namespace mercer::plan {

class Watch {
  public:
    Watch(const Monitor& monitor, double period, double max_seconds)
        : monitor_(monitor), period_(period), most_(max_seconds) {}

    bool goes_on() {
        if (is_over_) return false;
        if (std::this_thread::get_id() != owner_ || clock_.seconds() < next_) return true;
        next_ = clock_.seconds() + period_;
        try {
            if (monitor_ && !monitor_({})) is_over_ = true;
        } catch (...) {
            error_ = std::current_exception();
            is_over_ = true;
        }
        return !is_over_;
    }
    bool has_time() const { return clock_.seconds() < most_; }
    double seconds() const { return clock_.seconds(); }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    const Monitor& monitor_;
    double period_, most_, next_ = 0.0;
    Clock clock_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::atomic<bool> is_over_{false};
    std::exception_ptr error_;
};

}  // namespace mercer::plan
