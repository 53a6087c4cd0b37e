#include "core/active_set/simplex/purify.hpp"

#include <algorithm>
#include <cmath>

#include "core/active_set/basis/vectors.hpp"
#include "core/active_set/simplex/step.hpp"

namespace mercer::active_set {

namespace {

void purify_one(Point& point, std::size_t variable, const std::vector<double>& gradient) {
    Basis& basis = point.basis;
    const KernelRowPointer row = point.kernel->fetch(variable);
    const Response response = basis.respond(variable, *row);
    if (!response.is_finite()) return;  // no step can be told: it stays where it is
    if (!response.is_flat()) return basis.append(variable, row, response);
    std::vector<double> h = response.h;
    double slope = gradient[variable];
    for (std::size_t a = 0; a < h.size(); ++a) slope += h[a] * gradient[basis.members()[a]];
    const double sign = slope < 0.0 ? -1.0 : 1.0;
    for (double& x : h) x *= sign;
    const Block block = ratio_test(point, variable, sign, h);
    if (block.step == infinity) return;  // flat without end: it stays where it is
    move(point, variable, sign, block.step, h, {});
    const bool enters = block.position < basis.size();
    const std::size_t blocked = enters ? basis.members()[block.position] : variable;
    point.coef[blocked] = block.at_upper ? point.upper[blocked] : point.lower[blocked];
    if (!enters) return;
    basis.remove(block.position);
    basis.append(variable, row);
}

std::vector<double> basic_slopes(const Point& point) {
    const std::vector<std::size_t>& members = point.basis.members();
    std::vector<double> out(members.size());
    for (std::size_t a = 0; a < members.size(); ++a) {
        out[a] = point.nonbasic[point.kernel->place(members[a])];
    }
    for (std::size_t b = 0; b < members.size(); ++b) {
        const KernelRow& row = *point.basis.rows()[b];
        const double weight = point.coef[members[b]];
        for (std::size_t a = 0; a < members.size(); ++a) {
            out[a] += weight * point.kernel->value(row, members[a]);
        }
    }
    for (std::size_t a = 0; a < members.size(); ++a) out[a] = point.slope(members[a], out[a]);
    return out;
}

// What the coefficients lack to each group sum, if that is more than rounding and the group has
// more than one basic variable.
std::vector<double> missing_sums(const Point& point) {
    std::vector<double> missing = point.group_sum, size(missing.size(), 0.0);
    for (std::size_t v = 0; v < point.n_variables(); ++v) {
        if (point.group[v] < 0) continue;
        missing[std::size_t(point.group[v])] -= point.coef[v];
        size[std::size_t(point.group[v])] += std::abs(point.coef[v]);
    }
    for (std::size_t g = 0; g < missing.size(); ++g) {
        const bool alone = point.basis.n_members(int(g)) < 2;
        if (alone || std::abs(missing[g]) <= 1e-15 * size[g]) missing[g] = 0.0;
    }
    return missing;
}

}  // namespace

void purify(Point& point, const std::vector<double>& expansion) {
    const std::vector<double> gradient = point.gradient(expansion);
    point.objective = point.dual_value(gradient);
    point.basis.clear();
    for (std::size_t v = 0; v < point.n_variables(); ++v) {
        const double low = point.lower[v], high = point.upper[v];
        double& coef = point.coef[v];
        const double close = 1e-14 * std::min(high - low, std::abs(coef));
        if (coef - low <= close) {
            coef = low;
        } else if (high - coef <= close) {
            coef = high;
        } else {
            purify_one(point, v, gradient);
        }
    }
    for (int g = 0; g < int(point.group_sum.size()); ++g) {
        if (point.basis.lacks(g) && !recruit(point, g, 1.0, gradient)) {
            recruit(point, g, -1.0, gradient);
        }
        if (point.basis.lacks(g)) continue;
        const std::size_t reference = point.basis.members()[point.basis.reference(g)];
        point.multiplier[std::size_t(g)] = gradient[reference];
    }
    point.set_nonbasic(expansion);
}

void set_gradient(Point& point, const double* gradient) {
    point.set_nonbasic(point.known_expansion(gradient));
    point.objective = point.dual_value({gradient, gradient + point.n_variables()});
    restore(point);
}

bool recruit(Point& point, int group, double sign, const std::vector<double>& gradient) {
    std::size_t best = none;
    for (std::size_t v = 0; v < point.n_variables(); ++v) {
        if (point.group[v] != group) continue;
        const double coef = point.coef[v];
        const bool can = sign > 0.0 ? coef < point.upper[v] : coef > point.lower[v];
        if (can && (best == none || sign * gradient[v] > sign * gradient[best])) best = v;
    }
    if (best == none) return false;
    point.basis.append(best, point.kernel->fetch(best));
    return true;
}

// Two full steps: the second one corrects the rounding of the first.
void restore(Point& point) {
    std::vector<double> h, slopes, eta(point.group_sum.size());
    for (int full = 0; full < 2 && point.basis.size() > 0;) {
        if (slopes.empty()) slopes = basic_slopes(point);
        point.basis.solve(slopes.data(), missing_sums(point), h, eta);
        if (!are_finite(h) || !are_finite(eta)) return;
        const Block block = ratio_test(point, none, 0.0, h);
        move(point, none, 0.0, std::min(block.step, 1.0), h, eta);
        if (block.step >= 1.0) {
            ++full;
            slopes.clear();
        } else {
            // a part of the step leaves that much of every slope
            for (double& slope : slopes) slope *= 1.0 - block.step;
            slopes.erase(slopes.begin() + long(block.position));
            leave(point, block);
        }
    }
}

}  // namespace mercer::active_set
