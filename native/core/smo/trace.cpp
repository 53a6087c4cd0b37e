#include "core/smo/trace.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::smo {

void Counters::count(const StepRecord& record) {
    switch (record.kind) {
        case StepKind::free: ++free_steps; break;
        case StepKind::clipped: ++clipped_steps; break;
        case StepKind::joint: ++joint_steps; break;
        case StepKind::refined: ++newton_steps; break;
        case StepKind::planned:
            ++planned_steps;
            ++planning_ratios[std::size_t(
                std::ranges::upper_bound(ratio_edges, record.length / record.newton) -
                ratio_edges.begin())];
    }
}

template <class T>
double objective(const State<T>& state, const double* linear) {
    double sum = 0.0;
    for (std::size_t p = 0; p < state.size(); ++p) {
        sum += 0.5 * state.beta[p] * (linear[state.variable(p)] + state.gradient[p]);
    }
    return sum;
}

namespace {

// The multiplier of each group, and 0 for the variables without one.
template <class T>
std::vector<double> multipliers(State<T>& state) {
    std::vector<double> sum(state.n_groups() + 1), count(state.n_groups() + 1);
    for (std::size_t p = 0; p < state.size(); ++p) {
        if (!state.is_free(p) || state.group_of(p) < 0) continue;
        sum[std::size_t(state.group_of(p))] += state.gradient[p];
        count[std::size_t(state.group_of(p))] += 1.0;
    }
    for (std::size_t g = 0; g < state.n_groups(); ++g) {
        const Extremes& e = state.extremes()[g];
        sum[g] = count[g] > 0.0       ? sum[g] / count[g]
                 : std::isinf(e.up)   ? e.down
                 : std::isinf(e.down) ? e.up
                                      : 0.5 * (e.up + e.down);
    }
    return sum;
}

}  // namespace

// With h = gradient + ridge beta - m, b the maximizer of h b - ridge b^2/2 over the box: the sum of
// (b - beta) (h - ridge (b + beta)/2), never negative.
template <class T>
double duality_gap(State<T>& state) {
    const std::vector<double> m = multipliers(state);
    double gap = 0.0;
    for (std::size_t p = 0; p < state.size(); ++p) {
        const int g = state.group_of(p);
        const double r = state.ridge[p], beta = state.beta[p];
        const double h =
            state.gradient[p] + r * beta - m[g < 0 ? state.n_groups() : std::size_t(g)];
        if (h == 0.0 && r == 0.0) continue;
        const double b = std::clamp(r > 0.0 ? h / r : std::copysign(infinity, h), state.lower[p],
                                    state.upper[p]);
        gap += (b - beta) * (h - 0.5 * r * (b + beta));
    }
    return gap;
}

template <class T>
void Recorder<T>::before(State<T>& state, std::size_t iteration, double seconds, double violation,
                         bool is_last) {
    is_open_ = stride_ > 0 && (is_last || iteration % stride_ == 0);
    if (!is_open_) return;
    TracePoint point{iteration, seconds, violation, objective(state, linear_), duality_gap(state)};
    point.rows_computed = state.rows_computed();
    points_.push_back(point);
}

template <class T>
void Recorder<T>::after(const State<T>& state, const StepRecord& record, bool is_related) {
    if (!is_open_) return;
    TracePoint& point = points_.back();
    const auto variable = [&](std::size_t p) { return p == none ? none : state.variable(p); };
    point.up = variable(record.pair.up);
    point.down = variable(record.pair.down);
    point.length = record.length;
    point.ratio = record.length / record.newton;
    point.kind = record.kind;
    point.is_related = is_related;
    point.rows_computed = state.rows_computed();
}

template double objective(const State<float>&, const double*);
template double objective(const State<double>&, const double*);
template double duality_gap(State<float>&);
template double duality_gap(State<double>&);
template class Recorder<float>;
template class Recorder<double>;

}  // namespace mercer::smo
