// Points that have their group sums: how to come to one, and how to keep it.
#pragma once

#include "core/problem/problem.hpp"

namespace mercer {

// Moves the variables of each group, first come first served, until it has its sum
// (docs/theory/smo.md#where-to-start). requires: beta lies in the box
void fill_sums(const ProblemView& problem, double* beta);

// From zero to the point that has the sums of groups without bounds and with ridges: by the inverse
// ridges, as where all kernel values are alike. Other groups stay at zero. There hardly any
// coefficient is zero at the optimum (docs/theory/smo.md#where-to-start).
void share_sums(const ProblemView& problem, double* beta);

// Gives each group its sum to the last digit, by the smallest free variable with room for it, whose
// digits are the finest. requires: beta lies in the box, and sums are off by rounding
void restore_sums(const ProblemView& problem, double* beta);

}  // namespace mercer
