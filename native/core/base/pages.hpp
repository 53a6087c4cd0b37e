// Raw memory: large blocks on huge pages, where the system gives them.
//
// Fresh memory is handed out page by page as it is touched. With pages of 4 KB that can take longer
// than to compute what goes there.
#pragma once

#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mercer {

inline constexpr std::size_t cache_line = 64, huge_page = std::size_t(2) << 20;

inline std::align_val_t alignment_of(std::size_t bytes) {
    return std::align_val_t(bytes < huge_page ? cache_line : huge_page);
}

inline void* take_memory(std::size_t bytes) {
    void* memory = ::operator new(bytes, alignment_of(bytes));
#if defined(__linux__)
    // Advice only: without huge pages the memory is as good.
    if (bytes >= huge_page) (void)madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    return memory;
}

// requires: `memory` was taken with as many bytes
inline void give_memory(void* memory, std::size_t bytes) {
    ::operator delete(memory, alignment_of(bytes));
}

}  // namespace mercer
