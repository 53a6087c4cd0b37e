// The passes of scan.hpp, compiled once per instruction set.

#include "simd/scan.hpp"

#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

static constexpr int lanes = Lanes<double>::count;
static constexpr double infinite = std::numeric_limits<double>::infinity();

static inline Vector<double> widened(const double* p) {
    return load<double>(p);
}

static inline Vector<double> widened(const float* p) {
    Lanes<float>::Half half;
    __builtin_memcpy(&half, p, sizeof half);
    return __builtin_convertvector(half, Vector<double>);
}

static inline Integers<double> flags(const std::int64_t* p) {
    Integers<double> all;
    __builtin_memcpy(&all, p, sizeof all);
    return all;
}

// The values of a kernel row at the positions of a range.
template <class T>
struct Plain {
    const T* row;
    Vector<double> many(std::size_t p) const { return widened(row + p); }
    double one(std::size_t p) const { return double(row[p]); }
};

template <class T>
struct Gathered {
    const T* row;
    const std::uint32_t* columns;
    Vector<double> many(std::size_t p) const {
        Vector<double> values;
        for (int i = 0; i < lanes; ++i) values[i] = double(row[columns[p + i]]);
        return values;
    }
    double one(std::size_t p) const { return double(row[columns[p]]); }
};

// work(value(row)...), with the values where the range says they lie. A plain row is moved such
// that its values are indexed by position, as pointers only: no value before them is read.
template <class T, class Work, class... Rows>
static inline auto with_values(const ScanRange& range, Work work, const Rows*... row) {
    if (range.columns) return work(Gathered<T>{row, range.columns}...);
    return work(Plain<T>{row + range.first - range.begin}...);
}

template <class Value>
static inline void subtract(double* gradient, const ScanRange& range, double weight, Value value) {
    std::size_t p = range.begin;
    for (; p + lanes <= range.end; p += lanes) {
        store<double>(gradient + p,
                      load<double>(gradient + p) - splat<double>(weight) * value.many(p));
    }
    for (; p < range.end; ++p) gradient[p] = multiply_add(-weight, value.one(p), gradient[p]);
}

template <class First, class Second>
struct Difference {
    First first;
    Second second;
    Vector<double> many(std::size_t p) const { return first.many(p) - second.many(p); }
    double one(std::size_t p) const { return first.one(p) - second.one(p); }
};

template <class T>
static void subtract_rows(double* gradient, const ScanRange& range, const T* up_row,
                          const T* down_row, double weight) {
    with_values<T>(
        range,
        [&](auto up, auto down) {
            subtract(gradient, range, weight, Difference<decltype(up), decltype(down)>{up, down});
        },
        up_row, down_row);
}

template <class T>
static void subtract_row(double* gradient, const ScanRange& range, const T* row, double weight) {
    with_values<T>(range, [&](auto value) { subtract(gradient, range, weight, value); }, row);
}

static inline Integers<double> positions(std::size_t first) {
    Integers<double> at;
    for (int i = 0; i < lanes; ++i) at[i] = std::int64_t(first) + i;
    return at;
}

// The larger value, or the later of two that are equal. nowhere is -1 as a signed number.
static inline void keep_larger(double value, std::int64_t at, double& best, std::size_t& best_at) {
    if (at < 0 || value < best) return;
    if (value == best && at < std::int64_t(best_at)) return;
    best = value;
    best_at = std::size_t(at);
}

// Extremes of the lanes; the smallest gradient as the largest of its negative.
struct LaneExtremes {
    Vector<double> up = splat<double>(-infinite), down = up;
    Integers<double> up_at = ~Integers<double>{}, down_at = up_at;

    void add(const ScanArrays& arrays, std::size_t p, Integers<double> at) {
        const Vector<double> g = load<double>(arrays.gradient + p), negative = -g;
        const Integers<double> higher = flags(arrays.can_grow + p) & (g >= up);
        up = higher ? g : up;
        up_at = higher ? at : up_at;
        const Integers<double> lower = flags(arrays.can_fall + p) & (negative >= down);
        down = lower ? negative : down;
        down_at = lower ? at : down_at;
    }
};

