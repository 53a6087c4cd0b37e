// The inner solver of square.hpp, compiled once per instruction set.
//
// Each iteration makes two passes over the gradient: one that applies the last step and finds the
// extremes at the same time, one that finds the best partner.

#include "simd/square.hpp"

#include <limits>
#include <type_traits>

#include "simd/leaf.hpp"
#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

template <class T>
static constexpr T infinite = std::numeric_limits<T>::infinity();

template <class T>
static inline Integers<T> flags(const void* all, std::size_t position) {
    return *reinterpret_cast<const Integers<T>*>(static_cast<const T*>(all) + position);
}

template <class T>
static void refresh_one(const Square<T>& square, std::size_t p) {
    using Integer = std::remove_reference_t<decltype(Integers<T>{}[0])>;
    static_cast<Integer*>(square.can_grow)[p] = square.beta[p] < square.upper[p] ? -1 : 0;
    static_cast<Integer*>(square.can_fall)[p] = square.beta[p] > square.lower[p] ? -1 : 0;
}

template <class T>
static void refresh(const Square<T>& square) {
    for (std::size_t p = 0; p < square.size; ++p) refresh_one(square, p);
}

// The last step, not yet in the gradient: gradient -= step * (up_row - down_row). A missing row is
// one of zeros.
template <class T>
struct Pending {
    const T* up_row = nullptr;
    const T* down_row = nullptr;
    T step = 0;
};

template <class T>
static inline Vector<T> updated(const Pending<T>& pending, const T* gradient, std::size_t p) {
    const Vector<T> g = load<T>(gradient + p);
    if (!pending.up_row) return g;
    return g - splat<T>(pending.step) * (load<T>(pending.up_row + p) - load<T>(pending.down_row + p));
}

// The largest lane and the position stored with it.
template <class T>
static inline std::size_t largest(Vector<T> value, Integers<T> position, T& out) {
    int best = 0;
    for (int i = 1; i < Lanes<T>::count; ++i) {
        if (value[i] > value[best]) best = i;
    }
    out = value[best];
    return std::size_t(position[best]);
}

template <class T>
static inline T smallest(Vector<T> value) {
    T best = value[0];
    for (int i = 1; i < Lanes<T>::count; ++i) best = value[i] < best ? value[i] : best;
    return best;
}

template <class T>
static inline Integers<T> first_positions(std::size_t begin) {
    Integers<T> position;
    for (int i = 0; i < Lanes<T>::count; ++i) position[i] = begin + i;
    return position;
}

template <class T>
struct RangeExtremes {
    T up = -infinite<T>, down = infinite<T>;
    std::size_t up_at = 0;
};

// Applies the pending step to a range and finds its extremes.
template <class T>
static RangeExtremes<T> scan(const Square<T>& square, const SquareRange& range,
                             const Pending<T>& pending) {
    constexpr int lanes = Lanes<T>::count;
    Vector<T> up = splat<T>(-infinite<T>), down = splat<T>(infinite<T>);
    Integers<T> position = first_positions<T>(range.begin), up_at = position;
    for (std::size_t p = range.begin; p < range.end; p += lanes) {
        const Vector<T> g = updated(pending, square.gradient, p);
        store<T>(square.gradient + p, g);
        const Integers<T> higher = flags<T>(square.can_grow, p) & (g > up);
        up = higher ? g : up;
        up_at = higher ? position : up_at;
        const Integers<T> lower = flags<T>(square.can_fall, p) & (g < down);
        down = lower ? g : down;
        position += lanes;
    }
    RangeExtremes<T> found;
    found.up_at = largest<T>(up, up_at, found.up);
    found.down = smallest<T>(down);
    return found;
}

// The violating partner of `up` with the largest gain (G_up - G_p)^2 / curvature.
template <class T>
static std::size_t best_partner(const Square<T>& square, const SquareRange& range, std::size_t up,
                                T high) {
    constexpr int lanes = Lanes<T>::count;
    const T* row = square.matrix + up * square.stride;
    const Vector<T> top = splat<T>(high), own = splat<T>(square.diagonal[up]);
    const Vector<T> noise = splat<T>(std::numeric_limits<T>::epsilon());
    Vector<T> best{};
    Integers<T> position = first_positions<T>(range.begin), best_at = ~Integers<T>{};
    for (std::size_t p = range.begin; p < range.end; p += lanes) {
        const Vector<T> slope = top - load<T>(square.gradient + p);
        const Vector<T> sum = own + load<T>(square.diagonal + p);
        const Vector<T> k = load<T>(row + p);
        Vector<T> curve = sum - (k + k);
        const Vector<T> least = noise * sum;
        curve = curve > least ? curve : least;
        const Vector<T> gain = slope * slope / curve;
        const Integers<T> better =
            flags<T>(square.can_fall, p) & (slope > Vector<T>{}) & (gain > best);
        best = better ? gain : best;
        best_at = better ? position : best_at;
        position += lanes;
    }
    T gain;
    const std::size_t at = largest<T>(best, best_at, gain);
    return gain > T(0) ? at : square.size;
}

