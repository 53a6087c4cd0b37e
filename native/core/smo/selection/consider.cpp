#include "core/smo/gain.hpp"
#include "core/smo/selection.hpp"

namespace mercer::smo {

template <class T>
void consider(State<T>& state, std::span<const Candidate> candidates, bool clipped,
              Choice<T>& choice) {
    if (candidates.empty() || !choice.pair) return;
    const auto gain = [&](Pair pair, double curvature) {
        return clipped ? clipped_gain(state.slope(pair), curvature, state.room(pair))
                       : unclipped_gain(state.slope(pair), curvature);
    };
    const auto curvature_sum = [&](Pair pair) {
        return (pair.up == none ? 0.0 : state.curvature[pair.up]) +
               (pair.down == none ? 0.0 : state.curvature[pair.down]);
    };
    if (choice.pair.up != none && !choice.up_row) choice.up_row = state.row(choice.pair.up);
    const double own = state.pair_curvature(choice.pair, choice.up_row);
    double best = gain(choice.pair, std::max(own, flat<T>(curvature_sum(choice.pair))));
    for (const Candidate& candidate : candidates) {
        Pair pair = candidate.pair;
        if (state.slope(pair) < 0.0) pair = pair.reversed();
        const double curvature = std::max(candidate.curvature, flat<T>(curvature_sum(pair)));
        if (!(state.room(pair) > 0.0) || !(gain(pair, curvature) > best)) continue;
        best = gain(pair, curvature);
        choice = Choice<T>();
        choice.pair = pair;
    }
}

template void consider(State<float>&, std::span<const Candidate>, bool, Choice<float>&);
template void consider(State<double>&, std::span<const Candidate>, bool, Choice<double>&);

}  // namespace mercer::smo
