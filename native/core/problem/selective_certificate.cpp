#include "core/problem/selective_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "core/base/cholesky.hpp"
#include "core/problem/extremes.hpp"

namespace mercer {

namespace {

using Positions = std::vector<std::size_t>;

constexpr double summing = 0x1p-50;  // error of sums in double precision, next to their terms
constexpr double safety = 8.0;
constexpr double objective_error = 1e-6;   // relative, up to which it need not be recomputed
constexpr double most_chosen = 0.7;        // of all variables; to recompute all is as fast
constexpr std::size_t least_at_coef = 16;  // variables of a sample that should have a coefficient

// Variables to check the bound on, and those whose rows lie farthest out.
struct Sample {
    Positions checked, outermost;
};

Positions every(std::size_t stride, std::size_t n) {
    Positions out;
    for (std::size_t i = 0; i < n; i += std::max<std::size_t>(stride, 1)) out.push_back(i);
    return out;
}

// A variable and the length of its row.
struct Length {
    double length;
    std::size_t position;

    // Longer rows come first.
    friend bool operator<(const Length& a, const Length& b) {
        return a.length != b.length ? a.length > b.length : a.position < b.position;
    }
};

// The variables with the longest rows, those of their first half before the others. Of many
// variables few come among the first, so that most are looked at once.
std::vector<Length> longest(const ProblemView& p, const double* lengths, std::size_t size) {
    const auto at = [&](std::size_t i) { return Length{lengths[p.index[i]], i}; };
    std::vector<Length> first(size);  // a heap: the shortest on top
    for (std::size_t i = 0; i < size; ++i) first[i] = at(i);
    std::ranges::make_heap(first, std::less<>{});
    for (std::size_t i = size; i < p.n_variables; ++i) {
        const Length next = at(i);
        if (!(next < first.front())) continue;
        std::ranges::pop_heap(first, std::less<>{});
        first.back() = next;
        std::ranges::push_heap(first, std::less<>{});
    }
    std::ranges::nth_element(first, first.begin() + std::ptrdiff_t(size / 2), std::less<>{});
    return first;
}

// Half of the sample is spread over all variables, half is the next in length.
Sample draw_sample(const ProblemView& p, const double* lengths, std::size_t size) {
    const std::size_t n = p.n_variables;
    if (!lengths || n <= size) return {every(n / size, n), {}};
    const std::vector<Length> found = longest(p, lengths, size);
    Sample sample{every(2 * n / size, n), Positions(size / 2)};
    std::ranges::transform(found.begin(), found.begin() + std::ptrdiff_t(size / 2),
                           sample.outermost.begin(), &Length::position);
    std::ranges::transform(found.begin() + std::ptrdiff_t(size / 2), found.end(),
                           std::back_inserter(sample.checked), &Length::position);
    std::vector<std::uint8_t> is_outermost(n, false);
    for (const std::size_t i : sample.outermost) is_outermost[i] = true;
    std::erase_if(sample.checked, [&](std::size_t i) { return is_outermost[i]; });
    return sample;
}

// Whether the sample has its share of the coefficients and of their squares.
bool represents(const Positions& checked, std::size_t n, const double* beta) {
    double square = 0.0, all_square = 0.0;
    std::size_t count = 0, all = 0;
    for (const std::size_t i : checked) {
        square += beta[i] * beta[i];
        count += beta[i] != 0.0;
    }
    for (std::size_t i = 0; i < n; ++i) {
        all_square += beta[i] * beta[i];
        all += beta[i] != 0.0;
    }
    return count >= std::min(least_at_coef, all) &&
           square * double(all) >= 0.5 * all_square * double(count);
}

// Rows with a large coefficient may be few, and close to each other, where errors are largest. A
// sample that has too few of them gets the largest coefficients and as many others.
void add_coefficients(std::size_t n, const double* beta, Positions& checked) {
    if (represents(checked, n, beta)) return;
    std::vector<std::uint8_t> is_checked(n, false);
    for (const std::size_t i : checked) is_checked[i] = true;
    Positions others;
    for (std::size_t i = 0; i < n; ++i) {
        if (beta[i] != 0.0 && !is_checked[i]) others.push_back(i);
    }
    const std::size_t top = std::min(least_at_coef, others.size());
    const auto rest = others.begin() + std::ptrdiff_t(top);
    std::nth_element(others.begin(), rest, others.end(), [&](std::size_t i, std::size_t j) {
        const double a = std::abs(beta[i]), b = std::abs(beta[j]);
        return a != b ? a > b : i < j;
    });
    checked.insert(checked.end(), others.begin(), rest);
    others.erase(others.begin(), rest);
    std::ranges::sort(others);
    for (const std::size_t k : every(others.size() / least_at_coef, others.size())) {
        checked.push_back(others[k]);
    }
}

// Values of single variables in double precision.
class ExactValues {
  public:
    ExactValues(const ProblemView& problem, Gram<double>& gram, const double* beta,
                const Poll& poll)
        : problem_(problem), gram_(gram), poll_(poll) {
        for (std::size_t i = 0; i < problem.n_variables; ++i) {
            if (beta[i] != 0.0) rows_.push_back({std::size_t(problem.index[i]), beta[i]});
        }
        add_up_rows();
    }

