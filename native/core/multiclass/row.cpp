#include "core/multiclass/row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mercer::multiclass {

void Row::set(const double* values, std::size_t stride, double shift, std::size_t label) {
    label_ = label;
    const double base = loss_.margin + (loss_.is_relative ? -values[label * stride] : shift);
    for (std::size_t p = 0; p < loss_.n_classes; ++p) slope_[p] = base + values[p * stride];
    slope_[label] = 0.0;
}

// With one slack the own class stands for what is left of the sum, whose slope is 0.
double Row::violation(const double* alpha, double upper) const {
    const std::size_t n = loss_.n_classes;
    if (!loss_.has_one_slack) {
        double worst = 0.0;
        for (std::size_t p = 0; p < n; ++p) {
            if (alpha[p] < upper) worst = std::max(worst, slope_[p]);
            if (alpha[p] > 0.0) worst = std::max(worst, -slope_[p]);
        }
        return worst;
    }
    const double sum = std::accumulate(alpha, alpha + n, 0.0);
    const double top = *std::ranges::max_element(slope_);
    double bottom = sum < full * upper ? 0.0 : top;
    for (std::size_t p = 0; p < n; ++p) {
        if (alpha[p] > 0.0) bottom = std::min(bottom, slope_[p]);
    }
    return top - bottom;
}

// gain(d) = slope'd - curvature/2 (sum d^2 + coupling (sum d)^2)
double Row::maximize(double* alpha, double upper, double curvature) {
    const std::size_t n = loss_.n_classes;
    double largest = 0.0;
    for (const double s : slope_) largest = std::max(largest, std::abs(s));
    // without curvature to speak of, or with a negative one, a corner is as good or better
    if (curvature * upper * double(n) <= 1e-14 * largest) to_vertex(alpha, upper);
    else to_interior(alpha, upper, curvature);
    double linear = 0.0, squares = 0.0, sum = 0.0;
    for (std::size_t p = 0; p < n; ++p) {
        const double d = next_[p] - alpha[p];
        linear += slope_[p] * d;
        squares += d * d;
        sum += d;
        alpha[p] = next_[p];
        next_[p] = d;
    }
    return linear - 0.5 * curvature * (squares + loss_.coupling() * sum * sum);
}

void Row::to_vertex(const double* alpha, double upper) {
    const std::size_t n = loss_.n_classes;
    for (std::size_t p = 0; p < n; ++p) {
        const bool rises = slope_[p] > 0.0 && !loss_.has_one_slack;
        next_[p] = rises ? upper : slope_[p] < 0.0 ? 0.0 : alpha[p];
    }
    next_[label_] = 0.0;
    const auto best = std::ranges::max_element(slope_);
    if (!loss_.has_one_slack || *best <= 0.0) return;
    std::ranges::fill(next_, 0.0);
    next_[std::size_t(best - slope_.begin())] = upper;
}

// The maximizer is clip(aim_p - t, 0, upper) with aim = alpha + slope/curvature + coupling
// sum(alpha) and t = coupling sum(new) + multiplier/curvature; the multiplier is that of the one
// slack.
void Row::to_interior(const double* alpha, double upper, double curvature) {
    const std::size_t n = loss_.n_classes;
    const double coupling = loss_.coupling();
    const double before = coupling * std::accumulate(alpha, alpha + n, 0.0);
    aim_.clear();
    for (std::size_t p = 0; p < n; ++p) {
        if (p != label_) aim_.push_back(alpha[p] + slope_[p] / curvature + before);
    }
    const double each = loss_.has_one_slack ? std::numeric_limits<double>::infinity() : upper;
    std::size_t n_free = 0;
    const double most = total(0.0, each, n_free);
    // t / coupling - total(t) = 0 has its root between 0 and `most`, or its negative
    const double reach = coupling > 0.0 ? most : -most;
    double t = root(std::min(reach, 0.0), std::max(reach, 0.0), each, 1.0 / coupling, 0.0);
    const bool is_full = loss_.has_one_slack && t / coupling > upper;
    if (is_full) t = root(t, std::ranges::max(aim_), each, 0.0, upper);
    std::size_t k = 0;
    for (std::size_t p = 0; p < n; ++p) {
        next_[p] = p == label_ ? 0.0 : std::clamp(aim_[k++] - t, 0.0, each);
    }
    if (!is_full) return;
    // a small bound is made of the last digits of large numbers
    const double sum = std::accumulate(next_.begin(), next_.end(), 0.0);
    for (double& a : next_) a *= sum > 0.0 ? upper / sum : 1.0;
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
