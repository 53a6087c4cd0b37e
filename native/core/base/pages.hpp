// Raw memory: large blocks on huge pages, where the system gives them.
//
// Fresh memory is handed out page by page as it is touched. With pages of 4 KB that can take longer
// than to compute what goes there, and to clear the pages takes long in any case. So a few large
// blocks that were given back are kept for whoever asks next: fits tend to be followed by others.
#pragma once

#include <cstddef>

namespace mercer {

inline constexpr std::size_t cache_line = 64, huge_page = std::size_t(2) << 20;
// Bytes that are kept at most while they are not in use: the matrix of 4,000 rows in single
// precision, and their features.
inline constexpr std::size_t most_kept = std::size_t(112) << 20;

void* take_memory(std::size_t bytes);

// requires: `memory` was taken with as many bytes
void give_memory(void* memory, std::size_t bytes);

}  // namespace mercer
