#include "core/multiclass/row.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::multiclass {

void Row::set(const double* alpha, double upper, std::span<const std::uint32_t> classes,
              const double* values, std::size_t stride, double base) {
    upper_ = upper;
    alpha_.clear();
    slope_.clear();
    for (const std::uint32_t p : classes) {
        alpha_.push_back(alpha[p]);
        slope_.push_back(base + values[p * stride]);
    }
    sum_ = std::accumulate(alpha_.begin(), alpha_.end(), 0.0);
    if (!loss_.has_one_slack) return;
    // what the sum leaves of its bound is one more variable, whose slope is 0
    top_ = 0.0;
    for (const double s : slope_) top_ = std::max(top_, s);
    bottom_ = sum_ < full * upper_ ? 0.0 : top_;
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
        if (alpha_[k] > 0.0) bottom_ = std::min(bottom_, slope_[k]);
    }
}

double Row::violation() const {
    if (loss_.has_one_slack) return top_ - bottom_;
    double worst = 0.0;
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
        if (alpha_[k] < upper_) worst = std::max(worst, slope_[k]);
        if (alpha_[k] > 0.0) worst = std::max(worst, -slope_[k]);
    }
    return worst;
}

bool Row::is_settled(std::size_t k, double reach) const {
    if (alpha_[k] == 0.0) return slope_[k] + reach < (loss_.has_one_slack ? bottom_ : 0.0);
    return !loss_.has_one_slack && alpha_[k] == upper_ && slope_[k] > reach;
}

// gain(d) = slope'd - curvature/2 (sum d^2 + coupling (sum d)^2)
double Row::maximize(double curvature) {
    double largest = 0.0;
    for (const double s : slope_) largest = std::max(largest, std::abs(s));
    next_.assign(alpha_.size(), 0.0);
    // without curvature to speak of, or with a negative one, a corner is as good or better
    if (curvature * upper_ * double(loss_.n_classes) <= 1e-14 * largest) to_vertex();
    else to_interior(curvature);
    double linear = 0.0, squares = 0.0, sum = 0.0;
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
        const double d = next_[k] - alpha_[k];
        linear += slope_[k] * d;
        squares += d * d;
        sum += d;
    }
    return linear - 0.5 * curvature * (squares + loss_.coupling() * sum * sum);
}

void Row::to_vertex() {
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
        const bool rises = slope_[k] > 0.0 && !loss_.has_one_slack;
        next_[k] = rises ? upper_ : slope_[k] < 0.0 ? 0.0 : alpha_[k];
    }
    if (!loss_.has_one_slack || top_ <= 0.0) return;
    std::ranges::fill(next_, 0.0);
    next_[std::size_t(std::ranges::max_element(slope_) - slope_.begin())] = upper_;
}

// The maximizer is clip(aim_p - t, 0, upper) with aim = alpha + slope/curvature + coupling
// sum(alpha) and t = coupling sum(new) + multiplier/curvature; the multiplier is that of the one
// slack, for which this is the projection to a simplex of Crammer & Singer 2001, section 6
// (docs/theory/multiclass.md#solver).
void Row::to_interior(double curvature) {
    const double coupling = loss_.coupling();
    aim_.clear();
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
        aim_.push_back(alpha_[k] + slope_[k] / curvature + coupling * sum_);
    }
    const double each = loss_.has_one_slack ? std::numeric_limits<double>::infinity() : upper_;
    std::size_t n_free = 0;
    const double most = total(0.0, each, n_free);
    // t / coupling - total(t) = 0 has its root between 0 and `most`, or its negative
    const double reach = coupling > 0.0 ? most : -most;
    double t = root(std::min(reach, 0.0), std::max(reach, 0.0), each, 1.0 / coupling, 0.0);
    const bool is_full = loss_.has_one_slack && t / coupling > upper_;
    if (is_full) t = root(t, std::ranges::max(aim_), each, 0.0, upper_);
    for (std::size_t k = 0; k < aim_.size(); ++k) next_[k] = std::clamp(aim_[k] - t, 0.0, each);
    if (!is_full) return;
    // a small bound is made of the last digits of large numbers
    const double sum = std::accumulate(next_.begin(), next_.end(), 0.0);
    for (double& a : next_) a *= sum > 0.0 ? upper_ / sum : 1.0;
}

double Row::total(double t, double upper, std::size_t& n_free) const {
    double sum = 0.0;
    n_free = 0;
    for (const double aim : aim_) {
        const double a = aim - t;
        if (a <= 0.0) continue;
        sum += std::min(a, upper);
        n_free += a < upper;
    }
    return sum;
}

// The root t in [low, high] of rate t - total(t) + target, which is monotone and linear between the
// places where a variable reaches a bound: Newton steps, and halves of the bracket.
double Row::root(double low, double high, double upper, double rate, double target) const {
    const bool rises = rate >= 0.0;
    double t = 0.5 * (low + high);
    for (int k = 0; k < 200 && low < high; ++k) {
        std::size_t n_free = 0;
        const double h = rate * t - total(t, upper, n_free) + target;
        if (h == 0.0) break;
        ((h < 0.0) == rises ? low : high) = t;
        double next = t - h / (rate + double(n_free));
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (std::abs(next - t) <= 1e-16 * std::abs(t)) break;
        t = next;
    }
    return t;
}

}  // namespace mercer::multiclass