static void extremes(const ScanArrays& arrays, const ScanRange& range, Extremes& found) {
    LaneExtremes parts[2];  // neither waits for the other
    Integers<double> at = positions(range.begin);
    std::size_t p = range.begin;
    for (; p + 2 * lanes <= range.end; p += 2 * lanes) {
        parts[0].add(arrays, p, at);
        parts[1].add(arrays, p + lanes, at + lanes);
        at += 2 * lanes;
    }
    double down = -found.down;
    for (const LaneExtremes& part : parts) {
        for (int i = 0; i < lanes; ++i) {
            keep_larger(part.up[i], part.up_at[i], found.up, found.up_at);
            keep_larger(part.down[i], part.down_at[i], down, found.down_at);
        }
    }
    for (; p < range.end; ++p) {
        const double g = arrays.gradient[p];
        if (arrays.can_grow[p]) keep_larger(g, std::int64_t(p), found.up, found.up_at);
        if (arrays.can_fall[p]) keep_larger(-g, std::int64_t(p), down, found.down_at);
    }
    found.down = -down;
}

// Quotients square / curve, compared without a division.
struct LaneGains {
    Vector<double> square{}, curve = splat<double>(1.0);
    Integers<double> at = ~Integers<double>{};

    void add(Vector<double> slope, Vector<double> new_curve, Integers<double> may,
             Integers<double> p) {
        const Vector<double> new_square = slope * slope;
        const Integers<double> better =
            may & (slope > Vector<double>{}) & (new_square * curve >= square * new_curve);
        square = better ? new_square : square;
        curve = better ? new_curve : curve;
        at = better ? p : at;
    }
};

// A curvature is at least the rounding of what it is the difference of.
template <class T, class Value>
static std::size_t best_in_range(const ScanArrays& arrays, const ScanRange& range, double high,
                                 double own, double span, Value value) {
    const double scale = 1.0 / span, finite_scale = scale < infinite ? scale : 1.0;
    const double noise = double(std::numeric_limits<T>::epsilon());
    LaneGains parts[2];
    const auto look = [&](LaneGains& gains, std::size_t p, Integers<double> at) {
        const Vector<double> slope = splat<double>(high) - load<double>(arrays.gradient + p);
        const Vector<double> sum = splat<double>(own) + load<double>(arrays.curvature + p);
        const Vector<double> k = value.many(p), curve = sum - (k + k);
        const Vector<double> least =
            splat<double>(noise) * absolute<double>(sum) + splat<double>(1e-300);
        gains.add(splat<double>(finite_scale) * slope, curve > least ? curve : least,
                  flags(arrays.can_fall + p), at);
    };
    Integers<double> at = positions(range.begin);
    std::size_t p = range.begin, best_at = Extremes::nowhere;
    for (; p + 2 * lanes <= range.end; p += 2 * lanes) {
        look(parts[0], p, at);
        look(parts[1], p + lanes, at + lanes);
        at += 2 * lanes;
    }
    double best = 0.0;
    for (const LaneGains& part : parts) {
        for (int i = 0; i < lanes; ++i) {
            keep_larger(part.square[i] / part.curve[i], part.at[i], best, best_at);
        }
    }
    for (; p < range.end; ++p) {
        const double slope = finite_scale * (high - arrays.gradient[p]),
                     sum = own + arrays.curvature[p];
        if (!arrays.can_fall[p] || !(slope > 0.0)) continue;
        const double curve = sum - 2.0 * value.one(p), size = sum < 0.0 ? -sum : sum;
        const double least = noise * size + 1e-300;
        keep_larger(slope * slope / (curve > least ? curve : least), std::int64_t(p), best,
                    best_at);
    }
    return best_at;
}

template <class T>
static std::size_t best_partner(const ScanArrays& arrays, const ScanRange& range, const T* row,
                                double high, double own, double span) {
    return with_values<T>(
        range, [&](auto value) { return best_in_range<T>(arrays, range, high, own, span, value); },
        row);
}

template <class T>
static constexpr ScanFunctions<T> scan_functions = {subtract_rows<T>, subtract_row<T>, extremes,
                                                    best_partner<T>};

extern const ScanFunctions<float> scan_single;
extern const ScanFunctions<double> scan_full;
const ScanFunctions<float> scan_single = scan_functions<float>;
const ScanFunctions<double> scan_full = scan_functions<double>;

}  // namespace MERCER_ISA
}  // namespace mercer
