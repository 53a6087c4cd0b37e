// The state of a chunked run: variables, gradient, and which of them take part.
//
// The gradient of an active variable is always exact. A variable that is taken out keeps its
// gradient of that moment. When it returns, the gradient is updated with the net change of the
// coefficients since then, so that a coefficient that moved back and forth costs one kernel value.
// Kernel values come from kept rows if that is faster; otherwise they are computed for the active
// rows only. With the full matrix all variables are updated at once, and every gradient is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/run.hpp"
#include "core/chunked/row_store.hpp"
#include "core/gram/gram.hpp"
#include "core/problem/drift.hpp"
#include "core/problem/extremes.hpp"
#include "core/problem/problem.hpp"

namespace mercer::chunked {

// A change of some variables: where each was, and by how much it moved.
struct Change {
    std::vector<std::uint32_t> variables;
    std::vector<double> before, amounts;
};

// Rows whose coefficients change, and by how much.
struct WeightedRows {
    std::vector<std::size_t> rows;
    std::vector<double> weights;
};

template <class T>
class Variables {
  public:
    // requires: `start` feasible; `gradient` its gradient up to `gradient_error`, or null to have
    // it computed
    Variables(const ProblemView& problem, Gram<T>& gram, const double* start,
              const double* gradient, double gradient_error, std::size_t chunk_size,
              RowPolicy kernel_rows, const Poll& poll);

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
    Gram<T>& gram() const { return gram_; }
    // Variables looked at in turn by one thread: fewer are not worth the waking of another.
    static constexpr std::size_t grain = 1 << 13;
    const Costs& costs() const { return store_.costs(); }
    // The full kernel matrix if that is kept, else null.
    const T* full_matrix() const { return store_.full_matrix(); }
    std::size_t full_stride() const { return gram_.full_stride(); }
    // Whether the full matrix is the working matrix of all variables: one for each row, in one
    // group.
    bool is_full_matrix_in_place() const { return in_place_; }
    bool keeps_rows() const { return store_.has_kept(); }

    // Whether the objective falls at the end of the line from zero to beta.
    bool has_gone_too_far() const;
    // requires: zero is feasible
    void go_to_zero();

    // Extremes of each group (index g) and of the variables without one (index n_groups).
    const std::vector<Extremes>& extremes() const { return extremes_; }
    // Infinite if a gradient is not finite: numbers no longer suffice.
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
    // Brings also those back that cannot move, and so never took part; false if polled out.
    bool finish(const Poll& poll);

    // The likely error of a gradient from rounded kernel values since it was given: smaller
    // violations are not worth steps.
    double rounding() const;

    // The dual value after the last change that was applied.
    double objective() const { return objective_; }
    // Bound of the error that rounded kernel values have brought into it (drift.hpp).
    double objective_error() const { return drift_.error(squared_distance_, weighted_distance_); }
    // Whether that hides what was gained.
    bool has_drifted() const {
        return drift_.hides(objective_error(), objective_, first_objective_);
    }
    // The same if a displacement as long led on from here to an objective.
    bool would_drift(double squared, double weighted, double objective) const {
        return drift_.hides(drift_.error(squared, weighted), objective, first_objective_);
    }

    // Takes a change back as far as the objective falls along it, if it lost: the rounding of a
    // chunk can be larger than its gain. False if there was nothing to take back.
    // requires: `change` was the last one applied
    bool take_back_loss(Change change, const Poll& poll);

  private:
    // Variables taken out together, and the coefficient of every row at that time; not needed on
    // the full matrix.
    struct Level {
        std::vector<std::uint32_t> variables;
        std::vector<double> row_coef;
    };
    // The kernel with the rows of some variables on the right, and where each variable's row is.
    struct RightRows {
        KernelPointer<T> kernel;         // null: that of all rows of the Gram
        std::vector<std::size_t> place;  // empty: one after the other
    };

    void add_distance(std::size_t v, double square);
    std::vector<double> row_coef() const;
    bool compute_gradient(const Poll& poll);
    bool repair(const Level& level, const std::vector<double>& now, const Poll& poll);
    // gradient -= K change for these variables; false if polled out
    bool subtract_product(const WeightedRows& change, const std::vector<std::uint32_t>& variables,
                          const Poll& poll);
    bool subtract_stored(const WeightedRows& change, const std::vector<std::uint32_t>& variables,
                         const Poll& poll);
    bool is_full_matrix_of_all() const;
    // Whether no row has two variables.
    bool have_own_rows() const;
    RightRows right_rows(const std::vector<std::uint32_t>& variables) const;

    Gram<T>& gram_;
    RowStore<T> store_;
    bool in_place_, own_rows_;
    std::vector<std::uint32_t> active_, all_;
    std::vector<std::uint8_t> is_active_;
    std::vector<Extremes> extremes_;
    double violation_ = infinity, objective_ = 0.0, first_objective_ = 0.0;
    double slope_before_ = 0.0, slope_after_ = 0.0;  // along the last change, at its ends
    std::vector<Level> levels_;
    Level fixed_;                     // variables that cannot move
    std::vector<double> anchor_;      // beta where the gradient was given, empty: at zero
    double squared_distance_ = 0.0;   // of beta from there
    double weighted_distance_ = 0.0;  // with weights as in drift.hpp
    Drift<T> drift_;
    double largest_ = 0.0;                   // on the diagonal of the kernel matrix
    std::optional<RightRows> active_right_;  // of the active variables; made when needed
};

}  // namespace mercer::chunked
