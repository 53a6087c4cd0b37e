#include "core/chunked/solve.hpp"

#include <algorithm>
#include <cmath>

#include "core/chunked/chunk.hpp"
#include "core/chunked/variables.hpp"
#include "core/chunked/working_set.hpp"
#include "core/problem/stagnation.hpp"

namespace mercer::chunked {

namespace {

template <class T>
class Solver {
  public:
    Solver(const ProblemView& problem, Gram<T>& gram, const Options& options, const double* beta,
           const double* gradient, const Monitor& monitor)
        : options_(options), monitor_(monitor),
          variables_(problem, gram, beta, gradient, options.gradient_error, options.chunk_size,
                     options.kernel_rows, poll()),
          working_set_(options.chunk_size, options.keep), chunk_(most_members(), gram.arena()) {
        if (options.may_start_at_zero && variables_.has_gone_too_far()) variables_.go_to_zero();
    }

    Result run() {
        ready_ = true;
        iterate();
        if (result_.status != Status::stopped) {
            options_.max_seconds = 1e300;
            if (variables_.finish(poll())) variables_.scan();
        }
        result_.repair_seconds += clock_.lap();
        result_.keeps_rows = variables_.keeps_rows();
        result_.violation = variables_.violation();
        result_.objective = variables_.objective();
        result_.newton_steps = chunk_.newton_steps();
        result_.seconds = clock_.seconds();
        return result_;
    }

    void copy_out(double* beta, double* gradient) const {
        std::ranges::copy(variables_.beta, beta);
        std::ranges::copy(variables_.gradient, gradient);
    }

  private:
    void iterate() {
        for (;;) {
            result_.repair_seconds += clock_.lap();
            variables_.scan();
            aim_ = options_.tolerance;
            if (is_single) aim_ = std::max(aim_, variables_.rounding());
            if (variables_.violation() == infinity) {
                stalled();
                return;
            }
            if (variables_.violation() <= aim_) {
                if (!variables_.is_shrunk()) return;
                ++result_.unshrinks;
                if (!variables_.unshrink(poll())) return;
                variables_.scan();
                if (variables_.violation() <= aim_) return;
                if (options_.shrinking) variables_.shrink(0.02);
            } else if (options_.shrinking) {
                variables_.shrink(0.2);
            }
            if (result_.iterations >= options_.max_iterations) {
                result_.status = Status::max_iterations;
                return;
            }
            result_.repair_seconds += clock_.lap();
            if (at_rounding() || is_going_in_circles() || !watch() || !solve_chunk()) return;
            if (variables_.has_drifted()) {
                drifted();
                return;
            }
        }
    }

    // Whether the violation is within reach of rounding and no longer falls. The caller's
    // certificate then decides what to do.
    bool at_rounding() {
        const double violation = variables_.violation();
        if (violation < 0.9 * best_violation_) {
            best_violation_ = violation;
            since_best_ = 0;
            return false;
        }
        if (++since_best_ < 30) return false;
        double largest = 0.0;
        for (const std::uint32_t v : variables_.active()) {
            largest = std::max(largest, std::abs(variables_.gradient[v]));
        }
        if (violation >= 1e3 * std::numeric_limits<T>::epsilon() * largest) return false;
        result_.status = Status::stalled;
        return true;
    }

    bool is_going_in_circles() {
        stagnation_.observe(variables_.violation());
        const std::size_t work = result_.chunks + result_.iterations / steps_per_chunk;
        if (!stagnation_.is_due(work)) return false;
        const double scale = terms_size(variables_.beta, variables_.gradient);
        return stagnation_.is_stuck(work, variables_.objective(), scale) && !stalled();
    }

    bool takes_all() const { return working_set_.takes_all(variables_.active().size()); }

    // Whether the next chunk is all variables, on the full matrix. A working matrix copied from it
    // pays where it is much smaller.
    bool works_in_place() const {
        const bool is_smaller = 2 * variables_.active().size() <= variables_.size();
        return variables_.is_full_matrix_in_place() && !(takes_all() && is_smaller);
    }

    std::size_t most_members() const {
        if (variables_.is_full_matrix_in_place()) return variables_.size();
        return std::min(WorkingSet::most(options_.chunk_size), variables_.active().size());
    }

    // Whether chunks of this size undo each other's steps: free variables that do not fit into one
    // are moved in turn, again and again. Of many variables most are still on their way to a bound.
    bool is_time_to_grow() const {
        if (result_.chunks >= chunks_before_growth) return true;
        const bool is_early = result_.chunks < chunks_before_count;
        if (is_early || variables_.size() > few_variables || working_set_.has_grown()) return false;
        const auto is_free = [&](std::uint32_t v) { return variables_.is_free(v); };
        const auto n_free = std::ranges::count_if(variables_.active(), is_free);
        return std::size_t(n_free) > options_.chunk_size;
    }

