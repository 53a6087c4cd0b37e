#include "core/active_set/path/path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "core/active_set/basis/vectors.hpp"

namespace mercer::active_set {

namespace {

// Partitions met again at one t, each in another order of the variables, until rounding is blamed.
constexpr std::size_t most_revisits = 50;

// A number for each (variable, side), to be combined by exclusive or.
std::uint64_t fingerprint(std::size_t variable, Side side) {
    std::uint64_t x = (std::uint64_t(variable) << 2) + std::uint64_t(std::int8_t(side) + 2);
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ULL;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dULL;
    return x ^ (x >> 33);
}

}  // namespace

PathEnd Path::follow(const PathOptions& options, const Monitor& monitor) {
    options_ = options;
    Watch watch(options.max_seconds, monitor);
    // below this, rounding is all there is: of slopes in proportion to t, or of the offset
    const double least = has_offset_ ? 1e-13 * offset_size_ : 1e-11 * parameter_;
    const double last = std::max(options.stop, least);
    const double zero = 1e-14 * parameter_;  // what cannot be told from t = 0
    if (!refresh()) return roll_back();
    for (;;) {
        find_direction();
        if (!is_finite()) return roll_back();
        record();
        if (is_complete()) return finish(PathEnd::complete);
        if (n_events_ >= options.max_events) return finish(PathEnd::max_events);
        if (!watch.go_on()) {
            return finish(watch.status() == Status::max_time ? PathEnd::max_time
                                                             : PathEnd::stopped);
        }
        const double before = parameter_;
        Event event;
        do {
            event = next_event();
            if (is_lost_) return roll_back();
            const bool is_last = event.parameter <= last;
            // where nothing more happens the solution is known down to `stop`
            const bool arrives = event.parameter <= std::max(options.stop, zero) || has_offset_;
            const double end = arrives ? options.stop : last;
            advance(is_last ? std::max(parameter_ - end, 0.0) : event.distance);
            if (is_last) parameter_ = std::min(end, parameter_);
            if (is_last && !are_finite(value_)) return roll_back();
            if (is_last) return finish(arrives ? PathEnd::reached : PathEnd::precision);
        } while (!apply(event) && !is_lost_);
        ++n_events_;
        note_repeat(before);
        if (is_at_zero(event.variable)) return finish(PathEnd::at_zero);
        if (revisits_ > most_revisits || repeats_ > 10 * coef_.size() + 1000) return roll_back();
        if (++since_refresh_ >= options.refresh_period && !refresh()) {
            return roll_back();
        }
    }
}

// Whether the point and its direction are numbers; those of the free variables are part of the
// noise.
bool Path::is_finite() const {
    return !is_lost_ && std::isfinite(parameter_) && std::isfinite(bias_) &&
           std::isfinite(bias_rate_) && std::isfinite(noise_);
}

// Ends the path at the last state that was recomputed and found optimal.
PathEnd Path::roll_back() {
    const std::size_t kept = verified_.n_segments;
    coef_ = verified_.coef;
    parameter_ = verified_.parameter;
    bias_ = verified_.bias;
    log_.parameter.resize(kept);
    log_.bias.resize(kept);
    log_.bias_rate.resize(kept);
    log_.changes_end.resize(kept);
    log_.values_end.resize(kept);
    const std::size_t changes = kept > 0 ? std::size_t(log_.changes_end.back()) : 0;
    log_.changed.resize(changes);
    log_.side.resize(changes);
    const std::size_t values = kept > 0 ? std::size_t(log_.values_end.back()) : 0;
    log_.values.resize(values);
    log_.rates.resize(values);
    return finish(PathEnd::drifted);
}

PathEnd Path::finish(PathEnd end) {
    log_.end = end == PathEnd::complete ? 0.0 : parameter_;
    return end;
}

// t falls by a distance. Not to a t: where rates are large the distance has digits that t has not,
// and without them the coefficients miss their sum.
void Path::advance(double distance) {
    for (std::size_t a = 0; a < basis_.size(); ++a) {
        const std::size_t v = basis_.members()[a];
        coef_[v] = std::clamp(coef_[v] - distance * rate_[a], lower_[v], upper_[v]);
    }
    bias_ -= distance * bias_rate_;
    add_scaled(value_.data(), -distance, value_rate_.data(), value_.size());
    parameter_ -= distance;
}

bool Path::is_at_zero(std::size_t variable) const {
    return variable == options_.until_zero && side_[variable] != Side::free &&
           coef_[variable] == 0.0;
}

// false if the sides stay as they are.
bool Path::apply(const Event& event) {
    const std::size_t position = basis_.position(event.variable);
    if (position == none) return release(event.variable);
    leave(position, rate_[position] < 0.0 ? Side::upper : Side::lower);
    if (basis_.size() == 0 && basis_.has_group()) replace_last();
    return true;
}

// A variable leaves its bound and becomes free; false if it does not have to, or if numbers do not
// suffice to tell.
bool Path::release(std::size_t variable) {
    const KernelRowPointer row = kernel_->fetch(variable);
    const Response response = basis_.respond(variable, *row);
    if (!response.is_finite() || !std::isfinite(slope(variable))) {
        is_lost_ = true;
        return false;
    }
    if (response.is_flat()) return swap_in(variable, row, response);
    load(variable, row, -1);
    basis_.append(variable, row, response);
    change(variable, Side::free);
    return true;
}

// A variable that cannot be told from an affine combination of the free ones. If its slope is
// constant with theirs it does not have to move (Sentelle 2014, theorem 5): it is barred until the
// free variables change. Else there is an offset, or rounding keeps it apart: it moves inwards
// along the flat direction, where no value changes, until a free variable meets a bound and leaves,
// or it meets its own other bound.
bool Path::swap_in(std::size_t variable, const KernelRowPointer& row, const Response& response) {
    double rate = linear_[variable], size = std::abs(rate);
    for (std::size_t a = 0; a < basis_.size(); ++a) {
        rate += response.h[a] * linear_[basis_.members()[a]];
        size += std::abs(response.h[a] * linear_[basis_.members()[a]]);
    }
    barred_.push_back(variable);
    towards_[variable] = 0.0;
    if (std::abs(rate) <= 1e-7 * size) return false;
    const double sign = side_[variable] == Side::lower ? 1.0 : -1.0;
    load(variable, row, -1);
    const std::size_t blocking = move_flat(variable, sign, response);
    since_refresh_ = options_.refresh_period;
    if (blocking == none) {
        load(variable, row, 1);
        change(variable, sign > 0.0 ? Side::upper : Side::lower);
        return true;
    }
    leave(blocking, sign * response.h[blocking] > 0.0 ? Side::upper : Side::lower);
    change(variable, Side::free);
    if (!basis_.append(variable, row)) drop(variable, row);
    return true;
}

// Moves a variable and the free ones along their flat direction until one of them is at a bound:
// returns the position of the free one, or none if it is the variable itself.
std::size_t Path::move_flat(std::size_t variable, double sign, const Response& response) {
    double step =
        sign > 0.0 ? upper_[variable] - coef_[variable] : coef_[variable] - lower_[variable];
    std::size_t blocking = none;
    for (std::size_t a = 0; a < basis_.size(); ++a) {
        const std::size_t v = basis_.members()[a];
        const double h = sign * response.h[a];
        if (std::abs(h) < 1e-9) continue;
        const double room = std::max(h > 0.0 ? upper_[v] - coef_[v] : coef_[v] - lower_[v], 0.0);
        if (room / std::abs(h) < step) step = room / std::abs(h), blocking = a;
    }
    for (std::size_t a = 0; a < basis_.size(); ++a) {
        const std::size_t v = basis_.members()[a];
        coef_[v] = std::clamp(coef_[v] + step * sign * response.h[a], lower_[v], upper_[v]);
    }
    coef_[variable] += sign * step;
    if (blocking == none) coef_[variable] = sign > 0.0 ? upper_[variable] : lower_[variable];
    return blocking;
}

// A free variable leaves the factor, exactly at a bound.
void Path::leave(std::size_t position, Side side) {
    const std::size_t v = basis_.members()[position];
    const KernelRowPointer row = basis_.rows()[position];
    basis_.remove(position);
    coef_[v] = side == Side::upper ? upper_[v] : lower_[v];
    load(v, row, 1);
    change(v, side);
}

// The sum moves and the last free variable has met its bound: the next one that can fall takes its
// place, and the bias jumps to it.
void Path::replace_last() {
    std::size_t best = none;
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        if (side_[v] != Side::upper || lower_[v] == upper_[v]) continue;
        if (best == none || slope(v) < slope(best)) best = v;
    }
    if (best == none) return;
    bias_ += slope(best);
    release(best);
}

