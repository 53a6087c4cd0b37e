// Nearest points of the convex hulls of points, of any dimension, exact except for rounding.
//
// A simplex of a few differences a_i - b_k grows by the difference that goes least far along the
// point of it nearest to the origin, and loses those whose weights vanish (Wolfe 1976; for three
// dimensions Gilbert et al. 1988). Either hull may be reduced (docs/theory/hulls.md#wolfe).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace mercer::hull {

enum class Outcome : std::uint8_t {
    converged,  // to the tolerance, or to rounding
    overlap,    // the hulls have a point in common, up to rounding
    max_iterations,
};

struct NearestOptions {
    double tolerance = 0.0;  // of the gap, relative to the distance
    std::size_t max_iterations = 100'000;
    // Whether to stop as soon as it is known that the distance is not zero, with what it is at
    // least.
    bool only_separate = false;
};

struct Nearest {
    Outcome outcome = Outcome::converged;
    double distance = 0.0;
    double gap = 0.0;  // the true distance lies in [distance - gap, distance]
    std::size_t iterations = 0;
};

// Called between iterations; throws to end the work.
using Check = std::function<void()>;

// Polytopes of the same dimension; polytope k has the rows [offsets[k], offsets[k + 1]) of the
// points. If there are rotations (row by row) and translations, it is where these place it:
// rotation k times the point plus translation k. Any matrix does for a rotation.
struct Polytopes {
    const double* points;
    const std::int64_t* offsets;
    const double *rotations = nullptr, *translations = nullptr;
};

struct PolytopePairs {
    std::size_t n_pairs, dimension;
    Polytopes a, b;
    const std::int64_t *which_a, *which_b;  // polytopes of each pair
};

// One entry per pair. The direction is the unit vector between the points, more accurate than their
// difference where they nearly touch, or zeros; the simplex of a pair has up to dimension + 1
// members, a member being a vertex of either polytope (-1: none) and their weight. What the arrays
// of members hold on entry is where the search starts, if `has_start`.
struct NearestArrays {
    std::int8_t* outcome;
    double *distance, *gap, *point_a, *point_b, *direction;
    std::int64_t *iterations, *member_a, *member_b;
    double* weight;
    bool has_start;
};

// requires: every polytope in use has a point. Every pair is solved on its own: results do not
// depend on the number of threads.
void nearest_of_pairs(const PolytopePairs& pairs, const NearestOptions& options,
                      std::size_t n_threads, const NearestArrays& out, const Check& check);

// Leaves x / |x| in `out`, zeros where hulls overlap.
inline void write_direction(const Nearest& found, const double* x, std::size_t d, double* out) {
    double square = 0.0;
    for (std::size_t j = 0; j < d; ++j) square += x[j] * x[j];
    const double length = std::sqrt(square);
    const bool is_apart = found.distance > 0.0 && length > 0.0;
    for (std::size_t j = 0; j < d; ++j) out[j] = is_apart ? x[j] / length : 0.0;
}

// Nearest points of { sum of a_i x_i : sum of a = 1, 0 <= a <= cap } of two sets.
// requires: caps with a sum of 1 or more on either side, up to rounding
Nearest nearest_reduced(const double* a, const double* cap_a, std::size_t n_a, const double* b,
                        const double* cap_b, std::size_t n_b, std::size_t dimension,
                        const NearestOptions& options, double* coef_a, double* coef_b,
                        double* direction, const Check& check);

struct Ball {
    std::vector<std::size_t> member;
    std::vector<double> weight;  // of the members in the centre
    double radius = 0.0;
    double gap = 0.0;  // the true radius lies in [radius - gap, radius]
    std::size_t iterations = 0;
    bool converged = true;
};

// The smallest ball around n points (docs/theory/hulls.md#the-smallest-ball).
// requires: at least one point
Ball smallest_ball(const double* points, std::size_t n, std::size_t dimension,
                   std::size_t max_iterations, const Check& check);

}  // namespace mercer::hull
