#include "core/plan/part.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/infinity.hpp"
#include "core/chunked/newton.hpp"
#include "core/problem/extremes.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::plan {

namespace {

// Gradients that are followed step by step are computed anew at the end: so often at most.
constexpr int most_rounds = 6;
// Share of the tolerance at which steps end, so that the new gradient is within it.
constexpr double share = 0.7;
// Pair steps before Newton steps are tried, and before the next ones.
constexpr std::size_t newton_after = 1000, newton_again = 500;

// Newton steps to the last digits, what they aim at, and the pair steps that they may cost.
constexpr int polish_steps = 2;
constexpr double last_digits = 1e-14;
constexpr std::size_t most_polish = 400;
// Of very few variables pair steps find them as fast.
constexpr std::size_t very_few = 16;
// One step more or two, whatever is asked for.
constexpr std::size_t fewest = 4;
constexpr double rounded = 1e-10;
// Rows from so many features on that cost much one by one: whether most of them are needed is asked
// after a share of those that are worth all. It is so where the violation is still `hard` times the
// first one.
constexpr double wide = 100.0, early = 0.1, hard = 0.8;

template <class T>
const SubproblemFunctions<T>& functions() {
    return instruction_set().subproblem.of<T>();
}

}  // namespace

template <class T>
PartSolver<T>::PartSolver(Gram<T>& gram, SharedBlocks<T>* shared)
    : matrix_(gram, shared), kernel_diagonal_(gram.diagonal()) {}

template <class T>
void PartSolver<T>::gather(const ProblemView& p, const double* beta, bool keeps_matrix) {
    layout_.assign(p, functions<T>().lanes);
    for (auto* field : {&diagonal_, &gradient_, &product_, &grow_bar_, &fall_bar_}) {
        field->assign(layout_.size(), T(0));
    }
    for (auto* field : {&beta_, &lower_, &upper_}) field->assign(layout_.size(), 0.0);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        diagonal_[layout_.position(i)] =
            T(kernel_diagonal_[std::size_t(p.index[i])]) + T(p.ridge[i]);
    }
    layout_.spread(beta, beta_.data());
    layout_.spread(p.lower, lower_.data());
    layout_.spread(p.upper, upper_.data());
    if (keeps_matrix) matrix_.set_diagonal(diagonal_.data());
    else matrix_.load(p, layout_, diagonal_.data());
}

template <class T>
Subproblem<T> PartSolver<T>::view() {
    return {layout_.size(),   matrix_.row(0),          matrix_.stride(),
            diagonal_.data(), gradient_.data(),        beta_.data(),
            lower_.data(),    upper_.data(),           grow_bar_.data(),
            fall_bar_.data(), layout_.ranges().data(), layout_.ranges().size(),
            product_.data(),  matrix_.has_row(),       &matrix_};
}

template <class T>
void PartSolver<T>::climb(const Subproblem<T>& problem, double tolerance,
                          std::size_t max_iterations, const Poll& poll, PartRun& run) {
    std::optional<chunked::Newton<T>> newton;
    const std::size_t first = run.iterations;
    for (;;) {
        functions<T>().refresh(problem);
        const std::size_t wait = run.iterations == first ? newton_after : newton_again;
        const std::size_t long_enough = newton ? std::max(wait, 2 * newton->cost_of_round()) : wait;
        const std::size_t burst = std::min(long_enough, max_iterations - run.iterations);
        const SubproblemResult part = functions<T>().solve(problem, tolerance, burst);
        run.iterations += part.iterations;
        if (part.unbounded) run.status = Status::unbounded;
        if (part.unbounded || part.iterations < burst || part.violation <= tolerance) return;
        if (run.iterations >= max_iterations) run.status = Status::max_iterations;
        else if (!poll()) run.status = Status::stopped;
        if (run.status != Status::converged) return;
        if (!newton) newton.emplace(problem, tolerance);
        const std::size_t cost = 2 * newton->cost_of_round();
        if (cost > 2 * burst) continue;
        std::size_t tries = 1 + std::min<std::size_t>(5, newton_after / (cost + 1));
        const std::size_t before = newton->n_steps();
        while (tries > 0 && !newton->step()) --tries;
        run.newton_steps += newton->n_steps() - before;
    }
}

template <class T>
void PartSolver<T>::compute_gradient(const ProblemView& p, double* gradient) {
    rows_.clear();
    weights_.clear();
    for (std::size_t at = 0; at < layout_.size(); ++at) {
        if (beta_[at] == 0.0) continue;
        if (!matrix_.has_row()[at]) matrix_.fetch(at);
        rows_.push_back(matrix_.row(at));
        weights_.push_back(T(beta_[at]));
    }
    if (rows_.empty()) {
        std::copy_n(p.linear, p.n_variables, gradient);
        return;
    }
    const std::size_t size = layout_.size();
    sums_.assign(size, 0.0);
    instruction_set().micro_kernels.of<T>().add_product(rows_.data(), rows_.size(), size,
                                                        weights_.data(), 1, sums_.data(), size);
    layout_.collect(sums_.data(), gradient);
    for (std::size_t i = 0; i < p.n_variables; ++i) gradient[i] = p.linear[i] - gradient[i];
}

