// The expansion of a point, recomputed in double precision only where that can matter.
//
// A solver that worked in single precision knows the gradient of every variable up to an error.
// With B a bound of that error, only variables whose gradient lies within 2 B of the extremes can
// be extremes; these are recomputed in double precision, so the violation is the true one. Where
// errors could show in the objective, every variable with a coefficient is recomputed, too.
//
// Errors are sums of many independent roundings. B is eight times the largest one in a sample
// spread over all variables: some twenty standard deviations. If the sample has all variables there
// is nothing to bound. Distances of outlying rows have the largest rounding: the farthest rows are
// always recomputed, and the next ones are part of the sample, as are some rows with a coefficient.
// If errors are larger than rounding explains, the bound is not used. Values that are updated from
// run to run keep their errors, except those that were corrected on the way; to estimate the errors
// of the others from the sample, the corrections are added to it.
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
    // A violation up to this need not be exact: the bound 2 B above the computed one is enough.
    double enough = 0.0;
    // Whether to keep the kernel rows of the sample in the cache for later problems.
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
    // By how much the violation of these values may be too small: because they only bound it, and
    // because double precision sums may be added in another order.
    double doubt;
    // The likely error of the objective of these values.
    double objective_doubt;
};

// gradient: at `beta`, as followed from the anchor. lengths: of the rows of the Gram, or null.
// Empty if rounding does not explain the errors, or if recomputing all values is as cheap.
std::optional<SelectiveValues> recompute_selected(const ProblemView& problem, Gram<double>& gram,
                                                  const double* beta, const double* gradient,
                                                  const Anchor& anchor, const double* lengths,
                                                  const SelectiveOptions& options,
                                                  const Poll& poll);

}  // namespace mercer
