#include "core/smo/selection/maximum_gain.hpp"

#include <algorithm>

#include "core/smo/gain.hpp"

namespace mercer::smo {

template <class T>
MaximumGain<T>::MaximumGain(Rows rows, bool is_hybrid, const Options& options)
    : rows_(rows), is_hybrid_(is_hybrid),
      falls_back_to_second_order_(options.fallback == "second-order"), eta_(options.eta),
      limit_(rows == Rows::recent ? options.recent_rows : 2) {}

template <class T>
Choice<T> MaximumGain<T>::select(State<T>& state, const Hint& hint) {
    memory_.resize(state.n_groups());
    const std::size_t group = worst_group(state);
    if (group == state.n_groups()) {  // no pairs: the best of all steps needs no row
        Choice<T> choice;
        BestPair best;
        scan_singles(state, true, best);
        choice.pair = best.pair;
        choice.newton = best.newton;
        choice.is_related = true;
        return choice;
    }
    if (may_continue(state, memory_[group])) {
        Choice<T> choice = related(state, group);
        if (choice.pair || !is_hybrid_) return choice;
    }
    return falls_back_to_second_order_ ? second_order_in(state, group, hint)
                                       : most_violating_in(state, group);
}

// A free variable is in a violating pair of at least half the violation, if there is any
// (Glasmachers & Igel 2006, lemma 8): a search of its row cannot fail.
template <class T>
bool MaximumGain<T>::may_continue(const State<T>& state, const Memory& memory) const {
    if (!memory.last) return false;
    if (!is_hybrid_) return true;
    if (rows_ == Rows::newest) return !is_near_bound(state, memory.held[0].position, eta_);
    return !is_near_bound(state, memory.last.up, eta_) ||
           !is_near_bound(state, memory.last.down, eta_);
}

template <class T>
Choice<T> MaximumGain<T>::related(State<T>& state, std::size_t group) const {
    BestPair best;
    if (rows_ == Rows::cached) {
        for (const Run& run : state.runs()) {
            if (run.group != int(group)) continue;
            for (const std::uint32_t p : run.active) {
                if (const auto row = state.peek(p)) scan_row<T>(state, p, row, best);
            }
        }
    } else {
        for (const Held& h : memory_[group].held) scan_row<T>(state, h.position, h.row, best);
    }
    Choice<T> choice;
    choice.pair = best.pair;
    choice.newton = best.newton;
    choice.is_related = true;
    return choice;
}

template <class T>
void MaximumGain<T>::remember(const State<T>& state, Choice<T>&& choice) {
    if (choice.pair.up == none || choice.pair.down == none) return;
    memory_.resize(state.n_groups());
    Memory& memory = memory_[std::size_t(state.group_of(choice.pair.up))];
    const Pair pair = choice.pair;
    if (rows_ != Rows::cached) hold(memory, std::move(choice));
    memory.last = pair;
}

template <class T>
void MaximumGain<T>::hold(Memory& memory, Choice<T>&& choice) const {
    auto& held = memory.held;
    const Pair pair = choice.pair;
    if (rows_ == Rows::newest) {
        // The variable whose row was searched has served twice now.
        const bool up_is_new = choice.is_related && pair.down == held[0].position;
        held.clear();
        held.push_back(up_is_new ? Held{pair.up, std::move(choice.up_row)}
                                 : Held{pair.down, std::move(choice.down_row)});
        return;
    }
    std::erase_if(held, [&](const Held& h) { return pair.sign(h.position) != 0.0; });
    held.insert(held.begin(), Held{pair.down, std::move(choice.down_row)});
    held.insert(held.begin(), Held{pair.up, std::move(choice.up_row)});
    if (held.size() > limit_) held.erase(held.begin() + std::ptrdiff_t(limit_), held.end());
}

template <class T>
bool MaximumGain<T>::forget() {
    const bool known = std::ranges::any_of(memory_, [](const Memory& m) { return bool(m.last); });
    memory_.clear();
    return known && is_hybrid_;
}

template class MaximumGain<float>;
template class MaximumGain<double>;

}  // namespace mercer::smo
