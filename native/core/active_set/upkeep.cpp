// From points to bases, and back to exact slopes: the part of the simplex method that is not about
// choosing or moving.
#include <algorithm>
#include <cmath>

#include "core/active_set/simplex.hpp"
#include "core/active_set/vectors.hpp"

namespace mercer::active_set {

// Expansion of the present point by place, from its gradient; places without a variable, which
// nobody looks at, stay zero.
std::vector<double> Simplex::known_expansion(const double* gradient) const {
    std::vector<double> out(kernel_->n_places());
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        out[kernel_->place(v)] = linear_[v] - gradient[v] - ridge_[v] * coef_[v];
    }
    return out;
}

std::vector<double> Simplex::gradient() {
    std::vector<double> expansion = resting_, weights(basis_.size()), out(coef_.size());
    for (std::size_t a = 0; a < weights.size(); ++a) weights[a] = coef_[basis_.members()[a]];
    kernel_->add_rows(weights.data(), basis_.rows(), expansion.data());
    for (std::size_t v = 0; v < out.size(); ++v) {
        out[v] = linear_[v] - expansion[kernel_->place(v)] - ridge_[v] * coef_[v];
    }
    return out;
}

void Simplex::set_gradient(const double* gradient) {
    resting_ = known_expansion(gradient);
    std::vector<double> weights(basis_.size());
    for (std::size_t a = 0; a < weights.size(); ++a) weights[a] = -coef_[basis_.members()[a]];
    kernel_->add_rows(weights.data(), basis_.rows(), resting_.data());
    objective_ = dual_value(std::vector<double>(gradient, gradient + coef_.size()));
    restore();
}

// linear'b - b'(K + ridge)b / 2 = b'(linear + gradient) / 2
double Simplex::dual_value(const std::vector<double>& gradient) const {
    double sum = 0.0;
    for (std::size_t v = 0; v < coef_.size(); ++v) sum += coef_[v] * (linear_[v] + gradient[v]);
    return 0.5 * sum;
}

// A basis of the present point (docs/theory/active_set.md#from-a-point-to-a-basis): variables
// strictly inside their boxes become basic one by one. One that depends on those before it moves
// along the flat direction, uphill, until somebody meets a bound and makes room. requires:
// `expansion` is that of the point
void Simplex::purify(const std::vector<double>& expansion) {
    std::vector<double> gradient(coef_.size());
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        gradient[v] = linear_[v] - expansion[kernel_->place(v)] - ridge_[v] * coef_[v];
    }
    objective_ = dual_value(gradient);
    basis_.clear();
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        const double close = 1e-14 * std::min(upper_[v] - lower_[v], std::abs(coef_[v]));
        if (coef_[v] - lower_[v] <= close) {
            coef_[v] = lower_[v];
        } else if (upper_[v] - coef_[v] <= close) {
            coef_[v] = upper_[v];
        } else {
            purify_one(v, gradient);
        }
    }
    for (int g = 0; g < int(group_sum_.size()); ++g) {
        if (basis_.lacks(g) && !recruit(g, 1.0, gradient)) recruit(g, -1.0, gradient);
        if (basis_.lacks(g)) continue;
        multiplier_[std::size_t(g)] = gradient[basis_.members()[basis_.reference(g)]];
    }
    resting_ = expansion;
    std::vector<double> weights(basis_.size());
    for (std::size_t a = 0; a < weights.size(); ++a) weights[a] = -coef_[basis_.members()[a]];
    kernel_->add_rows(weights.data(), basis_.rows(), resting_.data());
    counters_.largest_basis = std::max(counters_.largest_basis, basis_.size());
}

void Simplex::purify_one(std::size_t variable, const std::vector<double>& gradient) {
    const KernelRowPointer row = kernel_->fetch(variable);
    const Response response = basis_.respond(variable, *row);
    if (!response.is_finite()) return;  // no step can be told: it rests where it is
    if (!response.is_flat()) return basis_.append(variable, row, response);
    std::vector<double> h = response.h;
    double slope = gradient[variable];
    for (std::size_t a = 0; a < h.size(); ++a) slope += h[a] * gradient[basis_.members()[a]];
    const double sign = slope < 0.0 ? -1.0 : 1.0;
    for (double& x : h) x *= sign;
    const Block block = ratio_test(variable, sign, h);
    if (block.step == infinity) return;  // flat without end: it rests where it is
    move(variable, sign, block.step, h, {});
    const bool stays = block.position < basis_.size();
    const std::size_t blocked = stays ? basis_.members()[block.position] : variable;
    coef_[blocked] = block.at_upper ? upper_[blocked] : lower_[blocked];
    if (!stays) return;
    basis_.remove(block.position);
    basis_.append(variable, row);
}

// Makes a variable of a group basic that may move in the direction `sign`, the one whose gradient
// says so most. Its coefficient stays part of `resting_`.
bool Simplex::recruit(int group, double sign, const std::vector<double>& gradient) {
    std::size_t best = none;
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        if (group_[v] != group) continue;
        const bool can = sign > 0.0 ? coef_[v] < upper_[v] : coef_[v] > lower_[v];
        if (can && (best == none || sign * gradient[v] > sign * gradient[best])) best = v;
    }
    if (best == none) return false;
    basis_.append(best, kernel_->fetch(best));
    return true;
}

