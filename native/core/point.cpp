#include "core/point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double closed_gap = 1e-9;  // relative: no other primal point is worth a search

// A sum that keeps what its additions round off.
class Sum {
  public:
    void add(double x) {
        const double next = total_ + x;
        lost_ += std::abs(total_) >= std::abs(x) ? (total_ - next) + x : (x - next) + total_;
        total_ = next;
    }
    double value() const { return std::isfinite(lost_) ? total_ + lost_ : total_; }

  private:
    double total_ = 0.0, lost_ = 0.0;
};

bool has_proper_variable(const ProblemView& p, std::size_t i) {
    const bool box = p.lower[i] <= p.upper[i] && p.lower[i] < infinity && p.upper[i] > -infinity;
    const bool terms = std::isfinite(p.linear[i]) && std::isfinite(p.ridge[i]) && p.ridge[i] >= 0.0;
    const bool places = p.index[i] >= 0 && p.group[i] >= -1 && p.group[i] < int(p.n_groups);
    return box && terms && places;
}

// What the variables of a group, or those without one, allow.
struct Level {
    double highest = -infinity, lowest = infinity;
    Sum free;
    std::size_t n_free = 0;

    // The mean gradient of the free variables, without any the centre of what KKT allows.
    double multiplier() const {
        if (n_free > 0) return free.value() / double(n_free);
        if (std::isinf(highest)) return std::isinf(lowest) ? 0.0 : lowest;
        return std::isinf(lowest) ? highest : (highest + lowest) / 2;
    }
};

std::vector<Level> find_levels(const ProblemView& p, const double* beta, const double* gradient) {
    std::vector<Level> levels(p.n_groups + 1);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        Level& level = levels[std::size_t(p.group[i] + 1)];
        const bool rises = beta[i] < p.upper[i], falls = beta[i] > p.lower[i];
        if (rises) level.highest = std::max(level.highest, gradient[i]);
        if (falls) level.lowest = std::min(level.lowest, gradient[i]);
        if (rises && falls) level.free.add(gradient[i]), ++level.n_free;
    }
    return levels;
}

// What each group lacks of its sum.
std::vector<double> missing_sums(const ProblemView& p, const double* group_sum, const double* beta) {
    std::vector<Sum> sums(p.n_groups + 1);
    for (std::size_t i = 0; i < p.n_variables; ++i) sums[std::size_t(p.group[i] + 1)].add(beta[i]);
    std::vector<double> missing(p.n_groups);
    for (std::size_t g = 0; g < p.n_groups; ++g) missing[g] = group_sum[g] - sums[g + 1].value();
    return missing;
}

bool is_plain(const ProblemView& p, const double* beta) {
    double reach = 0.0;
    for (std::size_t i = 0; i < p.n_variables; ++i) reach = std::max(reach, std::abs(beta[i]));
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const double below = std::abs(p.lower[i] - beta[i]), above = std::abs(p.upper[i] - beta[i]);
        const double inside = std::min(below, above), outside = std::max(below, above);
        if (std::isinf(outside) || (outside > 10.0 * reach && p.ridge[i] == 0.0)) return false;
        if (inside > 0.0 && inside < 1e-3 * reach) return false;
    }
    return true;
}

// Sum of (b - beta)(h - ridge (b + beta)/2), b being the best coefficient for the slope h.
double plain_gap(const ProblemView& p, const double* beta, const double* values,
                 const std::vector<double>& multiplier) {
    Sum gap;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const double level = p.group[i] < 0 ? 0.0 : multiplier[std::size_t(p.group[i])];
        const double h = p.linear[i] - values[i] - level;
        if (h == 0.0 && p.ridge[i] == 0.0) continue;
        const double best = p.ridge[i] == 0.0 ? h * infinity : h / p.ridge[i];
        const double b = std::min(std::max(best, p.lower[i]), p.upper[i]);
        gap.add((b - beta[i]) * (h - 0.5 * p.ridge[i] * (b + beta[i])));
    }
    return gap.value();
}

}  // namespace

bool is_proper(const ProblemView& p, const double* group_sum) {
    std::vector<Sum> low(p.n_groups + 1), high(p.n_groups + 1);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (!has_proper_variable(p, i)) return false;
        low[std::size_t(p.group[i] + 1)].add(p.lower[i]);
        high[std::size_t(p.group[i] + 1)].add(p.upper[i]);
    }
    for (std::size_t g = 0; g < p.n_groups; ++g) {
        const double slack = 1e-9 * std::max(1.0, std::abs(group_sum[g]));
        const bool reached = low[g + 1].value() - slack <= group_sum[g] &&
                             group_sum[g] <= high[g + 1].value() + slack;
        if (!reached || !std::isfinite(group_sum[g])) return false;
    }
    return true;
}

