#include "core/problem/duality.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/infinity.hpp"
#include "core/base/sum.hpp"

namespace mercer {

namespace {

constexpr double closed_share = 1e-9;  // of the value: no other primal point is worth a search
constexpr double far_away = 10.0;      // times the largest coefficient, to a bound
constexpr double next_to = 1e-3;       // times that: as good as at the bound
constexpr int most_steps = 20;

// A scale of w and a multiplier for each group.
struct Primal {
    double scale;
    std::vector<double> multiplier;
};

class Gap {
  public:
    Gap(const ProblemView& problem, const PointView& point, const double* multiplier)
        : p_(problem), point_(point), own_(multiplier, multiplier + problem.n_groups),
          lower_(problem.lower), upper_(problem.upper),
          missing_(missing_sums(problem, point.beta)) {}

    double smallest() {
        const double plain = at({1.0, own_});
        const double size = std::abs(value());
        if (plain <= closed_share * size) return std::max(plain, 0.0);
        const bool is_narrowed = imply_box();
        look_around();
        double best = is_hard_ ? infinity : is_narrowed ? at({1.0, own_}) : plain;
        if (!is_hard_ && is_next_to_bound_) best = std::min(best, at({1.0, weighted()}));
        if (is_loose_) {
            const Primal beyond = beyond_bounds();
            if (beyond.scale > 0.0) best = std::min(best, at(beyond));
        }
        return best >= 0.0 ? best : std::isnan(best) ? infinity : 0.0;
    }

  private:
    std::size_t group(std::size_t i) const { return std::size_t(p_.group[i] + 1); }

    // The value of the point: linear'b - b'(K + ridge)b / 2 = b'(linear + gradient) / 2
    double value() const {
        double sum = 0.0;
        for (std::size_t i = 0; i < p_.n_variables; ++i) {
            sum += point_.beta[i] * (p_.linear[i] + point_.gradient[i]);
        }
        return 0.5 * sum;
    }

    // Where the box is infinite it is narrowed by what the group sums imply:
    // upper_i <= group_sum_g - sum of the other lower bounds of g, and the mirror image.
    bool imply_box() {
        std::vector<double> low(p_.n_groups + 1, 0.0), high(p_.n_groups + 1, 0.0);
        bool is_finite = true;
        for (std::size_t i = 0; i < p_.n_variables; ++i) {
            low[group(i)] += p_.lower[i];
            high[group(i)] += p_.upper[i];
            is_finite = is_finite && std::isfinite(p_.lower[i]) && std::isfinite(p_.upper[i]);
        }
        if (!is_finite) {
            own_lower_.assign(p_.lower, p_.lower + p_.n_variables);
            own_upper_.assign(p_.upper, p_.upper + p_.n_variables);
        }
        for (std::size_t i = 0; i < p_.n_variables && !is_finite; ++i) {
            if (p_.group[i] < 0) continue;
            const double total = p_.group_sum[p_.group[i]];
            const double above = total - (low[group(i)] - p_.lower[i]);
            const double below = total - (high[group(i)] - p_.upper[i]);
            if (std::isfinite(low[group(i)])) own_upper_[i] = std::min(upper_[i], above);
            if (std::isfinite(high[group(i)])) own_lower_[i] = std::max(lower_[i], below);
        }
        if (is_finite) return false;
        lower_ = own_lower_.data();
        upper_ = own_upper_.data();
        return true;
    }

    // Finds bounds that are far away, or infinite, and variables next to a bound.
    void look_around() {
        for (std::size_t i = 0; i < p_.n_variables; ++i) {
            reach_ = std::max(reach_, std::abs(point_.beta[i]));
        }
        falls_.assign(p_.n_variables, Loose::no);
        rises_.assign(p_.n_variables, Loose::no);
        for (std::size_t i = 0; i < p_.n_variables; ++i) {
            const double below = room_below(i), above = room_above(i);
            const double room = std::min(below, above);
            is_next_to_bound_ |= room > 0.0 && room < next_to * reach_;
            if (p_.ridge[i] != 0.0) continue;
            const bool low = below > far_away * reach_, high = above > far_away * reach_;
            falls_[i] = looseness(low, high, lower_[i]);
            rises_[i] = looseness(high, low, upper_[i]);
        }
    }

