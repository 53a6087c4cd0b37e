// The revised simplex method for the problem of docs/design.md (SVM-RSQP,
// Sentelle 2014, algorithm 1, in signed variables, for any disjoint groups).
//
// A variable is *basic* (in the factor; its slope is kept at zero) or rests: at a bound or, where
// the objective is flat, somewhere between. The slope of a variable is gradient - multiplier of its
// group: what the objective gains if it grows and the basic variables answer. A group in which
// somebody can move always has a basic variable. One variable enters at a time; it
// joins the factor only after a blocking variable has left or its own slope has vanished, so that
// the factor never becomes singular, whatever the rank of the kernel (Sentelle 2014, theorem 4).
#pragma once

#include <cstddef>
#include <vector>

#include "core/active_set/basis.hpp"
#include "core/active_set/pricing.hpp"
#include "core/active_set/watch.hpp"
#include "core/problem/problem.hpp"

namespace mercer::active_set {

struct Options {
    double tolerance = 1e-3;  // of a slope, raised to the level of rounding
    std::size_t max_iterations = 10'000'000;
    double max_seconds = 1e300;
    std::size_t sprint = 100;  // candidates priced between full pricings; 0: all, always
    bool shrinking = true;
};

struct Counters {
    std::size_t iterations = 0, outer_iterations = 0, flips = 0, zero_steps = 0, bland_steps = 0;
    std::size_t full_pricings = 0, priced = 0, rebuilds = 0, largest_basis = 0;
};

class Simplex {
  public:
    // requires: coef feasible; `gradient` its gradient, or null to have it computed. `group_sum`
    // has an entry for each group. Interrupted is thrown if polled out.
    Simplex(Gram<double>& gram, const ProblemView& problem, const double* group_sum,
            const double* coef, const double* gradient, const Poll& poll);

    Status run(const Options& options, const Monitor& monitor);

    const std::vector<double>& coef() const { return coef_; }
    const std::vector<std::size_t>& basic() const { return basis_.members(); }
    const std::vector<double>& multiplier() const { return multiplier_; }
    double violation() const { return violation_; }
    double objective() const { return objective_; }
    double condition() const { return basis_.condition(); }
    std::size_t n_active() const { return pricing_.active().size(); }
    const Counters& counters() const { return counters_; }
    std::vector<double> gradient();

    // Takes the gradient of the present point as exact, in place of the updated one.
    void set_gradient(const double* gradient);
    // Another box, `factor` times as large (Sentelle 2014, algorithm 4): what rests at a bound
    // moves with it, what is basic is scaled; the basis stays.
    void rescale(const double* lower, const double* upper, const double* group_sum, double factor);
    // Another box for a variable. requires: its coefficient lies inside
    void set_box(std::size_t variable, double lower, double upper);
    // Drives a variable to `value`, the basic ones answering, and fixes it there
    // (docs/theory/active_set.md#rows-come-and-go). false if the others cannot make up for it; it
    // then stays where it got.
    bool retire(std::size_t variable, double value);

  private:
    enum class Outcome { done, unbounded, stuck };
    // What ends a step: a basic variable by its position, or (position = size of the basis) the
    // entering variable at its own other bound.
    struct Block {
        double step = infinity;
        std::size_t position = none;
        bool at_upper = false;
    };

    // simplex.cpp: the iteration
    Outcome enter(std::size_t variable, double slope);
    Outcome advance(std::size_t variable, double slope, const KernelRowPointer& row);
    Block ratio_test(std::size_t entering, double sign, const std::vector<double>& h) const;
    void move(std::size_t entering, double sign, double step, const std::vector<double>& h,
              const std::vector<double>& eta);
    void leave(const Block& block);
    void settle(std::size_t variable, bool at_upper, const KernelRow& row);
    void note_step(double step);
    bool has_gained(double since);
    double squares() const;
    double noise() const;
    // select.cpp: the entering variable; false if there is none or, with an infinite violation, if
    // numbers did not suffice
    bool select(Priced& choice);
    bool select_candidate(Priced& choice);
    bool price_all(Priced& choice);
    std::vector<double> active_expansion();
    std::vector<double> full_expansion();
    bool is_cycling() const { return idle_steps_ > 2 * coef_.size() + 10; }
    Priced price(std::size_t variable, double expansion) const;
    double slope(std::size_t variable, double expansion) const {
        return linear_[variable] - expansion - ridge_[variable] * coef_[variable] -
               level(variable, multiplier_);
    }
    // The multiplier of a variable's group.
    double level(std::size_t variable, const std::vector<double>& multiplier) const {
        return group_[variable] < 0 ? 0.0 : multiplier[std::size_t(group_[variable])];
    }
    // upkeep.cpp: from points to bases, and exact slopes
    std::vector<double> known_expansion(const double* gradient) const;
    void purify(const std::vector<double>& expansion);
    void purify_one(std::size_t variable, const std::vector<double>& gradient);
    bool recruit(int group, double sign, const std::vector<double>& gradient);
    bool replace_last(int group, std::size_t except, double sign);
    void restore();
    std::vector<double> basic_slopes() const;
    std::vector<double> missing_sums() const;
    void rebuild();
    double dual_value(const std::vector<double>& gradient) const;

    std::shared_ptr<KernelRows> kernel_;
    std::vector<double> linear_, lower_, upper_, ridge_, coef_;
    std::vector<std::int8_t> group_;
    std::vector<double> group_sum_, multiplier_;
    double violation_ = infinity, objective_ = 0.0;
    Basis basis_;
    std::vector<double> resting_;  // expansion of what is not basic, by place
    Pricing pricing_;
    std::vector<Priced> priced_;
    Counters counters_;
    Options options_;
    double tolerance_ = 0.0;
    std::size_t idle_steps_ = 0;
};

}  // namespace mercer::active_set
