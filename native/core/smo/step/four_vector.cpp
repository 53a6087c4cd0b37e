#include "core/smo/step/four_vector.hpp"

#include <algorithm>

#include "core/smo/step/newton.hpp"

namespace mercer::smo {

namespace {

// slope' x - 1/2 x' curvature x for x in a rectangle from 0 to the rooms; `between` is the
// curvature between the two pairs.
struct TwoSteps {
    double slope[2], curvature[2], room[2], between;

    double gain(double p, double m) const {
        return p * slope[0] + m * slope[1] - 0.5 * (curvature[0] * p * p + curvature[1] * m * m) -
               between * p * m;
    }

    // The best step of pair k if the other one is `fixed`.
    double best(int k, double fixed) const {
        const double left = slope[k] - between * fixed;
        if (!(left > 0.0)) return 0.0;
        return curvature[k] > 0.0 ? std::min(left / curvature[k], room[k]) : room[k];
    }

    bool contains(double p, double m) const {
        return p >= 0.0 && p <= room[0] && m >= 0.0 && m <= room[1];
    }

    // The maximum of the plane if it lies inside, else the best of the four edges.
    std::pair<double, double> maximum() const {
        const double det = curvature[0] * curvature[1] - between * between;
        if (det > 1e-12 * curvature[0] * curvature[1]) {
            const double p = (slope[0] * curvature[1] - slope[1] * between) / det;
            const double m = (slope[1] * curvature[0] - slope[0] * between) / det;
            if (contains(p, m)) return {p, m};
        }
        std::pair<double, double> found{best(0, 0.0), 0.0};
        const auto consider = [&](double p, double m) {
            if (gain(p, m) > gain(found.first, found.second)) found = {p, m};
        };
        consider(room[0], best(1, room[0]));
        consider(0.0, best(1, 0.0));
        consider(best(0, room[1]), room[1]);
        return found;
    }
};

// The most violating pair outside the group of the choice, or none.
template <class T>
Choice<T> other_pair(State<T>& state, const Choice<T>& choice) {
    const std::size_t some = choice.pair.up != none ? choice.pair.up : choice.pair.down;
    Choice<T> found;
    double worst = 0.0;
    for (std::size_t g = 0; g < state.n_groups(); ++g) {
        if (int(g) == state.group_of(some)) continue;
        Choice<T> candidate = most_violating_in(state, g);
        if (candidate.pair && state.slope(candidate.pair) > worst) {
            worst = state.slope(candidate.pair);
            found = std::move(candidate);
        }
    }
    return found;
}

}  // namespace

template <class T>
StepRecord FourVector<T>::take(State<T>& state, Choice<T>& choice) {
    StepRecord record = newton_record(state, choice);
    Choice<T> other = choice.pair.up == none || choice.pair.down == none
                          ? Choice<T>{}
                          : other_pair(state, choice);
    if (!other.pair || record.unbounded || is_lost(state, record)) {
        take_recorded(state, choice, record);
        return record;
    }
    const StepRecord second = newton_record(state, other);
    const Pair a = choice.pair, b = other.pair;
    const auto curvature = [](double slope, const StepRecord& r) {
        return r.newton == infinity ? 0.0 : slope / r.newton;
    };
    TwoSteps steps{{state.slope(a), state.slope(b)}, {}, {state.room(a), state.room(b)}, 0.0};
    steps.curvature[0] = curvature(steps.slope[0], record);
    steps.curvature[1] = curvature(steps.slope[1], second);
    steps.between = state.value(choice.up_row, b.up) - state.value(choice.up_row, b.down) -
                    state.value(choice.down_row, b.up) + state.value(choice.down_row, b.down);
    const auto [p, m] = steps.maximum();
    if (!(p > 0.0) || !(m > 0.0) || second.unbounded) {
        // One pair alone gains as much: the chosen one, which is the worse.
        take_recorded(state, choice, record);
        return record;
    }
    state.move(a, p, choice.up_row, choice.down_row);
    state.move(b, m, other.up_row, other.down_row);
    record.length = p;
    record.kind = StepKind::joint;
    return record;
}

template class FourVector<float>;
template class FourVector<double>;

}  // namespace mercer::smo
