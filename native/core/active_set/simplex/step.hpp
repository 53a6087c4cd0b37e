// Steps of the simplex method: how far a direction leads, and which variable leaves at its end.
#pragma once

#include <cstddef>
#include <vector>

#include "core/active_set/simplex/point.hpp"

namespace mercer::active_set {

// What ends a step: a basic variable by its position, or (position = size of the basis) the
// entering variable at its own other bound.
struct Block {
    double step = infinity;
    std::size_t position = none;
    bool at_upper = false;
};

// Rates of change that cannot be told from zero.
inline constexpr double negligible = 1e-13;

// The first bound reached when the basic variables move by h and the entering variable, if any, by
// `sign`. Among those reached together the one that moves fastest leaves the best factor behind;
// with `bland` the smallest index, which ends every cycle.
Block ratio_test(const Point& point, std::size_t entering, double sign,
                 const std::vector<double>& h, bool bland = false);
// Moves the basic variables by step h, the entering one by step sign, the multipliers by step eta.
void move(Point& point, std::size_t entering, double sign, double step,
          const std::vector<double>& h, const std::vector<double>& eta);
// The blocking variable leaves the basis.
void leave(Point& point, const Block& block);
// Puts a variable that is neither basic nor in the nonbasic expansion on a bound, and into it.
void snap(Point& point, std::size_t variable, bool at_upper, const KernelRow& row);

}  // namespace mercer::active_set
