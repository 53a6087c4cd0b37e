// The extreme point of a reduced hull that goes farthest along a direction.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mercer::hull {

// A member of a hull and its coefficient.
struct Share {
    std::size_t member;
    double weight;
    bool operator==(const Share&) const = default;
};

// Maximizes value' a over { 0 <= a <= cap, sum of a = total }: the members of largest value, each
// as far as its cap allows (Lopez Lazaro 2011, section 2.3; docs/theory/hulls.md#reduced-hulls).
// Ties go to the first member. Keeps its memory between calls.
class ExtremePoint {
  public:
    // requires: as many caps as values, and a sum of the caps that reaches the total up to rounding
    const std::vector<Share>& find(std::span<const double> value, std::span<const double> cap,
                                   double total);

  private:
    std::vector<std::size_t> heap_;
    std::vector<Share> shares_;
};

}  // namespace mercer::hull
