// A number as the sum of two doubles: about 32 digits, for the few places where 16 do not do.
//
// Sums by Knuth 1997, section 4.2.2, theorem B; the rest of a product by a fused multiply-add.
// Results are right to a few units of 2^-104. Files that use it must not contract products.
#pragma once

#include <cmath>

#include "core/base/infinity.hpp"

namespace mercer {

// What a few operations may round off, relatively.
inline constexpr double double_double_epsilon = 0x1p-100;

struct DoubleDouble {
    double high = 0.0, low = 0.0;

    DoubleDouble() = default;
    DoubleDouble(double x) : high(x) {}
    DoubleDouble(double a, double b) : high(a), low(b) {}

    explicit operator double() const { return high; }

    // a + b, exactly.
    static DoubleDouble sum(double a, double b) {
        const double s = a + b, added = s - a;
        return {s, (a - (s - added)) + (b - added)};
    }

    // a b, exactly.
    static DoubleDouble product(double a, double b) {
        const double p = a * b;
        return {p, std::fma(a, b, -p)};
    }

    friend DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
        const DoubleDouble high = sum(a.high, b.high), low = sum(a.low, b.low);
        const DoubleDouble next = sum(high.high, high.low + low.high);
        return sum(next.high, next.low + low.low);
    }
    friend DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }
    friend DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + (-b); }
    friend DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
        const DoubleDouble p = product(a.high, b.high);
        return sum(p.high, p.low + (a.high * b.low + a.low * b.high));
    }
    friend DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
        const double first = a.high / b.high;
        const DoubleDouble rest = a - b * first;
        const double second = rest.high / b.high;
        return sum(first, second) + (rest - b * second).high / b.high;
    }
    friend DoubleDouble sqrt(DoubleDouble a) {
        if (!(a.high > 0.0)) return {};
        const double root = std::sqrt(a.high);
        return sum(root, (std::fma(-root, root, a.high) + a.low) / (2.0 * root));
    }

    DoubleDouble& operator+=(DoubleDouble b) { return *this = *this + b; }
    DoubleDouble& operator-=(DoubleDouble b) { return *this = *this - b; }
    DoubleDouble& operator/=(DoubleDouble b) { return *this = *this / b; }

    friend bool operator<(DoubleDouble a, DoubleDouble b) {
        return a.high < b.high || (a.high == b.high && a.low < b.low);
    }
    friend bool operator>(DoubleDouble a, DoubleDouble b) { return b < a; }
    friend bool operator<=(DoubleDouble a, DoubleDouble b) {
        return a < b || (a.high == b.high && a.low == b.low);
    }
};

// A sum of products as accurate as one of such numbers, and faster (Ogita et al. 2005,
// algorithm 5.3).
class SumOfProducts {
  public:
    void add(DoubleDouble a, DoubleDouble b) {
        const DoubleDouble product = DoubleDouble::product(a.high, b.high);
        const DoubleDouble next = DoubleDouble::sum(total_, product.high);
        total_ = next.high;
        rest_ += next.low + (product.low + (a.high * b.low + a.low * b.high));
    }
    DoubleDouble value() const { return DoubleDouble::sum(total_, rest_); }

  private:
    double total_ = 0.0, rest_ = 0.0;
};

// A double that is not below x, which is off by `rounding` at most unless it is a double: those are
// taken to be exact.
inline double rounded_up(DoubleDouble x, double rounding) {
    const double above = x.low + rounding;  // of x.high
    if (x.low == 0.0 || above <= 0.0) return x.high;
    const double next = std::nextafter(x.high, infinity);
    return above <= next - x.high ? next : std::nextafter(x.high + above, infinity);
}

}  // namespace mercer
