// The inner solver of subproblem.hpp, compiled once per instruction set.
//
// One of three loops of pair steps. This one solves the chunks of `chunked`: up to some thousand
// variables whose working matrix lies in the cache, so that a step costs two passes in vectors over
// contiguous numbers. The others: core/smo/solve.cpp solves any problem from cached kernel rows,
// with selectable policies; core/smo/restricted.cpp solves for a handful of variables.
//
// Each iteration makes two passes over the gradient: one that applies the last step and finds the
// extremes at the same time, one that finds the best partner.

#include "simd/subproblem.hpp"

#include <limits>

#include "simd/conjugate.hpp"
#include "simd/mirror.hpp"
#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

template <class T>
static void refresh(const Subproblem<T>& problem) {
    for (std::size_t p = 0; p < problem.size; ++p) refresh_one(problem, p);
}

// The gradient after the pending step.
template <class T, bool Keeps, bool Continues>
static inline Vector<T> updated(const Subproblem<T>& problem, const Pending<T>& pending,
                                std::size_t p) {
    Vector<T> product = load<T>(pending.up_row + p) - load<T>(pending.down_row + p);
    if (Continues) product += splat<T>(pending.gamma) * load<T>(problem.product + p);
    if (Keeps) store<T>(problem.product + p, product);
    return load<T>(problem.gradient + p) - splat<T>(pending.step) * product;
}

// Each lane from the one `apart` lanes on, around.
template <class V>
static inline V turned(V v, int apart) {
    V out;
    constexpr int count = sizeof(V) / sizeof(v[0]);
    for (int i = 0; i < count; ++i) out[i] = v[(i + apart) % count];
    return out;
}

// The largest lane and the first position stored with it.
template <class T>
static inline std::size_t largest(Vector<T> value, Integers<T> position, T& out) {
    Vector<T> most = value;
#pragma GCC unroll 4
    for (int apart = Lanes<T>::count / 2; apart > 0; apart /= 2) {
        const Vector<T> other = turned(most, apart);
        most = most > other ? most : other;
    }
    out = most[0];
    const Integers<T> none = Integers<T>{} + std::numeric_limits<std::int32_t>::max();
    Integers<T> first = value == most ? position : none;
#pragma GCC unroll 4
    for (int apart = Lanes<T>::count / 2; apart > 0; apart /= 2) {
        const Integers<T> other = turned(first, apart);
        first = first < other ? first : other;
    }
    return std::size_t(first[0]);
}

