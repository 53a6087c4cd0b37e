// Chooses the instruction set once, at first use.

#include "simd/instruction_set.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace mercer {

namespace baseline {
extern const InstructionSet set;
}
#ifdef MERCER_X86
namespace avx2 {
extern const InstructionSet set;
}
namespace avx512 {
extern const InstructionSet set;
}
#endif

namespace {

struct Candidate {
    const InstructionSet* set;
    bool runs_here;
};

// requires: the result is ordered from worst to best.
int candidates(Candidate (&out)[3]) {
    int count = 0;
    out[count++] = {&baseline::set, true};
#ifdef MERCER_X86
    __builtin_cpu_init();
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 =
        has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    out[count++] = {&avx2::set, has_avx2};
    out[count++] = {&avx512::set, has_avx512};
#endif
    return count;
}

const InstructionSet& choose() {
    Candidate known[3];
    const int count = candidates(known);
    const char* wanted = std::getenv("MERCER_ISA");
    std::string names;
    for (int i = count - 1; i >= 0; --i) {
        if (!known[i].runs_here) continue;
        if (!wanted || !*wanted || std::strcmp(wanted, known[i].set->name) == 0)
            return *known[i].set;
        names += std::string(names.empty() ? "" : ", ") + known[i].set->name;
    }
    throw std::runtime_error("MERCER_ISA=" + std::string(wanted) +
                             " cannot run on this machine; available: " + names);
}

}  // namespace

const InstructionSet& instruction_set() {
    static const InstructionSet& chosen = choose();
    return chosen;
}

}  // namespace mercer
