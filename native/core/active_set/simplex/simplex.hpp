// The revised simplex method for the problem of docs/design.md (SVM-RSQP,
// Sentelle 2014, algorithm 1, in signed variables, for any disjoint groups).
//
// One variable enters the basis at a time; it joins the factor only after a blocking variable has
// left or its own slope has vanished, so that the factor never becomes singular, for a kernel of
// any rank (Sentelle 2014, theorem 4).
//
// Beside it: the point and its basis (point.hpp, purify.hpp), how far a step goes (step.hpp), which
// variable enters (pricing.hpp), changes of the problem between two runs (change.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "core/active_set/simplex/options.hpp"
#include "core/active_set/simplex/point.hpp"
#include "core/active_set/simplex/pricing.hpp"
#include "core/active_set/simplex/step.hpp"
#include "core/active_set/watch.hpp"

namespace mercer::active_set {

class Simplex {
  public:
    // requires: coef feasible; `gradient` its gradient, or null to have it computed. `group_sum`
    // has an entry for each group. Interrupted is thrown if polled out.
    Simplex(Gram<double>& gram, const ProblemView& problem, const double* group_sum,
            const double* coef, const double* gradient, const Poll& poll);

    Status run(const Options& options, const Monitor& monitor);

    const Point& point() const { return point_; }
    Point& point() { return point_; }
    double violation() const { return pricing_.violation(); }
    std::size_t n_active() const { return pricing_.n_active(); }
    const Counters& counters() const { return counters_; }

  private:
    enum class Outcome { done, blocked, unbounded, stuck };
    // Where the entering variable goes: how much of its slope is `left`, the `rate` at which that
    // falls, and how the basic variables and multipliers answer.
    struct Course {
        double sign, left, rate;
        std::vector<double> h, eta;
    };

    Outcome enter(std::size_t variable, double slope);
    Outcome advance(std::size_t variable, double slope, const KernelRowPointer& row);
    Outcome advance_basic(std::size_t variable, double least, const KernelRow& row, Course& course);
    Outcome step_along(Course& course, std::size_t entering, double speed, Block& block);
    Outcome flip(std::size_t variable, const Block& block, const KernelRow& row);
    void rebuild();
    void note_step(double step);
    bool has_gained(double since);
    bool is_cycling() const { return idle_steps_ > 2 * point_.n_variables() + 10; }

    Point point_;
    Pricing pricing_;
    Counters counters_;
    std::size_t idle_steps_ = 0;
};

}  // namespace mercer::active_set
