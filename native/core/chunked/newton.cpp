#include "core/chunked/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer::chunked {

namespace {

// More rounds meet few more bounds; what is left to meet the next step will.
constexpr int most_rounds = 4;

}  // namespace

template <class T>
std::size_t Newton<T>::cost() const {
    std::size_t m = 0;
    for (std::size_t p = 0; p < square_.size; ++p) m += is_free(p);
    return m * m / 24 * m / (square_.size + 1);
}

// The proximal term leaves a violation of at most its product with the coefficients.
template <class T>
void Newton<T>::start() {
    free_.clear();
    held_.clear();
    held_change_.assign(square_.size, 0.0);
    double largest = 0.0;
    scale_ = 0.0;
    for (std::size_t p = 0; p < square_.size; ++p) {
        if (!is_free(p)) continue;
        free_.push_back(p);
        largest = std::max(largest, std::abs(square_.beta[p]));
        scale_ = std::max(scale_, double(square_.diagonal[p]));
    }
    const double rounding = std::numeric_limits<T>::epsilon() * scale_ * double(free_.size());
    proximal_ = std::max(rounding, 0.1 * tolerance_ / (largest + 1e-300));
}

template <class T>
bool Newton<T>::step() {
    start();
    if (free_.size() < 2) return true;
    std::optional<std::vector<double>> d = direction();
    if (!d) return true;
    const Way straight = way_along(*d);
    for (int round = 1; round < most_rounds && d && hold(*d); ++round) {
        d = free_.size() > 1 ? direction() : std::nullopt;
    }
    if (!d || held_.empty()) return climb(straight);
    const Way around = way_along(*d);
    return climb(around.gain > straight.gain ? around : straight);
}

template <class T>
Cholesky Newton<T>::factor() const {
    const std::size_t m = free_.size();
    std::vector<double> matrix(m * m);
    for (std::size_t a = 0; a < m; ++a) {
        const T* values = row(free_[a]);
        for (std::size_t b = 0; b <= a; ++b) matrix[a * m + b] = values[free_[b]];
        matrix[a * m + a] += proximal_;
    }
    return Cholesky(std::move(matrix), m);
}

template <class T>
std::vector<double> Newton<T>::slopes() const {
    std::vector<double> out(free_.size());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = square_.gradient[free_[k]];
    for (const std::size_t h : held_) {
        const T* values = row(h);
        for (std::size_t k = 0; k < out.size(); ++k) out[k] -= values[free_[k]] * held_change_[h];
    }
    return out;
}

template <class T>
auto Newton<T>::sums() const -> std::vector<Sum> {
    std::vector<Sum> out;
    for (std::size_t r = 0; r < square_.n_ranges; ++r) {
        const SquareRange& range = square_.ranges[r];
        if (range.alone) continue;
        const auto holds = [&](std::size_t p) { return p >= range.begin && p < range.end; };
        Sum sum{std::vector<double>(free_.size()), 0.0};
        for (std::size_t k = 0; k < free_.size(); ++k) sum.member[k] = holds(free_[k]);
        for (const std::size_t h : held_) sum.missing -= holds(h) ? held_change_[h] : 0.0;
        if (std::ranges::any_of(free_, holds) || sum.missing != 0.0) out.push_back(std::move(sum));
    }
    return out;
}

// d = H^-1 (slopes - A m) with the multipliers m of A' d = missing: (A' H^-1 A) m = A' H^-1 slopes -
// missing, where A holds the members of each range. What rounding leaves of a sum is spread evenly.
template <class T>
std::optional<std::vector<double>> Newton<T>::direction() const {
    const Cholesky matrix = factor();
    if (!matrix.is_positive()) return std::nullopt;
    std::vector<double> d = slopes();
    matrix.solve(d);
    const std::vector<Sum> ranges = sums();
    const std::size_t n = ranges.size();
    std::vector<std::vector<double>> solved;
    std::vector<double> coupling(n * n), m(n);
    for (std::size_t r = 0; r < n; ++r) {
        matrix.solve(solved.emplace_back(ranges[r].member));
        for (std::size_t s = 0; s <= r; ++s) {
            coupling[r * n + s] = dot(ranges[s].member, solved[r]);
        }
        m[r] = dot(ranges[r].member, d) - ranges[r].missing;
    }
    const Cholesky small(std::move(coupling), n);
    if (!small.is_positive()) return std::nullopt;
    small.solve(m);
    for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t k = 0; k < d.size(); ++k) d[k] -= m[r] * solved[r][k];
    }
    for (const Sum& sum : ranges) {
        const double count = dot(sum.member, sum.member);
        const double left = (dot(sum.member, d) - sum.missing) / count;
        for (std::size_t k = 0; k < d.size(); ++k) d[k] -= left * sum.member[k];
    }
    if (!std::ranges::all_of(d, [](double x) { return std::isfinite(x); })) return std::nullopt;
    return d;
}

template <class T>
bool Newton<T>::hold(const std::vector<double>& d) {
    std::vector<std::size_t> inside;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const std::size_t p = free_[k];
        if (d[k] == 0.0 || room(p, d[k]) > 1.0) {
            inside.push_back(p);
        } else {
            const double bound = d[k] > 0.0 ? square_.upper[p] : square_.lower[p];
            held_change_[p] = bound - square_.beta[p];
            held_.push_back(p);
        }
    }
    const bool any = inside.size() < free_.size();
    free_ = std::move(inside);
    return any;
}

// To the maximum along the change of the free positions and of those held, or to the first bound.
template <class T>
auto Newton<T>::way_along(const std::vector<double>& d) const -> Way {
    Way way{held_change_, std::vector<double>(square_.size)};
    for (std::size_t k = 0; k < d.size(); ++k) way.change[free_[k]] = d[k];
    double slope = 0.0, length = 0.0;
    for (std::size_t p = 0; p < square_.size; ++p) {
        const double change = way.change[p];
        if (change == 0.0) continue;
        way.room = std::min(way.room, room(p, change));
        length += std::abs(change);
        slope += change * double(square_.gradient[p]);
        const T* values = row(p);
        for (std::size_t j = 0; j < square_.size; ++j) way.product[j] += change * double(values[j]);
    }
    if (!(slope > 0.0)) return way;
    const double curve = dot(way.change, way.product);
    // A curvature that may be rounding is none: such a way is followed to the box.
    const double noise = std::numeric_limits<double>::epsilon() * scale_ * length * length;
    way.step = curve > noise ? std::min(way.room, slope / curve) : way.room;
    way.gain = way.step * (slope - 0.5 * way.step * curve);
    return way;
}

template <class T>
bool Newton<T>::climb(const Way& way) {
    if (!(way.gain > 0.0) || !std::isfinite(way.step)) return true;
    ++n_steps_;
    for (std::size_t p = 0; p < square_.size; ++p) {
        square_.gradient[p] -= T(way.step * way.product[p]);
        const double change = way.change[p];
        if (change == 0.0) continue;
        const double bound = change > 0.0 ? square_.upper[p] : square_.lower[p];
        const bool is_met = room(p, change) <= way.step;
        square_.beta[p] = is_met ? bound : square_.beta[p] + way.step * change;
    }
    return way.step < way.room;
}

template class Newton<float>;
template class Newton<double>;

}  // namespace mercer::chunked
