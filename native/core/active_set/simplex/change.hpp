// Another problem under the same point: larger boxes, variables that come and go.
#pragma once

#include <cstddef>
#include <vector>

#include "core/active_set/simplex/point.hpp"

namespace mercer::active_set {

// Another box, `factor` times as large (Sentelle 2014, algorithm 4): what is at a bound moves with
// it, what is basic is scaled; the basis stays.
void rescale(Point& point, const double* lower, const double* upper, const double* group_sum,
             double factor);

// Drives a variable to `value`, the basic ones answering, and fixes it there
// (docs/theory/active_set.md#rows-come-and-go). false if the others cannot make up for it; it then
// stays where it got.
bool retire(Point& point, std::size_t variable, double value);

}  // namespace mercer::active_set
