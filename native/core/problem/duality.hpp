// The duality gap of a point: how far its value can still be from the optimum
// (docs/theory/problem.md#duality-gap; Lopez Lazaro 2011, section 6.3).
//
// For every scale s of w and every multiplier m, with h_i = linear_i - s (K beta)_i - m_g(i),
//
//     P(s, m) = s^2/2 beta'K beta + sum_i V_i(h_i) + sum_g m_g group_sum_g,
//     V_i(h) = max over lower_i <= b <= upper_i of h b - ridge_i b^2/2
//
// bounds the optimal value from above, because -|v|^2/2 <= |s w|^2/2 - <s w, v> for every v. At
// s = 1 it is the primal value of the machine with bias m. Its distance to the value D of the point
// itself is
//
//     P - D = (s - 1)^2/2 beta'K beta + sum_i [V_i(h_i) - h_i beta_i + ridge_i beta_i^2/2]
//             + sum_g m_g (group_sum_g - sum of beta over g).
#pragma once

#include <vector>

#include "core/problem/problem.hpp"

namespace mercer {

// A point, its expansion values = (K beta)[index] and the gradient of the objective there.
struct PointView {
    const double* beta;
    const double* values;
    const double* gradient;
};

// P - D of a feasible point, infinite if no primal point is found. `multiplier` of each group: any
// value gives a valid bound. requires: the kernel is positive semi-definite
double duality_gap(const ProblemView& problem, const PointView& point, const double* multiplier);

// What each group lacks of its sum.
std::vector<double> missing_sums(const ProblemView& problem, const double* beta);

}  // namespace mercer
