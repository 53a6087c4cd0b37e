#include "core/smo/gain.hpp"
#include "core/smo/selection/policies.hpp"

namespace mercer::smo {

// Every row is asked for in every iteration: small problems only.
template <class T>
Choice<T> Greedy<T>::select(State<T>& state, const Hint&) {
    BestPair best;
    scan_singles(state, true, best);
    for (const Run& run : state.runs()) {
        if (run.group < 0) continue;
        for (const std::uint32_t p : run.active) scan_row<T>(state, p, state.row(p), best);
    }
    Choice<T> choice;
    choice.pair = best.pair;
    return choice;
}

template class Greedy<float>;
template class Greedy<double>;

}  // namespace mercer::smo
