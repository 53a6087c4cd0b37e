#include "core/base/pages.hpp"

#include <bit>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mercer {

namespace {

// Under a sanitizer every block is a fresh one, so that it sees who uses it too long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool keeps = false;
#else
constexpr bool keeps = true;
#endif

std::align_val_t alignment_of(std::size_t bytes) {
    return std::align_val_t(bytes < huge_page ? cache_line : huge_page);
}

// What is taken for so many bytes: eight sizes from a power of two to the next, so that problems of
// nearly the same size share their blocks. What is not touched takes no memory.
std::size_t block_size(std::size_t bytes) {
    if (bytes < huge_page) return bytes;
    const std::size_t step = std::bit_floor(bytes) / 8;
    if (bytes > std::numeric_limits<std::size_t>::max() - step) return bytes;  // more than there is
    return (bytes + step - 1) / step * step;
}

void* fresh(std::size_t size) {
    void* memory = ::operator new(size, alignment_of(size));
#if defined(__linux__)
    // Advice only: without huge pages the memory is as good.
    if (size >= huge_page) (void)madvise(memory, size / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    return memory;
}

void release(void* memory, std::size_t size) {
    ::operator delete(memory, alignment_of(size));
}

// Blocks that are not in use, the oldest first. Whoever finds the list in use goes without it: so
// does the child of a fork that happened meanwhile.
class KeptBlocks {
  public:
    void* take(std::size_t size) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return nullptr;
        for (auto b = blocks_.begin(); b != blocks_.end(); ++b) {
            if (b->size != size) continue;
            void* const memory = b->memory;
            blocks_.erase(b);
            bytes_ -= size;
            return memory;
        }
        return nullptr;
    }

    // false if it is too large to be kept.
    bool give(void* memory, std::size_t size) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock || size > most_kept) return false;
        while (bytes_ + size > most_kept) {
            release(blocks_.front().memory, blocks_.front().size);
            bytes_ -= blocks_.front().size;
            blocks_.erase(blocks_.begin());
        }
        blocks_.push_back({memory, size});
        bytes_ += size;
        return true;
    }

  private:
    struct Block {
        void* memory;
        std::size_t size;
    };
    std::mutex mutex_;
    std::vector<Block> blocks_;
    std::size_t bytes_ = 0;
};

// Never destroyed: blocks may be given back as late as at the end of the process.
KeptBlocks& kept_blocks() {
    static KeptBlocks* const blocks = new KeptBlocks;
    return *blocks;
}

bool may_be_kept(std::size_t size) {
    return keeps && size >= huge_page;
}

}  // namespace

void* take_memory(std::size_t bytes) {
    const std::size_t size = block_size(bytes);
    void* const memory = may_be_kept(size) ? kept_blocks().take(size) : nullptr;
    return memory ? memory : fresh(size);
}

void give_memory(void* memory, std::size_t bytes) {
    const std::size_t size = block_size(bytes);
    if (!memory || (may_be_kept(size) && kept_blocks().give(memory, size))) return;
    release(memory, size);
}

}  // namespace mercer