    std::vector<double> at(const Positions& variables) {
        const Positions rows = rows_of(variables);
        Positions columns(rows_.size());
        std::vector<double> weights(rows_.size()), out(rows.size());
        std::ranges::transform(rows_, columns.begin(), &WeightedRow::row);
        std::ranges::transform(rows_, weights.begin(), &WeightedRow::weight);
        gram_.product(columns, weights.data(), 1, out.data(), poll_, &rows);
        return out;
    }

    // The same from kernel rows that are kept.
    std::vector<double> kept_at(const Positions& variables) {
        const Positions rows = rows_of(variables);
        constexpr std::size_t batch = 64;
        const std::vector<std::size_t>& cuts = gram_.segments();
        std::vector<double> row_beta(gram_.size(), 0.0), out(rows.size(), 0.0);
        for (const WeightedRow& r : rows_) row_beta[r.row] = r.weight;
        for (std::size_t begin = 0; begin < rows.size(); begin += batch) {
            const std::size_t count = std::min(batch, rows.size() - begin);
            for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
                const auto held = gram_.rows(Indices(rows).subspan(begin, count), s);
                for (std::size_t k = 0; k < count; ++k) {
                    out[begin + k] +=
                        dot(held[k].values(), &row_beta[cuts[s]], cuts[s + 1] - cuts[s]);
                }
            }
            poll_();
        }
        return out;
    }

  private:
    Positions rows_of(const Positions& variables) const {
        Positions rows(variables.size());
        std::ranges::transform(variables, rows.begin(),
                               [&](std::size_t i) { return std::size_t(problem_.index[i]); });
        return rows;
    }

    struct WeightedRow {
        std::size_t row;
        double weight;
    };

    // Each row once, ascending, without those whose coefficients cancel.
    void add_up_rows() {
        const auto by_row = [](const WeightedRow& a, const WeightedRow& b) {
            return a.row < b.row;
        };
        if (!std::ranges::is_sorted(rows_, by_row)) std::ranges::stable_sort(rows_, by_row);
        std::size_t n = 0;
        for (const WeightedRow& r : rows_) {
            if (n > 0 && rows_[n - 1].row == r.row) {
                rows_[n - 1].weight += r.weight;
            } else {
                rows_[n++] = r;
            }
        }
        rows_.resize(n);
        std::erase_if(rows_, [](const WeightedRow& r) { return r.weight == 0.0; });
    }

    const ProblemView& problem_;
    Gram<double>& gram_;
    const Poll& poll_;
    std::vector<WeightedRow> rows_;
};

// What the size of the coefficients says about errors.
struct Size {
    double sum = 0.0, square = 0.0, distance = 0.0;  // of |beta|, beta^2, (beta - anchor)^2
};

Size measure(const ProblemView& p, const double* beta, const Anchor& anchor) {
    Size size;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const double moved = beta[i] - (anchor.beta ? anchor.beta[i] : 0.0);
        size.sum += std::abs(beta[i]);
        size.square += beta[i] * beta[i];
        size.distance += moved * moved;
    }
    return size;
}

