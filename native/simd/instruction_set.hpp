// What is compiled once per instruction set, and which one is in use.
#pragma once

#include "simd/byte_rows.hpp"
#include "simd/event_search.hpp"
#include "simd/factor.hpp"
#include "simd/micro_kernels.hpp"
#include "simd/scan.hpp"
#include "simd/shapley.hpp"
#include "simd/subproblem.hpp"
#include "simd/support.hpp"
#include "simd/vectors.hpp"

namespace mercer {

// Functions for kernel values of either precision.
template <template <class> class Functions>
struct BothPrecisions {
    const Functions<float>* single;
    const Functions<double>* full;

    template <class T>
    const Functions<T>& of() const {
        if constexpr (sizeof(T) == sizeof(float)) return *single;
        else return *full;
    }
};

struct InstructionSet {
    const char* name;
    BothPrecisions<MicroKernels> micro_kernels;
    BothPrecisions<SubproblemFunctions> subproblem;
    BothPrecisions<FactorFunctions> factor;
    BothPrecisions<ScanFunctions> scan;
    const ByteFunctionSet* bytes;
    const VectorFunctions* vectors;
    const EventFunctions* events;
    const SupportFunctions* support;
    const ShapleyFunctions* shapley;
};

// The best instruction set of this machine, or the one named by the environment variable
// MERCER_ISA. Throws std::runtime_error if that names none this machine can run.
const InstructionSet& instruction_set();

template <class T>
const MicroKernels<T>& micro_kernels() {
    return instruction_set().micro_kernels.of<T>();
}

}  // namespace mercer
