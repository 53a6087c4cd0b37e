#include "core/problem/point.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/infinity.hpp"
#include "core/base/sum.hpp"
#include "core/problem/duality.hpp"

namespace mercer {

namespace {

constexpr double group_rounding = 1e-12;  // of a group's sum, relative to what is summed

bool has_proper_variable(const ProblemView& p, std::size_t i) {
    const bool box = p.lower[i] <= p.upper[i] && p.lower[i] < infinity && p.upper[i] > -infinity;
    const bool terms = std::isfinite(p.linear[i]) && std::isfinite(p.ridge[i]) && p.ridge[i] >= 0.0;
    const bool places = p.index[i] >= 0 && p.group[i] >= -1 && p.group[i] < int(p.n_groups);
    return box && terms && places;
}

// |amount| relative to `size`, at most 1; NaN counts as 1.
double share(double amount, double size) {
    if (amount == 0.0) return 0.0;
    const double part = std::abs(amount) / size;
    return part <= 1.0 ? part : 1.0;
}

// The gradients of the variables that may rise, and of those that may fall.
struct Range {
    double highest = -infinity, lowest = infinity;

    void add(double gradient, bool rises, bool falls) {
        if (rises) highest = std::max(highest, gradient);
        if (falls) lowest = std::min(lowest, gradient);
    }
    double centre() const {
        if (std::isinf(highest)) return std::isinf(lowest) ? 0.0 : lowest;
        return std::isinf(lowest) ? highest : (highest + lowest) / 2;
    }
};

// What the variables of a group, or those without one, allow.
struct GroupGradients {
    Range all, clear;  // clear: where what rounding left beside a bound counts as on it
    Sum free;
    std::size_t n_free = 0;

    // The mean gradient of the free variables, without any the centre of what KKT allows. A
    // variable that the rounding of the sum left beside its bound is not free: it would put the
    // multiplier at an end of the interval, and which one would depend on the solver.
    double multiplier() const {
        if (n_free > 0) return free.value() / double(n_free);
        const bool is_empty = std::isinf(clear.highest) && std::isinf(clear.lowest);
        return is_empty ? all.centre() : clear.centre();
    }
};

std::vector<GroupGradients> group_gradients(const ProblemView& p, const double* beta,
                                            const double* gradient) {
    std::vector<GroupGradients> groups(p.n_groups + 1);
    double total = 0.0;
    for (std::size_t i = 0; i < p.n_variables; ++i) total += std::abs(beta[i]);
    const double rounding = 4.0 * std::numeric_limits<double>::epsilon() * total;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        GroupGradients& own = groups[std::size_t(p.group[i] + 1)];
        const double near = std::min(1e-9 * (p.upper[i] - p.lower[i]), rounding);
        const bool rises = beta[i] < p.upper[i] - near;
        const bool falls = beta[i] > p.lower[i] + near;
        own.all.add(gradient[i], p.upper[i] > beta[i], p.lower[i] < beta[i]);
        own.clear.add(gradient[i], rises, falls);
        if (rises && falls) own.free.add(gradient[i]), ++own.n_free;
    }
    return groups;
}

// The multiple t of carry(). Shares are those that took the fewest steps on a grid of C, a factor
// of 4.6 apart, of three data sets.
double best_scale(const ProblemView& p, const ProblemView& last, const double* last_beta,
                  const double* last_gradient) {
    constexpr std::size_t few = 10, most = 3;
    double slope = 0.0, curvature = 0.0, room = infinity;
    std::size_t n_bounded = 0, n_free = 0;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const double beta = last_beta[i];
        if (beta == 0.0) continue;
        slope += p.linear[i] * beta;
        curvature += beta * (last.linear[i] - last_gradient[i]);
        room = std::min(room, (beta > 0.0 ? p.upper[i] : p.lower[i]) / beta);
        ++(beta == last.lower[i] || beta == last.upper[i] ? n_bounded : n_free);
    }
    if (room >= 1.0 && few * n_bounded <= n_free) return 1.0;
    if (!(slope > 0.0 && curvature > 0.0)) return 1.0;
    const double best = slope / curvature;
    if (best < room && n_bounded > most * n_free) return 0.0;
    return std::max(std::min(best, room), 0.0);
}

}  // namespace

bool is_proper(const ProblemView& p) {
    std::vector<Sum> low(p.n_groups + 1), high(p.n_groups + 1);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (!has_proper_variable(p, i)) return false;
        if (p.lower[i] != 0.0) low[std::size_t(p.group[i] + 1)].add(p.lower[i]);
        if (p.upper[i] != 0.0) high[std::size_t(p.group[i] + 1)].add(p.upper[i]);
    }
    for (std::size_t g = 0; g < p.n_groups; ++g) {
        const double slack = 1e-9 * std::max(1.0, std::abs(p.group_sum[g]));
        const bool reached = low[g + 1].value() - slack <= p.group_sum[g] &&
                             p.group_sum[g] <= high[g + 1].value() + slack;
        if (!reached || !std::isfinite(p.group_sum[g])) return false;
    }
    return true;
}

