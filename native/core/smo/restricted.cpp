// One of three loops of pair steps: solve.cpp solves whole problems and simd/subproblem.cpp chunks.
// This one takes the best of all pairs of three to some ten variables, in plain double precision:
// it scores and moves the sets of large-maximum-gain, where setting up one of the others would cost
// more than the steps.
#include "core/smo/restricted.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/infinity.hpp"

namespace mercer::smo {

namespace {

constexpr std::size_t alone = std::numeric_limits<std::size_t>::max();

struct Move {
    std::size_t up = alone, down = alone;
    double slope = 0.0, step = 0.0, gain = 0.0;
};

// The step along e_up - e_down, either of which may be missing.
Move try_move(const Restricted& p, std::size_t up, std::size_t down) {
    const std::size_t m = p.size();
    Move move{up, down};
    double curvature = 0.0, sum = 0.0, room = infinity;
    if (up != alone) {
        move.slope += p.slope[up];
        curvature += p.matrix[up * m + up];
        room = std::min(room, p.rise[up]);
    }
    if (down != alone) {
        move.slope -= p.slope[down];
        curvature += p.matrix[down * m + down];
        room = std::min(room, p.fall[down]);
    }
    sum = curvature;
    if (up != alone && down != alone) curvature -= 2.0 * p.matrix[up * m + down];
    curvature = std::max(curvature, 1e-15 * sum + 1e-300);
    if (!(move.slope > 0.0) || !(room > 0.0)) return {};
    move.step = std::min(move.slope / curvature, room);
    move.gain = move.step * (move.slope - 0.5 * curvature * move.step);
    return move;
}

// The move of largest gain, and the largest slope of all.
Move best_move(const Restricted& p, double& violation) {
    Move best;
    violation = 0.0;
    const auto offer = [&](const Move& move) {
        violation = std::max(violation, move.slope);
        if (move.gain > best.gain) best = move;
    };
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (p.group[i] < 0) {
            offer(try_move(p, i, alone));
            offer(try_move(p, alone, i));
            continue;
        }
        for (std::size_t j = 0; j < p.size(); ++j) {
            if (i != j && p.group[i] == p.group[j]) offer(try_move(p, i, j));
        }
    }
    return best;
}

void apply(Restricted& p, std::size_t variable, double amount, std::vector<double>& d) {
    const std::size_t m = p.size();
    d[variable] += amount;
    p.rise[variable] = std::max(p.rise[variable] - amount, 0.0);
    p.fall[variable] = std::max(p.fall[variable] + amount, 0.0);
    for (std::size_t k = 0; k < m; ++k) p.slope[k] -= amount * p.matrix[variable * m + k];
}

}  // namespace

RestrictedMaximum maximize(Restricted p, double tolerance, int max_steps) {
    RestrictedMaximum result{std::vector<double>(p.size())};
    double violation = 0.0, first = 0.0;
    for (int round = 0; round < max_steps; ++round) {
        const Move move = best_move(p, violation);
        if (round == 0) first = violation;
        if (!(move.gain > 0.0) || violation <= tolerance * first) break;
        if (std::isinf(move.step)) break;
        if (move.up != alone) apply(p, move.up, move.step, result.d);
        if (move.down != alone) apply(p, move.down, -move.step, result.d);
        result.gain += move.gain;
    }
    return result;
}

}  // namespace mercer::smo
