#include "core/smo/selection/automatic.hpp"

namespace mercer::smo {

namespace {

constexpr std::size_t window = 100;  // iterations between two decisions
// Rows computed in a window: above the one second order gives way, below the other it comes back.
constexpr std::size_t many = 3 * window / 2, few = window / 4;
// Work of a kernel value, in bytes read, from which on a row is costly.
constexpr double costly = 1024.0;

}  // namespace

template <class T>
Choice<T> Automatic<T>::select(State<T>& state, const Hint& hint) {
    return uses_hybrid_ ? hybrid_.select(state, hint) : second_order_.select(state, hint);
}

template <class T>
void Automatic<T>::remember(const State<T>& state, Choice<T>&& choice) {
    touch(state, choice.pair);
    hybrid_.remember(state, std::move(choice));
    if (++iterations_ == window) decide(state);
}

template <class T>
void Automatic<T>::touch(const State<T>& state, Pair pair) {
    for (std::size_t p : {pair.up, pair.down}) {
        if (p == none) continue;
        const std::size_t row = state.data_row(p);
        if (row >= touched_.size()) touched_.resize(row + 1);
        n_touched_ += !touched_[row];
        touched_[row] = 1;
    }
}

template <class T>
void Automatic<T>::decide(const State<T>& state) {
    const std::size_t computed = state.rows_computed() - rows_before_;
    iterations_ = 0;
    rows_before_ = state.rows_computed();
    if (uses_hybrid_) {
        uses_hybrid_ = computed >= few;
        return;
    }
    uses_hybrid_ = n_touched_ > state.rows_that_fit() && computed >= many &&
                   state.value_work() * sizeof(T) >= costly;
}

template class Automatic<float>;
template class Automatic<double>;

}  // namespace mercer::smo