bool is_point(const double* beta, const std::int64_t* index, std::size_t size, std::size_t n_rows) {
    for (std::size_t i = 0; i < size; ++i) {
        if (!std::isfinite(beta[i]) || index[i] < 0 || std::size_t(index[i]) >= n_rows) return false;
    }
    return true;
}

bool are_weighted_signs(const double* sign, const double* weight, std::size_t size) {
    bool has_plus = false, has_minus = false;
    for (std::size_t i = 0; i < size; ++i) {
        if (std::abs(sign[i]) != 1.0 || !(weight[i] >= 0.0) || std::isinf(weight[i])) return false;
        has_plus |= sign[i] > 0.0 && weight[i] > 0.0;
        has_minus |= sign[i] < 0.0 && weight[i] > 0.0;
    }
    return has_plus && has_minus;
}

bool is_zero_feasible(const double* lower, const double* upper, std::size_t size,
                      const double* group_sum, std::size_t n_groups) {
    for (std::size_t i = 0; i < size; ++i) {
        if (!(lower[i] <= 0.0 && 0.0 <= upper[i])) return false;
    }
    return std::all_of(group_sum, group_sum + n_groups, [](double sum) { return sum == 0.0; });
}

template <class T>
bool expand_point(Gram<T>& gram, const double* beta, const std::int64_t* index, std::size_t size,
                  double* values, const Poll& poll) {
    const std::size_t n = gram.size();
    std::vector<double> row_beta(n, 0.0), weights;
    std::vector<std::size_t> place(n, n), asked, columns;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t row = std::size_t(index[i]);
        row_beta[row] += beta[i];
        if (place[row] == n) place[row] = asked.size(), asked.push_back(row);
    }
    // Packing rows anew pays if most would not be asked for, as with a pair of many classes.
    const bool few = 2 * asked.size() <= n;
    for (std::size_t row = 0; row < n; ++row) {
        if (row_beta[row] == 0.0) continue;
        columns.push_back(row);
        weights.push_back(row_beta[row]);
    }
    std::vector<double> product(few ? asked.size() : n);
    if (!gram.product(columns, weights.data(), 1, product.data(), poll, few ? &asked : nullptr)) {
        return false;
    }
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t row = std::size_t(index[i]);
        values[i] = product[few ? place[row] : row];
    }
    return true;
}

template bool expand_point(Gram<float>&, const double*, const std::int64_t*, std::size_t, double*,
                           const Poll&);
template bool expand_point(Gram<double>&, const double*, const std::int64_t*, std::size_t, double*,
                           const Poll&);

PointReport report_point(const ProblemView& p, const double* group_sum, const double* beta,
                         const double* values) {
    PointReport report{std::vector<double>(p.n_variables), std::vector<double>(p.n_groups)};
    Sum objective;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const double gradient = p.linear[i] - values[i] - p.ridge[i] * beta[i];
        report.gradient[i] = gradient;
        objective.add(beta[i] * (p.linear[i] + gradient));
        report.infeasibility =
            std::max({report.infeasibility, p.lower[i] - beta[i], beta[i] - p.upper[i]});
    }
    report.objective = 0.5 * objective.value();
    const std::vector<Level> levels = find_levels(p, beta, report.gradient.data());
    report.violation = std::max({0.0, levels[0].highest, -levels[0].lowest});
    const std::vector<double> missing = missing_sums(p, group_sum, beta);
    double unsummed = 0.0;
    for (std::size_t g = 0; g < p.n_groups; ++g) {
        const Level& level = levels[g + 1];
        report.violation = std::max(report.violation, level.highest - level.lowest);
        report.multiplier[g] = level.multiplier();
        report.infeasibility = std::max(report.infeasibility, std::abs(missing[g]));
        unsummed += report.multiplier[g] * missing[g];
    }
    const double gap = std::max(plain_gap(p, beta, values, report.multiplier) + unsummed, 0.0);
    const bool closed = gap <= closed_gap * std::abs(report.objective);
    if (closed || is_plain(p, beta)) report.gap = gap;
    return report;
}

}  // namespace mercer
