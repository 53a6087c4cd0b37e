// Classes from the values of all pairs of them, in the order (0, 1), (0, 2), ..., (1, 2), ...: a
// value that is not negative is a vote for the first class of its pair.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace mercer::multiclass {

// The values of all pairs of one row: `of_class(c)` are its sums over the support vectors of class
// c, with the coefficients against each other class in order.
template <class OfClass>
void pair_decisions(const OfClass& of_class, const double* intercept, std::size_t n_classes,
                    double* decisions) {
    for (std::size_t i = 0; i < n_classes; ++i) {
        const double* own = of_class(i);
        for (std::size_t j = i + 1; j < n_classes; ++j) {
            *decisions++ = own[j - 1] + of_class(j)[i] + *intercept++;
        }
    }
}

// Writes the votes of one row for each class.
inline void count_votes(const double* decisions, std::size_t n_classes, double* votes) {
    std::fill_n(votes, n_classes, 0.0);
    for (std::size_t i = 0; i < n_classes; ++i) {
        double won = 0.0;
        for (std::size_t j = i + 1; j < n_classes; ++j, ++decisions) {
            const double lost = *decisions < 0.0 ? 1.0 : 0.0;
            votes[j] += lost;
            won += 1.0 - lost;
        }
        votes[i] += won;
    }
}

// Writes the sums of the values of one row, signed, for each class: in the order of the pairs, as
// scikit-learn adds them up.
inline void add_decisions(const double* decisions, std::size_t n_classes, double* totals) {
    std::fill_n(totals, n_classes, 0.0);
    for (std::size_t i = 0; i < n_classes; ++i) {
        for (std::size_t j = i + 1; j < n_classes; ++j, ++decisions) {
            totals[i] += *decisions;
            totals[j] -= *decisions;
        }
    }
}

// One score a class: votes, and s / (3 (|s| + 1)) of summed values s to break ties (scikit-learn's
// formula).
inline void pair_scores(const double* decisions, std::size_t n_classes, double* scores,
                        std::vector<double>& totals) {
    totals.resize(n_classes);
    count_votes(decisions, n_classes, scores);
    add_decisions(decisions, n_classes, totals.data());
    for (std::size_t c = 0; c < n_classes; ++c) {
        scores[c] += totals[c] / (3.0 * (std::abs(totals[c]) + 1.0));
    }
}

// The class of the largest score; ties go to the first. What breaks ties is less than a vote.
inline std::size_t pair_winner(const double* decisions, std::size_t n_classes,
                               std::vector<double>& scores, std::vector<double>& totals) {
    scores.resize(n_classes);
    count_votes(decisions, n_classes, scores.data());
    const auto best = std::ranges::max_element(scores);
    if (std::find(best + 1, scores.end(), *best) == scores.end()) {
        return std::size_t(best - scores.begin());
    }
    pair_scores(decisions, n_classes, scores.data(), totals);
    return std::size_t(std::ranges::max_element(scores) - scores.begin());
}

}  // namespace mercer::multiclass
