#include "core/screening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/cholesky.hpp"

namespace mercer {

namespace {

using Positions = std::vector<std::size_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double summing = 0x1p-50;  // error of sums in double precision, next to their terms
constexpr double safety = 8.0;
constexpr double objective_error = 1e-6;  // relative, up to which it need not be recomputed
constexpr double most_chosen = 0.7;       // of all variables; to recompute all is as fast

// Variables to check the bound on, and those whose rows lie farthest out.
struct Sample {
    Positions checked, outermost;
};

Positions every(std::size_t stride, std::size_t n) {
    Positions out;
    for (std::size_t i = 0; i < n; i += std::max<std::size_t>(stride, 1)) out.push_back(i);
    return out;
}

// Half of the sample is spread over all variables, half is the next in length.
Sample draw_sample(const ProblemView& p, const double* lengths, std::size_t size) {
    const std::size_t n = p.n_variables;
    if (!lengths || n <= size) return {every(n / size, n), {}};
    Positions order(n);
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto is_longer = [&](std::size_t i, std::size_t j) {
        const double a = lengths[p.index[i]], b = lengths[p.index[j]];
        return a != b ? a > b : i < j;
    };
    const auto next = order.begin() + std::ptrdiff_t(size / 2);
    const auto end = order.begin() + std::ptrdiff_t(size);
    std::nth_element(order.begin(), end, order.end(), is_longer);
    std::nth_element(order.begin(), next, end, is_longer);
    Sample sample{every(2 * n / size, n), Positions(order.begin(), next)};
    sample.checked.insert(sample.checked.end(), next, end);
    std::vector<std::uint8_t> is_outermost(n, false);
    for (const std::size_t i : sample.outermost) is_outermost[i] = true;
    std::erase_if(sample.checked, [&](std::size_t i) { return is_outermost[i]; });
    return sample;
}

// Values of single variables in double precision.
class ExactValues {
  public:
    ExactValues(const ProblemView& problem, Gram<double>& gram, const double* beta,
                const Poll& poll)
        : problem_(problem), gram_(gram), poll_(poll), row_beta_(gram.size(), 0.0) {
        for (std::size_t i = 0; i < problem.n_variables; ++i) {
            row_beta_[std::size_t(problem.index[i])] += beta[i];
        }
    }

    std::vector<double> at(const Positions& variables) {
        const Positions rows = rows_of(variables);
        Positions columns;
        std::vector<double> weights, out(rows.size());
        for (std::size_t row = 0; row < row_beta_.size(); ++row) {
            if (row_beta_[row] == 0.0) continue;
            columns.push_back(row);
            weights.push_back(row_beta_[row]);
        }
        gram_.product(columns, weights.data(), 1, out.data(), poll_, &rows);
        return out;
    }

