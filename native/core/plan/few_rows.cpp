#include "core/plan/few_rows.hpp"

#include <algorithm>
#include <vector>

#include "core/plan/part.hpp"
#include "core/plan/shared_blocks.hpp"

namespace mercer::plan {

namespace {

// Shares of the rows that are worth the whole matrix: after the first it must show that the problem
// is easy, the second is the most.
constexpr double early = 0.1, most = 0.3;
// Of the violation, what is left of it by then.
constexpr double easy = 0.65;

bool suits(const ProblemView& p, std::size_t n_rows, const double* beta) {
    if (p.n_variables < 2 || p.n_variables > n_rows) return false;
    const auto is_zero = [](double b) { return b == 0.0; };
    if (!std::all_of(beta, beta + p.n_variables, is_zero)) return false;
    return std::all_of(p.group, p.group + p.n_variables,
                       [&](std::int32_t group) { return group == p.group[0]; });
}

}  // namespace

template <class T>
chunked::Result solve_few_rows_first(const ProblemView& problem, Gram<T>& gram,
                                     const chunked::Options& options, double* beta,
                                     const double* gradient, double* gradient_out,
                                     const Monitor& monitor) {
    if (gradient || !suits(problem, gram.size(), beta)) {
        return chunked::solve<T>(problem, gram, options, beta, gradient, gradient_out, monitor);
    }
    const Clock clock;
    const std::size_t n = problem.n_variables;
    const double worth = double(worth_of_all(n, gram.kernel()));
    std::vector<double> slopes(problem.linear, problem.linear + n);
    PartSolver<T> solver(gram, nullptr);
    const RowBudget budget{std::size_t(early * worth), std::size_t(most * worth), easy};
    const PartRun part = solver.solve_within(problem, options.tolerance, budget,
                                             options.max_iterations, beta, slopes.data());
    chunked::Options rest = options;
    rest.max_iterations -= part.iterations;
    rest.max_seconds -= clock.seconds();
    if (part.status == Status::converged) rest.kernel_rows = chunked::RowPolicy::automatic;
    chunked::Result found =
        chunked::solve<T>(problem, gram, rest, beta, slopes.data(), gradient_out, monitor);
    found.iterations += part.iterations;
    found.seconds = clock.seconds();
    return found;
}

template chunked::Result solve_few_rows_first(const ProblemView&, Gram<float>&,
                                              const chunked::Options&, double*, const double*,
                                              double*, const Monitor&);
template chunked::Result solve_few_rows_first(const ProblemView&, Gram<double>&,
                                              const chunked::Options&, double*, const double*,
                                              double*, const Monitor&);

}  // namespace mercer::plan