// beta' (linear - 1/2 (K + ridge) beta)
double objective(const ProblemView& p, const double* beta, const std::vector<double>& values) {
    double sum = 0.0;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        sum += beta[i] * (p.linear[i] - 0.5 * (values[i] + p.ridge[i] * beta[i]));
    }
    return sum;
}

// What the errors of a sample say of the objective, which is off by 1/2 beta' errors.
struct ObjectiveErrors {
    double apart = 0.0;   // its deviation, if they are independent of each other
    double common = 0.0;  // what they have in common

    double likely() const { return 3.0 * apart + common; }
};

// Errors of the sample, weighted by the coefficients and their squares, stand for all.
ObjectiveErrors objective_errors(const Positions& checked, const std::vector<double>& errors,
                                 const double* beta, const Size& size) {
    double square = 0.0, all_square = 0.0, sum = 0.0, all_sum = 0.0;
    for (std::size_t k = 0; k < checked.size(); ++k) {
        const double b = beta[checked[k]];
        square += b * b * errors[k] * errors[k];
        all_square += b * b;
        sum += b * errors[k];
        all_sum += std::abs(b);
    }
    if (!(all_square > 0.0)) return {};
    return {0.5 * std::sqrt(size.square * square / all_square),
            0.5 * size.sum * std::abs(sum) / all_sum};
}

// Values that are known up to errors, some of them corrected.
struct Followed {
    std::vector<double> values, corrections;

    // Returns the error.
    double correct(std::size_t i, double exact) {
        const double error = exact - values[i];
        values[i] = exact;
        corrections[i] += error;
        return error;
    }
};

// What a sample says of the values that were not corrected.
struct Judgement {
    double bound;          // of their errors
    double rounding;       // of sums in double precision
    bool shows_objective;  // whether that can be read off in spite of the errors
    double objective_doubt;
};

// Recomputes a sample of the values and bounds the errors of the others. Nothing if rounding does
// not explain the errors found.
std::optional<Judgement> correct_sample(const ProblemView& p, const Gram<double>& gram,
                                        const double* beta, Followed& followed, ExactValues& exact,
                                        const Anchor& anchor, const double* lengths,
                                        const SelectiveOptions& options) {
    Sample sample = draw_sample(p, lengths, options.sample);
    add_coefficients(p.n_variables, beta, sample.checked);
    const std::size_t n_checked = sample.checked.size();
    Positions all = sample.checked;  // at once: rows with a coefficient are laid out once
    all.insert(all.end(), sample.outermost.begin(), sample.outermost.end());
    const std::vector<double> known = options.keeps_sample ? exact.kept_at(all) : exact.at(all);
    std::vector<double> errors(n_checked);  // without any correction
    double found = 0.0, largest_error = 0.0;
    for (std::size_t k = 0; k < n_checked; ++k) {
        const double error = followed.correct(sample.checked[k], known[k]);
        if (std::isnan(error)) return std::nullopt;
        errors[k] = followed.corrections[sample.checked[k]];
        found = std::max(found, std::abs(error));
        largest_error = std::max(largest_error, std::abs(errors[k]));
    }
    for (std::size_t k = n_checked; k < all.size(); ++k) followed.correct(all[k], known[k]);
    const Size size = measure(p, beta, anchor);
    double largest = 0.0;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        largest = std::max(largest, std::abs(gram.diagonal()[std::size_t(p.index[i])]));
    }
    const double rounded = summing * size.sum * largest;
    const double expected = options.error_per_norm * std::sqrt(size.distance) * largest + rounded;
    if (!(found <= anchor.error + expected)) return std::nullopt;
    if (n_checked == p.n_variables) return Judgement{rounded, rounded, true, 0.0};
    const ObjectiveErrors doubt = objective_errors(sample.checked, errors, beta, size);
    const double most = objective_error * std::abs(objective(p, beta, followed.values));
    return Judgement{std::max(safety * largest_error, rounded), rounded, doubt.apart <= most,
                     doubt.likely()};
}

