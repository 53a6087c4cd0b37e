// The state of a chunked run: variables, gradient, and which of them take part.
//
// The gradient of an active variable is always exact. A variable that was taken out keeps the
// gradient of that moment; it is brought back from the net change of the coefficients since then,
// so that each kernel value of a coefficient that went to and fro is computed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/gram.hpp"
#include "core/problem.hpp"

namespace mercer::chunked {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Largest gradient among variables that may grow, smallest among those that may fall.
struct Extremes {
    double up = -infinity, down = infinity;
};

// A change of some variables.
struct Change {
    std::vector<std::uint32_t> variables;
    std::vector<double> amounts;
};

template <class T>
class Variables {
  public:
    // requires: `start` feasible; `gradient` its gradient, or null to have it computed
    Variables(const ProblemView& problem, Gram<T>& gram, const double* start,
              const double* gradient, const Poll& poll);

    // Indexed by variable of the problem.
    std::vector<double> beta, gradient;
    const ProblemView& problem;

    std::size_t size() const { return problem.n_variables; }
    std::size_t row(std::size_t v) const { return std::size_t(problem.index[v]); }
    bool can_grow(std::size_t v) const { return beta[v] < problem.upper[v]; }
    bool can_fall(std::size_t v) const { return beta[v] > problem.lower[v]; }
    bool is_free(std::size_t v) const { return can_grow(v) && can_fall(v); }
    bool is_active(std::size_t v) const { return is_active_[v]; }
    const std::vector<std::uint32_t>& active() const { return active_; }
    Gram<T>& gram() { return gram_; }

    // Extremes of each group (index g) and of the variables without one (index n_groups).
    const std::vector<Extremes>& extremes() const { return extremes_; }
    double violation() const { return violation_; }
    // Finds the extremes among active variables.
    void scan();

    // gradient -= (K + ridge) change for the active variables. requires: beta already changed
    bool apply(const Change& change, const Poll& poll);

    // Takes out variables at a bound that no active pair can move, if that is a fair share of them.
    bool shrink(double least_share);
    bool is_shrunk() const { return !levels_.empty(); }
    // Brings all variables back; false if polled out.
    bool unshrink(const Poll& poll);

    double objective() const;

  private:
    // Variables taken out together, and the coefficient of every row at that time.
    struct Level {
        std::vector<std::uint32_t> variables;
        std::vector<double> row_coef;
    };

    std::vector<double> row_coef() const;
    bool compute_gradient(const Poll& poll);
    bool repair(const Level& level, const std::vector<double>& now, const Poll& poll);
    void use_rows_of_active();

    Gram<T>& gram_;
    std::vector<std::uint32_t> active_;
    std::vector<std::uint8_t> is_active_;
    std::vector<Extremes> extremes_;
    double violation_ = infinity;
    std::vector<Level> levels_;
    KernelPointer<T> narrow_;                  // kernel with only the active rows on the right
    std::vector<std::uint32_t> place_of_row_;  // of a row among the right rows of `narrow_`
};

// Thrown by work that was polled out before there is anything to return.
struct Interrupted {};

}  // namespace mercer::chunked
