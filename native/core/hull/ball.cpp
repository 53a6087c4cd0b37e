// The smallest ball around points: a simplex whose circumcentre lies in it, and the farthest point.
//
// The algorithm of Wolfe 1976 on the dual, max sum_i a_i |x_i|^2 - |sum_i a_i x_i|^2, which on the
// affine hull of a simplex is largest at the circumcentre (docs/theory/hulls.md#the-smallest-ball).

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/double_double.hpp"
#include "core/hull/nearest.hpp"
#include "core/hull/simplex.hpp"

namespace mercer::hull {

namespace {

struct Farthest {
    std::size_t at;
    double square;
};

Farthest farthest_from(const double* centre, const double* points, std::size_t n, std::size_t d) {
    Farthest found{0, -1.0};
    for (std::size_t i = 0; i < n; ++i) {
        double square = 0.0;
        for (std::size_t j = 0; j < d; ++j) {
            const double apart = points[i * d + j] - centre[j];
            square += apart * apart;
        }
        if (square > found.square) found = {i, square};
    }
    return found;
}

// The distance of the farthest point, with more digits than the points have.
DoubleDouble exact_radius(const double* centre, const double* points, std::size_t n,
                          std::size_t d) {
    DoubleDouble largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        DoubleDouble square = 0.0;
        for (std::size_t j = 0; j < d; ++j) {
            const DoubleDouble apart = DoubleDouble::sum(points[i * d + j], -centre[j]);
            square += apart * apart;
        }
        if (largest < square) largest = square;
    }
    return sqrt(largest);
}

}  // namespace

// Each point that enters lies outside the ball of those before, whose radius grows. The radius of
// that ball is a lower bound of the smallest one around all points, the distance of the farthest
// point from its centre an upper one.
Ball smallest_ball(const double* points, std::size_t n, std::size_t dimension,
                   std::size_t max_iterations, const Check& check) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const std::size_t d = dimension;
    Simplex<0, Target::circumcentre> simplex(d);
    std::vector<double> centre(points, points + d), moved(d), offset(d);
    Ball ball;
    // Rows are measured from the first one, which the simplex starts from.
    simplex.add(moved.data(), 0);
    for (;;) {
        simplex.combine(moved.data());
        for (std::size_t j = 0; j < d; ++j) centre[j] = points[j] + moved[j];
        double inner = 0.0;
        for (std::size_t k = 0; k < simplex.size(); ++k) {
            double square = 0.0;
            for (std::size_t j = 0; j < d; ++j) {
                const double apart = simplex.point(k)[j] - moved[j];
                square += apart * apart;
            }
            inner += simplex.weight(k) * square;
        }
        const Farthest far = farthest_from(centre.data(), points, n, d);
        ball.radius = std::sqrt(std::max(far.square, inner));
        ball.gap = ball.radius - std::sqrt(inner);
        const bool is_small = ball.gap <= 8.0 * double(d + 2) * epsilon * ball.radius;
        if (is_small || simplex.contains(far.at)) break;
        if (ball.iterations >= max_iterations) {
            ball.converged = false;
            break;
        }
        ++ball.iterations;
        check();
        for (std::size_t j = 0; j < d; ++j) offset[j] = points[far.at * d + j] - points[j];
        simplex.add(offset.data(), far.at);
    }
    // Distances from any centre bound the radius from above; the mean squared distance of the
    // members from below, where a distance has d + 3 roundings and a mean of d + 2 points as many.
    const double lower = (ball.radius - ball.gap) * (1.0 - double(2 * d + 12) * epsilon);
    ball.radius =
        rounded_up(exact_radius(centre.data(), points, n, d), double_double_epsilon * ball.radius);
    ball.gap = (1.0 + 4.0 * epsilon) * std::max(ball.radius - lower, 0.0);
    simplex.drop_rounding();
    for (std::size_t k = 0; k < simplex.size(); ++k) {
        ball.member.push_back(simplex.label(k));
        ball.weight.push_back(simplex.weight(k));
    }
    return ball;
}

}  // namespace mercer::hull
