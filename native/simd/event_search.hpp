// The searches of a path over all variables. They touch a dozen numbers of each, next to the kernel
// values of the free ones: with few of those they are what an event costs. Compiled without fused
// operations: results do not depend on the instruction set.
#pragma once

#include <cstddef>

namespace mercer {

// Slopes at a parameter t and their rates: slope = t linear - value - rest - bias, where rest is
// null or ridge times coefficient; rate = linear - value_rate - bias_rate. A variable at a bound
// has towards = 1 (upper) or -1 (lower), others 0.
struct SlopeLine {
    double t, bias, bias_rate, noise;
    const double *linear, *value, *value_rate, *towards, *rest;
};

struct EventFunctions {
    // distance[v]: how far t falls until the slope of a variable at a bound vanishes, infinite if
    // it does not. A slope that is past zero already, by rounding, counts as zero: else it would be
    // missed forever. A rate up to `noise` counts as none. Returns the least of them, infinite if
    // n is 0.
    double (*entering_distances)(const SlopeLine& line, double* distance, std::size_t n);
    // The first i with x[i] <= bound, n if there is none.
    std::size_t (*first_at_most)(const double* x, double bound, std::size_t n);
};

}  // namespace mercer
