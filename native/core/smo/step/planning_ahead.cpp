#include "core/smo/step/planning_ahead.hpp"

#include <algorithm>
#include <cmath>

#include "core/smo/step/newton.hpp"

namespace mercer::smo {

namespace {

// Steps mu with lower < beta + mu v < upper, at the point beta + offset w (v, w: directions of
// pairs).
struct Interval {
    double low = -infinity, high = infinity;
    bool contains(double x) const { return low < x && x < high; }
};

template <class T>
Interval feasible_steps(const State<T>& state, Pair pair, Pair moved, double offset) {
    Interval interval;
    const auto limit = [&](std::size_t p, double sign) {
        if (p == none) return;
        const double beta = state.beta[p] + offset * moved.sign(p);
        const double fall = state.lower[p] - beta, rise = state.upper[p] - beta;
        interval.low = std::max(interval.low, sign > 0.0 ? fall : -rise);
        interval.high = std::min(interval.high, sign > 0.0 ? rise : -fall);
    };
    limit(pair.up, 1.0);
    limit(pair.down, -1.0);
    return interval;
}

// v1'(K + ridge) v2, from the rows of the first pair
template <class T>
double cross_curvature(const State<T>& state, const Choice<T>& choice, Pair other) {
    double sum = 0.0;
    for (std::size_t p : {other.up, other.down}) {
        if (p == none) continue;
        const double sign = p == other.up ? 1.0 : -1.0;
        if (choice.pair.up != none) sum += sign * state.entry(choice.pair.up, choice.up_row, p);
        if (choice.pair.down != none)
            sum -= sign * state.entry(choice.pair.down, choice.down_row, p);
    }
    return sum;
}

// Half-width of the interval of ratios to the Newton step, around 1, in which the planned step
// alone pays (Glasmachers 2008, lemma 7.3).
constexpr double eta = 0.9;

}  // namespace

template <class T>
StepRecord PlanningAhead<T>::take(State<T>& state, Choice<T>& choice) {
    StepRecord record = newton_record(state, choice);
    const double slope = state.slope(record.pair), curvature = slope / record.newton;
    Plan best;
    if (was_free_ && record.newton < infinity) {
        for (const Candidate& next : recent_) {
            const Plan found = plan(state, choice, slope, curvature, next);
            if (found.exists && (!best.exists || found.gain > best.gain)) best = found;
        }
    }
    // A first half too short to move anything is no plan: the pair alone gains.
    StepRecord planned = record;
    planned.length = best.step;
    planned.kind = StepKind::planned;
    was_planned_ = best.exists && !is_lost(state, planned);
    if (was_planned_) {
        record = planned;
        plan_base_ = recent_;
    }
    take_recorded(state, choice, record);
    was_free_ = record.kind == StepKind::free;
    ratio_ = record.length / record.newton;
    recent_.insert(recent_.begin(),
                   {record.pair, state.pair_curvature(record.pair, choice.up_row)});
    if (recent_.size() > n_recent_) recent_.pop_back();
    return record;
}

// With w1, w2 the slopes and Q the curvatures of both pairs (Glasmachers 2008, section 7.1.2):
//     mu_1 = (Q22 w1 - Q12 w2) / det,   mu_2 = (w2 - Q12 mu_1) / Q22,   det = Q11 Q22 - Q12^2
//     gain = -1/2 det/Q22 mu_1^2 + (Q22 w1 - Q12 w2)/Q22 mu_1 + 1/2 w2^2/Q22
template <class T>
auto PlanningAhead<T>::plan(const State<T>& state, const Choice<T>& choice, double w1, double Q11,
                            const Candidate& next) const -> Plan {
    const Pair pair = choice.pair;
    if (next.pair == pair || next.pair == pair.reversed()) return {};
    const double w2 = state.slope(next.pair), Q22 = next.curvature;
    const double Q12 = cross_curvature(state, choice, next.pair), det = Q11 * Q22 - Q12 * Q12;
    // Pairs as parallel as this would go a million times the Newton step: into rounding.
    if (!(det > 1e-6 * Q11 * Q22)) return {};
    const double first = (Q22 * w1 - Q12 * w2) / det, second = (w2 - Q12 * first) / Q22;
    if (!feasible_steps(state, pair, {}, 0.0).contains(first)) return {};
    if (!feasible_steps(state, next.pair, pair, first).contains(second)) return {};
    const double gain =
        (-0.5 * det * first * first + (Q22 * w1 - Q12 * w2) * first + 0.5 * w2 * w2) / Q22;
    return {gain, first, true};
}

template <class T>
Hint PlanningAhead<T>::hint() const {
    if (!was_planned_) return {};
    return {plan_base_, ratio_ < 1.0 - eta || ratio_ > 1.0 + eta};
}

template class PlanningAhead<float>;
template class PlanningAhead<double>;

}  // namespace mercer::smo
