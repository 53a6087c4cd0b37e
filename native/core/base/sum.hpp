// A sum that keeps what its additions round off.
#pragma once

#include <cmath>

namespace mercer {

class Sum {
  public:
    void add(double x) {
        // Knuth 1997, section 4.2.2, theorem B: without a branch that cannot be predicted
        const double next = total_ + x, added = next - total_;
        lost_ += (total_ - (next - added)) + (x - added);
        total_ = next;
    }
    double value() const { return std::isfinite(lost_) ? total_ + lost_ : total_; }

  private:
    double total_ = 0.0, lost_ = 0.0;
};

}  // namespace mercer
