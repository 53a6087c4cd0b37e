// How a function does without one of its examples (docs/theory/online.md#a-budget).

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/online/function.hpp"

namespace mercer::online {

template <class T>
void Function<T>::vacate(std::size_t slot, std::size_t receiver, KeptRows<T>& rows,
                         std::size_t max_steps) {
    std::vector<std::vector<double>> before;
    if (max_steps > 0) {
        for (const Variables& these : variables_) before.push_back(these.gradient);
    }
    for (std::size_t k = 0; k < variables_.size(); ++k) {
        receiver == Extremes::nowhere ? transfer({k, slot}, rows) : give({k, slot}, receiver, rows);
    }
    if (max_steps > 0) bring_back(slot, before, rows, max_steps);
}

template <class T>
void Function<T>::give(Place from, std::size_t receiver, KeptRows<T>& rows) {
    Variables& these = variables_[from.variable];
    these.lower[receiver] += these.lower[from.slot];
    these.upper[receiver] += these.upper[from.slot];
    these.refresh(receiver);
    const double left = these.beta[from.slot];
    const Place to{from.variable, receiver};
    if (left != 0.0) move(left > 0.0 ? Pair{to, from} : Pair{from, to}, std::abs(left), rows);
    are_known_ = false;
}

// To the nearest variable that has room, then to the next: all together have room for it, because
// boxes hold zero and the coefficients add up to zero.
template <class T>
void Function<T>::transfer(Place from, KeptRows<T>& rows) {
    Variables& these = variables_[from.variable];
    while (these.beta[from.slot] != 0.0) {
        const double left = these.beta[from.slot];
        const Place to = nearest_with_room(from, rows);
        if (!to) break;
        const Variables& other = variables_[to.variable];
        const double free = left > 0.0 ? other.upper[to.slot] - other.beta[to.slot]
                                       : other.beta[to.slot] - other.lower[to.slot];
        const double length = std::min(std::abs(left), free);
        const Pair pair = left > 0.0 ? Pair{to, from} : Pair{from, to};
        move(pair, length, rows);
        if (length == std::abs(left)) put(from, 0.0);
    }
}

// Of all variables: those of one slot share its row.
template <class T>
Place Function<T>::nearest_with_room(Place from, KeptRows<T>& rows) const {
    const bool grows = variables_[from.variable].beta[from.slot] > 0.0;
    const T* row = rows.row(from.slot);
    Place best;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < variables_.size(); ++k) {
        const auto& may = grows ? variables_[k].can_grow : variables_[k].can_fall;
        for (std::size_t s = 0; s < may.size(); ++s) {
            if (!may[s] || s == from.slot) continue;
            const double square = rows.curvature()[s] - 2.0 * double(row[s]);
            if (square < nearest) {
                nearest = square;
                best = {k, s};
            }
        }
    }
    return best;
}

// minimize |sum_i d_i phi(x_i)|^2 / 2 over what was added to the other variables: its gradient is
// what that of the machine has changed by.
template <class T>
void Function<T>::bring_back(std::size_t slot, const std::vector<std::vector<double>>& before,
                             KeptRows<T>& rows, std::size_t max_steps) {
    for (Variables& these : variables_) these.can_grow[slot] = these.can_fall[slot] = 0;
    std::vector<std::vector<double>> change = before;
    double first = 0.0;
    for (std::size_t count = 0; count < max_steps; ++count) {
        Gradients slopes;
        for (std::size_t k = 0; k < variables_.size(); ++k) {
            std::ranges::transform(variables_[k].gradient, before[k], change[k].begin(),
                                   std::minus<>());
            slopes.push_back(change[k].data());
        }
        const Ends found = ends_of(slopes, coef_.size());
        if (count == 0) first = found.violation();
        if (!(found.violation() > 1e-3 * first)) break;
        const Place down = best_faller(slopes, found.at.up, found.violation(), rows);
        if (!down) break;
        step({found.at.up, down}, found.up - change[down.variable][down.slot], rows);
    }
    for (Variables& these : variables_) these.refresh(slot);
    are_known_ = false;
}

template void Function<float>::vacate(std::size_t, std::size_t, KeptRows<float>&, std::size_t);
template void Function<double>::vacate(std::size_t, std::size_t, KeptRows<double>&, std::size_t);

}  // namespace mercer::online
