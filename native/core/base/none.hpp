// The position of what is nowhere.
#pragma once

#include <cstddef>
#include <limits>

namespace mercer {

inline constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

}  // namespace mercer
