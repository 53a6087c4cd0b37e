// The passes of support.hpp, compiled once per instruction set.

#include "simd/support.hpp"

#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

static constexpr std::size_t lanes = Lanes<double>::count;

// Products of `lanes` points from i on. D = 0: the dimension is known at run time.
template <std::size_t D>
static inline Vector<double> some_products(const PointsView& points, const double* direction,
                                           std::size_t i) {
    const std::size_t d = D ? D : points.dimension;
    const double* x = points.coordinates + i;
    Vector<double> sum = splat<double>(direction[0]) * load<double>(x);
    for (std::size_t j = 1; j < d; ++j) {
        sum += splat<double>(direction[j]) * load<double>(x + j * points.stride);
    }
    return sum;
}

template <std::size_t D>
static Lowest lowest_of(const PointsView& points, const double* direction) {
    Vector<double> best = some_products<D>(points, direction, 0);
    Integers<double> at{}, here{};
    for (std::size_t i = lanes; i < points.stride; i += lanes) {
        here += Integers<double>{} + std::int64_t(lanes);
        const Vector<double> value = some_products<D>(points, direction, i);
        const Integers<double> is_less = value < best;
        best = is_less ? value : best;
        at = is_less ? here : at;
    }
    Lowest found{std::size_t(at[0]), best[0]};
    for (std::size_t k = 1; k < lanes; ++k) {
        const std::size_t place = std::size_t(at[k]) + k;
        if (best[k] < found.value || (best[k] == found.value && place < found.at)) {
            found = {place, best[k]};
        }
    }
    // what repeats the last point is the last point
    if (found.at >= points.n_points) found.at = points.n_points - 1;
    return found;
}

static Lowest lowest(const PointsView& points, const double* direction) {
    if (points.dimension == 3) return lowest_of<3>(points, direction);
    if (points.dimension == 2) return lowest_of<2>(points, direction);
    return lowest_of<0>(points, direction);
}

static void products(const PointsView& points, const double* direction, double* out) {
    for (std::size_t i = 0; i < points.stride; i += lanes) {
        store<double>(out + i, some_products<0>(points, direction, i));
    }
}

static void add_reach(const PointsView& points, double* reach) {
    for (std::size_t j = 0; j < points.dimension; ++j) {
        const double* x = points.coordinates + j * points.stride;
        Vector<double> low = load<double>(x), high = low;
        for (std::size_t i = lanes; i < points.stride; i += lanes) {
            const Vector<double> value = load<double>(x + i);
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        double largest = 0.0;
        for (std::size_t k = 0; k < lanes; ++k) {
            largest = high[k] > largest ? high[k] : largest;
            largest = -low[k] > largest ? -low[k] : largest;
        }
        reach[j] += largest;
    }
}

extern const SupportFunctions support_functions;
const SupportFunctions support_functions = {&lowest, &products, &add_reach};

}  // namespace MERCER_ISA
}  // namespace mercer
