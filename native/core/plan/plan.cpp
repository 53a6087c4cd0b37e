#include "core/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/base/infinity.hpp"
#include "core/plan/parts.hpp"
#include "core/plan/watch.hpp"
#include "core/problem/acceptance.hpp"
#include "core/problem/duality.hpp"
#include "core/problem/feasible.hpp"

namespace mercer::plan {

namespace {

// Share of the tolerance that steps in single precision aim at: their rounding must fit in the
// rest.
constexpr double single_share = 0.9;
constexpr std::size_t most_in_double = 128;  // variables of a problem
constexpr double unit_roundoff = 0x1p-53;
// Problems that are taken on to their last digits, so that copies of rows are weights to rounding;
// of more that would take longer than all else.
constexpr std::size_t few_parts = 30;
// Of one problem, each with a smaller tolerance, where that goes by the margin found.
constexpr int most_runs = 5;
constexpr double aim_below = 0.9;  // of a tolerance: a better point has another margin

bool is_bounded(const ProblemView& p) {
    const auto is_finite = [](double bound) { return std::isfinite(bound); };
    return std::all_of(p.lower, p.lower + p.n_variables, is_finite) &&
           std::all_of(p.upper, p.upper + p.n_variables, is_finite);
}

// 4 u |linear|, and what rounding of kernel values does to an expansion.
double rounding_of(const ProblemView& p, const double* beta, std::span<const double> roundings) {
    const bool is_uniform = roundings.size() == 1;
    double largest = 0.0, sum = 0.0;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const double r = is_uniform ? roundings[0] : roundings[std::size_t(p.index[i])];
        const double root = std::sqrt(r);
        if (p.lower[i] != 0.0 || p.upper[i] != 0.0) largest = std::max(largest, root);
        sum += std::abs(beta[i]) * root;
    }
    const double rounding = 4.0 * unit_roundoff * linear_size(p) + largest * sum;
    return std::isnan(rounding) ? infinity : rounding;
}

// What the group sum lacks is worth its multiplier times that, less a curvature: the gap is no
// smaller.
void widen_gap(const ProblemView& p, const double* beta, const Gram<double>& gram,
               acceptance::Point& point, PointReport& report) {
    const std::vector<double> missing = missing_sums(p, beta);
    double worth = 0.0, lack = 0.0;
    for (std::size_t g = 0; g < p.n_groups; ++g) {
        worth += std::abs(report.multiplier[g] * missing[g]);
        lack = std::max(lack, std::abs(missing[g]));
    }
    point.worth_of_sums = worth;
    if (!(report.infeasibility > acceptance::rounded) || p.n_variables == 0) return;
    const double* largest = std::max_element(
        beta, beta + p.n_variables, [](double a, double b) { return std::abs(a) < std::abs(b); });
    const double curvature =
        std::abs(gram.diagonal()[std::size_t(p.index[std::size_t(largest - beta)])]);
    report.gap = std::max(report.gap, worth + 0.5 * curvature * lack * lack);
}

// The largest size of a gradient that such coefficients can have.
double largest_slope(const ProblemView& p, const double* beta, const Gram<double>& gram) {
    double sum = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        sum += std::abs(beta[i]);
        if (p.lower[i] == 0.0 && p.upper[i] == 0.0) continue;
        largest = std::max(largest, std::abs(gram.diagonal()[std::size_t(p.index[i])]));
    }
    return sum * largest;
}

// K beta = linear - gradient - ridge beta
std::vector<double> values_of(const ProblemView& p, const double* beta, const double* gradient) {
    std::vector<double> values(p.n_variables);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        values[i] = p.linear[i] - gradient[i] - p.ridge[i] * beta[i];
    }
    return values;
}

// What all threads share.
struct Work {
    const Problems& problems;
    const Source& source;
    const Options& options;
    double *beta, *gradient;
    Watch& watch;
    std::vector<PartResult>& found;
    std::unique_ptr<SharedBlocks<double>> shared_double;
    std::unique_ptr<SharedBlocks<float>> shared_single;
};