template <class T>
PartRun PartSolver<T>::solve(const ProblemView& p, const PartOptions& options, double* beta,
                             double* gradient, const Poll& poll) {
    gather(p, beta, options.keeps_matrix);
    const std::size_t fetched_before = options.keeps_matrix ? matrix_.n_fetched() : 0;
    const Subproblem<T> problem = view();
    if (!options.knows_gradient) compute_gradient(p, gradient);
    const bool is_very_few =
        std::is_same_v<T, double> && p.n_variables <= (options.polishes ? very_few : fewest);
    const double tolerance = options.tolerance;
    const double aim = is_very_few ? std::min(rounded, share * tolerance) : share * tolerance;
    PartRun run;
    layout_.spread(gradient, gradient_.data());
    if (!options.keeps_matrix && matrix_.work() >= wide) {
        const double violation = largest_violation(find_extremes(p, beta, gradient));
        look_early(problem, violation, aim, options.max_iterations, run);
    }
    double before = infinity;
    std::size_t steps = 0;
    for (int round = 0; round < most_rounds; ++round) {
        climb(problem, aim, options.max_iterations, poll, run);
        const bool moved = run.iterations > std::exchange(steps, run.iterations);
        compute_gradient(p, gradient);
        layout_.collect(beta_.data(), beta);
        const double now = largest_violation(find_extremes(p, beta, gradient));
        if (now <= tolerance || run.status != Status::converged) break;
        // what rounding leaves does not become less
        if (!moved || !(now < 0.9 * before) || round + 1 == most_rounds) {
            run.status = Status::stalled;
            break;
        }
        before = now;
        layout_.spread(gradient, gradient_.data());
    }
    if (run.status == Status::converged && options.polishes && std::is_same_v<T, double>) {
        polish(p, problem, beta, gradient, run);
    }
    run.rows = matrix_.n_fetched() - std::min(fetched_before, matrix_.n_fetched());
    return run;
}

template <class T>
double PartSolver<T>::step_within(const Subproblem<T>& problem, double aim, std::size_t most_rows,
                                  std::size_t max_iterations, PartRun& run) {
    double violation = infinity;
    for (;;) {
        const std::size_t rows = most_rows - std::min(most_rows, matrix_.n_fetched());
        // a step asks for two rows at most
        const std::size_t burst = std::min(rows / 2, max_iterations - run.iterations);
        if (burst == 0) return violation;
        const SubproblemResult part = functions<T>().solve(problem, aim, burst);
        run.iterations += part.iterations;
        violation = part.violation;
        if (part.iterations < burst || part.unbounded) return violation;
    }
}

template <class T>
void PartSolver<T>::look_early(const Subproblem<T>& problem, double violation, double aim,
                               std::size_t max_iterations, PartRun& run) {
    const auto few = std::size_t(early * double(matrix_.worth()));
    if (few < matrix_.n_fetched() + 2) return;
    functions<T>().refresh(problem);
    const double now = step_within(problem, aim, few, max_iterations, run);
    if (now > aim && now > hard * violation) matrix_.fetch_all();
}

template <class T>
PartRun PartSolver<T>::solve_within(const ProblemView& p, double tolerance, const RowBudget& budget,
                                    std::size_t max_iterations, double* beta, double* gradient) {
    gather(p, beta, /*keeps_matrix=*/false);
    layout_.spread(gradient, gradient_.data());
    const Subproblem<T> problem = view();
    functions<T>().refresh(problem);
    const double first = largest_violation(find_extremes(p, beta, gradient));
    const double aim = share * tolerance;
    PartRun run;
    run.status = Status::stuck;
    for (const std::size_t most_rows : {budget.early, budget.most}) {
        const double now = step_within(problem, aim, most_rows, max_iterations, run);
        if (now <= aim) run.status = Status::converged;
        if (now <= aim || now > budget.share * first) break;
    }
    compute_gradient(p, gradient);
    layout_.collect(beta_.data(), beta);
    run.rows = matrix_.n_fetched();
    return run;
}

template <class T>
void PartSolver<T>::polish(const ProblemView& p, const Subproblem<T>& problem, double* beta,
                           double* gradient, PartRun& run) {
    const double violated = largest_violation(find_extremes(p, beta, gradient));
    if (violated <= rounded) return;
    chunked::Newton<T> newton(problem, last_digits);
    if (newton.cost_of_round() > most_polish) return;
    const std::vector<double> before(beta, beta + p.n_variables);
    const std::vector<double> slopes(gradient, gradient + p.n_variables);
    layout_.spread(gradient, gradient_.data());
    for (int step = 0; step < polish_steps; ++step) newton.step();
    compute_gradient(p, gradient);
    layout_.collect(beta_.data(), beta);
    if (largest_violation(find_extremes(p, beta, gradient)) < violated) {
        run.newton_steps += newton.n_steps();
        return;
    }
    std::ranges::copy(before, beta);
    std::ranges::copy(slopes, gradient);
}

template class PartSolver<float>;
template class PartSolver<double>;

}  // namespace mercer::plan