// Among variables without a group the one with the largest gain G^2 / curvature.
template <class T>
static std::size_t best_alone(const Square<T>& square, const SquareRange& range) {
    T best = 0;
    std::size_t at = square.size;
    using Integer = std::remove_reference_t<decltype(Integers<T>{}[0])>;
    const auto* grow = static_cast<const Integer*>(square.can_grow);
    const auto* fall = static_cast<const Integer*>(square.can_fall);
    for (std::size_t p = range.begin; p < range.end; ++p) {
        const T g = square.gradient[p];
        if (!(g > 0 ? grow[p] : g < 0 && fall[p])) continue;
        const T gain = g * g / (square.diagonal[p] + std::numeric_limits<T>::min());
        if (gain > best) best = gain, at = p;
    }
    return at;
}

template <class T>
static void move(const Square<T>& square, std::size_t p, double to) {
    square.beta[p] = to;
    refresh_one(square, p);
}

// step = min(slope / curvature, room), a flat direction is followed to the box. false: no limit.
template <class T>
static bool pair_step(const Square<T>& square, std::size_t up, std::size_t down, Pending<T>& pending) {
    const double slope = double(square.gradient[up]) - double(square.gradient[down]);
    const double sum = double(square.diagonal[up]) + double(square.diagonal[down]);
    const double curve = sum - 2.0 * double(square.matrix[up * square.stride + down]);
    const double up_room = square.upper[up] - square.beta[up];
    const double down_room = square.beta[down] - square.lower[down];
    double step = curve > std::numeric_limits<T>::epsilon() * sum ? slope / curve
                                                                  : infinite<double>;
    const bool up_stops = up_room <= step, down_stops = down_room <= step;
    if (up_stops) step = up_room;
    if (down_stops && down_room <= step) step = down_room;
    if (step == infinite<double>) return false;
    move(square, up, up_stops && step == up_room ? square.upper[up] : square.beta[up] + step);
    move(square, down,
         down_stops && step == down_room ? square.lower[down] : square.beta[down] - step);
    pending = {square.matrix + up * square.stride, square.matrix + down * square.stride, T(step)};
    return true;
}

// A variable alone goes to its maximum or to the box. `zeros` stands for the missing row.
template <class T>
static bool single_step(const Square<T>& square, std::size_t p, const T* zeros,
                        Pending<T>& pending) {
    const double slope = square.gradient[p], curve = square.diagonal[p];
    double step = curve > 0 ? slope / curve : slope * infinite<double>;
    const double bound = slope > 0 ? square.upper[p] : square.lower[p];
    const double room = bound - square.beta[p];
    const bool stops = slope > 0 ? room <= step : room >= step;
    if (stops) step = room;
    if (step - step != 0.0) return false;
    move(square, p, stops ? bound : square.beta[p] + step);
    pending = {square.matrix + p * square.stride, zeros, T(step)};
    return true;
}

template <class T>
static SquareResult solve(const Square<T>& square, double tolerance, std::size_t max_iterations) {
    SquareResult result;
    Pending<T> pending;
    const T* zeros = square.matrix + square.size * square.stride;
    for (;; ++result.iterations) {
        double worst = 0.0;
        RangeExtremes<T> found;
        const SquareRange* chosen = nullptr;
        for (std::size_t r = 0; r < square.n_ranges; ++r) {
            const SquareRange& range = square.ranges[r];
            const RangeExtremes<T> e = scan(square, range, pending);
            const double pair = double(e.up) - double(e.down);
            const double single = e.up > -e.down ? double(e.up) : -double(e.down);
            const double violation = range.alone ? single : pair;
            if (violation > worst) worst = violation, found = e, chosen = &range;
        }
        pending = {};
        result.violation = worst;
        if (worst <= tolerance || !chosen || result.iterations >= max_iterations) return result;
        bool limited;
        if (chosen->alone) {
            const std::size_t p = best_alone(square, *chosen);
            if (p == square.size) return result;
            limited = single_step(square, p, zeros, pending);
        } else {
            const std::size_t down = best_partner(square, *chosen, found.up_at, found.up);
            if (down == square.size) return result;
            limited = pair_step(square, found.up_at, down, pending);
        }
        if (!limited) {
            result.unbounded = true;
            return result;
        }
    }
}

template <class T>
static constexpr SquareFunctions<T> square_functions = {Lanes<T>::count, refresh<T>, solve<T>};

extern const SquareFunctions<float> square_single;
extern const SquareFunctions<double> square_full;
const SquareFunctions<float> square_single = square_functions<float>;
const SquareFunctions<double> square_full = square_functions<double>;

}  // namespace MERCER_ISA
}  // namespace mercer