template <class T>
static inline T smallest(Vector<T> value) {
#pragma GCC unroll 4
    for (int apart = Lanes<T>::count / 2; apart > 0; apart /= 2) {
        const Vector<T> other = turned(value, apart);
        value = value < other ? value : other;
    }
    return value[0];
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
template <class T, bool Keeps, bool Continues>
static RangeExtremes<T> scan(const Subproblem<T>& problem, const SubproblemRange& range,
                             const Pending<T>& pending) {
    constexpr int lanes = Lanes<T>::count;
    Vector<T> up = splat<T>(-infinite<T>), down = splat<T>(infinite<T>);
    Integers<T> position = first_positions<T>(range.begin), up_at = position;
    for (std::size_t p = range.begin; p < range.end; p += lanes) {
        const Vector<T> g = updated<T, Keeps, Continues>(problem, pending, p);
        store<T>(problem.gradient + p, g);
        const Vector<T> rising = g + load<T>(problem.grow_bar + p);
        const Integers<T> higher = rising > up;
        up = higher ? rising : up;
        up_at = higher ? position : up_at;
        const Vector<T> falling = g + load<T>(problem.fall_bar + p);
        down = falling < down ? falling : down;
        position += lanes;
    }
    RangeExtremes<T> found;
    found.up_at = largest<T>(up, up_at, found.up);
    found.down = smallest<T>(down);
    return found;
}

template <class T>
static RangeExtremes<T> scan(const Subproblem<T>& problem, const SubproblemRange& range,
                             const Pending<T>& pending) {
    const bool continues = pending.gamma != T(0);
    const auto chosen = pending.keeps_product
                            ? (continues ? scan<T, true, true> : scan<T, true, false>)
                            : (continues ? scan<T, false, true> : scan<T, false, false>);
    return chosen(problem, range, pending);
}

// The violating partner of `up` with the largest gain (G_up - G_p)^2 / curvature, that of the pair
// or, where there is a direction to be conjugate to, what is left of it.
template <class T, bool Conjugate>
static std::size_t best_partner(const Subproblem<T>& problem, const SubproblemRange& range,
                                std::size_t up, T high, double curvature) {
    constexpr int lanes = Lanes<T>::count;
    const T* row = problem.matrix + up * problem.stride;
    const Vector<T> top = splat<T>(high), own = splat<T>(problem.diagonal[up]);
    // Of nearly equal rows, whose diagonals are alike.
    const Vector<T> noise = splat<T>(2 * std::numeric_limits<T>::epsilon() * problem.diagonal[up]);
    const Vector<T> least_left = splat<T>(T(least_share));
    const Vector<T> along_up = splat<T>(Conjugate ? problem.product[up] : T(0));
    const Vector<T> inverse = splat<T>(Conjugate ? T(1.0 / curvature) : T(0));
    Vector<T> best{};
    Integers<T> position = first_positions<T>(range.begin), best_at = ~Integers<T>{};
    for (std::size_t p = range.begin; p < range.end; p += lanes) {
        const Vector<T> falling = load<T>(problem.gradient + p) + load<T>(problem.fall_bar + p);
        const Vector<T> slope = at_least_zero<T>(top - falling);
        const Vector<T> sum = own + load<T>(problem.diagonal + p);
        Vector<T> curve = splat<T>(T(-2)) * load<T>(row + p) + sum;
        if (Conjugate) {
            const Vector<T> along = along_up - load<T>(problem.product + p);
            const Vector<T> left = curve - along * along * inverse;
            curve = left > least_left * curve ? left : curve;
        }
        curve = curve > noise ? curve : noise;
        const Vector<T> gain = slope * slope * reciprocal<T>(curve);
        const Integers<T> better = gain > best;
        best = better ? gain : best;
        best_at = better ? position : best_at;
        position += lanes;
    }
    T gain;
    const std::size_t at = largest<T>(best, best_at, gain);
    return gain > T(0) ? at : problem.size;
}

// Among variables without a group the one with the largest gain G^2 / curvature.
template <class T>
static std::size_t best_alone(const Subproblem<T>& problem, const SubproblemRange& range) {
    T best = 0;
    std::size_t at = problem.size;
    for (std::size_t p = range.begin; p < range.end; ++p) {
        const T g = problem.gradient[p];
        if (!(g + problem.grow_bar[p] > T(0) || g + problem.fall_bar[p] < T(0))) continue;
        const T gain = g * g / (problem.diagonal[p] + std::numeric_limits<T>::min());
        if (gain > best) best = gain, at = p;
    }
    return at;
}

template <class T>
static inline void need_row(const Subproblem<T>& problem, std::size_t p) {
    if (problem.has_row && p < problem.size && !problem.has_row[p]) problem.source->fetch(p);
}

// The pair to move: `up` has the largest gradient of the range. No pair to move: both are
// `none`.
template <class T>
static PairPositions choose(const Subproblem<T>& problem, const SubproblemRange& range,
                            const RangeExtremes<T>& found, double curvature) {
    const std::size_t none = problem.size;
    if (range.alone) {
        const std::size_t p = best_alone(problem, range);
        return p < none && problem.gradient[p] < T(0) ? PairPositions{none, p}
                                                      : PairPositions{p, none};
    }
    need_row(problem, found.up_at);
    const auto partner = curvature > 0.0 ? best_partner<T, true> : best_partner<T, false>;
    const std::size_t down = partner(problem, range, found.up_at, found.up, curvature);
    return down < none ? PairPositions{found.up_at, down} : PairPositions{none, none};
}

template <class T>
static SubproblemResult solve(const Subproblem<T>& problem, double tolerance,
                              std::size_t max_iterations) {
    SubproblemResult result;
    const T* zeros = problem.matrix + problem.size * problem.stride;
    Pending<T> pending{zeros, zeros};
    ConjugateDirection<T> direction(problem);
    for (;; ++result.iterations) {
        double worst = 0.0;
        RangeExtremes<T> found;
        const SubproblemRange* chosen = nullptr;
        for (std::size_t r = 0; r < problem.n_ranges; ++r) {
            const SubproblemRange& range = problem.ranges[r];
            const RangeExtremes<T> e = scan(problem, range, pending);
            const double pair = double(e.up) - double(e.down);
            const double single = e.up > -e.down ? double(e.up) : -double(e.down);
            const double violation = range.alone ? single : pair;
            if (violation > worst) worst = violation, found = e, chosen = &range;
        }
        result.violation = worst;
        if (worst <= tolerance || !chosen || result.iterations >= max_iterations) return result;
        const PairPositions pair = choose(problem, *chosen, found, direction.curvature());
        if (pair.up == pair.down) return result;
        need_row(problem, pair.up);
        need_row(problem, pair.down);
        if (!direction.advance(pair, pending)) {
            result.unbounded = true;
            return result;
        }
    }
}

template <class T>
static constexpr SubproblemFunctions<T> subproblem_functions = {Lanes<T>::count, refresh<T>,
                                                                solve<T>, mirror<T>};

extern const SubproblemFunctions<float> subproblem_single;
extern const SubproblemFunctions<double> subproblem_full;
const SubproblemFunctions<float> subproblem_single = subproblem_functions<float>;
const SubproblemFunctions<double> subproblem_full = subproblem_functions<double>;

}  // namespace MERCER_ISA
}  // namespace mercer
