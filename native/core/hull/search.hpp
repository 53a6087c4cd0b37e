// The outer loop of the search for the point of a polytope nearest to the origin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/base/double_double.hpp"
#include "core/hull/nearest.hpp"
#include "core/hull/simplex.hpp"

namespace mercer::hull {

inline constexpr double unit_roundoff = 0x1p-53;

// The state of a search. `lower` is the largest lower bound of the distance so far, `largest` the
// length of the longest vertex so far, and `size`, the scale of rounding, the length of the longest
// vertex of the last simplex.
template <class Real>
struct Progress {
    explicit Progress(std::size_t dimension)
        : x(dimension), vertex(dimension), sum(dimension), term(dimension) {}

    std::vector<Real> x, vertex;
    std::vector<SumOfProducts> sum;
    std::vector<DoubleDouble> term;
    double lower = 0.0, size = 0.0, largest = 0.0;
    bool is_resolved = true;  // whether only rounding is left
};

namespace detail {

template <class Real>
Real product(const std::vector<Real>& a, const Real* b) {
    Real sum = 0.0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
}

template <class Real>
double length(const std::vector<Real>& a) {
    return std::sqrt(double(product(a, a.data())));
}

// The longest of the points of a simplex and one more.
template <class Simplex, class Real>
double longest(const Simplex& simplex, const std::vector<Real>& vertex) {
    double square = double(product(vertex, vertex.data()));
    for (std::size_t k = 0; k < simplex.size(); ++k) {
        double own = 0.0;
        for (std::size_t j = 0; j < vertex.size(); ++j) {
            own += double(simplex.point(k)[j]) * double(simplex.point(k)[j]);
        }
        square = std::max(square, own);
    }
    return std::sqrt(square);
}

}  // namespace detail

// The length of the combination of the simplex, rounded up. It is a point of the polytope, because
// the weights are not negative and sum to 1 after the division. A point at distance e from the best
// one is longer by only e^2 / (2 distance).
template <class Simplex, class Polytope, class Real>
double upper_bound(const Simplex& simplex, const Polytope& polytope, Progress<Real>& progress) {
    auto &sum = progress.sum, &term = progress.term;
    std::ranges::fill(sum, SumOfProducts{});
    SumOfProducts total, square;
    for (std::size_t k = 0; k < simplex.size(); ++k) {
        const DoubleDouble weight = simplex.exact_weight(k);
        polytope.write_vertex(simplex.label(k), term.data());
        for (std::size_t j = 0; j < sum.size(); ++j) sum[j].add(weight, term[j]);
        total.add(weight, 1.0);
    }
    for (const SumOfProducts& coordinate : sum) {
        square.add(coordinate.value(), coordinate.value());
    }
    DoubleDouble length = sqrt(square.value());
    // over the sum of the weights, which is 1 except for its rounding e: 1 / (1 + e) = 1 - e + ...
    length.low -= length.high * ((total.value().high - 1.0) + total.value().low);
    return rounded_up(length, double_double_epsilon * progress.size + polytope.vertex_rounding());
}

// The width of the slab between the origin and the polytope: p / |x| if the product of every vertex
// with x is at least p. It is a lower bound of the distance. `rounding_of_products<Real>()` bounds
// the rounding of the product of a vertex and the last x; the length of x has d + 2 roundings.
template <class Polytope, class Real>
double width_of_slab(const Polytope& polytope, Real least, double length, std::size_t d) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double value = double(least);
    const double off = polytope.template rounding_of_products<Real>(length);
    return (value - double(d + 4) * epsilon * std::abs(value) - off) / length;
}

// A gap, relative to the distance, that more digits need not improve.
inline constexpr double near_enough = 1e-6;

// Computes the bounds of the distance. The hulls overlap if only rounding is left of it and no
// bound shows that it is positive. Also decides whether more digits would help.
template <class Simplex, class Polytope, class Real>
void conclude(Nearest& found, const Simplex& simplex, const Polytope& polytope,
              Progress<Real>& progress, bool is_rounding) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double rounding = 16.0 * double(simplex.dimension() + 2) * epsilon;
    const double length = found.distance, upper = upper_bound(simplex, polytope, progress);
    if (is_rounding && !(progress.lower > 0.0)) {
        found.outcome = Outcome::overlap;
        found.distance = 0.0;
        found.gap = upper;
        progress.is_resolved = simplex.is_around_origin(rounding * progress.size);
        return;
    }
    found.distance = upper;
    // a little more, because this difference is rounded, too
    found.gap = std::min((1.0 + 4.0 * epsilon) * std::max(upper - progress.lower, 0.0), upper);
    const double left = 4.0 * (rounding * progress.size + polytope.blur());
    const bool is_near = found.gap <= left && found.gap <= near_enough * upper;
    progress.is_resolved = is_near && upper - length <= rounding * length;
}

