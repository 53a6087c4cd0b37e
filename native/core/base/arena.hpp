// Memory that successive solves on one Gram reuse, so that repeated solves touch no fresh pages.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/after_fork.hpp"
#include "core/base/buffer.hpp"

namespace mercer {

class Arena {
  public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    // requires: every block was given back
    ~Arena() {
        for (const Block& block : free_) give_memory(block.memory, block.bytes);
    }

    struct Block {
        void* memory = nullptr;
        std::size_t bytes = 0;
    };

    // The smallest free block that holds `bytes`, or a new one. New blocks are powers of two:
    // untouched pages take no memory, and blocks that grow a little need not be allocated again.
    Block take(std::size_t bytes) {
        std::lock_guard lock(mutex_);
        auto best = free_.end();
        for (auto b = free_.begin(); b != free_.end(); ++b) {
            if (b->bytes >= bytes && (best == free_.end() || b->bytes < best->bytes)) best = b;
        }
        if (best == free_.end()) {
            ++n_blocks_;
            bytes = std::bit_ceil(bytes);
            return {take_memory(bytes), bytes};
        }
        const Block block = *best;
        free_.erase(best);
        return block;
    }

    void give(Block block) {
        std::lock_guard lock(mutex_);
        free_.push_back(block);
    }

    // Blocks ever made.
    std::size_t n_blocks() const {
        std::lock_guard lock(mutex_);
        return n_blocks_;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<Block> free_;
    std::size_t n_blocks_ = 0;
    // In the child of a fork, a list that another thread was changing is left alone.
    AfterFork after_fork_{[this] {
        if (!is_consistent(mutex_)) renew(free_);
    }};
};

// Room for numbers in a block of an arena, which it goes back to.
template <class T>
class Borrowed {
  public:
    explicit Borrowed(Arena& arena) : arena_(&arena) {}
    Borrowed(Borrowed&& other) noexcept : arena_(other.arena_), block_(other.block_) {
        other.block_ = {};
    }
    Borrowed& operator=(Borrowed&& other) noexcept {
        std::swap(arena_, other.arena_);
        std::swap(block_, other.block_);
        return *this;
    }
    ~Borrowed() { give_back(); }

    T* data() { return static_cast<T*>(block_.memory); }
    const T* data() const { return static_cast<const T*>(block_.memory); }
    T& operator[](std::size_t i) {
        assert((i + 1) * sizeof(T) <= block_.bytes);
        return data()[i];
    }
    const T& operator[](std::size_t i) const {
        assert((i + 1) * sizeof(T) <= block_.bytes);
        return data()[i];
    }

    // Room for at least `count` numbers; what was there is lost.
    void require(std::size_t count) {
        const std::size_t bytes = checked_product(count + 1, sizeof(T));
        if (bytes <= block_.bytes) return;
        give_back();
        block_ = arena_->take(bytes);
    }

  private:
    void give_back() {
        if (block_.memory) arena_->give(block_);
        block_ = {};
    }

    Arena* arena_;
    Arena::Block block_;
};

}  // namespace mercer