    // One chunk: true to go on.
    bool solve_chunk() {
        ChunkOptions options;
        options.tolerance = aim_;
        const bool in_place = works_in_place();
        if (in_place) {
            chunk_.take_all(variables_);
            options.max_iterations = steps_in_place;
            options.newton_after = std::max(options.newton_after, variables_.size());
        } else {
            if (is_time_to_grow()) working_set_.grow();
            const auto& members = working_set_.choose(variables_);
            result_.select_seconds += clock_.lap();
            chunk_.gather(variables_, members);
            options.max_iterations =
                std::min(options.max_iterations, steps_per_chunk + 100 * members.size());
        }
        result_.gather_seconds += clock_.lap();
        options.max_iterations =
            std::min(options.max_iterations, options_.max_iterations - result_.iterations);
        const SubproblemResult part =
            chunk_.solve(variables_, options, inner_tolerance(in_place || takes_all()), poll());
        result_.iterations += part.iterations;
        ++result_.chunks;
        result_.solve_seconds += clock_.lap();
        const Change change = chunk_.scatter(variables_);
        if (part.unbounded) result_.status = Status::unbounded;
        // The change must reach the gradient whatever ends the run: the state stays consistent.
        const double limit = options_.max_seconds;
        options_.max_seconds = 1e300;
        const bool done = change.variables.empty() || variables_.apply(change, poll());
        const bool lost =
            done && !change.variables.empty() && variables_.take_back_loss(change, poll());
        options_.max_seconds = limit;
        result_.update_seconds += clock_.lap();
        if (lost) return drifted();
        if (change.variables.empty() && !part.unbounded) return stalled();
        return done && !part.unbounded;
    }

    // A chunk is solved to a share of the violation of the whole problem: more than what others
    // will undo is not worth the steps; what is set aside undoes less.
    double inner_tolerance(bool is_all) const {
        if (is_all && variables_.size() <= at_once) return 0.5 * aim_;
        const double share = is_all ? 0.1 : 0.3;
        return std::max(0.5 * aim_, share * variables_.violation());
    }

    // Rounding may be as large as all that was gained: the caller's certificate tells what is left.
    bool drifted() {
        result_.drifted = true;
        return stalled();
    }

    // The chunk moved nothing although the whole problem is violated: rounding in the chunk. Or
    // gradients are NaN.
    bool stalled() {
        result_.status = Status::stalled;
        return false;
    }

    Poll poll() {
        return [this] { return watch(); };
    }

    bool watch() {
        const double now = clock_.seconds();
        if (now >= options_.max_seconds) {
            result_.status = Status::max_time;
            return false;
        }
        if (now < next_poll_) return true;
        next_poll_ = now + options_.poll_seconds;
        if (ready_) {
            progress_ = {result_.iterations,
                         variables_.violation(),
                         variables_.objective(),
                         variables_.active().size(),
                         now,
                         variables_.objective_error()};
        }
        if (!monitor_ || monitor_(progress_)) return true;
        result_.status = Status::stopped;
        return false;
    }

    // Double precision goes on where single precision cannot.
    static constexpr bool is_single = sizeof(T) == sizeof(float);
    // After that many steps some variables may be shrinkable, and a smaller working matrix is
    // faster.
    static constexpr std::size_t steps_in_place = 6000;
    // So few are solved in one go: 300 x 5 rows take 0.14 ms, not 0.21 in four chunks. Of 1,000 x
    // 20 rows at C = 100 Newton steps would come too early: 8.1 ms, not 5.4.
    static constexpr std::size_t at_once = 700;
    // Most problems are solved by then; those that are not need several times as many.
    static constexpr std::size_t chunks_before_growth = 60;
    // Few variables are counted: 4,000 x 20 rows at C = 100 take 98 ms, not 161.
    static constexpr std::size_t few_variables = 5000, chunks_before_count = 4;
    // More of them (and a hundred for each member) are another chunk's.
    static constexpr std::size_t steps_per_chunk = 10'000;

    Options options_;
    const Monitor& monitor_;
    Clock clock_;
    Result result_;
    Progress progress_;
    double next_poll_ = 0.0;
    double aim_ = 0.0;  // the tolerance, or what rounding leaves of it
    bool ready_ = false;
    double best_violation_ = infinity;
    std::size_t since_best_ = 0;
    Stagnation<T> stagnation_{100};
    Variables<T> variables_;
    WorkingSet working_set_;
    Chunk<T> chunk_;
};

}  // namespace

template <class T>
Result solve(const ProblemView& problem, Gram<T>& gram, const Options& options, double* beta,
             const double* gradient, double* gradient_out, const Monitor& monitor) {
    const Clock clock;
    const ThreadPool::Client client(gram.threads());
    try {
        Solver<T> solver(problem, gram, options, beta, gradient, monitor);
        const Result result = solver.run();
        solver.copy_out(beta, gradient_out);
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
                      double*, const Monitor&);
template Result solve(const ProblemView&, Gram<double>&, const Options&, double*, const double*,
                      double*, const Monitor&);

}  // namespace mercer::chunked
