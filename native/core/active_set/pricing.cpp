#include "core/active_set/pricing.hpp"

#include <algorithm>
#include <numeric>

namespace mercer::active_set {

Pricing::Pricing(std::size_t n_variables) : calm_(n_variables, 0) {
    unshrink();
}

void Pricing::unshrink() {
    active_.resize(calm_.size());
    std::iota(active_.begin(), active_.end(), std::size_t(0));
    std::ranges::fill(calm_, 0);
}

void Pricing::shrink(const std::vector<Priced>& priced, double worst) {
    constexpr std::uint8_t enough = 3;
    for (const Priced& p : priced) {
        const bool settled = p.violation < -10.0 * worst;
        calm_[p.variable] = settled ? std::uint8_t(std::min(calm_[p.variable] + 1, 3)) : 0;
    }
    std::erase_if(active_, [&](std::size_t v) { return calm_[v] >= enough; });
}

void Pricing::choose_candidates(std::vector<Priced>& priced, std::size_t count, double tolerance) {
    candidates_.clear();
    std::erase_if(priced, [&](const Priced& p) { return p.violation <= tolerance; });
    const auto worse = [](const Priced& a, const Priced& b) {
        return a.violation != b.violation ? a.violation > b.violation : a.variable < b.variable;
    };
    if (count < priced.size()) {
        std::ranges::nth_element(priced, priced.begin() + long(count), worse);
        priced.resize(count);
    }
    for (const Priced& p : priced) candidates_.push_back(p.variable);
    std::ranges::sort(candidates_);
}

}  // namespace mercer::active_set
