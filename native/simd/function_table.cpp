// The table of one instruction set, compiled once for each (MERCER_ISA names it).

#include "simd/instruction_set.hpp"

namespace mercer {
namespace MERCER_ISA {

extern const MicroKernels<float> micro_kernels_single;
extern const MicroKernels<double> micro_kernels_full;
extern const SubproblemFunctions<float> subproblem_single;
extern const SubproblemFunctions<double> subproblem_full;
extern const FactorFunctions<float> factor_single;
extern const FactorFunctions<double> factor_full;
extern const ScanFunctions<float> scan_single;
extern const ScanFunctions<double> scan_full;
extern const ByteFunctionSet byte_functions;
extern const VectorFunctions vector_functions;
extern const EventFunctions event_functions;
extern const SupportFunctions support_functions;
extern const ShapleyFunctions shapley_functions;

extern const InstructionSet set;
const InstructionSet set = {MERCER_ISA_NAME,
                            {&micro_kernels_single, &micro_kernels_full},
                            {&subproblem_single, &subproblem_full},
                            {&factor_single, &factor_full},
                            {&scan_single, &scan_full},
                            &byte_functions,
                            &vector_functions,
                            &event_functions,
                            &support_functions,
                            &shapley_functions};

}  // namespace MERCER_ISA
}  // namespace mercer
