#include "core/online/function.hpp"

#include <algorithm>
#include <cmath>

#include "simd/instruction_set.hpp"

namespace mercer::online {

namespace {

// Share of a box from a bound at which a variable counts as being there: what should be zero
// would else stay as a tiny number, and its example would be kept for good.
constexpr double snap = 1e-12;

template <class T>
const ScanFunctions<T>& scan() {
    return instruction_set().scan.of<T>();
}

// Gain of a step that ignores the box.
double unclipped_gain(double slope, double curvature) {
    return 0.5 * slope * (slope / curvature);
}

}  // namespace

template <class T>
void Function<T>::resize(std::size_t n_slots) {
    for (Variables& these : variables_) these.resize(n_slots);
    coef_.resize(n_slots, 0.0);
    are_known_ = false;
}

template <class T>
void Function<T>::take(const std::vector<std::size_t>& kept) {
    for (Variables& these : variables_) these.take(kept);
    Variables::gather(coef_, kept);
    are_known_ = false;
}

template <class T>
void Function<T>::set(std::size_t slot, const Terms* terms, const double* beta,
                      const double* gradient) {
    coef_[slot] = 0.0;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
        variables_[k].set(slot, terms[k], beta[k], gradient[k]);
        coef_[slot] += beta[k];
    }
    are_known_ = false;
}

template <class T>
void Function<T>::restart(std::size_t slot, const double* beta) {
    for (std::size_t k = 0; k < variables_.size(); ++k) put({k, slot}, beta[k]);
}

template <class T>
void Function<T>::clear(std::size_t slot) {
    for (Variables& these : variables_) these.clear(slot);
    coef_[slot] = 0.0;
    are_known_ = false;
}

template <class T>
auto Function<T>::gradients() const -> Gradients {
    Gradients found;
    for (const Variables& these : variables_) found.push_back(these.gradient.data());
    return found;
}

template <class T>
Ends Function<T>::ends_of(const Gradients& gradients, std::size_t n_slots) const {
    Ends ends;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
        const Variables& these = variables_[k];
        const ScanArrays arrays{gradients[k], nullptr, these.can_grow.data(),
                                these.can_fall.data()};
        Extremes found;
        scan<T>().extremes(arrays, {0, n_slots, 0, nullptr}, found);
        if (found.up_at != Extremes::nowhere && found.up > ends.up) {
            ends.up = found.up;
            ends.at.up = {k, found.up_at};
        }
        if (found.down_at != Extremes::nowhere && found.down < ends.down) {
            ends.down = found.down;
            ends.at.down = {k, found.down_at};
        }
    }
    return ends;
}

template <class T>
const Ends& Function<T>::ends() const {
    if (!are_known_) ends_ = ends_of(gradients(), coef_.size());
    are_known_ = true;
    return ends_;
}

template <class T>
double Function<T>::bias() const {
    const Ends& found = ends();
    if (!found.at.up && !found.at.down) return 0.0;
    if (!found.at.up) return found.down;
    if (!found.at.down) return found.up;
    return 0.5 * (found.up + found.down);
}

// linear'b - b'Kb / 2 = b'(linear + gradient) / 2
template <class T>
double Function<T>::objective() const {
    double twice = 0.0;
    for (const Variables& these : variables_) {
        for (std::size_t s = 0; s < these.size(); ++s) {
            twice += these.beta[s] * (these.linear[s] + these.gradient[s]);
        }
    }
    return 0.5 * twice;
}

template <class T>
bool Function<T>::attracts(const Terms* terms, double value, double tolerance) const {
    const Ends& found = ends();
    for (std::size_t k = 0; k < variables_.size(); ++k) {
        const double gradient = terms[k].linear - value;
        if (found.at.down && terms[k].upper > 0.0 && gradient - found.down > tolerance) return true;
        if (found.at.up && terms[k].lower < 0.0 && found.up - gradient > tolerance) return true;
    }
    return false;
}

