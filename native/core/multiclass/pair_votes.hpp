// Classes from the values of all pairs of them, in the order (0, 1), (0, 2), ..., (1, 2), ...: a
// value that is not negative is a vote for the first class of its pair.
#pragma once

#include <cstddef>
#include <vector>

namespace mercer::multiclass {

// The values of all pairs of one row. `sums + c * stride` are its sums over the support vectors of
// class c, with the coefficients against each other class in order.
void pair_decisions(const double* sums, std::size_t stride, const double* intercept,
                    std::size_t n_classes, double* decisions);

// Writes the votes of one row for each class.
void count_votes(const double* decisions, std::size_t n_classes, double* votes);

// One score a class: votes, and s / (3 (|s| + 1)) of summed values s to break ties (scikit-learn's
// formula).
void pair_scores(const double* decisions, std::size_t n_classes, double* scores,
                 std::vector<double>& totals);

// The class with most votes; ties go to the first.
std::size_t most_voted(const double* decisions, std::size_t n_classes, std::vector<double>& votes);

// The class of the largest score; ties go to the first. What breaks ties is less than a vote.
std::size_t pair_winner(const double* decisions, std::size_t n_classes, std::vector<double>& scores,
                        std::vector<double>& totals);

}  // namespace mercer::multiclass
