// From inner products or distances to kernel values, a vector at a time.
#pragma once

#include <cmath>

#include "simd/exponential.hpp"
#include "simd/leaf.hpp"

namespace mercer {
namespace MERCER_ISA {

constexpr double log2_e = 1.4426950408889634;

// exp(-gamma distance)
template <class T>
static inline Vector<T> finish_distance(const LeafParameters& leaf, Vector<T> distance) {
    return power_of_two<T>(at_least_zero<T>(distance) * splat<T>(T(-leaf.gamma * log2_e)));
}

// One vector of inner products (laplacian: distances) to kernel values. Formulas: form.py, Leaf.
template <class T, LeafKind kind>
static inline Vector<T> finish(const LeafParameters& leaf, Vector<T> sum, Vector<T> left,
                               Vector<T> right) {
    if constexpr (kind == LeafKind::linear) {
        return sum;
    } else if constexpr (kind == LeafKind::gaussian) {
        return finish_distance<T>(leaf, (left + right) - (sum + sum));
    } else if constexpr (kind == LeafKind::laplacian) {
        return finish_distance<T>(leaf, sum);
    } else {
        Vector<T> base = splat<T>(T(leaf.gamma)) * sum + splat<T>(T(leaf.coef0));
        if constexpr (kind == LeafKind::sigmoid) {
            for (int i = 0; i < Lanes<T>::count; ++i) base[i] = std::tanh(base[i]);
            return base;
        }
        Vector<T> power = splat<T>(T(1));
        for (int d = 0; d < leaf.degree; ++d) power = power * base;
        return power;
    }
}

// Calls work.template operator()<kind>() for the kind of the leaf, so that loops are compiled for
// each kind.
template <class Work>
static inline void for_kind(LeafKind kind, const Work& work) {
    switch (kind) {
        case LeafKind::linear: return work.template operator()<LeafKind::linear>();
        case LeafKind::polynomial: return work.template operator()<LeafKind::polynomial>();
        case LeafKind::gaussian: return work.template operator()<LeafKind::gaussian>();
        case LeafKind::laplacian: return work.template operator()<LeafKind::laplacian>();
        case LeafKind::sigmoid: return work.template operator()<LeafKind::sigmoid>();
    }
}

}  // namespace MERCER_ISA
}  // namespace mercer