// The rule of the shrinking of SMO (Glasmachers 2008, section 8.1).
template <class T>
bool Function<T>::is_useful(std::size_t slot) const {
    const Ends& found = ends();
    for (const Variables& these : variables_) {
        if (these.can_grow[slot] && these.gradient[slot] > found.down) return true;
        if (these.can_fall[slot] && these.gradient[slot] < found.up) return true;
    }
    return false;
}

template <class T>
double Function<T>::slope(const Pair& pair) const {
    return variables_[pair.up.variable].gradient[pair.up.slot] -
           variables_[pair.down.variable].gradient[pair.down.slot];
}

// Q = K_ii + K_jj - 2 K_ij, no less than its rounding.
template <class T>
double Function<T>::curve(const Pair& pair, KeptRows<T>& rows) const {
    const double sum = rows.curvature()[pair.up.slot] + rows.curvature()[pair.down.slot];
    const double found = sum - 2.0 * double(rows.value(pair.up.slot, pair.down.slot));
    return std::max(found, std::numeric_limits<T>::epsilon() * std::abs(sum) + 1e-300);
}

template <class T>
Place Function<T>::best_faller(const Gradients& gradients, Place up, double span,
                               KeptRows<T>& rows) const {
    const double high = gradients[up.variable][up.slot];
    Place best;
    double best_gain = 0.0;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
        const ScanArrays arrays{gradients[k], rows.curvature().data(),
                                variables_[k].can_grow.data(), variables_[k].can_fall.data()};
        const std::size_t slot = scan<T>().best_partner(
            arrays, variables_[k].all(), rows.row(up.slot), high, rows.curvature()[up.slot], span);
        if (slot == Extremes::nowhere) continue;
        const Place place{k, slot};
        const double gain = unclipped_gain(high - gradients[k][slot], curve({up, place}, rows));
        if (gain > best_gain) {
            best = place;
            best_gain = gain;
        }
    }
    return best;
}

// As best_faller, with all signs turned.
template <class T>
Place Function<T>::best_grower(Place down, double span, KeptRows<T>& rows) {
    const double low = variables_[down.variable].gradient[down.slot];
    Place best;
    double best_gain = 0.0;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
        const Variables& these = variables_[k];
        turned_.resize(these.size());
        std::ranges::transform(these.gradient, turned_.begin(), [](double g) { return -g; });
        const ScanArrays arrays{turned_.data(), rows.curvature().data(), these.can_fall.data(),
                                these.can_grow.data()};
        const std::size_t slot = scan<T>().best_partner(arrays, these.all(), rows.row(down.slot),
                                                        -low, rows.curvature()[down.slot], span);
        if (slot == Extremes::nowhere) continue;
        const Place place{k, slot};
        const double gain = unclipped_gain(these.gradient[slot] - low, curve({place, down}, rows));
        if (gain > best_gain) {
            best = place;
            best_gain = gain;
        }
    }
    return best;
}

// A variable at its lower bound grows, one at its upper bound falls, a free one does what is worth
// more (Glasmachers 2008, section 8.2). `place` itself may be an end of the gradient.
template <class T>
Pair Function<T>::process_pair(Place place, double tolerance, KeptRows<T>& rows) {
    const Variables& these = variables_[place.variable];
    const double own = these.gradient[place.slot];
    const Ends& found = ends();
    Pair grows, falls;
    if (these.can_grow[place.slot] && found.at.down && own - found.down > tolerance) {
        const bool is_first = selection_ == Selection::most_violating;
        grows = {place, is_first ? found.at.down
                                 : best_faller(gradients(), place, own - found.down, rows)};
    }
    if (these.can_fall[place.slot] && found.at.up && found.up - own > tolerance) {
        const bool is_first = selection_ == Selection::most_violating;
        falls = {is_first ? found.at.up : best_grower(place, found.up - own, rows), place};
    }
    if (!grows || !falls) return grows ? grows : falls;
    if (selection_ == Selection::most_violating)
        return slope(grows) >= slope(falls) ? grows : falls;
    return unclipped_gain(slope(grows), curve(grows, rows)) >=
                   unclipped_gain(slope(falls), curve(falls, rows))
               ? grows
               : falls;
}