std::vector<double> Simplex::basic_slopes() const {
    const std::vector<std::size_t>& members = basis_.members();
    std::vector<double> expansion(members.size());
    for (std::size_t a = 0; a < members.size(); ++a) {
        expansion[a] = resting_[kernel_->place(members[a])];
    }
    for (std::size_t b = 0; b < members.size(); ++b) {
        const KernelRow& row = *basis_.rows()[b];
        const double weight = coef_[members[b]];
        for (std::size_t a = 0; a < members.size(); ++a) {
            expansion[a] += weight * kernel_->value(row, members[a]);
        }
    }
    for (std::size_t a = 0; a < members.size(); ++a) expansion[a] = slope(members[a], expansion[a]);
    return expansion;
}

// What the coefficients lack to each group sum, if that is more than rounding and the group has
// more than one basic variable.
std::vector<double> Simplex::missing_sums() const {
    std::vector<double> missing = group_sum_, size(group_sum_.size(), 0.0);
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        if (group_[v] < 0) continue;
        missing[std::size_t(group_[v])] -= coef_[v];
        size[std::size_t(group_[v])] += std::abs(coef_[v]);
    }
    for (std::size_t g = 0; g < missing.size(); ++g) {
        const bool alone = basis_.n_members(int(g)) < 2;
        if (alone || std::abs(missing[g]) <= 1e-15 * size[g]) missing[g] = 0.0;
    }
    return missing;
}

// Newton steps to zero slopes of the basic variables and the group sums; whoever meets a bound on
// the way leaves (Sentelle 2014, algorithm 4). Two full steps: the second one corrects the rounding
// of the first.
void Simplex::restore() {
    std::vector<double> h, slopes, eta(group_sum_.size());
    for (int full = 0; full < 2 && basis_.size() > 0;) {
        if (slopes.empty()) slopes = basic_slopes();
        basis_.solve(slopes.data(), missing_sums(), h, eta);
        if (!are_finite(h) || !are_finite(eta)) return;
        const Block block = ratio_test(none, 0.0, h);
        move(none, 0.0, std::min(block.step, 1.0), h, eta);
        if (block.step >= 1.0) {
            ++full;
            slopes.clear();
        } else {
            // a part of the step leaves that much of every slope
            for (double& slope : slopes) slope *= 1.0 - block.step;
            slopes.erase(slopes.begin() + long(block.position));
            leave(block);
        }
    }
}

// The basis anew, after rounding has spoiled it.
void Simplex::rebuild() {
    ++counters_.rebuilds;
    const std::vector<double> now = gradient();
    purify(known_expansion(now.data()));
    restore();
}

void Simplex::rescale(const double* lower, const double* upper, const double* group_sum,
                      double factor) {
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        const bool at_lower = coef_[v] == lower_[v], at_upper = coef_[v] == upper_[v];
        lower_[v] = lower[v];
        upper_[v] = upper[v];
        coef_[v] = at_lower   ? lower_[v]
                   : at_upper ? upper_[v]
                              : std::clamp(factor * coef_[v], lower_[v], upper_[v]);
    }
    for (double& x : resting_) x *= factor;
    group_sum_.assign(group_sum, group_sum + group_sum_.size());
    restore();
    objective_ = dual_value(gradient());
}

void Simplex::set_box(std::size_t variable, double lower, double upper) {
    lower_[variable] = lower;
    upper_[variable] = upper;
}

bool Simplex::retire(std::size_t variable, double value) {
    const KernelRowPointer row = kernel_->fetch(variable);
    const int group = group_[variable];
    if (basis_.position(variable) != none) {
        basis_.remove(basis_.position(variable));
    } else if (coef_[variable] != 0.0) {
        kernel_->add_row(-coef_[variable], *row, resting_.data());
    }
    const double sign = value > coef_[variable] ? 1.0 : -1.0;
    lower_[variable] = std::min(value, coef_[variable]);
    upper_[variable] = std::max(value, coef_[variable]);
    while (coef_[variable] != value) {
        if (basis_.lacks(group) && !replace_last(group, variable, -sign)) break;
        const Response response = basis_.respond(variable, *row);
        std::vector<double> h = response.h, eta = response.eta;
        for (double& x : h) x *= sign;
        for (double& x : eta) x *= sign;
        const Block block = ratio_test(variable, sign, h);
        if (!response.is_finite() || block.position == none) break;
        move(variable, sign, block.step, h, eta);
        if (block.position == basis_.size()) {
            coef_[variable] = value;
        } else {
            leave(block);
        }
    }
    const bool done = coef_[variable] == value;
    if (coef_[variable] != 0.0) kernel_->add_row(coef_[variable], *row, resting_.data());
    lower_[variable] = upper_[variable] = coef_[variable];
    if (basis_.lacks(group) && !replace_last(group, none, 1.0)) replace_last(group, none, -1.0);
    objective_ = dual_value(gradient());
    return done;
}

// Somebody basic in place of the last of a group that left: the one with the gradient nearest to
// the multiplier among those that may move in the direction `sign`, which keeps the others right.
bool Simplex::replace_last(int group, std::size_t except, double sign) {
    std::vector<double> now = gradient();
    if (except != none) now[except] = -sign * infinity;
    if (!recruit(group, sign, now)) return false;
    const std::size_t position = basis_.reference(group), v = basis_.members()[position];
    if (v == except) {
        basis_.remove(position);
        return false;
    }
    multiplier_[std::size_t(group)] = now[v];
    if (coef_[v] != 0.0) kernel_->add_row(-coef_[v], *basis_.rows()[position], resting_.data());
    return true;
}

}  // namespace mercer::active_set
