// The state of an SMO run: variables, gradient, active set, and access to kernel rows.
//
// Variables are kept in positions ordered by group, segment and column, so that they form a few
// *runs*: ranges of positions in one group whose kernel values lie in one segment of a kernel row.
// Every scan is a loop over runs. The gradient of every variable is kept up to date; shrinking
// only narrows what the scans look at (kernel rows are complete, for others to use), so nothing
// ever needs to be reconstructed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/none.hpp"
#include "core/base/run.hpp"
#include "core/gram/gram.hpp"
#include "core/problem/extremes.hpp"
#include "core/problem/problem.hpp"
#include "core/smo/direction.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::smo {

static_assert(none == Extremes::nowhere);

// The variable that is increased and the one that is decreased; a variable without a group moves
// alone, the other side being `none`.
struct Pair {
    std::size_t up = none, down = none;
    explicit operator bool() const { return up != none || down != none; }
    bool operator==(const Pair&) const = default;
    // Sign with which a step along the pair moves the variable; 0 if it does not.
    double sign(std::size_t position) const {
        return position == up ? 1.0 : position == down ? -1.0 : 0.0;
    }
    Pair reversed() const { return {down, up}; }
};

struct Run {
    std::size_t begin, end;
    int group;
    std::size_t segment;                // place in the row's list of segments
    bool contiguous;                    // columns follow each other
    std::vector<std::uint32_t> active;  // positions, ascending
};

template <class T>
class State {
  public:
    // A kernel row: one cached segment for each segment the problem touches, held while this lives,
    // or values that are at hand anyway.
    class Row {
      public:
        explicit operator bool() const { return values_ || segments_; }
        const T* segment(std::size_t s) const {
            return values_ ? values_ : (*segments_)[s].values();
        }

      private:
        friend class State;
        const T* values_ = nullptr;
        std::shared_ptr<const std::vector<RowSegment<T>>> segments_;
    };

    // requires: `start` feasible; `gradient` its gradient, or null to have it computed; `matrix`
    // all kernel values of a Gram of one segment, row by row, or null to have rows computed
    State(const ProblemView& problem, Gram<T>& gram, const double* start, const double* gradient,
          const T* matrix, const Poll& poll);

    // Indexed by position. `curvature` is the diagonal of the kernel matrix plus the ridge.
    std::vector<double> beta, gradient, lower, upper, curvature, ridge;
    std::vector<std::int64_t> can_grow, can_fall;  // all bits set where it can

    std::size_t size() const { return beta.size(); }
    std::size_t n_active() const;
    std::size_t n_groups() const { return n_groups_; }
    const std::vector<Run>& runs() const { return runs_; }
    int group_of(std::size_t position) const { return group_[position]; }
    std::size_t data_row(std::size_t position) const { return data_row_[position]; }
    std::size_t variable(std::size_t position) const { return variable_[position]; }
    bool is_free(std::size_t p) const { return can_grow[p] && can_fall[p]; }
    // Whether all curvatures and gradients are numbers: kernel values and steps were.
    bool is_finite() const;
    Gram<T>& gram() { return gram_; }

    // Held for the whole run, and found without a search, if the cache has room for all rows.
    Row row(std::size_t position);
    // The row if it is in the cache, else an empty one; leaves the order of the cache as it is.
    Row peek(std::size_t position);
    std::size_t rows_computed() const { return rows_computed_; }
    std::size_t rows_hit() const { return rows_hit_; }
    // Rows the cache has memory for.
    std::size_t rows_that_fit() const;
    // What a value of a row costs, in multiplications.
    double value_work() const { return gram_.kernel().work(); }
    double value(const Row& row, std::size_t position) const {
        assert(row.values_ || column_[position] < (*row.segments_)[segment_[position]].length());
        return row.segment(segment_[position])[column_[position]];
    }
    // Entry of K + ridge. requires: `row` is the row of position `of`
    double entry(std::size_t of, const Row& row, std::size_t with) const {
        return value(row, with) + (of == with ? ridge[of] : 0.0);
    }
    // Kernel values of a run within a row; index them by `column(position)`.
    std::uint32_t column(std::size_t position) const { return column_[position]; }
    // Whether a pass over the whole run, in vectors, takes no longer than one over its active part.
    static bool is_dense(const Run& run) { return 16 * run.active.size() >= run.end - run.begin; }
    ScanRange range_of(const Run& run) const;
    // The violating partner of `up` that gains most in a whole run, or `none`. `span` is the size
    // of the slopes. requires: `up_row` is the row of `up`
    std::size_t best_partner(const Run& run, std::size_t up, const Row& up_row, double span) const;

    double slope(Pair pair) const;
    // The longest step the box allows.
    double room(Pair pair) const;
    // The largest multiple of a direction that the box allows.
    double room(const Direction& direction) const;
    // requires: `up_row` is the row of pair.up if both sides are there
    double pair_curvature(Pair pair, const Row& up_row) const;

    // beta[up] += step, beta[down] -= step. A step as long as the room ends exactly on the bound.
    void move(Pair pair, double step, const Row& up_row, const Row& down_row);
    // beta += direction.move, gradient -= direction.response; within rounding of a bound on it.
    void advance(const Direction& direction);
    // direction = old * direction + step (e_up - e_down), then as above, in one pass.
    void advance(Direction& direction, double old, Pair pair, double step, const Row& up_row,
                 const Row& down_row);
    // direction.response = (K + ridge) direction.move, from one kernel row for each variable it
    // moves.
    void respond(Direction& direction);
    // beta[positions] += delta, kept within the box. requires: delta keeps the group sums
    void move_many(const std::vector<std::size_t>& positions, const std::vector<double>& delta);

    // Extremes of each group (index g) and of the variables without one (index n_groups), over the
    // active variables and those that cost nothing.
    const std::vector<Extremes>& extremes();
    double violation();

    // Narrows the scans to variables that can still move, as far as one can tell.
    void shrink();
    void unshrink();
    bool is_shrunk() const { return shrunk_; }

  private:
    void order_variables(const ProblemView& problem);
    void read_variables(const ProblemView& problem, const double* start);
    void compute_gradient(const ProblemView& problem, const Poll& poll);
    void find_runs();
    Row fetch(std::size_t data_row);
    Row row_at_hand(std::size_t data_row) const;
    void refresh(std::size_t position);
    void find_extremes(const Run& run, Extremes& found) const;
    ScanArrays arrays() const;
    void snap(std::size_t position, double moved);
    void subtract_row(double weight, const Row& row);
    void subtract_rows(double weight, const Row& up_row, const Row& down_row);
    std::size_t slot(int group) const { return group < 0 ? n_groups_ : std::size_t(group); }

    Gram<T>& gram_;
    const T* matrix_;  // null: rows come from the Gram
    const ScanFunctions<T>& scan_ = instruction_set().scan.of<T>();
    std::size_t n_groups_;
    bool shrunk_ = false;
    std::size_t rows_computed_ = 0, rows_hit_ = 0;
    std::vector<std::size_t> variable_;  // variable of the problem
    std::vector<std::size_t> data_row_;  // row of the Gram
    std::vector<int> group_;
    std::vector<std::size_t> segment_;        // place in used_segments_
    std::vector<std::uint32_t> column_;       // within its segment
    std::vector<std::size_t> used_segments_;  // segments of the Gram that hold any variable
    std::vector<Row> held_;  // by row of the Gram; none if the cache may have to drop some
    std::vector<Run> runs_;
    std::vector<Extremes> extremes_;
    bool extremes_known_ = false;
};

}  // namespace mercer::smo
