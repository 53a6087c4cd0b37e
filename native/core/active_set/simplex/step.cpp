#include "core/active_set/simplex/step.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::active_set {

Block ratio_test(const Point& point, std::size_t entering, double sign,
                 const std::vector<double>& h, bool bland) {
    double fastest = entering == none ? 0.0 : 1.0;
    for (const double x : h) fastest = std::max(fastest, std::abs(x));
    const double cut = negligible * fastest;
    const std::size_t m = point.basis.size(), count = m + (entering == none ? 0 : 1);
    const std::vector<std::size_t>& members = point.basis.members();
    const auto variable = [&](std::size_t a) { return a < m ? members[a] : entering; };
    const auto rate = [&](std::size_t a) { return a < m ? h[a] : sign; };
    const auto room = [&](std::size_t a) {
        const std::size_t v = variable(a);
        const double coef = point.coef[v];
        const double left = rate(a) > 0.0 ? point.upper[v] - coef : coef - point.lower[v];
        return std::max(left, 0.0) / std::abs(rate(a));
    };
    double first = infinity;
    for (std::size_t a = 0; a < count; ++a) {
        if (std::abs(rate(a)) > cut) first = std::min(first, room(a));
    }
    Block block;
    if (first == infinity) return block;
    const double together = first * (1.0 + 1e-12);
    for (std::size_t a = 0; a < count; ++a) {
        if (!(std::abs(rate(a)) > cut && room(a) <= together)) continue;
        const bool better =
            block.position == none || (bland ? variable(a) < variable(block.position)
                                             : std::abs(rate(a)) > std::abs(rate(block.position)));
        if (better) block.position = a;
    }
    if (block.position == none) return block;
    block.step = first;
    block.at_upper = rate(block.position) > 0.0;
    return block;
}

void move(Point& point, std::size_t entering, double sign, double step,
          const std::vector<double>& h, const std::vector<double>& eta) {
    const std::vector<std::size_t>& members = point.basis.members();
    const auto shift = [&](std::size_t v, double by) {
        point.coef[v] = std::clamp(point.coef[v] + by, point.lower[v], point.upper[v]);
    };
    for (std::size_t a = 0; a < members.size(); ++a) shift(members[a], step * h[a]);
    if (entering != none) shift(entering, step * sign);
    for (std::size_t g = 0; g < eta.size(); ++g) point.multiplier[g] += step * eta[g];
}

void leave(Point& point, const Block& block) {
    const std::size_t variable = point.basis.members()[block.position];
    const KernelRowPointer row = point.basis.rows()[block.position];
    point.basis.remove(block.position);
    snap(point, variable, block.at_upper, *row);
}

void snap(Point& point, std::size_t variable, bool at_upper, const KernelRow& row) {
    const double bound = at_upper ? point.upper[variable] : point.lower[variable];
    point.coef[variable] = bound;
    if (bound != 0.0) point.kernel->add_row(bound, row, point.nonbasic.data());
}

}  // namespace mercer::active_set
