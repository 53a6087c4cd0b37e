// The outer loop of the search for the point of a polytope nearest to the origin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/hull/nearest.hpp"

namespace mercer::hull {

// `next(x)` leaves the vertex of the polytope that goes least far along x in `vertex`, and returns
// false if the simplex has it; `enter()` adds it, and returns false if that changes nothing. The
// true distance is at least x'p / |x| for that vertex p, the width of the slab between origin and
// polytope. `size`, next to which rounding is small, grows to the longest vertex that was seen;
// where vertices have more rounding than that tells, it is `next` that makes it larger. requires:
// the simplex has a point; `x` and `vertex` have as many numbers as a point
template <class Simplex, class Next, class Enter>
Nearest search(Simplex& simplex, const NearestOptions& options, double* x, double* vertex,
               double& size, Next next, Enter enter, const Check& check) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const std::size_t d = simplex.dimension();
    const auto dot = [d](const double* a, const double* b) {
        double sum = 0.0;
        for (std::size_t j = 0; j < d; ++j) sum += a[j] * b[j];
        return sum;
    };
    Nearest found;
    double before = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < simplex.size(); ++k) {
        size = std::max(size, std::sqrt(dot(simplex.point(k), simplex.point(k))));
    }
    for (;;) {
        simplex.nearest(x);
        const double square = dot(x, x), length = std::sqrt(square);
        found.distance = found.gap = length;
        if (length <= 8.0 * double(d + 1) * epsilon * size) {
            found.outcome = Outcome::overlap;
            found.distance = 0.0;
            return found;
        }
        const bool is_new = next(x);
        size = std::max(size, std::sqrt(dot(vertex, vertex)));
        // x'x = x'p for every point p of the simplex
        double promise = 0.0;
        for (std::size_t j = 0; j < d; ++j) promise += x[j] * (simplex.point(0)[j] - vertex[j]);
        promise = std::max(promise, 0.0);
        found.gap = std::min(promise / length, length);
        const double rounding = 4.0 * double(d + 2) * epsilon * size;
        if (found.gap <= std::max(rounding, options.tolerance * length)) return found;
        if (!is_new || !(square < before)) return found;
        if (options.only_separate && found.gap < length - rounding) return found;
        if (found.iterations >= options.max_iterations) {
            found.outcome = Outcome::max_iterations;
            return found;
        }
        before = square;
        ++found.iterations;
        check();
        if (!enter()) return found;
    }
}

}  // namespace mercer::hull
