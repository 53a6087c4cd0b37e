// From a point to a basis, and back to zero slopes of the basic variables.
#pragma once

#include <vector>

#include "core/active_set/simplex/point.hpp"

namespace mercer::active_set {

// A basis of the present point (docs/theory/active_set.md#from-a-point-to-a-basis): free variables
// become basic one by one. One that depends on those before it moves along the flat direction,
// uphill, until some variable meets a bound and leaves. requires: `expansion` is that of the point
void purify(Point& point, const std::vector<double>& expansion);

// Newton steps to zero slopes of the basic variables and the group sums; a variable that meets a
// bound on the way leaves (Sentelle 2014, algorithm 4).
void restore(Point& point);

// Takes the gradient of the point as exact, in place of the updated one.
void set_gradient(Point& point, const double* gradient);

// Makes a variable of a group basic: of those that may move in the direction `sign`, the one with
// the largest gradient in this direction. Its coefficient stays part of the nonbasic expansion.
// false if there is none.
bool recruit(Point& point, int group, double sign, const std::vector<double>& gradient);

}  // namespace mercer::active_set
