// One problem of many, small enough to be solved at once: pair steps on all of its variables, from
// kernel rows that are computed when a step asks for them, and Newton steps where those take long.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/run.hpp"
#include "core/gram/gram.hpp"
#include "core/plan/layout.hpp"
#include "core/plan/part_matrix.hpp"
#include "core/problem/problem.hpp"
#include "simd/subproblem.hpp"

namespace mercer::plan {

struct PartRun {
    Status status = Status::converged;
    std::size_t iterations = 0, newton_steps = 0, rows = 0;
};

struct PartOptions {
    double tolerance = 1e-3;
    std::size_t max_iterations = 100'000;
    // Whether the gradient of the start is known; else it is computed, in the precision of the run.
    bool knows_gradient = false;
    // Whether the problem is the last one with other boxes and ridges. Of one with a ridge no
    // values are borrowed, so that the next one may have another.
    bool keeps_matrix = false;
    // Whether a solution in double precision goes on to its last digits where that takes little.
    bool polishes = true;
};

// How many kernel rows a problem may ask for: `most`, or `early` if its violation is not less than
// `share` of what it was by then.
struct RowBudget {
    std::size_t early, most;
    double share;
};

template <class T>
class PartSolver {
  public:
    PartSolver(Gram<T>& gram, SharedBlocks<T>* shared);

    // Moves beta from a feasible point until the violation is at most the tolerance. `gradient` is
    // the gradient of the point before and after, from kernel values of precision T.
    PartRun solve(const ProblemView& problem, const PartOptions& options, double* beta,
                  double* gradient, const Poll& poll);

    // The same until the budget is used: the status is `stuck` then, beta the point it came to.
    // requires: beta = 0 and its gradient
    PartRun solve_within(const ProblemView& problem, double tolerance, const RowBudget& budget,
                         std::size_t max_iterations, double* beta, double* gradient);

  private:
    // Takes a point within the tolerance to its last digits by Newton steps.
    void polish(const ProblemView& problem, const Subproblem<T>& view, double* beta,
                double* gradient, PartRun& run);
    void gather(const ProblemView& problem, const double* beta, bool keeps_matrix);
    Subproblem<T> view();
    // Steps by a few kernel rows; computes all rows if the problem seems to need most of them.
    void look_early(const Subproblem<T>& problem, double violation, double aim,
                    std::size_t max_iterations, PartRun& run);
    // Steps until the followed gradient is within `tolerance`.
    void climb(const Subproblem<T>& problem, double tolerance, std::size_t max_iterations,
               const Poll& poll, PartRun& run);
    // Steps until the violation is at most `aim`, or so many rows are there; returns the violation.
    double step_within(const Subproblem<T>& problem, double aim, std::size_t most_rows,
                       std::size_t max_iterations, PartRun& run);
    // gradient = linear - (K + ridge) beta from the rows that are there.
    void compute_gradient(const ProblemView& problem, double* gradient);

    Layout layout_;
    PartMatrix<T> matrix_;
    std::vector<T> diagonal_, gradient_, product_, grow_bar_, fall_bar_;
    std::vector<double> beta_, lower_, upper_, sums_;
    std::vector<const T*> rows_;  // that the gradient is computed from,
    std::vector<T> weights_;      // and their coefficients
    const std::vector<double>& kernel_diagonal_;
};

}  // namespace mercer::plan
