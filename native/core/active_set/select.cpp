// The choice of the entering variable: the part of the simplex method that prices.
#include <algorithm>
#include <cmath>

#include "core/active_set/simplex.hpp"
#include "core/active_set/vectors.hpp"

namespace mercer::active_set {

bool Simplex::select(Priced& choice) {
    if (!is_cycling() && select_candidate(choice)) return true;
    if (!price_all(choice)) return false;
    if (is_cycling()) {  // the smallest index that violates (Bland)
        const auto first = std::ranges::find_if(
            priced_, [&](const Priced& p) { return p.violation > tolerance_; });
        if (first != priced_.end()) choice = *first;
    } else if (options_.sprint > 0) {
        pricing_.choose_candidates(priced_, options_.sprint, tolerance_);
    }
    return true;
}

Priced Simplex::price(std::size_t variable, double expansion) const {
    const double s = slope(variable, expansion);
    const bool can_grow = coef_[variable] < upper_[variable];
    const bool can_fall = coef_[variable] > lower_[variable];
    const double violation = can_grow && can_fall ? std::abs(s)
                             : can_grow           ? s
                             : can_fall           ? -s
                                                  : -infinity;
    return {variable, s, violation};
}

// The worst of the candidates, if it violates; their expansions are summed one by one.
bool Simplex::select_candidate(Priced& choice) {
    double worst = tolerance_;
    for (const std::size_t v : pricing_.candidates()) {
        double expansion = resting_[kernel_->place(v)];
        for (std::size_t a = 0; a < basis_.size(); ++a) {
            expansion += coef_[basis_.members()[a]] * kernel_->value(*basis_.rows()[a], v);
        }
        const Priced p = price(v, expansion);
        if (!(p.violation > worst)) continue;
        worst = p.violation;
        choice = p;
    }
    counters_.priced += pricing_.candidates().size();
    return worst > tolerance_;
}

// Prices every active variable, and every variable before it finds none to enter. A slope that is
// not finite ends the search: the violation is then infinite, and nobody enters.
bool Simplex::price_all(Priced& choice) {
    pricing_.candidates().clear();
    tolerance_ = std::max(options_.tolerance, noise());
    for (;;) {
        const std::vector<double> expansion = active_expansion();
        priced_.clear();
        violation_ = 0.0;
        for (std::size_t k = 0; k < expansion.size(); ++k) {
            const std::size_t v = pricing_.active()[k];
            if (basis_.position(v) != none) continue;
            if (lower_[v] == upper_[v]) continue;
            const Priced p = price(v, expansion[k]);
            if (!std::isfinite(p.slope)) {
                violation_ = infinity;
                return false;
            }
            priced_.push_back(p);
            if (p.violation <= violation_) continue;
            violation_ = p.violation;
            choice = p;
        }
        ++counters_.full_pricings;
        counters_.priced += priced_.size();
        if (violation_ > tolerance_ || !pricing_.is_shrunk()) break;
        pricing_.unshrink();
    }
    if (violation_ <= tolerance_) return false;
    if (options_.shrinking) pricing_.shrink(priced_, violation_);
    return true;
}

// Expansion resting + K[:, basic] coef of each active variable: streamed over all places, or
// gathered if they are few.
std::vector<double> Simplex::active_expansion() {
    const std::vector<std::size_t>& active = pricing_.active();
    std::vector<double> out(active.size());
    if (3 * active.size() > kernel_->n_places()) {
        const std::vector<double> everywhere = full_expansion();
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = everywhere[kernel_->place(active[k])];
        return out;
    }
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = resting_[kernel_->place(active[k])];
    for (std::size_t a = 0; a < basis_.size(); ++a) {
        const KernelRow& row = *basis_.rows()[a];
        const double weight = coef_[basis_.members()[a]];
        for (std::size_t k = 0; k < out.size(); ++k)
            out[k] += weight * kernel_->value(row, active[k]);
    }
    return out;
}

// The slopes of basic variables come with it: where they have drifted they are made zero again.
std::vector<double> Simplex::full_expansion() {
    for (bool restored = false;; restored = true) {
        std::vector<double> out = resting_, weights(basis_.size());
        for (std::size_t a = 0; a < weights.size(); ++a) weights[a] = coef_[basis_.members()[a]];
        kernel_->add_rows(weights.data(), basis_.rows(), out.data());
        double drift = 0.0;
        for (const std::size_t v : basis_.members()) {
            drift = std::max(drift, magnitude(slope(v, out[kernel_->place(v)])));
        }
        if (restored || drift <= 0.1 * tolerance_) return out;
        restore();
    }
}

}  // namespace mercer::active_set
