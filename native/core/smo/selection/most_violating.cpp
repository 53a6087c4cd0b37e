#include "core/smo/selection/policies.hpp"

namespace mercer::smo {

template <class T>
std::size_t worst_group(State<T>& state) {
    const auto& found = state.extremes();
    const Extremes& alone = found[state.n_groups()];
    double worst = std::max(alone.up, -alone.down);
    std::size_t at = state.n_groups();
    for (std::size_t g = 0; g < state.n_groups(); ++g) {
        const double violation = found[g].up - found[g].down;
        if (violation >= worst) worst = violation, at = g;
    }
    return at;
}

// (argmax of the gradient over what may grow, argmin over what may fall); without a group the
// variable of largest gradient (Keerthi et al. 2001).
template <class T>
Choice<T> most_violating_in(State<T>& state, std::size_t group) {
    Choice<T> choice;
    const Extremes& found = state.extremes()[group];
    if (group < state.n_groups()) {
        if (found.up > found.down) choice.pair = {found.up_at, found.down_at};
    } else if (std::max(found.up, -found.down) > 0.0) {
        choice.pair = found.up >= -found.down ? Pair{found.up_at, none} : Pair{none, found.down_at};
    }
    return choice;
}

template <class T>
Choice<T> MostViolating<T>::select(State<T>& state, const Hint&) {
    return most_violating_in(state, worst_group(state));
}

template std::size_t worst_group(State<float>&);
template std::size_t worst_group(State<double>&);
template Choice<float> most_violating_in(State<float>&, std::size_t);
template Choice<double> most_violating_in(State<double>&, std::size_t);
template class MostViolating<float>;
template class MostViolating<double>;

}  // namespace mercer::smo