bool is_point(const double* beta, const std::int64_t* index, std::size_t size, std::size_t n_rows) {
    for (std::size_t i = 0; i < size; ++i) {
        if (!std::isfinite(beta[i]) || index[i] < 0 || std::size_t(index[i]) >= n_rows)
            return false;
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

std::vector<double> box_sizes(const double* weight, std::size_t size, double C) {
    std::vector<double> sizes(size);
    for (std::size_t i = 0; i < size; ++i) sizes[i] = weight[i] > 0.0 ? C * weight[i] : 0.0;
    return sizes;
}

std::optional<Classes> count_classes(const std::int64_t* labels, std::size_t size) {
    std::vector<std::int64_t> place(2 * size, -1);
    for (std::size_t i = 0; i < size; ++i) {
        if (labels[i] < 0 || std::size_t(labels[i]) >= place.size()) return std::nullopt;
        place[std::size_t(labels[i])] = 0;
    }
    Classes found;
    for (std::size_t label = 0; label < place.size(); ++label) {
        if (place[label] < 0) continue;
        place[label] = std::int64_t(found.labels.size());
        found.labels.push_back(std::int64_t(label));
    }
    found.position.resize(size);
    for (std::size_t i = 0; i < size; ++i) found.position[i] = place[std::size_t(labels[i])];
    return found;
}

bool may_be_unbounded(const ProblemView& p) {
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (std::isinf(p.upper[i] - p.lower[i]) && p.ridge[i] == 0.0) return true;
    }
    return false;
}

double linear_size(const ProblemView& p) {
    double largest = 0.0;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const bool is_present = p.lower[i] != 0.0 || p.upper[i] != 0.0;
        if (is_present) largest = std::max(largest, std::abs(p.linear[i]));
    }
    return largest;
}

bool is_zero_feasible(const ProblemView& p) {
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (!(p.lower[i] <= 0.0 && 0.0 <= p.upper[i])) return false;
    }
    return std::all_of(p.group_sum, p.group_sum + p.n_groups,
                       [](double sum) { return sum == 0.0; });
}

bool is_feasible(const ProblemView& p, const double* beta) {
    std::vector<Sum> sizes(p.n_groups + 1);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (!(p.lower[i] <= beta[i] && beta[i] <= p.upper[i]) || std::isinf(beta[i])) return false;
        sizes[std::size_t(p.group[i] + 1)].add(std::abs(beta[i]));
    }
    const std::vector<double> missing = missing_sums(p, beta);
    for (std::size_t g = 0; g < p.n_groups; ++g) {
        const double size = std::max(std::abs(p.group_sum[g]), sizes[g + 1].value());
        if (!(std::abs(missing[g]) <= group_rounding * size)) return false;
    }
    return true;
}

std::vector<double> row_coef(const ProblemView& p, const double* beta, std::size_t n_rows) {
    std::vector<double> total(n_rows, 0.0);
    for (std::size_t i = 0; i < p.n_variables; ++i) total[std::size_t(p.index[i])] += beta[i];
    return total;
}

double squared_norm(const ProblemView& p, const double* beta, const double* gradient) {
    Sum sum;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        sum.add(beta[i] * (p.linear[i] - gradient[i] - p.ridge[i] * beta[i]));
    }
    return sum.value();
}

CarriedPoint carry(const ProblemView& p, const ProblemView& last, const double* last_beta,
                   const double* last_gradient, bool may_scale) {
    const std::size_t n = p.n_variables;
    CarriedPoint out{std::vector<double>(n), std::vector<double>(n), 1.0};
    if (may_scale) out.scale = best_scale(p, last, last_beta, last_gradient);
    for (std::size_t i = 0; i < n; ++i) {
        out.beta[i] = std::min(std::max(out.scale * last_beta[i], p.lower[i]), p.upper[i]);
        out.gradient[i] = p.linear[i] - out.scale * (last.linear[i] - last_gradient[i]);
    }
    return out;
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

PointReport report_point(const ProblemView& p, const double* beta, const double* values) {
    PointReport report{std::vector<double>(p.n_variables), std::vector<double>(p.n_groups)};
    Sum objective;
    std::vector<double> sizes(p.n_groups + 1, 0.0);
    double largest = 0.0, outside = 0.0;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        const double gradient = p.linear[i] - values[i] - p.ridge[i] * beta[i];
        report.gradient[i] = gradient;
        outside = std::max({outside, p.lower[i] - beta[i], beta[i] - p.upper[i]});
        if (beta[i] == 0.0) continue;
        objective.add(beta[i] * (p.linear[i] + gradient));
        largest = std::max(largest, std::abs(beta[i]));
        sizes[std::size_t(p.group[i] + 1)] += std::abs(beta[i]);
    }
    report.infeasibility = share(outside, largest);
    report.objective = 0.5 * objective.value();
    const std::vector<GroupGradients> groups = group_gradients(p, beta, report.gradient.data());
    report.violation = std::max({0.0, groups[0].all.highest, -groups[0].all.lowest});
    const std::vector<double> missing = missing_sums(p, beta);
    for (std::size_t g = 0; g < p.n_groups; ++g) {
        const GroupGradients& own = groups[g + 1];
        report.violation = std::max(report.violation, own.all.highest - own.all.lowest);
        report.multiplier[g] = own.multiplier();
        const double size = std::max(std::abs(p.group_sum[g]), sizes[g + 1]);
        report.infeasibility = std::max(report.infeasibility, share(missing[g], size));
    }
    const bool is_known =
        std::ranges::all_of(report.gradient, [](double g) { return std::isfinite(g); });
    if (!is_known) {
        report.violation = report.gap = infinity;
        return report;
    }
    const PointView point{beta, values, report.gradient.data()};
    report.gap = duality_gap(p, point, report.multiplier.data());
    return report;
}

}  // namespace mercer
