// Every solution of a parametric problem, from breakpoint to breakpoint (Simple SVMPath,
// Sentelle 2014, algorithm 3, in signed variables).
//
// In the variables a = beta / C and the parameter t = 1 / C: maximize (offset + t linear)'a - 1/2
// a'(K + diag(ridge)) a subject to lower <= a <= upper, sum of a = sum + t sum_rate for all t from
// the start down to `stop`. The offset and the rate of the sum are zero on a path over C; the path
// of a tube over its half-width t has the targets for an offset. Between breakpoints a and the bias
// are affine in t. Exactly one variable changes sides at a breakpoint, and several breakpoints may
// have the same t. So the free variables stay affinely independent, and there is always at least
// one (docs/theory/paths.md#events).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "core/active_set/basis/basis.hpp"
#include "core/active_set/watch.hpp"
#include "core/problem/problem.hpp"

namespace mercer::active_set {

struct PathOptions {
    double stop = 1e-3;
    std::size_t max_events = 10'000'000;
    double max_seconds = 1e300;
    std::size_t bland_after = 50;     // events at one t before the smallest index decides ties
    std::size_t refresh_period = 50;  // events between exact recomputations
    std::size_t until_zero = none;    // ends when this variable is at a bound of zero
    double tie = 1e-9;                // relative distance of breakpoints that count as equal
};

// drifted: rounding has spoiled the state; precision: doubles cannot resolve a smaller t.
enum class PathEnd {
    complete,
    reached,
    at_zero,
    max_events,
    max_time,
    stopped,
    drifted,
    precision
};

// Where a variable is: at a bound, or free (a member of the factor).
enum class Side : std::int8_t { lower = -1, free = 0, upper = 1 };

// One entry for each segment between two breakpoints, the first one at the start.
struct PathLog {
    std::vector<double> parameter, bias, bias_rate;
    std::vector<std::int64_t> changes_end, values_end;  // offsets behind the segment's entries
    std::vector<Side> first_side;                       // of each variable, before any change
    std::vector<std::int64_t> changed;                  // who changed sides at its beginning
    std::vector<Side> side;                             // and where it is since
    std::vector<double> values, rates;  // of the free variables, by ascending variable
    double end = 0.0;                   // t where the last segment ends
};

class Path {
  public:
    // `offset`: of each variable, or null for zero. `free`: the members of the factor at the start;
    // if some depend on others, variables move to a bound. `expansion`: (K coef) of each variable,
    // or null to have it computed. requires: `coef` optimal at `parameter`; problem has one group
    // or none
    Path(std::shared_ptr<KernelRows> kernel, const ProblemView& problem, double sum,
         double sum_rate, const double* offset, const double* coef,
         const std::vector<std::size_t>& free, double parameter, const double* expansion);

    PathEnd follow(const PathOptions& options, const Monitor& monitor);

    const PathLog& log() const { return log_; }
    double parameter() const { return parameter_; }
    double bias() const { return bias_; }
    std::size_t n_events() const { return n_events_; }
    std::size_t n_free() const { return basis_.size(); }
    const std::vector<double>& coef() const { return coef_; }
    const std::vector<std::size_t>& free() const { return basis_.members(); }
    // Largest KKT violation seen when solutions were recomputed, in units of the linear term.
    double worst_violation() const { return worst_violation_; }
    double condition() const { return basis_.condition(); }
    std::size_t n_refactorised() const { return n_refactorised_; }

  private:
    struct Event {
        std::size_t variable = none;
        double parameter = -infinity, distance = infinity;
    };

