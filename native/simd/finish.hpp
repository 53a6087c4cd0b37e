// From inner products or distances to kernel values, a vector at a time.
#pragma once

#include <cmath>

#include "simd/exponential.hpp"
#include "simd/micro_kernels.hpp"

namespace mercer {
namespace MERCER_ISA {

constexpr double log2_e = 1.4426950408889634;

// exp(-gamma distance) in place of each distance.
template <class T, int count>
static inline void finish_distances(const LeafParameters& leaf, Vector<T> (&distance)[count]) {
    const Vector<T> scale = splat<T>(T(-leaf.gamma * log2_e));
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) distance[i] = at_least_zero<T>(distance[i]) * scale;
    powers_of_two<T, count>(distance);
}

// (gamma <x, z> + coef0)^degree, or its tanh
template <class T, LeafKind kind>
static inline Vector<T> finish_product(const LeafParameters& leaf, Vector<T> sum) {
    Vector<T> base = splat<T>(T(leaf.gamma)) * sum + splat<T>(T(leaf.coef0));
    if constexpr (kind == LeafKind::sigmoid) {
        for (int i = 0; i < Lanes<T>::count; ++i) base[i] = std::tanh(base[i]);
        return base;
    } else {
        static_assert(kind == LeafKind::polynomial);
        Vector<T> power = splat<T>(T(1));
        for (int d = 0; d < leaf.degree; ++d) power = power * base;
        return power;
    }
}

// Kernel values in place of inner products (laplacian, by differences: distances), of which several
// vectors are finished side by side. norms: |x|^2 + |z|^2. Formulas: form.py, Leaf.
template <class T, LeafKind kind, int count>
static inline void finish(const LeafParameters& leaf, const Vector<T> (&norms)[count],
                          Vector<T> (&value)[count]) {
    if constexpr (kind == LeafKind::gaussian) {
#pragma GCC unroll 8
        for (int i = 0; i < count; ++i) value[i] = splat<T>(T(-2)) * value[i] + norms[i];
        finish_distances<T, count>(leaf, value);
    } else if constexpr (kind == LeafKind::gaussian_by_differences || kind == LeafKind::laplacian) {
        finish_distances<T, count>(leaf, value);
    } else if constexpr (kind == LeafKind::polynomial || kind == LeafKind::sigmoid) {
        for (int i = 0; i < count; ++i) value[i] = finish_product<T, kind>(leaf, value[i]);
    } else {
        static_assert(kind == LeafKind::linear);
    }
}

// One vector of them.
template <class T, LeafKind kind>
static inline Vector<T> finish_one(const LeafParameters& leaf, Vector<T> value, Vector<T> norms) {
    Vector<T> alone[1] = {value};
    const Vector<T> its_norms[1] = {norms};
    finish<T, kind, 1>(leaf, its_norms, alone);
    return alone[0];
}

// Calls work.template operator()<kind>() for the kind of the leaf, so that loops are compiled for
// each kind.
template <class Work>
static inline void for_kind(LeafKind kind, const Work& work) {
    switch (kind) {
        case LeafKind::linear: return work.template operator()<LeafKind::linear>();
        case LeafKind::polynomial: return work.template operator()<LeafKind::polynomial>();
        case LeafKind::gaussian: return work.template operator()<LeafKind::gaussian>();
        case LeafKind::gaussian_by_differences:
            return work.template operator()<LeafKind::gaussian_by_differences>();
        case LeafKind::laplacian: return work.template operator()<LeafKind::laplacian>();
        case LeafKind::sigmoid: return work.template operator()<LeafKind::sigmoid>();
    }
    __builtin_unreachable();
}

}  // namespace MERCER_ISA
}  // namespace mercer
