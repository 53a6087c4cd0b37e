#include "core/active_set/simplex/pricing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/active_set/basis/vectors.hpp"
#include "core/active_set/simplex/purify.hpp"

namespace mercer::active_set {

namespace {

Priced price(const Point& point, std::size_t variable, double expansion) {
    const double slope = point.slope(variable, expansion);
    const bool can_grow = point.coef[variable] < point.upper[variable];
    const bool can_fall = point.coef[variable] > point.lower[variable];
    const double violation = can_grow && can_fall ? std::abs(slope)
                             : can_grow           ? slope
                             : can_fall           ? -slope
                                                  : -infinity;
    return {variable, slope, violation};
}

}  // namespace

Pricing::Pricing(std::size_t n_variables) : calm_(n_variables, 0) {
    unshrink();
}

void Pricing::begin(const Options& options) {
    options_ = options;
    unshrink();
    candidates_.clear();
    violation_ = infinity;
}

void Pricing::entered(std::size_t variable) {
    std::erase(candidates_, variable);
}

bool Pricing::select(Point& point, bool bland, Counters& counters, Priced& choice) {
    if (!bland && select_candidate(point, counters, choice)) return true;
    if (!price_all(point, counters, choice)) return false;
    if (bland) {
        const auto first = std::ranges::find_if(
            priced_, [&](const Priced& p) { return p.violation > tolerance_; });
        if (first != priced_.end()) choice = *first;
    } else if (options_.sprint > 0) {
        choose_candidates();
    }
    return true;
}

// The worst of the candidates, if it violates; their expansions are summed one by one.
bool Pricing::select_candidate(const Point& point, Counters& counters, Priced& choice) const {
    const Basis& basis = point.basis;
    double worst = tolerance_;
    for (const std::size_t v : candidates_) {
        double expansion = point.nonbasic[point.kernel->place(v)];
        for (std::size_t a = 0; a < basis.size(); ++a) {
            expansion += point.coef[basis.members()[a]] * point.kernel->value(*basis.rows()[a], v);
        }
        const Priced p = price(point, v, expansion);
        if (!(p.violation > worst)) continue;
        worst = p.violation;
        choice = p;
    }
    counters.priced += candidates_.size();
    return worst > tolerance_;
}

// Prices every active variable, and every variable before it finds none to enter.
bool Pricing::price_all(Point& point, Counters& counters, Priced& choice) {
    candidates_.clear();
    tolerance_ = std::max(options_.tolerance, point.noise());
    for (;;) {
        if (!price_active(point, choice)) return false;
        ++counters.full_pricings;
        counters.priced += priced_.size();
        if (violation_ > tolerance_ || !is_shrunk()) break;
        unshrink();
    }
    if (violation_ <= tolerance_) return false;
    if (options_.shrinking) shrink();
    return true;
}

// The worst of the active variables. A slope that is not finite ends the search: the violation is
// then infinite, and no variable enters.
bool Pricing::price_active(Point& point, Priced& choice) {
    const std::vector<double> expansion = active_expansion(point);
    priced_.clear();
    violation_ = 0.0;
    for (std::size_t k = 0; k < expansion.size(); ++k) {
        const std::size_t v = active_[k];
        if (point.basis.position(v) != none || point.lower[v] == point.upper[v]) continue;
        const Priced p = price(point, v, expansion[k]);
        if (!std::isfinite(p.slope)) {
            violation_ = infinity;
            return false;
        }
        priced_.push_back(p);
        if (p.violation <= violation_) continue;
        violation_ = p.violation;
        choice = p;
    }
    return true;
}

// Expansion nonbasic + K[:, basic] coef of each active variable: streamed over all places, or
// gathered if they are few.
std::vector<double> Pricing::active_expansion(Point& point) const {
    const KernelRows& kernel = *point.kernel;
    std::vector<double> out(active_.size());
    if (3 * active_.size() > kernel.n_places()) {
        const std::vector<double> everywhere = exact_expansion(point);
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = everywhere[kernel.place(active_[k])];
        return out;
    }
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = point.nonbasic[kernel.place(active_[k])];
    for (std::size_t a = 0; a < point.basis.size(); ++a) {
        const KernelRow& row = *point.basis.rows()[a];
        const double weight = point.coef[point.basis.members()[a]];
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k] += weight * kernel.value(row, active_[k]);
        }
    }
    return out;
}

// The slopes of basic variables come with it: where they have drifted they are made zero again.
std::vector<double> Pricing::exact_expansion(Point& point) const {
    for (bool restored = false;; restored = true) {
        std::vector<double> out = point.expansion();
        double drift = 0.0;
        for (const std::size_t v : point.basis.members()) {
            drift = std::max(drift, magnitude(point.slope(v, out[point.kernel->place(v)])));
        }
        if (restored || drift <= 0.1 * tolerance_) return out;
        restore(point);
    }
}

void Pricing::unshrink() {
    active_.resize(calm_.size());
    std::iota(active_.begin(), active_.end(), std::size_t(0));
    std::ranges::fill(calm_, 0);
}

// Leaves out what was satisfied by ten times the worst violation three times in a row.
void Pricing::shrink() {
    constexpr std::uint8_t enough = 3;
    for (const Priced& p : priced_) {
        const bool is_far = p.violation < -10.0 * violation_;
        calm_[p.variable] = is_far ? std::uint8_t(std::min(calm_[p.variable] + 1, 3)) : 0;
    }
    std::erase_if(active_, [&](std::size_t v) { return calm_[v] >= enough; });
}

// Keeps the worst violators above the tolerance.
void Pricing::choose_candidates() {
    candidates_.clear();
    std::erase_if(priced_, [&](const Priced& p) { return p.violation <= tolerance_; });
    const auto worse = [](const Priced& a, const Priced& b) {
        return a.violation != b.violation ? a.violation > b.violation : a.variable < b.variable;
    };
    if (options_.sprint < priced_.size()) {
        std::ranges::nth_element(priced_, priced_.begin() + long(options_.sprint), worse);
        priced_.resize(options_.sprint);
    }
    for (const Priced& p : priced_) candidates_.push_back(p.variable);
    std::ranges::sort(candidates_);
}

}  // namespace mercer::active_set
