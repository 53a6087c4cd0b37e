// What is true of a problem and of a point of it, each in one pass: for small problems the calls
// of an array library take longer than the numbers.
#pragma once

#include <vector>

#include "core/problem.hpp"

namespace mercer {

// Whether the requirements of a problem hold and the box lets every group reach its sum.
bool is_proper(const ProblemView& problem, const double* group_sum);

struct PointReport {
    std::vector<double> gradient, multiplier;
    double objective, violation, infeasibility;
    // Distance of the primal value at scale 1 and these multipliers; NaN where another primal
    // point may be better (duality.py: infinite or far bounds, variables next to a bound).
    double gap;
};

// values: (K beta)[index]. The formulas stand in problem.py and duality.py.
PointReport report_point(const ProblemView& problem, const double* group_sum, const double* beta,
                         const double* values);

}  // namespace mercer
