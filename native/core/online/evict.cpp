// Examples that leave because there are more than the budget allows
// (docs/theory/online.md#a-budget).

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/online/learner.hpp"

namespace mercer::online {

namespace {

constexpr std::size_t most_projection_steps = 50;

}  // namespace

// Until no more are kept than may be, or two wait for the row between them. Those without a
// coefficient go first, at no cost.
template <class T>
void Learner<T>::make_room(const Block<T>& block) {
    while (is_full() && merges_.empty()) {
        const std::size_t least = smallest(1)[0];
        if (is_zero(least)) {
            forget(least);
        } else {
            options_.eviction == Eviction::merging ? merge(block) : evict();
        }
    }
}

// Of the few that have the least of all functions the one that these miss least if the nearest of
// its class takes its place.
template <class T>
void Learner<T>::evict() {
    Victim best;
    for (const std::size_t slot : smallest(n_candidates)) {
        const Victim victim = nearest(slot);
        if (victim.error < best.error || best.slot == Extremes::nowhere) best = victim;
    }
    const bool projects = options_.eviction == Eviction::projection;
    for (Function<T>& function : functions_) {
        function.vacate(best.slot, best.mate, rows_, projects ? most_projection_steps : 0);
    }
    forget(best.slot);
}

// The slots that have the least of all functions, in this order.
template <class T>
std::vector<std::size_t> Learner<T>::smallest(std::size_t count) const {
    std::vector<std::pair<double, std::size_t>> sizes;
    for (std::size_t s = 0; s < rows_.n_slots(); ++s) {
        if (rows_.is_kept(s)) sizes.emplace_back(size_of(s), s);
    }
    count = std::min(count, sizes.size());
    std::partial_sort(sizes.begin(), sizes.begin() + std::ptrdiff_t(count), sizes.end());
    std::vector<std::size_t> slots;
    for (std::size_t i = 0; i < count; ++i) slots.push_back(sizes[i].second);
    return slots;
}

// |coefficient|^2 k(x, x), summed over functions.
template <class T>
double Learner<T>::size_of(std::size_t slot) const {
    double size = 0.0;
    for (const Function<T>& f : functions_) {
        for (const Variables& these : f.variables()) size += these.beta[slot] * these.beta[slot];
    }
    return size * std::abs(rows_.curvature()[slot]);
}

// The nearest of its class, and what is lost if that takes its place.
template <class T>
auto Learner<T>::nearest(std::size_t slot) -> Victim {
    const T* row = rows_.row(slot);
    const double own = rows_.curvature()[slot], size = size_of(slot);
    Victim found{slot};
    for (std::size_t s = 0; s < rows_.n_slots(); ++s) {
        if (s == slot || !rows_.is_kept(s) || !are_alike(slot, s)) continue;
        const double error = size / own * (own + rows_.curvature()[s] - 2.0 * double(row[s]));
        if (error < found.error) {
            found.error = error;
            found.mate = s;
        }
    }
    return found;
}

// Whether both have the same class; targets of a regression never are the same, and need not be.
template <class T>
bool Learner<T>::are_alike(std::size_t a, std::size_t b) const {
    return options_.variables_per_row > 1 ||
           std::ranges::all_of(functions_, [=](const Function<T>& f) {
               const Variables& these = f.variables()[0];
               return these.linear[a] == these.linear[b];
           });
}

template void Learner<float>::make_room(const Block<float>&);
template void Learner<double>::make_room(const Block<double>&);
template void Learner<float>::evict();
template void Learner<double>::evict();
template std::vector<std::size_t> Learner<float>::smallest(std::size_t) const;
template std::vector<std::size_t> Learner<double>::smallest(std::size_t) const;
template auto Learner<float>::nearest(std::size_t) -> Victim;
template auto Learner<double>::nearest(std::size_t) -> Victim;

}  // namespace mercer::online
