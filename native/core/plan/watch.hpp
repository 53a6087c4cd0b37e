// Reports the progress of all problems to the monitor now and then, on the thread that created it;
// all threads see its answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>

#include "core/base/run.hpp"

namespace mercer::plan {

class Watch {
  public:
    // `n_active` variables are left to be solved.
    Watch(const Monitor& monitor, double period, double max_seconds, std::size_t n_active)
        : monitor_(monitor), period_(period), most_(max_seconds), n_active_(n_active) {}

    bool goes_on() {
        if (is_over_) return false;
        if (std::this_thread::get_id() != owner_ || clock_.seconds() < next_) return true;
        next_ = clock_.seconds() + period_;
        try {
            if (monitor_ && !monitor_(progress())) is_over_ = true;
        } catch (...) {
            error_ = std::current_exception();
            is_over_ = has_failed_ = true;
        }
        return !is_over_;
    }
    bool has_time() const { return clock_.seconds() < most_; }
    double seconds() const { return clock_.seconds(); }
    // What a problem has come to.
    void add(std::size_t iterations, double objective, std::size_t n_variables) {
        iterations_ += iterations;
        objective_ += objective;
        n_active_ -= n_variables;
    }
    // Whether the monitor threw, so that results are not wanted.
    bool has_failed() const { return has_failed_; }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    // The violation of all of them is not known before the last one is solved.
    Progress progress() const {
        Progress now;
        now.iteration = iterations_;
        now.objective = objective_;
        now.n_active = n_active_;
        now.seconds = clock_.seconds();
        return now;
    }

    const Monitor& monitor_;
    double period_, most_, next_ = 0.0;
    Clock clock_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::atomic<bool> is_over_{false}, has_failed_{false};
    std::atomic<std::size_t> iterations_{0}, n_active_;
    std::atomic<double> objective_{0.0};
    std::exception_ptr error_;
};

}  // namespace mercer::plan