    // A bound is loose if it is infinite or far beyond all coefficients, on one side only: any
    // slope has one free sign.
    enum class Loose : std::uint8_t { no, far, infinite };
    Loose looseness(bool is_far, bool is_other_far, double bound) {
        if (!is_far || (is_other_far && std::isfinite(bound))) return Loose::no;
        is_loose_ = true;
        is_hard_ |= std::isinf(bound);
        return std::isinf(bound) ? Loose::infinite : Loose::far;
    }

    double room_below(std::size_t i) const { return std::abs(lower_[i] - point_.beta[i]); }
    double room_above(std::size_t i) const { return std::abs(upper_[i] - point_.beta[i]); }

    // Mean gradient of each group, weighted by the room a variable has inside its box. Unlike the
    // mean of the free variables it is not spoiled by those that a solver left next to a bound
    // instead of on it. A variable without any bound counts as the largest coefficient.
    std::vector<double> weighted() const {
        std::vector<double> total(p_.n_groups + 1, 0.0), sum(p_.n_groups + 1, 0.0);
        for (std::size_t i = 0; i < p_.n_variables; ++i) {
            const double weight = std::min({room_below(i), room_above(i), reach_});
            total[group(i)] += weight;
            sum[group(i)] += weight * point_.gradient[i];
        }
        std::vector<double> out = own_;
        for (std::size_t g = 0; g < p_.n_groups; ++g) {
            if (total[g + 1] > 0.0) out[g] = sum[g + 1] / total[g + 1];
        }
        return out;
    }

    // What the loose variables of a group leave to its multiplier, and the values that define it.
    struct Interval {
        double floor = -infinity, ceiling = infinity;
        double floor_value = 0.0, ceiling_value = 0.0;
        double margin() const { return ceiling - floor; }
    };

    // Of each group; the first one is that of variables without a group, whose multiplier is 0,
    // as if of one more, constant variable.
    std::vector<Interval> intervals(double scale) const {
        std::vector<Interval> out(p_.n_groups + 1);
        out[0] = {0.0, 0.0, 0.0, 0.0};
        for (std::size_t i = 0; i < p_.n_variables; ++i) {
            Interval& interval = out[group(i)];
            const double residual = p_.linear[i] - scale * point_.values[i];
            if (rises_[i] != Loose::no && residual > interval.floor) {
                interval.floor = residual;
                interval.floor_value = point_.values[i];
            }
            if (falls_[i] != Loose::no && residual < interval.ceiling) {
                interval.ceiling = residual;
                interval.ceiling_value = point_.values[i];
            }
        }
        return out;
    }

    // A scale s of w and multipliers m that do not price the loose bounds; scale 0 if not found.
    //
    // Without upper bound and ridge V_i is finite only for h_i <= 0 (it rises), without lower
    // bound only for h_i >= 0 (it falls). So every group needs
    //
    //     margin_g(s) = min over falling of (linear - s K beta) - max over rising of (same) >= 0,
    //
    // and m_g between the two. margin_g is concave and piecewise linear in s: Newton's method from
    // s = 1 meets its first root in finitely many steps. For the hard margin that
    // is one step, to s = 2 / (min_+ f - max_- f). Steps aim a rounding error beyond the root:
    // unless the bounds are infinite, what is missing is priced with them.
    Primal beyond_bounds() const {
        double largest = 0.0, scale = 1.0;
        for (std::size_t i = 0; i < p_.n_variables; ++i) {
            largest = std::max(largest, std::abs(p_.linear[i]));
        }
        const double rounding = 1e-12 * (1.0 + largest);
        for (int step = 0; step < most_steps; ++step) {
            const std::vector<Interval> found = intervals(scale);
            const Interval& tightest = *std::ranges::min_element(found, {}, &Interval::margin);
            const double margin = tightest.margin();
            if (margin >= (is_hard_ ? -rounding : 0.0)) return {scale, clipped(found)};
            const double slope = tightest.floor_value - tightest.ceiling_value;
            if (slope <= -1e-15 * margin) break;
            scale += (rounding - margin) / slope;
        }
        return {0.0, {}};
    }

