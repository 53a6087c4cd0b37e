// Vector power of two: 2^x = 2^n 2^r, n = round(x), |r| <= 1/2.
//
// 2^r = 1 + r q(r) with q a Chebyshev fit (float) or the Taylor polynomial (double). Accurate to
// 2 ulp on [lowest, 0]; below `lowest` the result is exactly 0 (no denormals). Kernels of distances
// are written with it: exp(-g t) = 2^(-(g / log 2) t).
#pragma once

#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

template <class T>
struct PowerOfTwo;

template <>
struct PowerOfTwo<float> {
    static constexpr float lowest = -126.0f;
    static constexpr float round_shift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to integer
    static constexpr int exponent_shift = 23;
    static constexpr float q[] = {1.54614478e-4f, 1.33908668e-3f, 9.61805694e-3f,
                                  5.55035695e-2f, 2.40226507e-1f, 6.93147182e-1f};
};

template <>
struct PowerOfTwo<double> {
    static constexpr double lowest = -1022.0;
    static constexpr double round_shift = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr int exponent_shift = 52;
    static constexpr double q[] = {
        1.3691488853904128e-12, 2.5678435993488206e-11, 4.4455382718708116e-10,
        7.054911620801123e-09,  1.01780860092397e-07,   1.321548679014431e-06,
        1.5252733804059841e-05, 0.0001540353039338161,  0.0013333558146428443,
        0.009618129107628477,   0.05550410866482158,    0.24022650695910072,
        0.6931471805599453};
};

// 2^x in place of several vectors side by side: one alone would wait for its own last term, and
// what a core looks ahead does not reach as far as enough others.
// requires: x <= 0 (or NaN, which gives 0)
template <class T, int count>
static inline void powers_of_two(Vector<T> (&x)[count]) {
    using P = PowerOfTwo<T>;
    constexpr std::size_t terms = sizeof(P::q) / sizeof(T);
    Vector<T> shifted[count], r[count], q[count];
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) {
        shifted[i] = x[i] + splat<T>(P::round_shift);
        r[i] = x[i] - (shifted[i] - splat<T>(P::round_shift));
        q[i] = splat<T>(P::q[0]);
    }
#pragma GCC unroll 16
    for (std::size_t k = 1; k <= terms; ++k) {
        const Vector<T> next = splat<T>(k < terms ? P::q[k] : T(1));
#pragma GCC unroll 8
        for (int i = 0; i < count; ++i) q[i] = q[i] * r[i] + next;
    }
    // The low bits of `shifted` are n, and 2^n is an addition to the exponent field; below `lowest`
    // it overflows.
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) {
        const Bits<T> exponent = (Bits<T>)shifted[i] << P::exponent_shift;
        const Vector<T> value = (Vector<T>)((Bits<T>)q[i] + exponent);
        x[i] = keep_where<T>(x[i] >= splat<T>(P::lowest), value);
    }
}

}  // namespace MERCER_ISA
}  // namespace mercer
