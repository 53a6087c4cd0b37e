#include "core/smo/gain.hpp"
#include "core/smo/selection/policies.hpp"

namespace mercer::smo {

namespace {

// The violating partner of `up` with the highest score(position, slope, curvature); ties go to the
// last.
template <class T, class Score>
BestPair best_partner(const State<T>& state, std::size_t up, const typename State<T>::Row& row,
                      Score score) {
    BestPair best;
    const double high = state.gradient[up], own = state.curvature[up];
    for (const Run& run : state.runs()) {
        if (run.group != state.group_of(up)) continue;
        const T* k = row.segment(run.segment);
        for (const std::uint32_t p : run.active) {
            const double slope = high - state.gradient[p];
            if (!state.can_fall[p] || slope <= 0.0) continue;
            const double sum = own + state.curvature[p];
            const double curve = std::max(sum - 2.0 * k[state.column(p)], flat<T>(sum));
            const double gain = score(p, slope, curve);
            if (gain >= best.gain) best = {{up, p}, gain};
        }
    }
    return best;
}

// Along e_up - e_p made conjugate to the direction d the curvature is less by
// ((e_up - e_p)' H d)^2 / d'Hd.
template <class T>
BestPair best_conjugate_partner(const State<T>& state, std::size_t up,
                                const typename State<T>::Row& row, const Direction& direction) {
    const double along = direction.curvature, own = direction.response[up];
    return best_partner<T>(state, up, row, [&](std::size_t p, double slope, double curve) {
        const double cross = own - direction.response[p];
        return unclipped_gain(slope, std::max(curve - cross * cross / along, 1e-10 * curve));
    });
}

// The partner with the largest gain of a step that ignores the box.
template <class T>
BestPair best_unclipped_partner(State<T>& state, std::size_t up,
                                const typename State<T>::Row& row) {
    const Extremes& found = state.extremes()[std::size_t(state.group_of(up))];
    const auto gain = [&](std::size_t p) {
        const double slope = state.gradient[up] - state.gradient[p];
        const double sum = state.curvature[up] + state.curvature[p];
        return unclipped_gain(slope, std::max(state.pair_curvature({up, p}, row), flat<T>(sum)));
    };
    BestPair best;
    const auto compare = [&](std::size_t p) {
        if (const double found_gain = gain(p); found_gain >= best.gain)
            best = {{up, p}, found_gain};
    };
    for (const Run& run : state.runs()) {
        if (run.group != state.group_of(up)) continue;
        if (State<T>::is_dense(run)) {
            const std::size_t p = state.best_partner(run, up, row, found.up - found.down);
            if (p != none) compare(p);
            continue;
        }
        for (const std::uint32_t p : run.active) {
            if (state.can_fall[p] && state.gradient[p] < state.gradient[up]) compare(p);
        }
    }
    return best;
}

template <class T>
BestPair partner_by_hint(State<T>& state, std::size_t up, const typename State<T>::Row& row,
                         const Hint& hint) {
    if (hint.conjugate) return best_conjugate_partner<T>(state, up, row, *hint.conjugate);
    if (hint.clipped) {
        return best_partner<T>(state, up, row, [&](std::size_t p, double slope, double curve) {
            return clipped_gain(slope, curve, state.room({up, p}));
        });
    }
    return best_unclipped_partner<T>(state, up, row);
}

template <class T>
Choice<T> best_in(State<T>& state, std::size_t group, const Hint& hint, double& best_gain) {
    Choice<T> choice;
    if (group == state.n_groups()) {
        BestPair best{{}, best_gain};
        scan_singles(state, hint.clipped, best);
        choice.pair = best.pair;
        best_gain = best.gain;
        return choice;
    }
    const Extremes found = state.extremes()[group];
    if (!(found.up > found.down)) return choice;
    choice.up_row = state.row(found.up_at);
    const BestPair best = partner_by_hint<T>(state, found.up_at, choice.up_row, hint);
    if (!(best.gain > best_gain)) return {};
    best_gain = best.gain;
    choice.pair = best.pair;
    return choice;
}

}  // namespace

template <class T>
Choice<T> second_order_in(State<T>& state, std::size_t group, const Hint& hint) {
    double gain = 0.0;
    return best_in(state, group, hint, gain);
}

template <class T>
Choice<T> SecondOrder<T>::select(State<T>& state, const Hint& hint) {
    Choice<T> best;
    double best_gain = 0.0;
    for (std::size_t g = 0; g <= state.n_groups(); ++g) {
        Choice<T> choice = best_in(state, g, hint, best_gain);
        if (choice.pair) best = std::move(choice);
    }
    return best;
}

template Choice<float> second_order_in(State<float>&, std::size_t, const Hint&);
template Choice<double> second_order_in(State<double>&, std::size_t, const Hint&);
template class SecondOrder<float>;
template class SecondOrder<double>;

}  // namespace mercer::smo
