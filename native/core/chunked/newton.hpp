// Newton steps on a subproblem that reach and leave many bounds at once, for ill-conditioned ones.
//
// A primal-dual active set, which is a semismooth Newton method (Hintermueller et al. 2003;
// docs/theory/chunked.md#semismooth-newton-steps): each round guesses which positions are free, the
// set F, and which are at a bound, B, and solves
//
//     (H_FF + proximal I) d_F = gradient_F - H_FB d_B - multipliers,   sum of d over each range = 0
//
// Then variables that left the box are put on its bound, and variables that would move inwards from
// a bound become free. If there are none, the guess has converged: d leads to the best point, up to
// the proximal term. From a point near enough this takes a few rounds, even for ill-conditioned
// problems. If the guesses do not converge, the proximal term grows, which keeps d smaller. If that
// does not help either, the step goes along the first guess to the first bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/infinity.hpp"
#include "core/chunked/free_factor.hpp"
#include "simd/subproblem.hpp"

namespace mercer::chunked {

template <class T>
class Newton {
  public:
    // `tolerance`: of the whole problem. The subproblem must outlive this.
    Newton(const Subproblem<T>& problem, double tolerance);

    // What a round costs, about, in pair steps.
    std::size_t cost_of_round() const;

    // Moves beta and the gradient. false if a bound cut the step short, so that another step may
    // follow.
    bool step();
    std::size_t n_steps() const { return n_steps_; }
    // Whether the last step has shown that the objective grows without limit.
    bool found_ray() const { return found_ray_; }

  private:
    // Where the guess has a position. One whose box is empty is fixed.
    enum class Place : std::int8_t { lower, free, upper, fixed };

    // Which positions of F belong to a range, as 0 and 1, and what their d must add up to.
    struct Sum {
        std::size_t range;
        std::vector<double> member;
        double missing;
    };

    // A change of beta, what it makes of the gradient, how far it may go, and what it gains.
    struct Displacement {
        std::vector<double> change, product;
        double room = infinity, slope = 0.0, curve = 0.0, step = 0.0, gain = 0.0;
    };

    bool is_free(std::size_t p) const {
        return problem_.beta[p] > problem_.lower[p] && problem_.beta[p] < problem_.upper[p];
    }
    const T* row(std::size_t p) const {
        if (problem_.has_row && !problem_.has_row[p]) problem_.source->fetch(p);
        return problem_.matrix + p * problem_.stride;
    }
    double room(std::size_t p, double change) const {
        return ((change > 0.0 ? problem_.upper[p] : problem_.lower[p]) - problem_.beta[p]) / change;
    }
    double multiplier(std::size_t p) const { return multipliers_[range_[p]]; }

    void start();
    // More rounds, until the guess no longer changes: false if it does not converge.
    bool converge(std::optional<Displacement>& move);
    // One round; nothing if the matrix is not positive or a range has lost all its freedom.
    std::optional<Displacement> round();
    std::vector<Sum> sums() const;
    // d_F, and better multipliers. slopes: gradient_F - H_FB d_B
    std::optional<std::vector<double>> direction(std::vector<double> slopes);
    void add_products(const std::vector<std::size_t>& positions, Displacement& move) const;
    void measure(Displacement& move) const;
    bool holds_ray(const Displacement& move) const;
    // The next guess; returns how many positions have a new place.
    std::size_t place_anew(const Displacement& move);
    void gather_free();
    bool climb(const Displacement& move);

    const Subproblem<T>& problem_;
    double tolerance_, proximal_ = 0.0;
    FreeFactor<T> matrix_;
    double damping_ = 0.0;              // the least proximal term of the next step
    double scale_ = 0.0;                // largest diagonal
    std::vector<std::uint32_t> range_;  // of each position
    std::vector<double> multipliers_;   // of each range
    std::vector<Place> place_;
    std::vector<std::size_t> free_;
    std::size_t n_steps_ = 0;
    bool found_ray_ = false;
};

}  // namespace mercer::chunked
