#include "core/active_set/event_search.hpp"

#include <limits>

#include "core/active_set/every_width.hpp"

namespace mercer::active_set {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Numbers looked at together: independent chains fill the pipeline.
constexpr std::size_t side_by_side = 16;

}  // namespace

MERCER_EVERY_WIDTH
void entering_distances(const SlopeLine& line, double* __restrict distance, std::size_t n) {
    const double t = line.t, bias = line.bias, bias_rate = line.bias_rate, noise = line.noise;
    const double* __restrict linear = line.linear;
    const double* __restrict value = line.value;
    const double* __restrict value_rate = line.value_rate;
    const double* __restrict towards = line.towards;
    const double* __restrict rest = line.rest;
    if (rest) {
        for (std::size_t v = 0; v < n; ++v) {
            const double slope = towards[v] * (t * linear[v] - value[v] - rest[v] - bias);
            const double rate = towards[v] * (linear[v] - value_rate[v] - bias_rate);
            const double ahead = slope > 0.0 ? slope : 0.0;
            distance[v] = rate > noise ? ahead / rate : infinity;
        }
        return;
    }
    for (std::size_t v = 0; v < n; ++v) {
        const double slope = towards[v] * (t * linear[v] - value[v] - bias);
        const double rate = towards[v] * (linear[v] - value_rate[v] - bias_rate);
        const double ahead = slope > 0.0 ? slope : 0.0;
        distance[v] = rate > noise ? ahead / rate : infinity;
    }
}

MERCER_EVERY_WIDTH
double smallest(const double* x, std::size_t n) {
    double least[side_by_side];
    for (double& value : least) value = infinity;
    std::size_t i = 0;
    for (; i + side_by_side <= n; i += side_by_side) {
        for (std::size_t k = 0; k < side_by_side; ++k) {
            least[k] = x[i + k] < least[k] ? x[i + k] : least[k];
        }
    }
    for (; i < n; ++i) least[0] = x[i] < least[0] ? x[i] : least[0];
    double out = infinity;
    for (const double value : least) out = value < out ? value : out;
    return out;
}

MERCER_EVERY_WIDTH
std::size_t first_at_most(const double* x, double bound, std::size_t n) {
    std::size_t i = 0;
    for (; i + side_by_side <= n; i += side_by_side) {
        std::size_t found = 0;
        for (std::size_t k = 0; k < side_by_side; ++k) found += x[i + k] <= bound;
        if (found) break;
    }
    while (i < n && !(x[i] <= bound)) ++i;
    return i;
}

}  // namespace mercer::active_set
