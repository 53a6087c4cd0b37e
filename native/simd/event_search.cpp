// The searches of event_search.hpp, compiled once per instruction set.

#include "simd/event_search.hpp"

#include <limits>

namespace mercer {
namespace MERCER_ISA {

static constexpr double infinity = std::numeric_limits<double>::infinity();
// Numbers looked at together: independent comparisons fill the pipeline.
static constexpr std::size_t side_by_side = 16;

static double entering_distances(const SlopeLine& line, double* __restrict distance,
                                 std::size_t n) {
    const double t = line.t, bias = line.bias, bias_rate = line.bias_rate, noise = line.noise;
    const double* __restrict linear = line.linear;
    const double* __restrict value = line.value;
    const double* __restrict value_rate = line.value_rate;
    const double* __restrict towards = line.towards;
    const double* __restrict rest = line.rest;
    double least[side_by_side];
    for (double& x : least) x = infinity;
    const auto look = [&](double at, std::size_t v, double& best) {
        const double slope = towards[v] * (t * linear[v] - at - bias);
        const double rate = towards[v] * (linear[v] - value_rate[v] - bias_rate);
        const double ahead = slope > 0.0 ? slope : 0.0;
        distance[v] = rate > noise ? ahead / rate : infinity;
        best = distance[v] < best ? distance[v] : best;
    };
    std::size_t v = 0;
    for (; v + side_by_side <= n; v += side_by_side) {
        for (std::size_t k = 0; k < side_by_side; ++k) {
            look(rest ? value[v + k] + rest[v + k] : value[v + k], v + k, least[k]);
        }
    }
    for (; v < n; ++v) look(rest ? value[v] + rest[v] : value[v], v, least[0]);
    double out = infinity;
    for (const double x : least) out = x < out ? x : out;
    return out;
}

static std::size_t first_at_most(const double* x, double bound, std::size_t n) {
    std::size_t i = 0;
    for (; i + side_by_side <= n; i += side_by_side) {
        std::size_t found = 0;
        for (std::size_t k = 0; k < side_by_side; ++k) found += x[i + k] <= bound;
        if (found) break;
    }
    while (i < n && !(x[i] <= bound)) ++i;
    return i;
}

extern const EventFunctions event_functions;
const EventFunctions event_functions = {entering_distances, first_at_most};

}  // namespace MERCER_ISA
}  // namespace mercer
