// What a run of the simplex method is asked for, and what it took.
#pragma once

#include <cstddef>

namespace mercer::active_set {

struct Options {
    double tolerance = 1e-3;  // of a slope, raised to the level of rounding
    std::size_t max_iterations = 10'000'000;
    double max_seconds = 1e300;
    std::size_t sprint = 100;  // candidates priced between full pricings; 0: all, always
    bool shrinking = true;
};

struct Counters {
    std::size_t iterations = 0, outer_iterations = 0, flips = 0, zero_steps = 0, bland_steps = 0;
    std::size_t full_pricings = 0, priced = 0, rebuilds = 0, largest_basis = 0;
};

}  // namespace mercer::active_set
