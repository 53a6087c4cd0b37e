// A sum that keeps what its additions round off.
#pragma once

#include <cmath>

namespace mercer {

class Sum {
  public:
    void add(double x) {
        const double next = total_ + x;
        lost_ += std::abs(total_) >= std::abs(x) ? (total_ - next) + x : (x - next) + total_;
        total_ = next;
    }
    double value() const { return std::isfinite(lost_) ? total_ + lost_ : total_; }

  private:
    double total_ = 0.0, lost_ = 0.0;
};

}  // namespace mercer
