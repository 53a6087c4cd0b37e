#include "core/problem/newton_direction.hpp"

#include <algorithm>

#include "core/base/cholesky.hpp"

namespace mercer {

// Groups have no variable in common, so with u_g = H^-1 1_g: (1_g' u_h) nu = (1_g' H^-1 slopes), at
// most a few.
std::optional<std::vector<double>> newton_direction(const LinearSolve& solve,
                                                    std::vector<double> slopes,
                                                    const std::vector<int>& group,
                                                    std::size_t n_groups) {
    const std::size_t m = slopes.size();
    std::vector<double> d = std::move(slopes);
    if (!solve(d)) return std::nullopt;
    std::vector<std::vector<double>> members, solved;
    for (std::size_t g = 0; g < n_groups; ++g) {
        std::vector<double> member(m);
        for (std::size_t k = 0; k < m; ++k) member[k] = group[k] == int(g);
        if (std::ranges::count(member, 1.0) == 0) continue;
        solved.push_back(member);
        if (!solve(solved.back())) return std::nullopt;
        members.push_back(std::move(member));
    }
    const std::size_t present = members.size();
    if (present == 0) return d;
    std::vector<double> system(present * present), nu(present);
    for (std::size_t g = 0; g < present; ++g) {
        nu[g] = dot(members[g], d);
        for (std::size_t h = 0; h < present; ++h)
            system[g * present + h] = dot(members[g], solved[h]);
    }
    Cholesky<double>(std::move(system), present).solve(nu);
    for (std::size_t g = 0; g < present; ++g) {
        for (std::size_t k = 0; k < m; ++k) d[k] -= nu[g] * solved[g][k];
    }
    // On a nearly singular H the solves above leave sums far above rounding: take them out.
    for (std::size_t g = 0; g < present; ++g) {
        const double excess = dot(members[g], d) / dot(members[g], members[g]);
        for (std::size_t k = 0; k < m; ++k) d[k] -= excess * members[g][k];
    }
    return d;
}

}  // namespace mercer