    std::vector<double> clipped(const std::vector<Interval>& found) const {
        std::vector<double> out = own_;
        for (std::size_t g = 0; g < p_.n_groups; ++g) {
            out[g] = std::min(std::max(out[g], found[g + 1].floor), found[g + 1].ceiling);
        }
        return out;
    }

    // P(s, m) - D. With b_i the maximizer in V_i a term is (b_i - beta_i)(h_i - ridge_i (b_i +
    // beta_i)/2): never negative, so that no digits cancel. Without a ridge b_i is a bound.
    double at(const Primal& primal) const {
        Sum gap;
        double energy = 0.0;
        for (std::size_t i = 0; i < p_.n_variables; ++i) {
            const double multiplier =
                p_.group[i] < 0 ? 0.0 : primal.multiplier[std::size_t(p_.group[i])];
            const double h = sloped(i, p_.linear[i] - primal.scale * point_.values[i] - multiplier);
            energy += point_.beta[i] * point_.values[i];
            if (h == 0.0 && p_.ridge[i] == 0.0) continue;
            const double best = p_.ridge[i] == 0.0 ? h * infinity : h / p_.ridge[i];
            const double b = std::min(std::max(best, lower_[i]), upper_[i]);
            if (b == point_.beta[i] && std::isfinite(h)) continue;  // most are where they should be
            gap.add((b - point_.beta[i]) * (h - 0.5 * p_.ridge[i] * (b + point_.beta[i])));
        }
        double total = gap.value();
        for (std::size_t g = 0; g < p_.n_groups; ++g) total += primal.multiplier[g] * missing_[g];
        const double stretch = primal.scale - 1.0;
        return stretch == 0.0 ? total : total + 0.5 * stretch * stretch * energy;
    }

    // Where a bound is infinite, what is left of the wrong sign is rounding of the scale and shift.
    double sloped(std::size_t i, double h) const {
        if (!is_hard_) return h;
        if (falls_[i] == Loose::infinite) h = std::max(h, 0.0);
        if (rises_[i] == Loose::infinite) h = std::min(h, 0.0);
        return h;
    }

    const ProblemView& p_;
    const PointView& point_;
    std::vector<double> own_;
    const double *lower_, *upper_;               // of the problem, or those that are implied
    std::vector<double> own_lower_, own_upper_;  // the implied ones
    std::vector<double> missing_;
    double reach_ = 0.0;
    bool is_next_to_bound_ = false, is_loose_ = false, is_hard_ = false;
    std::vector<Loose> falls_, rises_;  // whether the lower, the upper bound is loose
};

}  // namespace

std::vector<double> missing_sums(const ProblemView& p, const double* beta) {
    std::vector<Sum> sums(p.n_groups + 1);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (beta[i] != 0.0) sums[std::size_t(p.group[i] + 1)].add(beta[i]);
    }
    std::vector<double> missing(p.n_groups);
    for (std::size_t g = 0; g < p.n_groups; ++g) {
        sums[g + 1].add(-p.group_sum[g]);  // before the sum is rounded to a double
        missing[g] = -sums[g + 1].value();
    }
    return missing;
}

double duality_gap(const ProblemView& problem, const PointView& point, const double* multiplier) {
    return Gap(problem, point, multiplier).smallest();
}

}  // namespace mercer
