// Vector exponential: exp(x) = 2^n exp(r), n = round(x / log 2), |r| <= log(2)/2.
//
// exp(r) = 1 + r + r^2 q(r) with q a Chebyshev fit (float) or the Taylor polynomial (double).
// Accurate to 2 ulp on [lowest, highest]; below `lowest` the result is exactly 0 (no denormals),
// above `highest` the argument is clamped. Kernels only ask for x <= 0.
#pragma once

#include "vector.hpp"

namespace mercer {
namespace MERCER_ISA {

template <class T>
struct Exponential;

template <>
struct Exponential<float> {
    static constexpr float lowest = -87.33654f;
    static constexpr float highest = 88.37626f;
    static constexpr float log2_e = 1.44269504f;
    static constexpr float ln2_high = 0.693359375f;
    static constexpr float ln2_low = -2.12194440e-4f;
    static constexpr float round_shift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to integer
    static constexpr int exponent_shift = 23;
    static constexpr float q[] = {1.98993337e-4f, 1.39336882e-3f, 8.33329838e-3f,
                                  4.1666463e-2f,  1.66666672e-1f, 0.5f};
};

template <>
struct Exponential<double> {
    static constexpr double lowest = -708.3964185322641;
    static constexpr double highest = 709.0;
    static constexpr double log2_e = 1.4426950408889634;
    static constexpr double ln2_high = 6.93145751953125e-1;
    static constexpr double ln2_low = 1.42860682030941723212e-6;
    static constexpr double round_shift = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr int exponent_shift = 52;
    static constexpr double q[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                   1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                   1.0 / 120,        1.0 / 24,        1.0 / 6,        0.5};
};

template <class T>
static inline Vector<T> exponential(Vector<T> x) {
    using E = Exponential<T>;
    const Integers<T> representable = x >= splat<T>(E::lowest);
    const Integers<T> too_large = x > splat<T>(E::highest);
    x = keep_where<T>(~too_large, x) + keep_where<T>(too_large, splat<T>(E::highest));
    const Vector<T> n = (x * splat<T>(E::log2_e) + splat<T>(E::round_shift)) - splat<T>(E::round_shift);
    const Vector<T> r = (x - n * splat<T>(E::ln2_high)) - n * splat<T>(E::ln2_low);
    Vector<T> q = splat<T>(E::q[0]);
    for (std::size_t k = 1; k < sizeof(E::q) / sizeof(T); ++k) q = q * r + splat<T>(E::q[k]);
    const Vector<T> mantissa = (q * r * r + r) + splat<T>(T(1));
    // n is integral, so 2^n is an addition to the exponent field; invalid where x < lowest.
    const Integers<T> power = __builtin_convertvector(keep_where<T>(representable, n), Integers<T>);
    const Vector<T> value = (Vector<T>)((Integers<T>)mantissa + (power << E::exponent_shift));
    return keep_where<T>(representable, value);
}

}  // namespace MERCER_ISA
}  // namespace mercer
