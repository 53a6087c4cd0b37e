#include "core/smo/step/newton.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::smo {

namespace {

// Coefficients beyond this soon overflow in products; only a box without end lets them get there.
constexpr double overflow = 1e140;

template <class T>
double larger_coefficient(const State<T>& state, Pair pair) {
    return std::max(pair.up == none ? 0.0 : std::abs(state.beta[pair.up]),
                    pair.down == none ? 0.0 : std::abs(state.beta[pair.down]));
}

}  // namespace

// A step of this length moves the larger coefficient by a unit in its last place or two: pairs
// would move to and fro forever. A NaN leads nowhere.
template <class T>
bool is_lost(const State<T>& state, const StepRecord& record) {
    const double largest = larger_coefficient(state, record.pair);
    if (std::isnan(record.length)) return true;
    return record.kind != StepKind::clipped &&
           std::abs(record.length) <= 2.0 * std::numeric_limits<double>::epsilon() * largest;
}

// step = min(factor slope / curvature, room); a flat or convex direction is followed to the box
// (docs/theory/smo.md#gain-of-a-step).
template <class T>
StepRecord newton_record(State<T>& state, Choice<T>& choice, double factor) {
    const Pair pair = choice.pair;
    if (pair.up != none && !choice.up_row) choice.up_row = state.row(pair.up);
    if (pair.down != none && !choice.down_row) choice.down_row = state.row(pair.down);
    const double slope = state.slope(pair), room = state.room(pair);
    const double curve = state.pair_curvature(pair, choice.up_row);
    const double sum = (pair.up == none ? 0.0 : state.curvature[pair.up]) +
                       (pair.down == none ? 0.0 : state.curvature[pair.down]);
    // Where rounding hides the curvature of the kernel that of the ridge is left.
    const double ridge = (pair.up == none ? 0.0 : state.ridge[pair.up]) +
                         (pair.down == none ? 0.0 : state.ridge[pair.down]);
    const double noise = std::numeric_limits<T>::epsilon() * std::abs(sum);
    StepRecord record{pair};
    if (curve > noise) {
        record.newton = slope / curve;
    } else if (ridge > 0.0) {
        record.newton = slope / std::max(ridge, noise);
    }
    record.kind = factor * record.newton < room ? StepKind::free : StepKind::clipped;
    record.length = std::min(factor * record.newton, room);
    record.unbounded = larger_coefficient(state, pair) + record.length > overflow;
    return record;
}

template <class T>
void take_recorded(State<T>& state, const Choice<T>& choice, StepRecord& record) {
    record.stalled = is_lost(state, record);
    if (record.unbounded || record.stalled) return;
    state.move(record.pair, record.length, choice.up_row, choice.down_row);
}

template <class T>
StepRecord Newton<T>::take(State<T>& state, Choice<T>& choice) {
    StepRecord record = newton_record(state, choice, factor_);
    take_recorded(state, choice, record);
    return record;
}

template StepRecord newton_record(State<float>&, Choice<float>&, double);
template StepRecord newton_record(State<double>&, Choice<double>&, double);
template bool is_lost(const State<float>&, const StepRecord&);
template bool is_lost(const State<double>&, const StepRecord&);
template void take_recorded(State<float>&, const Choice<float>&, StepRecord&);
template void take_recorded(State<double>&, const Choice<double>&, StepRecord&);
template class Newton<float>;
template class Newton<double>;

}  // namespace mercer::smo