// One thread's solvers of one problem after the other.
class Worker {
  public:
    explicit Worker(Work& work)
        : work_(work), in_double_(work.source.gram, work.shared_double.get()) {
        if (work.source.single) in_single_.emplace(*work.source.single, work.shared_single.get());
    }

    void solve(std::size_t k) {
        PartResult& out = work_.found[k];
        const double began = work_.watch.seconds();
        const ProblemView p = work_.problems[k];
        if (p.n_variables > work_.options.most_variables) {
            out.run.status = Status::stuck;
            out.report.multiplier.assign(p.n_groups, 0.0);
            work_.watch.add(0, 0.0, p.n_variables);
            return;
        }
        const auto o = std::size_t(work_.problems.offsets[k]);
        double *beta = work_.beta + o, *gradient = work_.gradient + o;
        if (work_.problems.group_sums) start(p, beta);
        if (!work_.watch.goes_on()) {
            out.run.status = Status::stopped;
        } else if (!work_.watch.has_time()) {
            out.run.status = Status::max_time;
        } else if (!is_single(p) || !solve_in_single(p, beta, gradient, out)) {
            solve_in_double(p, beta, gradient, out);
        }
        if (out.run.status != Status::converged && out.report.gradient.empty()) {
            recompute(p, beta, out);
        }
        judge(p, beta, out);
        std::ranges::copy(out.report.gradient, gradient);
        out.report.gradient = {};
        out.seconds = work_.watch.seconds() - began;
        work_.watch.add(out.run.iterations, out.report.objective, p.n_variables);
    }

  private:
    // A point with the sums of the problem.
    static void start(const ProblemView& p, double* beta) {
        if (std::all_of(beta, beta + p.n_variables, [](double b) { return b == 0.0; })) {
            share_sums(p, beta);
        }
        fill_sums(p, beta);
    }

    bool is_single(const ProblemView& p) const {
        return in_single_ && p.n_variables > most_in_double && !may_be_unbounded(p);
    }
    Poll poll() const {
        return [this] { return work_.watch.goes_on(); };
    }
    Poll timed_poll() const {
        return [this] { return work_.watch.goes_on() && work_.watch.has_time(); };
    }

    // Until the violation is within the tolerance, on the scale of the point found: then there
    // is a report of it.
    template <class T>
    void run(PartSolver<T>& solver, const ProblemView& p, double tolerance, double* beta,
             double* gradient, PartResult& out) {
        PartOptions options{.tolerance = tolerance, .polishes = work_.found.size() <= few_parts};
        for (int k = 0; k < most_runs; ++k) {
            out.report = {};
            run_once(solver, p, options, beta, gradient, out);
            if (out.run.status != Status::converged || !has_margin(p)) return;
            out.report = report_point(p, beta, values_of(p, beta, gradient).data());
            const double goal = tolerance * violation_scale(p, beta, out.report);
            if (options.tolerance <= goal) return;
            options.tolerance = aim_below * goal;
            options.knows_gradient = options.keeps_matrix = true;
        }
    }

    template <class T>
    void run_once(PartSolver<T>& solver, const ProblemView& p, PartOptions& options, double* beta,
                  double* gradient, PartResult& out) {
        options.max_iterations = work_.options.max_iterations - out.run.iterations;
        const PartRun found = solver.solve(p, options, beta, gradient, timed_poll());
        out.run.status = found.status;
        if (found.status == Status::stopped && !work_.watch.has_time()) {
            out.run.status = Status::max_time;
        }
        out.run.iterations += found.iterations;
        out.run.newton_steps += found.newton_steps;
        out.run.rows += found.rows;
        out.evaluations += found.rows * p.n_variables;
        restore_sums(p, beta);
    }

    // Whether violations are measured by the margin: there is no linear term.
    bool has_margin(const ProblemView& p) const {
        // most problems show at once that they have one
        return p.n_groups > 0 && p.n_variables > 0 && p.linear[0] == 0.0 && linear_size(p) == 0.0;
    }

