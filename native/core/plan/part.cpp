#include "core/plan/part.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

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

template <class T>
const SubproblemFunctions<T>& functions() {
    return instruction_set().subproblem.of<T>();
}

}  // namespace

template <class T>
PartSolver<T>::PartSolver(Gram<T>& gram, SharedBlocks<T>* shared)
    : matrix_(gram, shared), kernel_diagonal_(gram.diagonal()) {}

template <class T>
void PartSolver<T>::gather(const ProblemView& p, const double* beta, const double* gradient,
                           bool keeps_matrix) {
    const std::size_t n = p.n_variables, lanes = functions<T>().lanes;
    size_ = (n + lanes - 1) / lanes * lanes;
    range_ = {0, size_, p.group[0] < 0};
    for (auto* field : {&diagonal_, &gradient_, &product_, &grow_bar_, &fall_bar_}) {
        field->assign(size_, T(0));
    }
    for (auto* field : {&beta_, &lower_, &upper_}) field->assign(size_, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        diagonal_[i] = T(kernel_diagonal_[std::size_t(p.index[i])]) + T(p.ridge[i]);
    }
    std::copy_n(beta, n, beta_.begin());
    std::copy_n(p.lower, n, lower_.begin());
    std::copy_n(p.upper, n, upper_.begin());
    refresh_gradient(p, gradient);
    keeps_matrix ? matrix_.set_ridge(p.ridge) : matrix_.load(p, size_);
}

template <class T>
void PartSolver<T>::refresh_gradient(const ProblemView& p, const double* gradient) {
    std::transform(gradient, gradient + p.n_variables, gradient_.begin(),
                   [](double g) { return T(g); });
}

template <class T>
Subproblem<T> PartSolver<T>::view() {
    return {size_,
            matrix_.row(0),
            matrix_.stride(),
            diagonal_.data(),
            gradient_.data(),
            beta_.data(),
            lower_.data(),
            upper_.data(),
            grow_bar_.data(),
            fall_bar_.data(),
            &range_,
            1,
            product_.data(),
            matrix_.has_row(),
            &matrix_};
}

template <class T>
bool PartSolver<T>::climb(const Subproblem<T>& problem, double tolerance,
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
        if (part.unbounded || part.iterations < burst || part.violation <= tolerance) {
            return run.iterations > first;
        }
        if (run.iterations >= max_iterations) run.status = Status::max_iterations;
        else if (!poll()) run.status = Status::stopped;
        if (run.status != Status::converged) return true;
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
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (beta_[i] == 0.0) continue;
        if (!matrix_.has_row()[i]) matrix_.fetch(i);
        rows_.push_back(matrix_.row(i));
        weights_.push_back(T(beta_[i]));
    }
    sums_.assign(size_, 0.0);
    instruction_set().micro_kernels.of<T>().add_product(rows_.data(), rows_.size(), size_,
                                                        weights_.data(), 1, sums_.data(), size_);
    for (std::size_t i = 0; i < p.n_variables; ++i) gradient[i] = p.linear[i] - sums_[i];
}

template <class T>
double PartSolver<T>::violation(const ProblemView& p, const double* gradient) const {
    Extremes e;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (beta_[i] < p.upper[i]) e.up = std::max(e.up, gradient[i]);
        if (beta_[i] > p.lower[i]) e.down = std::min(e.down, gradient[i]);
    }
    return range_.alone ? std::max({0.0, e.up, -e.down}) : std::max(e.up - e.down, 0.0);
}

template <class T>
PartRun PartSolver<T>::solve(const ProblemView& p, double tolerance, std::size_t max_iterations,
                             double* beta, double* gradient, const Poll& poll, bool keeps_matrix,
                             bool polishes) {
    gather(p, beta, gradient, keeps_matrix);
    const Subproblem<T> problem = view();
    PartRun run;
    double before = infinity;
    const bool is_very_few =
        std::is_same_v<T, double> && p.n_variables <= (polishes ? very_few : fewest);
    const double aim = is_very_few ? std::min(rounded, share * tolerance) : share * tolerance;
    for (int round = 0; round < most_rounds; ++round) {
        const bool moved = climb(problem, aim, max_iterations, poll, run);
        compute_gradient(p, gradient);
        const double now = violation(p, gradient);
        if (now <= tolerance || run.status != Status::converged) break;
        // what rounding leaves does not become less
        if (!moved || !(now < 0.9 * before) || round + 1 == most_rounds) {
            run.status = Status::stalled;
            break;
        }
        before = now;
        refresh_gradient(p, gradient);
    }
    if (run.status == Status::converged && polishes && std::is_same_v<T, double>) {
        polish(p, problem, gradient, run);
    }
    std::copy_n(beta_.begin(), p.n_variables, beta);
    run.rows = matrix_.n_fetched();
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
PartRun PartSolver<T>::solve_within(const ProblemView& p, double tolerance, const RowBudget& budget,
                                    std::size_t max_iterations, double* beta, double* gradient) {
    gather(p, beta, gradient, /*keeps_matrix=*/false);
    const Subproblem<T> problem = view();
    functions<T>().refresh(problem);
    const double first = violation(p, gradient), aim = share * tolerance;
    PartRun run;
    run.status = Status::stuck;
    for (const std::size_t most_rows : {budget.early, budget.most}) {
        const double now = step_within(problem, aim, most_rows, max_iterations, run);
        if (now <= aim) run.status = Status::converged;
        if (now <= aim || now > budget.share * first) break;
    }
    compute_gradient(p, gradient);
    std::copy_n(beta_.begin(), p.n_variables, beta);
    run.rows = matrix_.n_fetched();
    return run;
}

template <class T>
void PartSolver<T>::polish(const ProblemView& p, const Subproblem<T>& problem, double* gradient,
                           PartRun& run) {
    const double violated = violation(p, gradient);
    if (violated <= rounded) return;
    chunked::Newton<T> newton(problem, last_digits);
    if (newton.cost_of_round() > most_polish) return;
    const std::vector<double> before = beta_;
    const std::vector<double> slopes(gradient, gradient + p.n_variables);
    refresh_gradient(p, gradient);
    for (int step = 0; step < polish_steps; ++step) newton.step();
    compute_gradient(p, gradient);
    if (violation(p, gradient) < violated) {
        run.newton_steps += newton.n_steps();
        return;
    }
    beta_ = before;
    std::ranges::copy(slopes, gradient);
}

template class PartSolver<float>;
template class PartSolver<double>;

}  // namespace mercer::plan
