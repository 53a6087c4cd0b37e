// When a point counts as the solution of its problem: one rule for single runs and runs of many
// problems.
//
// Its KKT conditions hold within the tolerance (docs/theory/problem.md#optimality) even with the
// likely rounding of the gradients (docs/theory/rounding.md#what-is-likely), and no duality gap is
// unexplained.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace mercer::acceptance {

constexpr double feasible = 1e-9;    // infeasibility that is rounding of many steps
constexpr double rounded = 1e-14;    // infeasibility of sums that hold to the last digit
constexpr double worthless = 1e-10;  // share of the objective that sums may be worth
constexpr double small_gap = 1e-7;   // relative; a larger one may have to be explained
// The largest violation, in units of the linear term, at which rounding may explain a gap.
constexpr double small_violation = 1e-6;
constexpr double negligible = 0.1;  // share of a tolerance that rounding may add to a violation
// Errors of slopes that more digits would not reduce, in units of the linear term and of the
// tolerance.
constexpr double known = 1e-5, accurate = 0.05;

// Of the largest gradient that coefficients can have: stands for a margin that vanishes.
constexpr double vanishing = 1e-6;

// Without a linear term slopes grow with the coefficients, and are measured by the margin that
// these make (docs/theory/problem.md#the-scale-of-a-violation): half the difference of the
// multipliers of two groups, or that of one. `largest` is the largest gradient such coefficients
// can have.
inline double margin_size(std::span<const double> multiplier, double largest) {
    double margin = multiplier.empty() ? 1.0 : std::abs(multiplier[0]);
    if (multiplier.size() > 1) {
        const auto [least, most] = std::ranges::minmax(multiplier);
        margin = 0.5 * (most - least);
    }
    return std::max(margin, vanishing * largest);
}

// The same as the scale of a violation, at most 1.
inline double violation_scale(std::span<const double> multiplier, double largest) {
    const double size = std::min(margin_size(multiplier, largest), 1.0);
    return size > 0.0 ? size : 1.0;
}

// Rounding of n errors grows with the root of n: what is likely of a bound that adds their sizes
// (docs/theory/rounding.md#what-is-likely).
inline double likely(double rounding, std::size_t n) {
    return rounding * std::min(0.125, 0.4 / std::sqrt(double(std::max<std::size_t>(n, 1))));
}

// The properties of a point of a problem that acceptance depends on.
struct Point {
    std::size_t n_variables;
    double objective, gap, violation, infeasibility;
    double rounding;       // bound of that of the gradients
    double linear_size;    // the largest |linear|
    double slope_size;     // that, or what slopes are measured by without it
    double worth_of_sums;  // what the group sum lacks, times its multiplier
    bool is_bounded;       // all bounds are finite
    bool has_features;     // more digits can be had: the kernel is linear
};

// Whether there is a gap that rounding may explain, and all bounds are finite.
inline bool has_gap_to_explain(const Point& p) {
    const double size = std::max(std::abs(p.objective), std::abs(p.objective + p.gap));
    return p.is_bounded && p.gap > small_gap * size &&
           p.violation <= small_violation * p.linear_size;
}

// Whether nothing is left to find out about it: the violation is within the tolerance whatever
// rounding has likely done to it, the sums hold as far as they are worth something, and no gap
// asks for more digits.
inline bool is_solution(const Point& p, double tolerance) {
    if (!std::isfinite(p.objective) || !std::isfinite(p.gap)) return false;
    if (!(p.violation <= tolerance) || !(p.infeasibility <= feasible)) return false;
    if (!(2.0 * likely(p.rounding, p.n_variables) <= negligible * tolerance)) return false;
    if (p.has_features && !(p.rounding <= std::min(known * p.slope_size, accurate * tolerance))) {
        return false;
    }
    const bool is_lost = p.worth_of_sums > worthless * std::abs(p.objective);
    return !(is_lost && p.infeasibility > rounded) && !has_gap_to_explain(p);
}

}  // namespace mercer::acceptance
