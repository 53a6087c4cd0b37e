// The Newton direction of free variables whose group sums stay as they are.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace mercer {

// x <- H^-1 x; false if that fails.
using LinearSolve = std::function<bool(std::vector<double>& x)>;

// d = H^-1 (slopes - A' nu) with nu such that every group's sum of d is zero. group: of each slope,
// -1 for none. Nothing if a solve fails.
std::optional<std::vector<double>> newton_direction(const LinearSolve& solve,
                                                    std::vector<double> slopes,
                                                    const std::vector<int>& group,
                                                    std::size_t n_groups);

}  // namespace mercer