    // path.cpp: the loop
    PathEnd finish(PathEnd end);
    PathEnd roll_back();
    bool is_finite() const;
    // Whether from here on the solution only changes in proportion to t.
    bool is_complete() const { return n_loaded_ == 0 && sum_rate_ == 0.0 && !has_offset_; }
    void advance(double distance);
    bool is_at_zero(std::size_t variable) const;
    bool apply(const Event& event);
    bool release(std::size_t variable);
    bool swap_in(std::size_t variable, const KernelRowPointer& row, const Response& response);
    std::size_t move_flat(std::size_t variable, double sign, const Response& response);
    void leave(std::size_t position, Side side);
    void replace_last();
    void change(std::size_t variable, Side side);
    void note_repeat(double before);
    // event_search.cpp: the next breakpoint
    Event next_event();
    double leaving_distance(std::size_t position) const;
    std::size_t first_of_tied(double tied) const;
    double find_entering();
    // path_state.cpp: exact numbers
    void read_start(const std::vector<std::size_t>& free, const double* expansion);
    void include(std::size_t variable);
    void expand_bounded();
    void load(std::size_t variable, const KernelRowPointer& row, int sign);
    void drop(std::size_t variable, const KernelRowPointer& row);
    void complete_bounded();
    double size_at_bounds() const;
    void clean_bounded();
    void find_direction();
    void solve(const std::vector<double>& u, double v, std::vector<double>& h, double& eta) const {
        basis_.solve(u.data(), {&v, 1}, h, {&eta, 1});
    }
    double direction_residual(std::vector<double>& residual) const;
    bool refresh();
    void pull_inside();
    double solution_residual(std::vector<double>& residual) const;
    double violation() const;
    double relative_gap() const;
    void refactorise();
    void record();
    double slope(std::size_t v) const {
        return parameter_ * linear_[v] + offset_[v] - value_[kernel_->place(v)] -
               ridge_[v] * coef_[v] - bias_;
    }
    // The size with which terms of slopes are compared, in units of the linear term.
    double linear_scale() const { return parameter_ + offset_size_; }
    // The distance up to which breakpoints count as equal: `share` of t, or less if coefficients
    // move so fast that the difference shows.
    double tie_distance(double share) const {
        return std::min(share * linear_scale(), 1e3 * share * widest_ / fastest_);
    }
    double slope_rate(std::size_t v) const {
        return linear_[v] - value_rate_[kernel_->place(v)] - bias_rate_;
    }

    std::shared_ptr<KernelRows> kernel_;
    std::vector<double> linear_, offset_, lower_, upper_, ridge_, coef_;
    double sum_, sum_rate_, scale_, parameter_, bias_ = 0.0, bias_rate_ = 0.0;
    std::vector<Side> side_;
    Basis basis_;
    // Expansion of the variables that are not free, by place, without rows that were added or
    // removed recently.
    std::vector<double> bounded_, late_coef_;
    std::vector<KernelRowPointer> late_rows_;
    std::vector<double> value_, value_rate_;  // expansion of everything, and its rate
    std::vector<double> rate_;                // of the free variables, in the factor's order
    // 1 at the upper bound, -1 at the lower one; 0 if free, fixed or barred (see swap_in).
    std::vector<double> towards_;
    std::vector<std::size_t> barred_, sorted_;  // sorted_: the free variables, ascending
    std::vector<double> distance_, gathered_;   // of the next event, for each variable
    std::vector<double> target_, residual_;     // of the direction, for each free variable
    PathOptions options_;
    PathLog log_;
    std::size_t n_events_ = 0, n_loaded_ = 0, since_refresh_ = 0, n_refactorised_ = 0;
    double worst_violation_ = 0.0, noise_ = 0.0, largest_bounded_ = 0.0, offset_size_ = 0.0;
    double fastest_ = 0.0, widest_ = 0.0;  // rate of a free variable; box
    // The last state that was recomputed and found optimal, and the segments before it.
    struct {
        std::size_t n_segments = 0;
        double parameter = 0.0, bias = 0.0;
        std::vector<double> coef;
    } verified_;
    // Events without progress: their number, their partitions, and the measures against cycles.
    std::size_t repeats_ = 0, revisits_ = 0;
    std::uint64_t partition_ = 0;
    std::unordered_set<std::uint64_t> visited_;
    std::vector<std::size_t> priority_;
    bool is_shuffled_ = false, has_ridge_ = false, has_offset_ = false;
    bool is_lost_ = false;  // numbers that are not finite: there is no next event
};

}  // namespace mercer::active_set
