// The next breakpoint of a path (spec 002, 8.2, hardened form).
#include <algorithm>
#include <cmath>

#include "core/active_set/path.hpp"

namespace mercer::active_set {

// The largest t not above the present one at which a variable changes sides. Among equal ones, up
// to rounding, the smallest index; against cycles that holds for those nearly equal.
Path::Event Path::next_event() {
    find_entering();
    for (std::size_t a = 0; a < basis_.size(); ++a) {
        distance_[basis_.members()[a]] = leaving_distance(a);
    }
    double nearest = infinity;
    for (const double distance : distance_) nearest = std::min(nearest, distance);
    Event best;
    if (nearest == infinity) return best;
    const bool bland = repeats_ > options_.bland_after || revisits_ > 0;
    const double tied = nearest + (bland ? options_.tie : 1e-4 * options_.tie) * parameter_;
    for (std::size_t v = 0; v < distance_.size(); ++v) {
        if (distance_[v] > tied) continue;
        if (best.variable == none || priority_[v] < priority_[best.variable]) best.variable = v;
    }
    best.parameter = parameter_ - nearest;
    // it changes sides a little early: recompute what follows from that
    if (distance_[best.variable] > nearest) since_refresh_ = options_.refresh_period;
    return best;
}

// How far t falls until a free variable meets the bound it heads for.
double Path::leaving_distance(std::size_t position) const {
    const std::size_t v = basis_.members()[position];
    const double rate = rate_[position];
    const double width = std::min(upper_[v] - lower_[v], 1e300);
    if (!(parameter_ * std::abs(rate) > 1e-12 * width)) return infinity;
    const double room = rate < 0.0 ? upper_[v] - coef_[v] : coef_[v] - lower_[v];
    return std::max(room, 0.0) / std::abs(rate);
}

// How far t falls until the slopes of variables at a bound vanish. A slope that is past zero
// already, by rounding, counts as zero: else it would be missed for ever.
void Path::find_entering() {
    const std::size_t n = coef_.size();
    const double *value = value_.data(), *value_rate = value_rate_.data();
    if (!kernel_->places_are_variables()) {
        gathered_.resize(2 * n);
        for (std::size_t v = 0; v < n; ++v) {
            gathered_[v] = value_[kernel_->place(v)];
            gathered_[n + v] = value_rate_[kernel_->place(v)];
        }
        value = gathered_.data();
        value_rate = value + n;
    }
    const double noise = std::max(1e-9 * scale_, 10.0 * noise_);
    const double t = parameter_, bias = bias_, bias_rate = bias_rate_;
    const double *linear = linear_.data(), *towards = towards_.data(), *ridge = ridge_.data();
    const double* coef = coef_.data();
    double* __restrict distance = distance_.data();
    for (std::size_t v = 0; v < n; ++v) {
        const double slope = t * linear[v] - value[v] - ridge[v] * coef[v] - bias;
        const double rate = towards[v] * (linear[v] - value_rate[v] - bias_rate);
        const double ahead = towards[v] * slope > 0.0 ? towards[v] * slope : 0.0;
        distance[v] = rate > noise ? ahead / rate : infinity;
    }
}

}  // namespace mercer::active_set