template <class T>
bool Function<T>::process(std::size_t slot, KeptRows<T>& rows, double tolerance) {
    Pair best;
    double best_worth = 0.0;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
        const Pair pair = process_pair({k, slot}, tolerance, rows);
        if (!pair) continue;
        const double along = slope(pair);
        const double worth = selection_ == Selection::most_violating
                                 ? along
                                 : unclipped_gain(along, curve(pair, rows));
        if (worth > best_worth) {
            best = pair;
            best_worth = worth;
        }
    }
    if (!best) return false;
    step(best, slope(best), rows);
    return true;
}

template <class T>
bool Function<T>::reprocess(KeptRows<T>& rows, double tolerance) {
    const Ends found = ends();
    if (!(found.violation() > tolerance)) return false;
    Pair pair = found.at;
    if (selection_ == Selection::second_order) {
        pair.down = best_faller(gradients(), pair.up, found.violation(), rows);
    }
    step(pair, slope(pair), rows);
    return true;
}

// The longest step up to the maximum along the pair that the box allows; what would stop just
// before a bound goes there.
template <class T>
void Function<T>::step(const Pair& pair, double slope, KeptRows<T>& rows) {
    const Variables &grows = variables_[pair.up.variable], &falls = variables_[pair.down.variable];
    const std::size_t i = pair.up.slot, j = pair.down.slot;
    const double above = grows.upper[i] - grows.beta[i], below = falls.beta[j] - falls.lower[j];
    double length = std::min({slope / curve(pair, rows), above, below});
    if (above <= below && above - length <= snap * (grows.upper[i] - grows.lower[i])) {
        length = above;
    } else if (below <= above && below - length <= snap * (falls.upper[j] - falls.lower[j])) {
        length = below;
    }
    move(pair, length, rows);
}

template <class T>
void Function<T>::move(const Pair& pair, double length, KeptRows<T>& rows) {
    const Variables &grows = variables_[pair.up.variable], &falls = variables_[pair.down.variable];
    const std::size_t i = pair.up.slot, j = pair.down.slot;
    const bool fills = length >= grows.upper[i] - grows.beta[i];
    const bool empties = length >= falls.beta[j] - falls.lower[j];
    const T *up_row = rows.row(i), *down_row = rows.row(j);
    put(pair.up, fills ? grows.upper[i] : grows.beta[i] + length);
    put(pair.down, empties ? falls.lower[j] : falls.beta[j] - length);
    for (Variables& these : variables_) {
        scan<T>().subtract_rows(these.gradient.data(), these.all(), up_row, down_row, length);
    }
    are_known_ = false;
}

template <class T>
void Function<T>::put(Place place, double value) {
    variables_[place.variable].beta[place.slot] = value;
    variables_[place.variable].refresh(place.slot);
    double sum = 0.0;
    for (const Variables& these : variables_) sum += these.beta[place.slot];
    coef_[place.slot] = sum;
}

template <class T>
void Function<T>::compute_gradient(KeptRows<T>& rows) {
    for (Variables& these : variables_) these.gradient = these.linear;
    for (std::size_t s = 0; s < coef_.size(); ++s) {
        if (coef_[s] != 0.0) subtract(rows.row(s), coef_[s]);
    }
    are_known_ = false;
}

template <class T>
void Function<T>::subtract(const T* row, double weight) {
    for (Variables& these : variables_) {
        scan<T>().subtract_row(these.gradient.data(), these.all(), row, weight);
    }
    are_known_ = false;
}

template class Function<float>;
template class Function<double>;

}  // namespace mercer::online