    double violation_scale(const ProblemView& p, const double* beta,
                           const PointReport& report) const {
        if (!has_margin(p)) return 1.0;
        const double largest = largest_slope(p, beta, work_.source.gram);
        return acceptance::violation_scale(report.multiplier, largest);
    }

    void solve_in_double(const ProblemView& p, double* beta, double* gradient, PartResult& out) {
        run(in_double_, p, work_.options.tolerance, beta, gradient, out);
        out.error = 0.0;
        if (!out.report.gradient.empty()) return;
        out.report = report_point(p, beta, values_of(p, beta, gradient).data());
    }

    // false if double precision has to go on.
    bool solve_in_single(const ProblemView& p, double* beta, double* gradient, PartResult& out) {
        run(*in_single_, p, single_share * work_.options.tolerance, beta, gradient, out);
        const bool is_limited = out.run.status == Status::max_iterations ||
                                out.run.status == Status::max_time ||
                                out.run.status == Status::stopped;
        if (is_limited) return true;
        if (out.run.status != Status::converged) return false;
        SelectiveOptions options = work_.options.certificate;
        options.enough *= violation_scale(p, beta, out.report);
        const std::optional<SelectiveValues> exact = recompute_selected(
            p, work_.source.gram, beta, gradient, {}, work_.source.lengths, options, poll());
        if (!exact) return false;
        out.report = report_point(p, beta, exact->values.data());
        out.report.violation += exact->doubt;
        out.report.gap += 2.0 * exact->objective_doubt;
        out.error = exact->bound;
        return out.report.violation <=
               work_.options.tolerance * violation_scale(p, beta, out.report);
    }

    // What is true of a point that a limit ended at.
    void recompute(const ProblemView& p, const double* beta, PartResult& out) {
        std::vector<double> values(p.n_variables, 0.0);
        // also after the monitor has ended all runs
        const Poll never = [this] { return !work_.watch.has_failed(); };
        expand_point(work_.source.gram, beta, p.index, p.n_variables, values.data(), never);
        out.error = 0.0;
        out.report = report_point(p, beta, values.data());
    }

    void judge(const ProblemView& p, const double* beta, PartResult& out) {
        PointReport& report = out.report;
        out.squared_norm = squared_norm(p, beta, report.gradient.data());
        out.rounding = rounding_of(p, beta, work_.source.roundings);
        acceptance::Point point{};
        widen_gap(p, beta, work_.source.gram, point, report);
        point.n_variables = p.n_variables;
        point.objective = report.objective;
        point.gap = report.gap;
        point.violation = report.violation;
        point.infeasibility = report.infeasibility;
        point.rounding = out.rounding;
        point.linear_size = linear_size(p);
        point.slope_size = point.linear_size;
        if (has_margin(p)) {
            const double largest = largest_slope(p, beta, work_.source.gram);
            point.slope_size = acceptance::margin_size(report.multiplier, largest);
        }
        point.is_bounded = is_bounded(p);
        point.has_features = work_.options.has_features;
        const double tolerance = work_.options.tolerance * violation_scale(p, beta, report);
        out.is_solved =
            out.run.status == Status::converged && acceptance::is_solution(point, tolerance);
    }

    Work& work_;
    PartSolver<double> in_double_;
    std::optional<PartSolver<float>> in_single_;
};

}  // namespace

std::vector<PartResult> solve_parts(const Problems& problems, const Source& source,
                                    const Options& options, double* beta, double* gradient,
                                    const Monitor& monitor) {
    std::vector<PartResult> found(problems.size());
    for (PartResult& part : found) part.run.status = Status::stopped;  // until it is solved
    Watch watch(monitor, options.poll_seconds, options.max_seconds, problems.all.n_variables);
    Work work{problems,
              source,
              options,
              beta,
              gradient,
              watch,
              found,
              share_blocks(source.gram, source.blocks),
              source.single ? share_blocks(*source.single, source.blocks) : nullptr};
    solve_each<Worker>(work, source, problems, watch);
    watch.rethrow();
    return found;
}

}  // namespace mercer::plan
