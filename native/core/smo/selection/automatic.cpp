#include "core/smo/selection/automatic.hpp"

namespace mercer::smo {

template <class T>
Choice<T> Automatic<T>::select(State<T>& state, const Hint& hint) {
    return fits_ ? second_order_.select(state, hint) : hybrid_.select(state, hint);
}

template <class T>
void Automatic<T>::remember(const State<T>& state, Choice<T>&& choice) {
    touched_.resize(state.size());
    for (std::size_t p : {choice.pair.up, choice.pair.down}) {
        if (p == none || touched_[p]) continue;
        touched_[p] = 1;
        ++n_touched_;
    }
    fits_ = n_touched_ <= state.rows_that_fit();
    hybrid_.remember(state, std::move(choice));
}

template class Automatic<float>;
template class Automatic<double>;

}  // namespace mercer::smo
