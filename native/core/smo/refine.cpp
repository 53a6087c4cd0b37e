#include "core/smo/refine.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/base/cholesky.hpp"
#include "core/problem/newton_direction.hpp"

namespace mercer::smo {

namespace {

std::vector<std::size_t> free_positions(const auto& state) {
    std::vector<std::size_t> free;
    for (const Run& run : state.runs()) {
        for (const std::uint32_t p : run.active) {
            if (state.is_free(p)) free.push_back(p);
        }
    }
    return free;
}

// Kernel matrix of the free variables plus ridge, its lower triangle. The step needs their rows
// anyway, so values are taken from there if the cache can keep them.
std::vector<double> free_matrix(State<double>& state, const std::vector<std::size_t>& free) {
    const std::size_t m = free.size();
    std::vector<double> matrix(m * m);
    if (state.rows_that_fit() > m) {
        for (std::size_t k = 0; k < m; ++k) {
            const auto row = state.row(free[k]);
            for (std::size_t j = 0; j <= k; ++j) matrix[k * m + j] = state.value(row, free[j]);
        }
    } else {
        std::vector<std::size_t> rows(m);
        for (std::size_t k = 0; k < m; ++k) rows[k] = state.data_row(free[k]);
        state.gram().block(rows, rows, matrix.data(), rows.size());
    }
    for (std::size_t k = 0; k < m; ++k) matrix[k * m + k] += state.ridge[free[k]];
    return matrix;
}

std::vector<double> direction(const State<double>& state, const std::vector<std::size_t>& free,
                              const Cholesky<double>& factor) {
    std::vector<double> slopes(free.size());
    std::vector<int> group(free.size());
    for (std::size_t k = 0; k < free.size(); ++k) {
        slopes[k] = state.gradient[free[k]];
        group[k] = state.group_of(free[k]);
    }
    const auto solve = [&](std::vector<double>& x) { return factor.solve(x), true; };
    return *newton_direction(solve, std::move(slopes), group, state.n_groups());
}

// d'Hd from the lower triangle of H
double curvature_along(const std::vector<double>& matrix, const std::vector<double>& d) {
    const std::size_t m = d.size();
    double sum = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
        const double* row = matrix.data() + i * m;
        sum += d[i] * (2.0 * dot(row, d.data(), i) + row[i] * d[i]);
    }
    return sum;
}

bool are_finite(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

struct Limit {
    double step = infinity;
    std::size_t at = none;
};

// The longest step along d that stays in the box, and the variable that stops it.
Limit ratio_test(const State<double>& state, const std::vector<std::size_t>& free,
                 const std::vector<double>& d) {
    Limit limit;
    for (std::size_t k = 0; k < d.size(); ++k) {
        const std::size_t p = free[k];
        if (d[k] == 0.0) continue;
        const double step = ((d[k] > 0.0 ? state.upper[p] : state.lower[p]) - state.beta[p]) / d[k];
        if (step < limit.step) limit = {step, k};
    }
    return limit;
}

RefineOutcome step_in_double(State<double>& state, std::size_t max_free) {
    const std::vector<std::size_t> free = free_positions(state);
    const std::size_t m = free.size();
    if (m < 1 || m > max_free) return RefineOutcome::idle;
    std::vector<double> matrix = free_matrix(state, free);
    double scale = 0.0;
    for (std::size_t k = 0; k < m; ++k) scale = std::max(scale, matrix[k * m + k]);
    // Large enough for a factor of a singular matrix to exist, small enough to converge in a few
    // repetitions; the maximum itself is not moved, only approached in more than one step.
    const double proximal = 1e-11 * scale * double(m) + 1e-300;
    std::vector<double> regular = matrix;
    for (std::size_t k = 0; k < m; ++k) regular[k * m + k] += proximal;
    const Cholesky<double> factor(std::move(regular), m);
    if (!factor.is_positive()) return RefineOutcome::idle;
    std::vector<double> d = direction(state, free, factor);
    if (!are_finite(d)) return RefineOutcome::idle;
    double slope = 0.0;
    for (std::size_t k = 0; k < m; ++k) slope += d[k] * state.gradient[free[k]];
    if (!(slope > 0.0)) return RefineOutcome::full;
    const Limit limit = ratio_test(state, free, d);
    // The maximum along d lies beyond d as far as the proximal term, not the kernel, bends the
    // objective. Where it does almost alone the curvature is not known well, only that it is small.
    const double curve = curvature_along(matrix, d);
    const bool flat = curve < 1e-3 * slope;
    const auto may_be_unbounded = [&](std::size_t p) { return state.ridge[p] == 0.0; };
    if (flat && limit.at == none && std::ranges::any_of(free, may_be_unbounded)) {
        return RefineOutcome::unbounded;
    }
    const double reach = flat ? 1e3 : slope / curve, step = std::min(limit.step, reach);
    for (double& x : d) x *= step;
    if (!are_finite(d)) return RefineOutcome::idle;
    const bool is_blocked = limit.at != none && limit.step <= reach;
    if (is_blocked) {
        const std::size_t p = free[limit.at];
        d[limit.at] = (d[limit.at] > 0.0 ? state.upper[p] : state.lower[p]) - state.beta[p];
    }
    state.move_many(free, d);
    return flat || is_blocked ? RefineOutcome::blocked : RefineOutcome::full;
}

}  // namespace

template <class T>
double newton_work(const State<T>& state) {
    const double m = double(free_positions(state).size()), n = double(state.size());
    return m * (m * m / 60.0 + m / 2.0 + n / 3.0);
}

template <class T>
RefineOutcome newton_step(State<T>& state, std::size_t max_free) {
    if constexpr (std::is_same_v<T, double>) {
        return step_in_double(state, max_free);
    } else {
        return RefineOutcome::idle;
    }
}

template double newton_work(const State<float>&);
template double newton_work(const State<double>&);
template RefineOutcome newton_step(State<float>&, std::size_t);
template RefineOutcome newton_step(State<double>&, std::size_t);

}  // namespace mercer::smo
