// Newton steps on the free positions of a square: what ends ill-conditioned ones.
//
//     H_FF d_F = gradient_F - H_FB d_B - multipliers,   sum of d over each range = 0
//
// F are the free positions, B those of them that a step has run into their bound: these go onto it,
// and the others are solved again. So one step meets many bounds, where a step straight to the first
// of them meets one. Both are cut to the maximum along their way, and the one that gains more is
// taken: on nearly singular squares that is often the straight one.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "core/cholesky.hpp"
#include "simd/square.hpp"

namespace mercer::chunked {

template <class T>
class Newton {
  public:
    // `tolerance`: of the whole problem. The square must outlive this.
    Newton(const Square<T>& square, double tolerance) : square_(square), tolerance_(tolerance) {}

    // What a step costs, about, in pair steps: m^3 / 6 multiplications against a few for each position.
    std::size_t cost() const;

    // Moves beta and the gradient. false if a bound cut the step short: another may go on.
    bool step();
    std::size_t n_steps() const { return n_steps_; }

  private:
    // Which positions of F belong to a range, as 0 and 1, and what their d must add up to.
    struct Sum {
        std::vector<double> member;
        double missing;
    };

    // How far a change may go, what it makes of the gradient, and what it gains.
    struct Way {
        std::vector<double> change, product;
        double room = std::numeric_limits<double>::infinity(), step = 0.0, gain = 0.0;
    };

    bool is_free(std::size_t p) const {
        return square_.beta[p] > square_.lower[p] && square_.beta[p] < square_.upper[p];
    }
    const T* row(std::size_t p) const { return square_.matrix + p * square_.stride; }

    void start();
    // The next d_F; nothing if the matrix is not positive or a range has lost all its freedom.
    std::optional<std::vector<double>> direction() const;
    Cholesky factor() const;
    std::vector<double> slopes() const;
    std::vector<Sum> sums() const;
    // Puts what leaves the box onto it; false if nothing does.
    bool hold(const std::vector<double>& d);
    double room(std::size_t p, double change) const {
        return ((change > 0.0 ? square_.upper[p] : square_.lower[p]) - square_.beta[p]) / change;
    }
    Way way_along(const std::vector<double>& d) const;
    bool climb(const Way& way);

    const Square<T>& square_;
    double tolerance_, proximal_ = 0.0;
    double scale_ = 0.0;  // largest diagonal
    std::vector<std::size_t> free_, held_;
    std::vector<double> held_change_;  // of each position, 0 if it is not held
    std::size_t n_steps_ = 0;
};

}  // namespace mercer::chunked
