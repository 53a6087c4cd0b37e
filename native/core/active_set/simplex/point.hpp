// A feasible point of a problem with its basis: what the simplex method works on.
//
// A variable is *basic* (in the factor; its slope is kept at zero) or not: at a bound or, where the
// objective is flat, somewhere between. The slope of a variable is gradient - multiplier of its
// group: what the objective gains if it grows and the basic variables answer. A group in which
// some variable can move always has a basic one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/active_set/basis/basis.hpp"
#include "core/problem/problem.hpp"

namespace mercer::active_set {

struct Point {
    // requires: coef feasible. The basis is empty until purify().
    Point(Gram<double>& gram, const ProblemView& problem, const double* group_sum,
          const double* given);

    std::size_t n_variables() const { return coef.size(); }
    // The multiplier of a variable's group.
    double group_multiplier(std::size_t v, const std::vector<double>& multipliers) const {
        return group[v] < 0 ? 0.0 : multipliers[std::size_t(group[v])];
    }
    double slope(std::size_t v, double expansion_at_v) const {
        return linear[v] - expansion_at_v - ridge[v] * coef[v] - group_multiplier(v, multiplier);
    }
    // K coef by place, from that of the nonbasic variables.
    std::vector<double> expansion() const;
    std::vector<double> gradient() const { return gradient(expansion()); }
    std::vector<double> gradient(const std::vector<double>& expansion) const;
    double dual_value(const std::vector<double>& gradient) const;
    // sum of coef^2 K_vv
    double squares() const;
    // Rounding of a slope, were its terms independent: no violation below it means anything.
    double noise() const;
    // From the expansion of all variables to that of the nonbasic ones.
    void set_nonbasic(std::vector<double> expansion);
    // Expansion by place, from the gradient; places without a variable, which are never looked at,
    // stay zero.
    std::vector<double> known_expansion(const double* gradient) const;

    std::shared_ptr<KernelRows> kernel;
    std::vector<double> linear, lower, upper, ridge, coef;
    std::vector<std::int8_t> group;
    std::vector<double> group_sum, multiplier;
    double objective = 0.0;
    Basis basis;
    std::vector<double> nonbasic;  // expansion of what is not basic, by place
};

}  // namespace mercer::active_set