// `polytope.look(simplex, x)` finds the vertex whose product with x is least, and returns the
// product; `label()` is its name, and `write_vertex(label, out)` writes the vertex to `out`.
// Lengths up to `blur()` count as zero, because the vertices are not known more accurately;
// `vertex_rounding()` is their error in numbers of two doubles. requires: the simplex has a point
template <class Simplex, class Polytope, class Real>
Nearest search(Simplex& simplex, Polytope& polytope, const NearestOptions& options,
               Progress<Real>& progress, const Check& check) {
    const std::size_t d = simplex.dimension();
    const double epsilon = std::is_same_v<Real, double> ? std::numeric_limits<double>::epsilon()
                                                        : double_double_epsilon;
    auto &x = progress.x, &vertex = progress.vertex;
    Nearest found;
    Real before = std::numeric_limits<double>::infinity();
    bool is_rounding = false, is_enough = false;
    for (;;) {
        simplex.nearest(x.data());
        const Real square = detail::product(x, x.data());
        found.distance = std::sqrt(double(square));
        std::copy_n(simplex.point(0), d, vertex.data());
        Real least = 0.0;
        if (found.distance > 0.0) {
            least = polytope.look(simplex, x.data());
            polytope.write_vertex(polytope.label(), vertex.data());
        }
        progress.size = detail::longest(simplex, vertex);
        progress.largest = std::max(progress.largest, progress.size);
        const double rounding = epsilon * progress.size;
        if (is_rounding = !(found.distance > 0.0); is_rounding) break;
        progress.lower =
            std::max(progress.lower, width_of_slab(polytope, least, found.distance, d));
        if (options.only_separate && progress.lower > 0.0) {
            found.distance = progress.lower;
            progress.is_resolved = true;
            return found;
        }
        is_enough = found.distance - progress.lower <= options.tolerance * found.distance;
        // x'x = x'p for every point p of the simplex
        Real promise = 0.0;
        for (std::size_t j = 0; j < d; ++j) promise += x[j] * (simplex.point(0)[j] - vertex[j]);
        const double gap = std::max(double(promise), 0.0) / found.distance;
        is_rounding = gap <= 4.0 * double(d + 2) * rounding + polytope.blur() ||
                      found.distance <= 8.0 * double(d + 1) * rounding + polytope.blur();
        if (is_rounding || is_enough) break;
        if (simplex.contains(polytope.label()) || !(square < before)) break;
        if (found.iterations >= options.max_iterations) {
            found.outcome = Outcome::max_iterations;
            break;
        }
        before = square;
        ++found.iterations;
        check();
        if (!simplex.add(vertex.data(), polytope.label())) break;
    }
    const bool is_stopped = found.outcome == Outcome::max_iterations;
    conclude(found, simplex, polytope, progress, is_rounding);
    progress.is_resolved = progress.is_resolved || is_enough || is_stopped;
    return found;
}

// The same with more digits, from the last simplex of a search in double precision, whose weights
// have no correct digits if points are nearly dependent or hulls nearly touch.
template <class Polytope>
class PreciseSearch {
  public:
    explicit PreciseSearch(std::size_t dimension) : simplex_(dimension), progress_(dimension) {}

    template <class Simplex>
    Nearest run(const Simplex& from, Polytope& polytope, const NearestOptions& options,
                const Progress<double>& before, const Check& check) {
        simplex_.clear();
        progress_.lower = before.lower;
        for (std::size_t k = 0; k < from.size(); ++k) {
            polytope.write_vertex(from.label(k), progress_.vertex.data());
            simplex_.add(progress_.vertex.data(), from.label(k));
        }
        const Nearest found = search(simplex_, polytope, options, progress_, check);
        simplex_.drop_rounding();
        return found;
    }

    const auto& simplex() const { return simplex_; }
    double nearest(std::size_t j) const { return double(progress_.x[j]); }

  private:
    Simplex<0, Target::origin, DoubleDouble> simplex_;
    Progress<DoubleDouble> progress_;
};

}  // namespace mercer::hull