// The same of values that were corrected before: their corrections are a sample of the errors.
double doubt_of_corrections(const ProblemView& p, const double* beta, const Followed& followed,
                            const Anchor& anchor) {
    Positions known;
    std::vector<double> errors;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (followed.corrections[i] == 0.0) continue;
        known.push_back(i);
        errors.push_back(followed.corrections[i]);
    }
    return objective_errors(known, errors, beta, measure(p, beta, anchor)).likely();
}

double violation(const ProblemView& p, const double* beta, const std::vector<double>& values) {
    std::vector<double> gradient(p.n_variables);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        gradient[i] = p.linear[i] - values[i] - p.ridge[i] * beta[i];
    }
    return largest_violation(find_extremes(p, beta, gradient.data()));
}

// The variables that may define the violation: within `band` of the extremes.
std::vector<std::uint8_t> near_extremes(const ProblemView& p, const double* beta,
                                        const double* gradient, double band) {
    const std::vector<Extremes> extremes = find_extremes(p, beta, gradient);
    std::vector<std::uint8_t> near(p.n_variables);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const Extremes& e = extremes[p.group[i] < 0 ? p.n_groups : std::size_t(p.group[i])];
        near[i] = (beta[i] < p.upper[i] && gradient[i] >= e.up - band) ||
                  (beta[i] > p.lower[i] && gradient[i] <= e.down + band);
    }
    return near;
}

// false if an error is larger than its bound, or if nearly all values would be recomputed.
bool correct_extremes(const ProblemView& p, const double* beta, const double* gradient,
                      ExactValues& exact, const Judgement& judgement, Followed& followed) {
    const std::vector<std::uint8_t> near = near_extremes(p, beta, gradient, 2.0 * judgement.bound);
    Positions chosen;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (near[i] || (!judgement.shows_objective && beta[i] != 0.0)) chosen.push_back(i);
    }
    if (double(chosen.size()) > most_chosen * double(p.n_variables)) return false;
    const std::vector<double> known = exact.at(chosen);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const double error = followed.correct(chosen[k], known[k]);
        if (!(std::abs(error) <= judgement.bound)) return false;
    }
    return true;
}

}  // namespace

std::optional<SelectiveValues> recompute_selected(const ProblemView& p, Gram<double>& gram,
                                                  const double* beta, const double* gradient,
                                                  const Anchor& anchor, const double* lengths,
                                                  const SelectiveOptions& options,
                                                  const Poll& poll) {
    const ThreadPool::Client client(gram.threads());
    Followed followed{std::vector<double>(p.n_variables), std::vector<double>(p.n_variables, 0.0)};
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        followed.values[i] = p.linear[i] - gradient[i] - p.ridge[i] * beta[i];
    }
    if (anchor.corrections) {
        std::copy_n(anchor.corrections, p.n_variables, followed.corrections.begin());
    }
    const auto values_with = [&](double bound, double doubt, double objective_doubt) {
        return SelectiveValues{std::move(followed.values), std::move(followed.corrections), bound,
                               doubt, objective_doubt};
    };
    const bool is_anchor = anchor.beta && std::equal(beta, beta + p.n_variables, anchor.beta);
    if (is_anchor && violation(p, beta, followed.values) + 2.0 * anchor.error <= options.enough) {
        return values_with(anchor.error, 2.0 * anchor.error,
                           doubt_of_corrections(p, beta, followed, anchor));
    }
    ExactValues exact(p, gram, beta, poll);
    const std::optional<Judgement> judgement =
        correct_sample(p, gram, beta, followed, exact, anchor, lengths, options);
    if (!judgement) return std::nullopt;
    const double rounding = options.keeps_sample ? 2.0 * judgement->rounding : 0.0;
    const double doubt = 2.0 * judgement->bound + rounding;
    const bool may_do = judgement->shows_objective && doubt < options.enough;
    if (may_do && violation(p, beta, followed.values) + doubt <= options.enough) {
        return values_with(judgement->bound, doubt, judgement->objective_doubt);
    }
    if (!correct_extremes(p, beta, gradient, exact, *judgement, followed)) return std::nullopt;
    return values_with(judgement->bound, rounding,
                       judgement->shows_objective ? judgement->objective_doubt : 0.0);
}

}  // namespace mercer
