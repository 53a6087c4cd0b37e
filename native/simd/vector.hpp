// Fixed-width vectors of the instruction set this translation unit is compiled for.
//
// Written on the compilers' vector extensions, so one source serves AVX-512, AVX2, SSE2 and
// NEON; the width is set per instruction set by MERCER_VECTOR_BYTES. Everything here is
// `static inline` in the namespace of the instruction set: nothing may leak into baseline code.
#pragma once

#include <cstddef>
#include <cstdint>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#ifndef MERCER_VECTOR_BYTES
#define MERCER_VECTOR_BYTES 16
#endif

namespace mercer {
namespace MERCER_ISA {

template <class T>
struct Lanes;

template <>
struct Lanes<float> {
    static constexpr int count = MERCER_VECTOR_BYTES / sizeof(float);
    typedef float Vector __attribute__((vector_size(MERCER_VECTOR_BYTES)));
    typedef float Unaligned __attribute__((vector_size(MERCER_VECTOR_BYTES), aligned(4)));
    typedef std::int32_t Integers __attribute__((vector_size(MERCER_VECTOR_BYTES)));
    typedef std::uint32_t Bits __attribute__((vector_size(MERCER_VECTOR_BYTES)));
    // Half of the lanes widened: two of them hold a Vector in double precision.
    typedef float Half __attribute__((vector_size(MERCER_VECTOR_BYTES / 2)));
};

template <>
struct Lanes<double> {
    static constexpr int count = MERCER_VECTOR_BYTES / sizeof(double);
    typedef double Vector __attribute__((vector_size(MERCER_VECTOR_BYTES)));
    typedef double Unaligned __attribute__((vector_size(MERCER_VECTOR_BYTES), aligned(8)));
    typedef std::int64_t Integers __attribute__((vector_size(MERCER_VECTOR_BYTES)));
    typedef std::uint64_t Bits __attribute__((vector_size(MERCER_VECTOR_BYTES)));
};

template <class T>
using Vector = typename Lanes<T>::Vector;
template <class T>
using Integers = typename Lanes<T>::Integers;
template <class T>
using Bits = typename Lanes<T>::Bits;

template <class T>
static inline Vector<T> splat(T x) {
    return x - Vector<T>{};
}

template <class T>
static inline Vector<T> load(const T* p) {
    return *reinterpret_cast<const typename Lanes<T>::Unaligned*>(p);
}

// The first `count` lanes; the others are 0.
template <class T>
static inline Vector<T> load_some(const T* p, std::size_t count) {
    Vector<T> v{};
    for (std::size_t i = 0; i < count; ++i) v[i] = p[i];
    return v;
}

template <class T>
static inline void store(T* p, Vector<T> v) {
    *reinterpret_cast<typename Lanes<T>::Unaligned*>(p) = v;
}

template <class T>
static inline Vector<T> keep_where(Integers<T> mask, Vector<T> v) {
    return (Vector<T>)((Integers<T>)v & mask);
}

// NaN becomes 0. GCC 12 takes two instructions where there is one for it.
template <class T>
static inline Vector<T> at_least_zero(Vector<T> v) {
#if defined(__AVX__) && !defined(__AVX512F__)
    if constexpr (sizeof(T) == sizeof(float)) {
        return (Vector<T>)_mm256_max_ps((__m256)v, _mm256_setzero_ps());
    } else {
        return (Vector<T>)_mm256_max_pd((__m256d)v, _mm256_setzero_pd());
    }
#else
    return v > Vector<T>{} ? v : Vector<T>{};
#endif
}

template <class T>
static inline Vector<T> absolute(Vector<T> v) {
    const Integers<T> sign = (Integers<T>)splat<T>(T(-0.0));
    return (Vector<T>)((Integers<T>)v & ~sign);
}

// About 1 / x: to eleven bits or more, where there is an instruction for that, else exactly.
static inline Vector<float> reciprocal_of(Vector<float> x) {
#if defined(__AVX512F__)
    return (Vector<float>)_mm512_rcp14_ps((__m512)x);
#elif defined(__AVX__)
    return (Vector<float>)_mm256_rcp_ps((__m256)x);
#else
    return splat<float>(1.0f) / x;
#endif
}

static inline Vector<double> reciprocal_of(Vector<double> x) {
    return splat<double>(1.0) / x;
}

template <class T>
static inline Vector<T> reciprocal(Vector<T> x) {
    return reciprocal_of(x);
}

// a b + c, rounded as in vectors: left to itself the compiler may multiply several products of a
// scalar loop ahead of the sums, and then no longer fuse them.
template <class T>
static inline T multiply_add(T a, T b, T c) {
#if defined(__FMA__) || defined(__aarch64__)
    if constexpr (sizeof(T) == sizeof(float)) return __builtin_fmaf(a, b, c);
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

// In double precision. GCC 12 goes over the stack where there is an instruction for it.
static inline Vector<double> widen(Lanes<float>::Half v) {
#if defined(__AVX512F__)
    return (Vector<double>)_mm512_cvtps_pd((__m256)v);
#elif defined(__AVX__)
    return (Vector<double>)_mm256_cvtps_pd((__m128)v);
#else
    return __builtin_convertvector(v, Vector<double>);
#endif
}

// out[0..lanes) += v, in double precision.
static inline void add_to(double* out, Vector<double> v) {
    store<double>(out, load<double>(out) + v);
}

static inline void add_to(double* out, Vector<float> v) {
    constexpr int half = Lanes<float>::count / 2;
    typedef Lanes<float>::Half Half;
    union {
        Vector<float> whole;
        Half halves[2];
    } parts = {v};
    for (int h = 0; h < 2; ++h) add_to(out + h * half, widen(parts.halves[h]));
}

}  // namespace MERCER_ISA
}  // namespace mercer
