// What a step along a pair is worth (docs/theory/smo.md#gain-of-a-step).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/smo/state.hpp"

namespace mercer::smo {

// Curvature below which a direction counts as flat: rounding noise of the kernel values.
template <class T>
double flat(double curvature_sum) {
    return std::numeric_limits<T>::epsilon() * std::abs(curvature_sum) + 1e-300;
}

// Gain of the Newton step, box ignored. The square of a slope may be too small for a number.
inline double unclipped_gain(double slope, double curvature) {
    return 0.5 * slope * (slope / curvature);
}

// Gain of the longest step up to the maximum that the room allows.
inline double clipped_gain(double slope, double curvature, double room) {
    const double step = std::min(slope / curvature, room);
    return step * (slope - 0.5 * curvature * step);
}

// Within the share eta of the box from a bound; of an infinite box, of the size of the coefficient
// (docs/theory/smo.md#hybrid-maximum-gain).
template <class T>
bool is_near_bound(const State<T>& state, std::size_t p, double eta) {
    const double size = std::max(1.0, std::abs(state.beta[p]));
    const double margin = eta * std::min(state.upper[p] - state.lower[p], size);
    return state.beta[p] <= state.lower[p] + margin || state.beta[p] >= state.upper[p] - margin;
}

// A pair and what it is worth.
struct BestPair {
    Pair pair;
    double gain = 0.0;
    double newton = 0.0;  // length of the step without the box
};

// Replaces `best` by the pair of `held` and another active variable of its group with the largest
// clipped gain, if that is larger (docs/theory/smo.md#maximum-gain). requires: `row` is the row of
// `held`
template <class T>
void scan_row(const State<T>& state, std::size_t held, const typename State<T>::Row& row,
              BestPair& best) {
    const double own_gradient = state.gradient[held], own_curvature = state.curvature[held];
    const bool held_grows = state.can_grow[held], held_falls = state.can_fall[held];
    for (const Run& run : state.runs()) {
        if (run.group != state.group_of(held)) continue;
        const T* k = row.segment(run.segment);
        for (const std::uint32_t p : run.active) {
            const double difference = state.gradient[p] - own_gradient;
            const double sum = own_curvature + state.curvature[p];
            const double curve = std::max(sum - 2.0 * k[state.column(p)], flat<T>(sum));
            // The clipped gain is never above the unclipped one: this test, which nearly always
            // holds, comes first, for the box is a coin toss to the processor.
            if (difference * difference <= 2.0 * curve * best.gain || p == held) continue;
            const bool goes_up = difference > 0.0;
            if (!(goes_up ? held_falls && state.can_grow[p] : held_grows && state.can_fall[p]))
                continue;
            const double slope = std::abs(difference);
            const Pair pair = goes_up ? Pair{p, held} : Pair{held, p};
            const double room = state.room(pair), gain = clipped_gain(slope, curve, room);
            if (gain > best.gain) best = {pair, gain, slope / curve};
        }
    }
}

// Replaces `best` by the variable without a group with the largest gain, if that is larger. No
// kernel row is needed: the curvature is on the diagonal.
template <class T>
void scan_singles(const State<T>& state, bool clipped, BestPair& best) {
    for (const Run& run : state.runs()) {
        if (run.group >= 0) continue;
        for (const std::uint32_t p : run.active) {
            const double slope = std::abs(state.gradient[p]);
            const Pair pair = state.gradient[p] > 0.0 ? Pair{p, none} : Pair{none, p};
            const double room = state.room(pair);
            if (slope == 0.0 || room <= 0.0) continue;
            const double curve = std::max(state.curvature[p], flat<T>(1.0));
            const double gain =
                clipped ? clipped_gain(slope, curve, room) : unclipped_gain(slope, curve);
            if (gain > best.gain) best = {pair, gain, slope / curve};
        }
    }
}

}  // namespace mercer::smo
