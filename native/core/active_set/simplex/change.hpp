// Changes of the problem that keep the point: larger boxes, variables added and removed.
#pragma once

#include <cstddef>
#include <vector>

#include "core/active_set/simplex/point.hpp"

namespace mercer::active_set {

// A box `factor` times as large (Sentelle 2014, algorithm 4): variables at a bound move with it,
// basic variables are scaled, and the basis stays.
void rescale(Point& point, const double* lower, const double* upper, const double* group_sum,
             double factor);

// Moves a variable to `value`, with the basic ones following, and fixes it there
// (docs/theory/active_set.md#rows-come-and-go). false if the others cannot compensate; the variable
// then stays at the last point reached.
bool retire(Point& point, std::size_t variable, double value);

}  // namespace mercer::active_set
