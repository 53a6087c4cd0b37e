// The loop of `smo`: any problem, of any size, with kernel rows from the cache of the Gram, and a
// policy for the pair and one for the step.
//
// One of three loops of pair steps. `chunked` solves its chunks by simd/subproblem.cpp, which has
// one fixed policy and a working matrix in place of the cache; restricted.cpp solves for the
// handful of variables of a set of large-maximum-gain, to score and to move it.
#include "core/smo/solve.hpp"

#include <algorithm>
#include <cmath>

#include "core/problem/drift.hpp"
#include "core/problem/stagnation.hpp"
#include "core/smo/refine.hpp"
#include "core/smo/selection.hpp"
#include "core/smo/state.hpp"
#include "core/smo/step.hpp"

namespace mercer::smo {

namespace {

constexpr std::size_t first_newton = 150;  // pair steps before the first Newton step
constexpr double refined = 1e-11;          // violation to refine to, relative to the gradient

template <class T>
class Solver {
  public:
    Solver(const ProblemView& problem, Gram<T>& gram, const Options& options, double* beta,
           const double* gradient, const Monitor& monitor, const T* matrix)
        : options_(options), monitor_(monitor), linear_(problem.linear),
          state_(problem, gram, beta, gradient, matrix, [this] { return watch(); }),
          selection_(make_selection<T>(options)), step_(make_step<T>(options, state_.size())),
          recorder_(options.trace_stride, problem.linear),
          shrink_period_(std::min<std::size_t>(std::max<std::size_t>(state_.size(), 1), 1000)),
          next_newton_(std::max(first_newton, 7 * state_.size() / 10)),
          drift_(problem, gradient ? options.gradient_error : 0.0),
          stagnation_(std::max<std::size_t>(10'000, 10 * state_.size())),
          first_objective_(objective(state_, linear_)) {
        if (gradient) anchor_ = state_.beta;
        for (std::size_t p = 0; p < state_.size(); ++p) {
            linear_size_ = std::max(linear_size_, std::abs(linear_[state_.variable(p)]));
        }
    }

    Result run() {
        if (iterate(options_.tolerance) && options_.newton_limit > 0) refine();
        state_.unshrink();
        result_.violation = state_.is_finite() ? state_.violation() : infinity;
        if (result_.violation == infinity && result_.status == Status::converged) {
            end(Status::stalled);
        }
        result_.seconds = clock_.seconds();
        record_point(true);
        result_.trace = recorder_.points();
        result_.counters.rows_computed = state_.rows_computed();
        result_.counters.rows_hit = state_.rows_hit();
        return result_;
    }

    void copy_beta(double* beta) const {
        for (std::size_t p = 0; p < state_.size(); ++p) beta[state_.variable(p)] = state_.beta[p];
    }

  private:
    // Pair steps until the violation of all variables is within the tolerance: true. False ends
    // the run for the reason in result_.status.
    bool iterate(double tolerance) {
        std::size_t countdown = shrink_period_;
        if (!measure_terms()) return end(Status::stalled);
        for (;;) {
            if (!watch()) return false;
            Choice<T> choice = choose(tolerance);
            if (choice.pair && result_.iterations >= options_.max_iterations) {
                return end(Status::max_iterations);
            }
            if (!choice.pair || !take_step(choice)) {
                if (!state_.is_shrunk()) {
                    return choice.pair ? end(Status::stalled) : is_converged_ || end(Status::stuck);
                }
                unshrink();
                countdown = shrink_period_;
                continue;
            }
            if (result_.status == Status::unbounded) return false;
            if (options_.stop_by_change && hardly_changed(tolerance)) return true;
            if (--countdown == 0) {
                countdown = shrink_period_;
                if (!measure_terms()) return end(Status::stalled);
                if (has_drifted()) return end(Status::stalled);
                if (options_.shrinking) state_.shrink();
            }
            if (is_going_in_circles()) return end(Status::stalled);
            if (result_.iterations >= next_newton_ && !attempt_newton()) return false;
        }
    }

    // Differences of gradients up to this are rounding, of kernel values or of coefficients.
    // Followed along a direction in which the objective is flat they lead astray, in steps as
    // small as they are.
    double rounding() {
        double size = linear_size_;
        for (const Extremes& extremes : state_.extremes()) {
            for (const double g : {extremes.up, extremes.down}) {
                if (std::isfinite(g)) size = std::max(size, std::abs(g));
            }
        }
        return 4.0 * std::max(std::numeric_limits<T>::epsilon() * size,
                              std::numeric_limits<double>::epsilon() * terms_size_);
    }

    // The largest of the terms K_ii beta_i, each part of a sum that a gradient is. False if numbers
    // no longer suffice: comparisons with what is not finite would go on forever.
    bool measure_terms() {
        if (!state_.is_finite()) return false;
        terms_size_ = 0.0;
        for (std::size_t p = 0; p < state_.size(); ++p) {
            terms_size_ = std::max(terms_size_, state_.curvature[p] * std::abs(state_.beta[p]));
        }
        return true;
    }

    // Bound of the error of the objective since the gradient was given or computed (drift.hpp).
    double objective_error() const {
        double squared = 0.0, weighted = 0.0;
        for (std::size_t p = 0; p < state_.size(); ++p) {
            const double moved = state_.beta[p] - (anchor_.empty() ? 0.0 : anchor_[p]);
            squared += moved * moved;
            weighted += moved * moved * std::abs(state_.curvature[p] - state_.ridge[p]);
        }
        return drift_.error(squared, weighted);
    }

    bool is_going_in_circles() {
        if (is_midway_ || !stagnation_.is_due(result_.iterations)) return false;
        const double scale = terms_size(state_.beta, state_.gradient);
        return stagnation_.is_stuck(result_.iterations, objective(state_, linear_), scale);
    }

    bool has_drifted() {
        const double now = objective(state_, linear_);
        result_.drifted = !is_midway_ && drift_.hides(objective_error(), now, first_objective_);
        return result_.drifted;
    }

    // Whether the last step changed the objective D by less than the tolerance times |D|; the two
    // halves of a planned step count as one. The first steps from D = 0 always go on.
    bool hardly_changed(double tolerance) {
        if (is_midway_) return false;
        const double before = last_objective_;
        last_objective_ = objective(state_, linear_);
        return std::abs(last_objective_ - before) < tolerance * std::abs(before);
    }

    // The next pair; none if the stopping rule is met, or if the selection finds none.
    Choice<T> choose(double tolerance) {
        progress_.violation = state_.violation();
        stagnation_.observe(progress_.violation);
        const double enough = options_.stop_by_change ? 0.0 : tolerance;
        is_converged_ = progress_.violation <= std::max(enough, rounding());
        if (is_converged_ && !options_.stop_by_step) return {};
        const Hint hint = step_->hint();
        Choice<T> choice = selection_->select(state_, hint);
        consider(state_, hint.candidates, hint.clipped, choice);
        if (options_.stop_by_step && choice.is_related) is_converged_ = choice.newton < tolerance;
        if (is_converged_) return {};
        return choice;
    }

    // False if there is nothing to be gained from the pair but rounding.
    bool take_step(Choice<T>& choice) {
        record_point(false);
        const StepRecord record = step_->take(state_, choice);
        // A selection that remembers may have another pair once it forgets
        // (docs/theory/smo.md#rounding).
        if (record.stalled) return selection_->forget();
        ++result_.iterations;
        is_midway_ = record.kind == StepKind::planned;
        if (record.unbounded) {
            end(Status::unbounded);
            return true;
        }
        recorder_.after(state_, record, choice.is_related);
        result_.counters.count(record);
        result_.counters.related_pairs += choice.is_related;
        selection_->remember(state_, std::move(choice));
        return true;
    }

    void record_point(bool is_last) {
        if (options_.trace_stride == 0) return;
        recorder_.before(state_, result_.iterations, clock_.seconds(), state_.violation(), is_last);
    }

    void unshrink() {
        ++result_.counters.unshrinks;
        state_.unshrink();
    }

    // Newton steps in a long run, as long as they took no more work than the pair steps so far; the
    // next attempt comes when these are a third more.
    bool attempt_newton() {
        next_newton_ = 4 * result_.iterations / 3 + 1;
        if (options_.newton_limit == 0) return true;
        state_.unshrink();
        const double pair_work = double(result_.iterations) * (double(state_.size()) + 800.0);
        while (newton_work_ <= pair_work && watch()) {
            const double work = newton_work(state_);
            const RefineOutcome outcome = newton();
            newton_work_ += work;
            if (outcome == RefineOutcome::unbounded) return end(Status::unbounded);
            if (outcome != RefineOutcome::blocked) break;
        }
        return result_.status == Status::converged;  // else stopped between two of them
    }

    // Alternates Newton steps with pair steps, which repair the free set, until the violation is at
    // the level of rounding or no longer falls.
    void refine() {
        if (!measure_terms()) return;
        double size = linear_size_;
        for (double g : state_.gradient) size = std::max(size, std::abs(g));
        const double target = std::max(refined * size, 8.0 * rounding());
        double best = infinity;
        for (int round = 0; round < 50 && watch(); ++round) {
            state_.unshrink();
            const RefineOutcome outcome = newton();
            const double violation = state_.violation();
            if (outcome == RefineOutcome::idle || violation <= target) return;
            if (outcome == RefineOutcome::blocked) continue;
            if (violation >= 0.5 * best && round > 20) return;
            best = std::min(best, violation);
            const std::size_t limit = options_.max_iterations;
            options_.max_iterations = std::min(limit, result_.iterations + 100 + state_.size());
            iterate(std::max(target, 0.1 * violation));
            options_.max_iterations = limit;
            if (result_.status == Status::stalled || result_.status == Status::stuck) {
                end(Status::converged);
                return;
            }
            if (result_.status == Status::max_iterations) result_.status = Status::converged;
            if (result_.status != Status::converged) return;
        }
    }

    RefineOutcome newton() {
        const RefineOutcome outcome = newton_step(state_, options_.newton_limit);
        if (outcome == RefineOutcome::idle) return outcome;
        is_midway_ = false;
        result_.counters.count({{}, 0.0, infinity, StepKind::refined});
        step_->forget();
        return outcome;
    }

    // Looks at the clock; now and then reports and asks whether to go on.
    bool watch() {
        const double now = clock_.seconds();
        if (now >= options_.max_seconds) return end(Status::max_time);
        if (now < next_poll_ || is_midway_) return true;
        next_poll_ = now + options_.poll_seconds;
        progress_.iteration = result_.iterations;
        progress_.seconds = now;
        if (progress_.iteration > 0) {
            progress_.objective = objective(state_, linear_);
            progress_.error = objective_error();
            progress_.n_active = state_.n_active();
        }
        if (monitor_ && !monitor_(progress_)) return end(Status::stopped);
        return true;
    }

    bool end(Status status) {
        result_.status = status;
        return false;
    }

    Options options_;
    const Monitor& monitor_;
    const double* linear_;
    Clock clock_;
    Result result_;
    Progress progress_;
    double next_poll_ = 0.0;
    bool is_midway_ = false;  // after a step that may have lost what the next one gains
    State<T> state_;          // looks at the clock while it is made: what that needs stands above
    std::unique_ptr<Selection<T>> selection_;
    std::unique_ptr<Step<T>> step_;
    Recorder<T> recorder_;
    std::size_t shrink_period_, next_newton_;
    Drift<T> drift_;
    Stagnation<T> stagnation_;
    std::vector<double> anchor_;  // beta where the gradient was given, empty: at zero
    double first_objective_;
    double linear_size_ = 0.0, terms_size_ = 0.0, newton_work_ = 0.0;
    double last_objective_ = 0.0;
    bool is_converged_ = false;
};

}  // namespace

template <class T>
Result solve(const ProblemView& problem, Gram<T>& gram, const Options& options, double* beta,
             const double* gradient, const Monitor& monitor, const T* matrix) {
    Clock clock;
    const ThreadPool::Client client(gram.threads());
    try {
        Solver<T> solver(problem, gram, options, beta, gradient, monitor, matrix);
        const Result result = solver.run();
        solver.copy_beta(beta);
        return result;
    } catch (const Interrupted&) {  // before the first step: the start is all there is
        Result result;
        result.seconds = clock.seconds();
        result.status = result.seconds >= options.max_seconds ? Status::max_time : Status::stopped;
        result.violation = infinity;
        return result;
    }
}

template Result solve(const ProblemView&, Gram<float>&, const Options&, double*, const double*,
                      const Monitor&, const float*);
template Result solve(const ProblemView&, Gram<double>&, const Options&, double*, const double*,
                      const Monitor&, const double*);

}  // namespace mercer::smo
