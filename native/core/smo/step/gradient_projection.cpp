#include "core/smo/step/gradient_projection.hpp"

#include <algorithm>
#include <cmath>

#include "core/smo/step/newton.hpp"

namespace mercer::smo {

// v_i = g_i - mean of g over the members of the group. The chosen pair has the largest gradient of
// what may grow and the smallest of what may fall, so that no bound stands in its way.
template <class T>
void GradientProjection<T>::project(const State<T>& state, Pair pair) {
    along_.clear();
    sums_.assign(state.n_groups(), 0.0);
    counts_.assign(state.n_groups(), 0.0);
    for (std::size_t p = 0; p < state.size(); ++p) {
        if (!state.is_free(p) && pair.sign(p) == 0.0) continue;
        along_.add(p, state.gradient[p]);
        if (const int g = state.group_of(p); g >= 0) {
            sums_[std::size_t(g)] += state.gradient[p];
            counts_[std::size_t(g)] += 1.0;
        }
    }
    for (const std::size_t p : along_.support) {
        if (const int g = state.group_of(p); g >= 0) {
            along_.move[p] -= sums_[std::size_t(g)] / counts_[std::size_t(g)];
        }
    }
}

template <class T>
StepRecord GradientProjection<T>::take(State<T>& state, Choice<T>& choice) {
    StepRecord record = newton_record(state, choice);
    project(state, choice.pair);
    const double room = state.room(along_);
    if (record.unbounded || along_.support.size() < 3 || !(room > 0.0)) {
        take_recorded(state, choice, record);
        return record;
    }
    state.respond(along_);
    const double slope = along_.slope(state.gradient);
    const double newton = along_.curvature > 0.0 ? slope / along_.curvature : infinity;
    const double length = std::min(newton, room);
    const double pair_slope = state.slope(choice.pair);
    const double pair_curvature = record.newton == infinity ? 0.0 : pair_slope / record.newton;
    const auto gain = [](double step, double s, double q) { return step * (s - 0.5 * q * step); };
    if (!std::isfinite(length) || !(gain(length, slope, along_.curvature) >
                                    gain(record.length, pair_slope, pair_curvature))) {
        take_recorded(state, choice, record);
        return record;
    }
    along_.scale(length);
    state.advance(along_);
    record.length = length;
    record.newton = newton;
    record.kind = StepKind::joint;
    return record;
}

template class GradientProjection<float>;
template class GradientProjection<double>;

}  // namespace mercer::smo
