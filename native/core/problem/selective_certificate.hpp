// The expansion of a point, recomputed in double precision only where that can matter.
//
// A solver that worked in single precision knows the gradient of every variable up to an error.
// With B a bound of that error, only variables whose gradient lies within 2 B of the extremes can
// be extremes; these are recomputed in double precision, so the violation is the true one. Where
// errors could show in the objective, every variable with a coefficient is recomputed, too.
//
// Errors are sums of many independent roundings. B is eight times the largest one in a sample
// spread over all variables: some twenty standard deviations. A sample of all leaves nothing to
// bound. Distances of rows that lie far out are rounded most: the farthest are recomputed always,
// and the ones next to them are part of the sample; so are some that have a coefficient. Errors
// beyond what rounding explains are not relied on. Values that are followed from run to run keep
// their errors, except for those that were corrected on the way: to tell from a sample what the
// errors of the others are, corrections are added to it.
#pragma once

#include <optional>
#include <vector>

#include "core/gram/gram.hpp"
#include "core/problem/problem.hpp"

namespace mercer {

struct SelectiveOptions {
    std::size_t sample = 128;  // variables to check the bound on
    // The largest error that rounding explains, relative to the distance from the anchor and the
    // diagonal.
    double error_per_norm = 2e-6;
    // A violation up to this need not be exact: a bound of it, 2 B above the one found, will do.
    double enough = 0.0;
    // Whether to keep the kernel rows of the sample in the cache: others will ask for them.
    bool keeps_sample = false;
};

// A point whose gradient is known up to `error`; without coefficients the zero point.
struct Anchor {
    const double* beta = nullptr;
    double error = 0.0;
    const double* corrections = nullptr;  // of its values so far; null: none
};

struct SelectiveValues {
    std::vector<double> values;       // (K beta)[index]
    std::vector<double> corrections;  // of the values so far
    double bound;                     // of the errors of those that were not recomputed
    // By how much the violation of these values may be too small: that they only bound it, and
    // sums in double precision that are added up in another order.
    double doubt;
    // By how much the objective of these values is likely off.
    double objective_doubt;
};

// gradient: at `beta`, as followed from the anchor. lengths: of the rows of the Gram, or null.
// Nothing if rounding does not explain the errors, or if all values might as well be recomputed.
std::optional<SelectiveValues> recompute_selected(const ProblemView& problem, Gram<double>& gram,
                                                  const double* beta, const double* gradient,
                                                  const Anchor& anchor, const double* lengths,
                                                  const SelectiveOptions& options,
                                                  const Poll& poll);

}  // namespace mercer
