// The Newton direction of free variables whose group sums stay as they are.
#pragma once

#include <vector>

#include "core/base/cholesky.hpp"

namespace mercer {

// d = H^-1 (slopes - A' nu) with nu such that every group's sum of d is zero, H given by its
// factor. group: of each slope, -1 for none.
std::vector<double> newton_direction(const Cholesky<double>& factor, std::vector<double> slopes,
                                     const std::vector<int>& group, std::size_t n_groups);

}  // namespace mercer
