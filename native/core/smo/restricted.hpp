// The problem restricted to a handful of variables.
#pragma once

#include <cstddef>
#include <vector>

namespace mercer::smo {

// maximize slope' d - 1/2 d' matrix d  subject to  -fall <= d <= rise, the sum of d over each group
// 0 (group < 0: no constraint). requires: matrix symmetric, both triangles stored
struct Restricted {
    std::vector<double> matrix, slope, rise, fall;
    std::vector<int> group;

    explicit Restricted(std::size_t size)
        : matrix(size * size), slope(size), rise(size), fall(size), group(size) {}
    std::size_t size() const { return slope.size(); }
};

// The maximizer `d`, to a violation of `tolerance` times that at zero or for so many steps, and its
// gain.
struct RestrictedMaximum {
    std::vector<double> d;
    double gain = 0.0;
};
RestrictedMaximum maximize(Restricted problem, double tolerance, int max_steps);

}  // namespace mercer::smo
