// Pair steps conjugate to the steps before (Lopez et al. 2011): they do not undo each other's work.
//
//     d = v + gamma d_before,   gamma = -(v' H d_before) / (d_before' H d_before)
//
// for the direction v of a pair: +1 for `up`, -1 for `down`. After a step to the maximum along
// d_before the slope along it is zero, so that the slope along d is that of the pair, and
//
//     d' H d = v' H v - (v' H d_before)^2 / (d_before' H d_before)
//
// is less than the pair's own curvature: the step is longer. H d is kept for all positions. A step
// that a box cuts short ends the direction, and so does a direction of too many variables: sixteen
// save nearly as many steps as all, and cost nothing beside a pass over the gradient.
#pragma once

#include <cstddef>
#include <limits>

#include "simd/subproblem.hpp"
#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

template <class T>
static constexpr T infinite = std::numeric_limits<T>::infinity();

// A curvature of which less than that is left, where steps are conjugate, is rounding.
static constexpr double least_share = 1e-3;

// Which ways a position can move.
template <class T>
static void refresh_one(const Subproblem<T>& problem, std::size_t p) {
    problem.grow_bar[p] = problem.beta[p] < problem.upper[p] ? T(0) : -infinite<T>;
    problem.fall_bar[p] = problem.beta[p] > problem.lower[p] ? T(0) : infinite<T>;
}

static inline double lesser(double a, double b) {
    return b < a ? b : a;
}

// Positions that move against each other. One of them may be missing: it is problem.size then.
struct PairPositions {
    std::size_t up, down;
};

// What a step does to the gradient: gradient -= step (up_row - down_row + gamma product). The sum
// in brackets is the next product, if another step will ask for it.
template <class T>
struct Pending {
    const T* up_row;
    const T* down_row;
    T step = 0, gamma = 0;
    bool keeps_product = false;
};

template <class T>
class ConjugateDirection {
  public:
    explicit ConjugateDirection(const Subproblem<T>& problem) : problem_(problem) {}

    // d' H d, or 0 if the next step stands alone.
    double curvature() const { return curvature_; }

    // Moves beta along the pair, made conjugate to the direction so far. false: without end
    bool advance(PairPositions pair, Pending<T>& pending) {
        const double slope =
            value(problem_.gradient, pair.up) - value(problem_.gradient, pair.down);
        const double sum = value(problem_.diagonal, pair.up) + value(problem_.diagonal, pair.down);
        const double own = sum - 2.0 * kernel(pair);
        const bool is_flat = own <= std::numeric_limits<T>::epsilon() * sum;
        double gamma = 0.0, curve = is_flat ? 0.0 : own;
        if (curvature_ > 0.0) {
            const double along =
                value(problem_.product, pair.up) - value(problem_.product, pair.down);
            const double left = own - along * along / curvature_;
            if (is_flat || left < least_share * own) {
                forget();
            } else {
                gamma = -along / curvature_;
                curve = left;
            }
        }
        extend(pair, gamma);
        double step = longest(slope, curve);
        if (gamma != 0.0 && step < slope / curve) {
            const double gain = step * (slope - 0.5 * step * curve);
            if (pair_gain(pair, slope, own) > gain) {
                forget();
                extend(pair, gamma = 0.0);
                step = longest(slope, curve = own);
            }
        }
        if (step == infinite<double>) return false;
        const bool goes_on = curve > 0.0 && step == slope / curve && count_ <= most;
        move(step);
        pending = {row(pair.up), row(pair.down), T(step), T(gamma), goes_on};
        if (goes_on) {
            curvature_ = curve;
        } else {
            forget();
        }
        return true;
    }

  private:
    static constexpr std::size_t most = 16;
    static constexpr std::size_t lanes = Lanes<double>::count;
    static constexpr std::size_t slots = 24;  // whole vectors; those in use come first
    static_assert(slots >= most + 2 && slots % lanes == 0);

