#include "core/problem/feasible.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/problem/duality.hpp"

namespace mercer {

namespace {

constexpr double filled = 1e-12;  // of a group's sum, relative to what is summed

// What a group lacks, as far as it is more than rounding.
std::vector<double> lacks(const ProblemView& p, const double* beta) {
    std::vector<double> missing = missing_sums(p, beta), size(p.n_groups);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (p.group[i] >= 0) size[std::size_t(p.group[i])] += std::abs(beta[i]);
    }
    for (std::size_t g = 0; g < p.n_groups; ++g) {
        const double most = filled * std::max(std::abs(p.group_sum[g]), size[g]);
        if (std::abs(missing[g]) <= most) missing[g] = 0.0;
    }
    return missing;
}

// The smallest free variable of a group with room for `lack`; n_variables if there is none.
std::size_t finest(const ProblemView& p, const double* beta, std::size_t group, double lack) {
    std::size_t best = p.n_variables;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (p.group[i] != std::int8_t(group)) continue;
        if (!(beta[i] > p.lower[i] && beta[i] < p.upper[i])) continue;
        const double room = std::abs((lack > 0.0 ? p.upper[i] : p.lower[i]) - beta[i]);
        if (room < std::abs(lack)) continue;
        if (best == p.n_variables || std::abs(beta[i]) < std::abs(beta[best])) best = i;
    }
    return best;
}

}  // namespace

void fill_sums(const ProblemView& p, double* beta) {
    std::vector<double> left = lacks(p, beta);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (p.group[i] < 0) continue;
        double& lack = left[std::size_t(p.group[i])];
        if (lack == 0.0) continue;
        const double bound = lack > 0.0 ? p.upper[i] : p.lower[i], room = bound - beta[i];
        const bool is_met = std::abs(room) <= std::abs(lack);
        beta[i] = is_met ? bound : beta[i] + lack;
        lack = is_met ? lack - room : 0.0;
    }
}

void share_sums(const ProblemView& p, double* beta) {
    std::vector<double> total(p.n_groups, 0.0);
    const auto has_room = [&](std::size_t i) {
        const double sum = p.group_sum[std::size_t(p.group[i])];
        return p.ridge[i] > 0.0 && std::isinf(sum > 0.0 ? p.upper[i] : p.lower[i]);
    };
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (p.group[i] >= 0 && has_room(i)) total[std::size_t(p.group[i])] += 1.0 / p.ridge[i];
    }
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        if (p.group[i] < 0 || !has_room(i)) continue;
        const auto g = std::size_t(p.group[i]);
        beta[i] = p.group_sum[g] / (p.ridge[i] * total[g]);
    }
}

void restore_sums(const ProblemView& p, double* beta) {
    for (int round = 0; round < 2 && p.n_groups > 0; ++round) {
        const std::vector<double> missing = missing_sums(p, beta);
        if (std::ranges::all_of(missing, [](double lack) { return lack == 0.0; })) return;
        for (std::size_t g = 0; g < p.n_groups; ++g) {
            if (missing[g] == 0.0) continue;
            const std::size_t i = finest(p, beta, g, missing[g]);
            if (i == p.n_variables) continue;
            beta[i] = std::min(std::max(beta[i] + missing[g], p.lower[i]), p.upper[i]);
        }
    }
}

}  // namespace mercer
