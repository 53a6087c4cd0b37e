#include "core/active_set/simplex/change.hpp"

#include <algorithm>

#include "core/active_set/simplex/purify.hpp"
#include "core/active_set/simplex/step.hpp"

namespace mercer::active_set {

namespace {

// A basic variable in place of the last of a group that left: the one with the gradient nearest to
// the multiplier among those that may move in the direction `sign`, which keeps the others right.
bool replace_last(Point& point, int group, std::size_t except, double sign) {
    std::vector<double> now = point.gradient();
    if (except != none) now[except] = -sign * infinity;
    if (!recruit(point, group, sign, now)) return false;
    const std::size_t position = point.basis.reference(group), v = point.basis.members()[position];
    if (v == except) {
        point.basis.remove(position);
        return false;
    }
    point.multiplier[std::size_t(group)] = now[v];
    if (point.coef[v] != 0.0) {
        point.kernel->add_row(-point.coef[v], *point.basis.rows()[position], point.nonbasic.data());
    }
    return true;
}

// Moves a variable that is neither basic nor in the nonbasic expansion until it has the value, or
// nothing can make up for it any more.
void drive(Point& point, std::size_t variable, double value, const KernelRow& row) {
    const double sign = value > point.coef[variable] ? 1.0 : -1.0;
    const int group = point.group[variable];
    while (point.coef[variable] != value) {
        if (point.basis.lacks(group) && !replace_last(point, group, variable, -sign)) break;
        const Response response = point.basis.respond(variable, row);
        std::vector<double> h = response.h, eta = response.eta;
        for (double& x : h) x *= sign;
        for (double& x : eta) x *= sign;
        const Block block = ratio_test(point, variable, sign, h);
        if (!response.is_finite() || block.position == none) break;
        move(point, variable, sign, block.step, h, eta);
        if (block.position == point.basis.size()) {
            point.coef[variable] = value;
        } else {
            leave(point, block);
        }
    }
}

}  // namespace

void rescale(Point& point, const double* lower, const double* upper, const double* group_sum,
             double factor) {
    for (std::size_t v = 0; v < point.n_variables(); ++v) {
        double& coef = point.coef[v];
        const bool at_lower = coef == point.lower[v], at_upper = coef == point.upper[v];
        point.lower[v] = lower[v];
        point.upper[v] = upper[v];
        coef = at_lower   ? lower[v]
               : at_upper ? upper[v]
                          : std::clamp(factor * coef, lower[v], upper[v]);
    }
    for (double& x : point.nonbasic) x *= factor;
    point.group_sum.assign(group_sum, group_sum + point.group_sum.size());
    restore(point);
    point.objective = point.dual_value(point.gradient());
}

bool retire(Point& point, std::size_t variable, double value) {
    const KernelRowPointer row = point.kernel->fetch(variable);
    const int group = point.group[variable];
    double& coef = point.coef[variable];
    if (point.basis.position(variable) != none) {
        point.basis.remove(point.basis.position(variable));
    } else if (coef != 0.0) {
        point.kernel->add_row(-coef, *row, point.nonbasic.data());
    }
    point.lower[variable] = std::min(value, coef);
    point.upper[variable] = std::max(value, coef);
    drive(point, variable, value, *row);
    if (coef != 0.0) point.kernel->add_row(coef, *row, point.nonbasic.data());
    point.lower[variable] = point.upper[variable] = coef;
    if (point.basis.lacks(group) && !replace_last(point, group, none, 1.0)) {
        replace_last(point, group, none, -1.0);
    }
    point.objective = point.dual_value(point.gradient());
    return coef == value;
}

}  // namespace mercer::active_set
