// Newton steps on a square that meet and leave many bounds at once: what ends ill-conditioned ones.
//
// A primal-dual active set (semismooth Newton): each round guesses which positions are inside their
// box, the set F, and which are at a bound, B, and solves
//
//     (H_FF + proximal I) d_F = gradient_F - H_FB d_B - multipliers,   sum of d over each range = 0
//
// Then what has left the box goes onto it, and what would move inwards from a bound comes off it. If
// nothing does, the guess has settled: d leads to the best point, but for the proximal term. From
// near enough that takes a few rounds, however ill-conditioned the square is. Where guesses do not
// settle the proximal term grows, so that d stays nearer by. If that does not help either, the way
// straight from the first guess to the first bound is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/chunked/free_factor.hpp"
#include "simd/subproblem.hpp"

namespace mercer::chunked {

template <class T>
class Newton {
  public:
    // `tolerance`: of the whole problem. The square must outlive this.
    Newton(const Square<T>& square, double tolerance);

    // What a round costs, about, in pair steps.
    std::size_t cost_of_round() const;

    // Moves beta and the gradient. false if the step was cut short: another may go on.
    bool step();
    std::size_t n_steps() const { return n_steps_; }

  private:
    // Where the guess has a position. One whose box is empty is fixed.
    enum class Place : std::int8_t { lower, inside, upper, fixed };

    // Which positions of F belong to a range, as 0 and 1, and what their d must add up to.
    struct Sum {
        std::size_t range;
        std::vector<double> member;
        double missing;
    };

    // A change of beta, what it makes of the gradient, how far it may go, and what it gains.
    struct Way {
        std::vector<double> change, product;
        double room = std::numeric_limits<double>::infinity(), step = 0.0, gain = 0.0;
    };

    bool is_inside(std::size_t p) const {
        return square_.beta[p] > square_.lower[p] && square_.beta[p] < square_.upper[p];
    }
    const T* row(std::size_t p) const {
        if (square_.has_row && !square_.has_row[p]) square_.source->fetch(p);
        return square_.matrix + p * square_.stride;
    }
    double room(std::size_t p, double change) const {
        return ((change > 0.0 ? square_.upper[p] : square_.lower[p]) - square_.beta[p]) / change;
    }
    double multiplier(std::size_t p) const { return multipliers_[range_[p]]; }

    void start();
    // More rounds, until the guess no longer changes: false if it does not settle.
    bool settle(std::optional<Way>& way);
    // One round; nothing if the matrix is not positive or a range has lost all its freedom.
    std::optional<Way> round();
    std::vector<Sum> sums() const;
    // d_F, and better multipliers. slopes: gradient_F - H_FB d_B
    std::optional<std::vector<double>> direction(std::vector<double> slopes);
    void add_products(const std::vector<std::size_t>& positions, Way& way) const;
    void measure(Way& way) const;
    // The next guess; returns how many positions have a new place.
    std::size_t place_anew(const Way& way);
    void gather_inside();
    bool climb(const Way& way);

    const Square<T>& square_;
    double tolerance_, proximal_ = 0.0;
    InsideFactor<T> matrix_;
    double damping_ = 0.0;  // the least proximal term of the next step
    double scale_ = 0.0;  // largest diagonal
    std::vector<std::uint32_t> range_;  // of each position
    std::vector<double> multipliers_;   // of each range
    std::vector<Place> place_;
    std::vector<std::size_t> inside_;
    std::size_t n_steps_ = 0;
};

}  // namespace mercer::chunked