void Path::change(std::size_t variable, Side side) {
    partition_ ^= fingerprint(variable, side_[variable]) ^ fingerprint(variable, side);
    side_[variable] = side;
    const auto at = std::ranges::lower_bound(sorted_, variable);
    const bool is_listed = at != sorted_.end() && *at == variable;
    if (side == Side::free && !is_listed) sorted_.insert(at, variable);
    if (side != Side::free && is_listed) sorted_.erase(at);
    log_.changed.push_back(std::int64_t(variable));
    log_.side.push_back(side);
    barred_.push_back(variable);
    for (const std::size_t v : barred_) {
        towards_[v] = lower_[v] < upper_[v] ? double(std::int8_t(side_[v])) : 0.0;
    }
    barred_.clear();
}

// Counts events at one t. The smallest index decides ties after many of them; a partition seen
// before shows a cycle: then at once, and, should that not help, in another order
// (docs/theory/paths.md#degeneracy-and-cycling).
void Path::note_repeat(double before) {
    if (before - parameter_ > tie_distance(options_.tie)) {
        repeats_ = revisits_ = 0;
        visited_ = {partition_};
        return;
    }
    ++repeats_;
    if (visited_.insert(partition_).second) return;
    if (++revisits_ > 1) {
        std::mt19937_64 random(revisits_);
        std::ranges::shuffle(priority_, random);
        is_shuffled_ = true;
    }
    visited_.clear();
}

}  // namespace mercer::active_set