    // The same from kernel rows that are kept.
    std::vector<double> kept_at(const Positions& variables) {
        const Positions rows = rows_of(variables);
        constexpr std::size_t batch = 64;
        const std::vector<std::size_t>& cuts = gram_.segments();
        std::vector<double> out(rows.size(), 0.0);
        for (std::size_t begin = 0; begin < rows.size(); begin += batch) {
            const std::size_t count = std::min(batch, rows.size() - begin);
            for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
                const auto held = gram_.rows(Indices(rows).subspan(begin, count), s);
                for (std::size_t k = 0; k < count; ++k) {
                    out[begin + k] += dot(held[k].values(), &row_beta_[cuts[s]], cuts[s + 1] - cuts[s]);
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

    const ProblemView& problem_;
    Gram<double>& gram_;
    const Poll& poll_;
    std::vector<double> row_beta_;
};

// What the size of the coefficients says about errors.
struct Size {
    double sum = 0.0, square = 0.0, way = 0.0;  // of |beta|, beta^2, (beta - origin)^2
};

Size measure(const ProblemView& p, const double* beta, const Origin& origin) {
    Size size;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const double moved = beta[i] - (origin.beta ? origin.beta[i] : 0.0);
        size.sum += std::abs(beta[i]);
        size.square += beta[i] * beta[i];
        size.way += moved * moved;
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

// Root mean square of the errors at coefficients, or of all if the sample has none.
double typical_error(const Positions& checked, const std::vector<double>& errors,
                     const double* beta) {
    double at_beta = 0.0, all = 0.0;
    std::size_t n_at_beta = 0;
    for (std::size_t k = 0; k < checked.size(); ++k) {
        const double square = errors[k] * errors[k];
        all += square;
        if (beta[checked[k]] == 0.0) continue;
        at_beta += square;
        ++n_at_beta;
    }
    if (n_at_beta > 0) return std::sqrt(at_beta / double(n_at_beta));
    return checked.empty() ? 0.0 : std::sqrt(all / double(checked.size()));
}

// Values of which a sample is exact.
struct Sampled {
    std::vector<double> values;
    double bound;          // of the errors of the others
    double rounding;       // of sums in double precision
    bool shows_objective;  // whether that can be read off in spite of the errors
};

// Recomputes a sample of the values and bounds the errors of the others. Nothing if rounding does
// not explain the errors found.
std::optional<Sampled> correct_sample(const ProblemView& p, const Gram<double>& gram,
                                      const double* beta, std::vector<double> values,
                                      ExactValues& exact, const Origin& origin,
                                      const double* lengths, const ScreeningOptions& options) {
    const Sample sample = draw_sample(p, lengths, options.sample);
    const auto at = [&](const Positions& some) {
        return options.keeps_sample ? exact.kept_at(some) : exact.at(some);
    };
    const std::vector<double> known = at(sample.checked), far = at(sample.outermost);
    std::vector<double> errors(known.size());
    double found = 0.0;
    for (std::size_t k = 0; k < known.size(); ++k) {
        double& value = values[sample.checked[k]];
        errors[k] = std::abs(known[k] - value);
        if (std::isnan(errors[k])) return std::nullopt;
        found = std::max(found, errors[k]);
        value = known[k];
    }
    for (std::size_t k = 0; k < far.size(); ++k) values[sample.outermost[k]] = far[k];
    const Size size = measure(p, beta, origin);
    double largest = 0.0;
    for (const double k : gram.diagonal()) largest = std::max(largest, std::abs(k));
    const double rounded = summing * size.sum * largest;
    const double expected = options.error_per_norm * std::sqrt(size.way) * largest + rounded;
    if (!(found <= origin.error + expected)) return std::nullopt;
    // 1/2 beta' error, with errors independent of each other
    const double doubt = 0.5 * std::sqrt(size.square) * typical_error(sample.checked, errors, beta);
    const bool shows = doubt <= objective_error * std::abs(objective(p, beta, values));
    // the errors of the origin are as they were: those of the sample may have been corrected there
    const double bound = origin.error + std::min(expected, std::max(safety * found, rounded));
    return Sampled{std::move(values), bound, rounded, shows};
}

// The largest gradient that may grow and the smallest that may fall, of each group, those without
// one first.
struct Extremes {
    std::vector<double> highest, lowest;

    Extremes(const ProblemView& p, const double* beta, const double* gradient)
        : highest(p.n_groups + 1, -infinity), lowest(p.n_groups + 1, infinity) {
        for (std::size_t i = 0; i < p.n_variables; ++i) {
            const std::size_t g = std::size_t(p.group[i] + 1);
            if (beta[i] < p.upper[i]) highest[g] = std::max(highest[g], gradient[i]);
            if (beta[i] > p.lower[i]) lowest[g] = std::min(lowest[g], gradient[i]);
        }
    }

    double violation() const {
        double worst = std::max({0.0, highest[0], -lowest[0]});
        for (std::size_t g = 1; g < highest.size(); ++g) worst = std::max(worst, highest[g] - lowest[g]);
        return worst;
    }
};

double violation(const ProblemView& p, const double* beta, const std::vector<double>& values) {
    std::vector<double> gradient(p.n_variables);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        gradient[i] = p.linear[i] - values[i] - p.ridge[i] * beta[i];
    }
    return Extremes(p, beta, gradient.data()).violation();
}

// The variables that may define the violation: within `band` of the extremes.
std::vector<std::uint8_t> near_extremes(const ProblemView& p, const double* beta,
                                        const double* gradient, double band) {
    const Extremes ends(p, beta, gradient);
    std::vector<std::uint8_t> near(p.n_variables);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const std::size_t g = std::size_t(p.group[i] + 1);
        near[i] = (beta[i] < p.upper[i] && gradient[i] >= ends.highest[g] - band) ||
                  (beta[i] > p.lower[i] && gradient[i] <= ends.lowest[g] + band);
    }
    return near;
}

// false if an error is larger than its bound, or if nearly all values would be recomputed.
bool correct_extremes(const ProblemView& p, const double* beta, const double* gradient,
                      ExactValues& exact, Sampled& sampled) {
    const std::vector<std::uint8_t> near = near_extremes(p, beta, gradient, 2.0 * sampled.bound);
    Positions chosen;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (near[i] || (!sampled.shows_objective && beta[i] != 0.0)) chosen.push_back(i);
    }
    if (double(chosen.size()) > most_chosen * double(p.n_variables)) return false;
    const std::vector<double> known = exact.at(chosen);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        double& value = sampled.values[chosen[k]];
        if (!(std::abs(known[k] - value) <= sampled.bound)) return false;
        value = known[k];
    }
    return true;
}

}  // namespace

std::optional<Screened> screen(const ProblemView& p, Gram<double>& gram, const double* beta,
                               const double* gradient, const Origin& origin, const double* lengths,
                               const ScreeningOptions& options, const Poll& poll) {
    const ThreadPool::Guest guest(gram.threads());
    std::vector<double> values(p.n_variables);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        values[i] = p.linear[i] - gradient[i] - p.ridge[i] * beta[i];
    }
    const bool is_origin = origin.beta && std::equal(beta, beta + p.n_variables, origin.beta);
    if (is_origin && violation(p, beta, values) + 2.0 * origin.error <= options.enough) {
        return Screened{std::move(values), origin.error, 2.0 * origin.error};
    }
    ExactValues exact(p, gram, beta, poll);
    std::optional<Sampled> sampled =
        correct_sample(p, gram, beta, std::move(values), exact, origin, lengths, options);
    if (!sampled) return std::nullopt;
    const double rounding = options.keeps_sample ? 2.0 * sampled->rounding : 0.0;
    const double doubt = 2.0 * sampled->bound + rounding;
    const bool may_do = sampled->shows_objective && doubt < options.enough;
    if (may_do && violation(p, beta, sampled->values) + doubt <= options.enough) {
        return Screened{std::move(sampled->values), sampled->bound, doubt};
    }
    if (!correct_extremes(p, beta, gradient, exact, *sampled)) return std::nullopt;
    return Screened{std::move(sampled->values), sampled->bound, rounding};
}

}  // namespace mercer
