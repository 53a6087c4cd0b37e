#include "core/multiclass/pair_votes.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::multiclass {

namespace {

// Classes whose values with another one lie in one line of the cache.
constexpr std::size_t together = 8;

// Where the values of the pairs (i, 0), (i, 1), ... would begin, of which those from i + 1 on are
// there.
std::size_t begin_of(std::size_t i, std::size_t n_classes) {
    return i * n_classes - i * (i + 1) / 2 - (i + 1);
}

// Writes the sums of the values of one row, signed, for each class: in the order of the pairs, as
// scikit-learn adds them up.
void add_decisions(const double* decisions, std::size_t n_classes, double* totals) {
    std::fill_n(totals, n_classes, 0.0);
    for (std::size_t i = 0; i < n_classes; ++i) {
        for (std::size_t j = i + 1; j < n_classes; ++j, ++decisions) {
            totals[i] += *decisions;
            totals[j] -= *decisions;
        }
    }
}

}  // namespace

void pair_decisions(const double* sums, std::size_t stride, const double* intercept,
                    std::size_t n_classes, double* decisions) {
    for (std::size_t first = 0; first < n_classes; first += together) {
        const std::size_t last = std::min(first + together, n_classes);
        for (std::size_t j = first + 1; j < n_classes; ++j) {
            const double* other = sums + j * stride;
            for (std::size_t i = first; i < std::min(last, j); ++i) {
                const std::size_t pair = begin_of(i, n_classes) + j;
                decisions[pair] = sums[i * stride + j - 1] + other[i] + intercept[pair];
            }
        }
    }
}

void count_votes(const double* decisions, std::size_t n_classes, double* votes) {
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

void pair_scores(const double* decisions, std::size_t n_classes, double* scores,
                 std::vector<double>& totals) {
    totals.resize(n_classes);
    count_votes(decisions, n_classes, scores);
    add_decisions(decisions, n_classes, totals.data());
    for (std::size_t c = 0; c < n_classes; ++c) {
        scores[c] += totals[c] / (3.0 * (std::abs(totals[c]) + 1.0));
    }
}

std::size_t most_voted(const double* decisions, std::size_t n_classes, std::vector<double>& votes) {
    votes.resize(n_classes);
    count_votes(decisions, n_classes, votes.data());
    return std::size_t(std::ranges::max_element(votes) - votes.begin());
}

std::size_t pair_winner(const double* decisions, std::size_t n_classes, std::vector<double>& scores,
                        std::vector<double>& totals) {
    const std::size_t best = most_voted(decisions, n_classes, scores);
    const auto behind = scores.begin() + std::ptrdiff_t(best) + 1;
    if (std::find(behind, scores.end(), scores[best]) == scores.end()) return best;
    pair_scores(decisions, n_classes, scores.data(), totals);
    return std::size_t(std::ranges::max_element(scores) - scores.begin());
}

}  // namespace mercer::multiclass
