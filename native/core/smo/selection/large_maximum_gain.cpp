#include "core/smo/selection/large_maximum_gain.hpp"

#include <algorithm>

#include "core/smo/gain.hpp"

namespace mercer::smo {

template <class T>
Restricted restrict_to(const State<T>& state, const std::vector<std::size_t>& set,
                       const std::vector<const typename State<T>::Row*>& rows) {
    const std::size_t m = set.size();
    Restricted problem(m);
    for (std::size_t i = 0; i < m; ++i) {
        const std::size_t p = set[i];
        problem.slope[i] = state.gradient[p];
        problem.rise[i] = state.upper[p] - state.beta[p];
        problem.fall[i] = state.beta[p] - state.lower[p];
        problem.group[i] = state.group_of(p);
        problem.matrix[i * m + i] = state.curvature[p];
        for (std::size_t j = i + 1; j < m; ++j) {
            const double value = state.value(*rows[i], set[j]);
            problem.matrix[i * m + j] = problem.matrix[j * m + i] = value;
        }
    }
    return problem;
}

namespace {

// The gain of a combination need not be known well to compare it with others.
constexpr int scoring_steps = 30;

template <class T>
Pair worst_pair(const State<T>& state, const std::vector<std::size_t>& set) {
    Pair worst;
    double slope = 0.0;
    const auto offer = [&](Pair pair) {
        if (state.room(pair) > 0.0 && state.slope(pair) > slope) {
            worst = pair;
            slope = state.slope(pair);
        }
    };
    for (std::size_t p : set) {
        if (state.group_of(p) < 0) offer({p, none}), offer({none, p});
        for (std::size_t q : set) {
            if (p != q && state.group_of(p) >= 0 && state.group_of(p) == state.group_of(q)) {
                offer({p, q});
            }
        }
    }
    return worst;
}

}  // namespace

template <class T>
Choice<T> LargeMaximumGain<T>::select(State<T>& state, const Hint& hint) {
    const std::size_t group = worst_group(state);
    Best best;
    if (may_continue(state, group)) {
        const bool grows = last_.size() < set_size_;
        if (grows) search(state, group, none, best);
        for (std::size_t k = 0; !grows && k < last_.size(); ++k) search(state, group, k, best);
    }
    if (best.set.empty()) return second_order_in(state, group, hint);
    Choice<T> choice;
    choice.pair = worst_pair(state, best.set);
    choice.set = std::move(best.set);
    choice.is_related = true;
    return choice;
}

template <class T>
bool LargeMaximumGain<T>::may_continue(const State<T>& state, std::size_t group) const {
    const int wanted = group == state.n_groups() ? -1 : int(group);
    return std::ranges::any_of(last_, [&](std::size_t p) {
        return state.group_of(p) == wanted && !is_near_bound(state, p, eta_);
    });
}

// The last set without its member `left_out`, plus each active variable of the group in turn.
template <class T>
void LargeMaximumGain<T>::search(const State<T>& state, std::size_t group, std::size_t left_out,
                                 Best& best) const {
    const int wanted = group == state.n_groups() ? -1 : int(group);
    std::vector<std::size_t> set;
    std::vector<const Row*> rows;
    for (std::size_t k = 0; k < last_.size(); ++k) {
        if (k == left_out) continue;
        set.push_back(last_[k]);
        rows.push_back(&rows_[k]);
    }
    set.push_back(none);
    for (const Run& run : state.runs()) {
        if (run.group != wanted) continue;
        for (const std::uint32_t p : run.active) {
            if (std::ranges::find(last_, p) != last_.end()) continue;
            set.back() = p;
            const double gain =
                maximize(restrict_to<T>(state, set, rows), 1e-4, scoring_steps).gain;
            if (gain > best.gain) best = {gain, set};
        }
    }
}

template <class T>
void LargeMaximumGain<T>::remember(const State<T>&, Choice<T>&& choice) {
    last_.clear();
    rows_.clear();
    if (!choice.set.empty()) {
        last_ = std::move(choice.set);
        rows_ = std::move(choice.set_rows);
        return;
    }
    if (choice.pair.up != none) {
        last_.push_back(choice.pair.up);
        rows_.push_back(std::move(choice.up_row));
    }
    if (choice.pair.down != none) {
        last_.push_back(choice.pair.down);
        rows_.push_back(std::move(choice.down_row));
    }
}

template <class T>
bool LargeMaximumGain<T>::forget() {
    const bool known = !last_.empty();
    last_.clear();
    rows_.clear();
    return known;
}

template Restricted restrict_to(const State<float>&, const std::vector<std::size_t>&,
                                const std::vector<const State<float>::Row*>&);
template Restricted restrict_to(const State<double>&, const std::vector<std::size_t>&,
                                const std::vector<const State<double>::Row*>&);
template class LargeMaximumGain<float>;
template class LargeMaximumGain<double>;

}  // namespace mercer::smo
