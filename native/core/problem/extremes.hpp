// The extremes of the gradient, and the violation of the optimality conditions they show.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simd/scan.hpp"

namespace mercer {

// Of each group, and last of the variables without one: a pair of a group could move along the
// difference of its extremes, a variable without a group along its gradient.
inline double largest_violation(const std::vector<Extremes>& extremes) {
    const Extremes& alone = extremes.back();
    double worst = std::max({0.0, alone.up, -alone.down});
    for (std::size_t g = 0; g + 1 < extremes.size(); ++g) {
        worst = std::max(worst, extremes[g].up - extremes[g].down);
    }
    return worst;
}

}  // namespace mercer
