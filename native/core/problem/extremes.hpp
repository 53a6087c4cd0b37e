// The extremes of the gradient, and the violation of the optimality conditions they show.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/problem/problem.hpp"
#include "simd/scan.hpp"

namespace mercer {

// Of each group, and last of the variables without one.
inline std::vector<Extremes> find_extremes(const ProblemView& p, const double* beta,
                                           const double* gradient) {
    std::vector<Extremes> found(p.n_groups + 1);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        Extremes& e = found[p.group[i] < 0 ? p.n_groups : std::size_t(p.group[i])];
        if (beta[i] < p.upper[i]) e.up = std::max(e.up, gradient[i]);
        if (beta[i] > p.lower[i]) e.down = std::min(e.down, gradient[i]);
    }
    return found;
}

// A pair of a group could move along the difference of its extremes, a variable without a group
// along its gradient.
inline double largest_violation(const std::vector<Extremes>& extremes) {
    const Extremes& alone = extremes.back();
    double worst = std::max({0.0, alone.up, -alone.down});
    for (std::size_t g = 0; g + 1 < extremes.size(); ++g) {
        worst = std::max(worst, extremes[g].up - extremes[g].down);
    }
    return worst;
}

}  // namespace mercer
