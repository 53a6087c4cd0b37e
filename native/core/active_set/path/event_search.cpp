// The next breakpoint of a path (docs/theory/paths.md#events).
#include <algorithm>
#include <cmath>

#include "core/active_set/path/path.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::active_set {

// The largest t not above the present one at which a variable changes sides. Among equal ones, up
// to rounding, the smallest index; against cycles that holds for those nearly equal.
Path::Event Path::next_event() {
    double nearest = find_entering();
    for (std::size_t a = 0; a < basis_.size(); ++a) {
        const double leaving = leaving_distance(a);
        distance_[basis_.members()[a]] = leaving;
        nearest = std::min(nearest, leaving);
    }
    Event best;
    if (nearest == infinity) return best;
    const bool bland = repeats_ > options_.bland_after || revisits_ > 0;
    const double tied = nearest + tie_distance(bland ? options_.tie : 1e-4 * options_.tie);
    const std::size_t first = first_of_tied(tied);
    if (first == distance_.size()) {
        is_lost_ = true;
        return best;
    }
    best.variable = first;
    best.parameter = parameter_ - nearest;
    best.distance = nearest;
    // it changes sides a little early: recompute what follows from that
    if (distance_[best.variable] > nearest) since_refresh_ = options_.refresh_period;
    return best;
}

// How far t falls until a free variable meets the bound it heads for.
double Path::leaving_distance(std::size_t position) const {
    const std::size_t v = basis_.members()[position];
    const double rate = rate_[position];
    // rates that cannot be told from zero: beside the box, or beside others if it does not move
    const double width =
        std::min(upper_[v] - lower_[v], has_offset_ ? linear_scale() * fastest_ : 1e300);
    if (!(linear_scale() * std::abs(rate) > 1e-12 * width)) return infinity;
    const double room = rate < 0.0 ? upper_[v] - coef_[v] : coef_[v] - lower_[v];
    return std::max(room, 0.0) / std::abs(rate);
}

// Of the variables whose distance is not above `tied` the first one in order of priority, which is
// that of their numbers until a cycle was met; one past the last if there is none.
std::size_t Path::first_of_tied(double tied) const {
    const double* distance = distance_.data();
    const std::size_t n = distance_.size();
    std::size_t best = instruction_set().events->first_at_most(distance, tied, n);
    if (!is_shuffled_) return best;
    for (std::size_t v = best; v < n; ++v) {
        if (distance[v] <= tied && priority_[v] < priority_[best]) best = v;
    }
    return best;
}

// How far t falls until the slopes of variables at a bound vanish; returns the least.
double Path::find_entering() {
    const std::size_t n = coef_.size();
    const double *value = value_.data(), *value_rate = value_rate_.data(), *rest = nullptr;
    gathered_.resize(3 * n);
    if (!kernel_->places_are_variables()) {
        for (std::size_t v = 0; v < n; ++v) {
            gathered_[v] = value_[kernel_->place(v)];
            gathered_[n + v] = value_rate_[kernel_->place(v)];
        }
        value = gathered_.data();
        value_rate = value + n;
    }
    if (has_ridge_ || has_offset_) {
        for (std::size_t v = 0; v < n; ++v) {
            gathered_[2 * n + v] = ridge_[v] * coef_[v] - offset_[v];
        }
        rest = gathered_.data() + 2 * n;
    }
    const double noise = std::max(1e-9 * scale_, 10.0 * noise_);
    const SlopeLine line{parameter_, bias_,      bias_rate_,      noise, linear_.data(),
                         value,      value_rate, towards_.data(), rest};
    return instruction_set().events->entering_distances(line, distance_.data(), n);
}

}  // namespace mercer::active_set
