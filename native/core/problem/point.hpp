// What is true of a problem and of a point of it, each in one pass: for small problems the calls
// of an array library take longer than the numbers.
#pragma once

#include <optional>
#include <vector>

#include "core/gram/gram.hpp"
#include "core/problem/problem.hpp"

namespace mercer {

// Whether the requirements of a problem hold and the box lets every group reach its sum.
bool is_proper(const ProblemView& problem);

// Whether all coefficients are finite and all rows are among the first `n_rows`.
bool is_point(const double* beta, const std::int64_t* index, std::size_t size, std::size_t n_rows);

// Whether all signs are -1 or +1, no weight is negative or infinite, and both signs have some
// weight.
bool are_weighted_signs(const double* sign, const double* weight, std::size_t size);

// C * weight; 0 where that is 0, for every C.
std::vector<double> box_sizes(const double* weight, std::size_t size, double C);

// Distinct labels, ascending, and the position of each label among them. Nothing if one is negative
// or not below twice their number: then counting takes too much memory.
struct Classes {
    std::vector<std::int64_t> labels, position;
};
std::optional<Classes> count_classes(const std::int64_t* labels, std::size_t size);

// Whether a variable has neither a bound nor a ridge to stop it.
bool may_be_unbounded(const ProblemView& problem);

// The largest |linear| of the variables that may differ from zero.
double linear_size(const ProblemView& problem);

// Whether the point 0 is feasible.
bool is_zero_feasible(const ProblemView& problem);

// Whether a point lies in the box and its groups have their sums, up to rounding.
bool is_feasible(const ProblemView& problem, const double* beta);

// The variables of each of `n_rows` rows added up. requires: rows of the problem are among them
std::vector<double> row_coef(const ProblemView& problem, const double* beta, std::size_t n_rows);

// |w|^2 = beta' K beta of a point with this gradient: K beta = linear - gradient - ridge beta.
double squared_norm(const ProblemView& problem, const double* beta, const double* gradient);

// Where to start from the solution of a problem that differs in its box, and what is known there.
struct CarriedPoint {
    std::vector<double> beta, gradient;
    double scale;
};

// A multiple t of the last coefficients. The best one, as far as the new box allows, is where
//
//     d/dt (t linear' beta - t^2 / 2 beta' H beta) = 0,  H beta = last linear - last_gradient
//
// Small boxes are full, and the whole solution grows with them. In larger boxes it takes nearly all
// that was at a bound off it, and each of them back a step: if those are most, t = 0 needs fewer.
// If they are few, the free ones stay nearly where they are: t = 1. So it is unless the point
// `may_scale`, because the group sums are not zero.
CarriedPoint carry(const ProblemView& problem, const ProblemView& last, const double* last_beta,
                   const double* last_gradient, bool may_scale);

// values = (K beta)[index], from the rows whose coefficients do not add up to zero; false if polled
// out. requires: index < rows of the Gram
template <class T>
bool expand_point(Gram<T>& gram, const double* beta, const std::int64_t* index, std::size_t size,
                  double* values, const Poll& poll);

struct PointReport {
    std::vector<double> gradient, multiplier;
    double objective = 0.0, violation = 0.0;
    // Largest violation of the box, relative to the largest coefficient, or of a group sum,
    // relative to the sum of the sizes; at most 1.
    double infeasibility = 0.0;
    // Violation and gap are infinite where a gradient is not finite: nothing is known then.
    double gap = 0.0;  // means something only if the kernel is positive semi-definite
};

// values: (K beta)[index]. The formulas are in problem.py and duality.hpp.
PointReport report_point(const ProblemView& problem, const double* beta, const double* values);

}  // namespace mercer