    // The slots that may move, in whole vectors.
    std::size_t in_use() const { return (count_ + lanes - 1) / lanes * lanes; }
    const T* row(std::size_t p) const { return problem_.matrix + p * problem_.stride; }
    double value(const T* field, std::size_t p) const {
        return p < problem_.size ? double(field[p]) : 0.0;
    }
    // The row of the missing position is one of zeros.
    double kernel(PairPositions pair) const {
        return pair.down < problem_.size ? double(row(pair.up)[pair.down]) : 0.0;
    }

    void forget() {
        for (std::size_t k = 0; k < in_use(); k += lanes)
            store<double>(amount_ + k, Vector<double>{});
        count_ = 0;
        curvature_ = 0.0;
    }

    void extend(PairPositions pair, double gamma) {
        for (std::size_t k = 0; k < in_use(); k += lanes) {
            store<double>(amount_ + k, load<double>(amount_ + k) * splat<double>(gamma));
        }
        add(pair.up, 1.0);
        add(pair.down, -1.0);
    }

    void add(std::size_t p, double amount) {
        if (p == problem_.size) return;
        std::size_t at = count_;
        for (std::size_t k = 0; k < count_; ++k) at = position_[k] == p ? k : at;
        if (at == count_) {
            position_[at] = p;
            beta_[at] = problem_.beta[p];
            lower_[at] = problem_.lower[p];
            upper_[at] = problem_.upper[p];
            ++count_;
        }
        amount_[at] += amount;
    }

    // To the maximum or to the first bound on the way; a flat direction is followed to the box.
    double longest(double slope, double curve) {
        const Vector<double> endless = splat<double>(infinite<double>);
        Vector<double> shortest = endless;
        for (std::size_t k = 0; k < in_use(); k += lanes) {
            const Vector<double> amount = load<double>(amount_ + k), beta = load<double>(beta_ + k);
            const Integers<double> rises = amount > Vector<double>{};
            const Vector<double> space =
                rises ? load<double>(upper_ + k) - beta : beta - load<double>(lower_ + k);
            const Vector<double> speed = rises ? amount : -amount;
            const Vector<double> room = speed > Vector<double>{} ? space / speed : endless;
            store<double>(room_ + k, room);
            shortest = room < shortest ? room : shortest;
        }
        double step = curve > 0.0 ? slope / curve : infinite<double>;
        for (std::size_t i = 0; i < lanes; ++i) step = lesser(step, shortest[i]);
        return step;
    }

    // What the pair alone would gain, within its box.
    double pair_gain(PairPositions pair, double slope, double own) const {
        const auto& [up, down] = pair;
        double step = slope / own;
        if (up < problem_.size) step = lesser(step, problem_.upper[up] - problem_.beta[up]);
        if (down < problem_.size) step = lesser(step, problem_.beta[down] - problem_.lower[down]);
        return step * (slope - 0.5 * step * own);
    }

    void move(double step) {
        for (std::size_t k = 0; k < in_use(); k += lanes) {
            const Vector<double> amount = load<double>(amount_ + k);
            const Vector<double> bound =
                amount > Vector<double>{} ? load<double>(upper_ + k) : load<double>(lower_ + k);
            const Vector<double> moved = load<double>(beta_ + k) + splat<double>(step) * amount;
            const Integers<double> is_met = load<double>(room_ + k) <= splat<double>(step);
            store<double>(beta_ + k, is_met ? bound : moved);
        }
        for (std::size_t k = 0; k < count_; ++k) {
            problem_.beta[position_[k]] = beta_[k];
            refresh_one(problem_, position_[k]);
        }
    }

    const Subproblem<T>& problem_;
    std::size_t count_ = 0;
    std::size_t position_[slots];
    // Of the positions in use; unused slots do not move.
    double amount_[slots] = {}, beta_[slots] = {}, lower_[slots] = {}, upper_[slots] = {};
    double room_[slots];
    double curvature_ = 0.0;
};

}  // namespace MERCER_ISA
}  // namespace mercer
