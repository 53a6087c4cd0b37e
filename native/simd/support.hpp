// The point of a set that goes least far along a direction.
#pragma once

#include <cstddef>

namespace mercer {

// Points by coordinate: that number j of point i stands at coordinates[j * stride + i]. Up to the
// stride, a multiple of `padding`, the last point is repeated.
struct PointsView {
    static constexpr std::size_t padding = 8;
    const double* coordinates;
    std::size_t stride, n_points, dimension;
};

struct Lowest {
    std::size_t at;
    double value;
};

struct SupportFunctions {
    // The point of least product with the direction; ties go to the first.
    // requires: at least one point
    Lowest (*lowest)(const PointsView& points, const double* direction);
    // out[i] = the product of point i with the direction, up to the stride
    void (*products)(const PointsView& points, const double* direction, double* out);
    // reach[j] += the largest size of coordinate j
    void (*add_reach)(const PointsView& points, double* reach);
};

}  // namespace mercer
