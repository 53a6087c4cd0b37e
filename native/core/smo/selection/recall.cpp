#include "core/smo/selection/policies.hpp"

namespace mercer::smo {

template <class T>
Choice<T> Recall<T>::select(State<T>& state, const Hint& hint) {
    Choice<T> choice = second_order_.select(state, hint);
    if (choice.pair && last_.size() == 2) consider(state, {last_.data(), 1}, hint.clipped, choice);
    return choice;
}

template <class T>
void Recall<T>::remember(const State<T>& state, Choice<T>&& choice) {
    if (last_.size() == 2) last_.erase(last_.begin());
    last_.push_back({choice.pair, state.pair_curvature(choice.pair, choice.up_row)});
}

template class Recall<float>;
template class Recall<double>;

}  // namespace mercer::smo
