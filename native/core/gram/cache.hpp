// Kernel row segments kept within a byte budget, the least recently used dropped first.
//
// Pinned segments stay. If all are pinned the cache exceeds its budget instead of refusing a
// caller, because a solver always needs the rows of its working set. Not synchronised: Gram locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <unordered_map>
#include <vector>

#include "core/base/buffer.hpp"

namespace mercer {

template <class T>
class SegmentCache {
  public:
    struct Entry {
        std::size_t row, segment, length;
        Buffer<T> values;
        int pins = 0;
        bool ready = false, failed = false;
    };

    explicit SegmentCache(std::size_t budget_bytes) : budget_(budget_bytes) {}

    // The entry, moved to the front of the line; null if it is not there.
    Entry* find(std::size_t row, std::size_t segment) {
        const auto found = where_.find(key(row, segment));
        if (found == where_.end()) return nullptr;
        line_.splice(line_.begin(), line_, found->second);
        return &line_.front();
    }

    // The entry where it stands in the line; null if it is not there.
    Entry* peek(std::size_t row, std::size_t segment) {
        const auto found = where_.find(key(row, segment));
        return found == where_.end() ? nullptr : &*found->second;
    }

    // A new entry that is not ready. requires: find(row, segment) == nullptr
    Entry* admit(std::size_t row, std::size_t segment, std::size_t length) {
        make_room(length);
        Buffer<T> memory = take_spare(length);
        line_.push_front(Entry{row, segment, length, std::move(memory)});
        where_[key(row, segment)] = line_.begin();
        used_ += length * sizeof(T);
        return &line_.front();
    }

    // Nothing happens if the entry is no longer one of the cache.
    void remove(const Entry* entry) {
        const auto found = where_.find(key(entry->row, entry->segment));
        if (found != where_.end() && &*found->second == entry) drop(found->second);
    }

    // Entries that no thread can complete are no longer found; their holders keep them.
    void disown_unready() {
        for (auto it = line_.begin(); it != line_.end();) {
            const auto next = std::next(it);
            if (!it->ready) {
                used_ -= it->length * sizeof(T);
                where_.erase(key(it->row, it->segment));
                disowned_.splice(disowned_.end(), line_, it);
            }
            it = next;
        }
    }

    // Whether `count` segments of this length fit into the budget.
    bool has_room_for(std::size_t count, std::size_t length) const {
        return length == 0 || count <= budget_ / sizeof(T) / length;
    }

    std::size_t budget_bytes() const { return budget_; }

  private:
    using Line = std::list<Entry>;

    static std::uint64_t key(std::size_t row, std::size_t segment) {
        return std::uint64_t(row) << 16 | segment;
    }

    // Drops from the end of the line until `length` more values fit; their memory becomes spare.
    void make_room(std::size_t length) {
        const std::size_t bytes = length * sizeof(T);
        for (auto it = line_.end(); used_ + bytes > budget_ && it != line_.begin();) {
            --it;
            if (it->pins > 0 || !it->ready) continue;
            spare_.push_back(std::move(it->values));
            it = drop(it);
        }
    }

    // Memory for a segment. If pinned segments exceed the budget, as those of many free variables
    // do, they come and go one by one: some memory stays spare, an eighth of what is in use.
    Buffer<T> take_spare(std::size_t length) {
        Buffer<T> memory;
        while (!spare_.empty() && memory.size() < length) {
            memory = std::move(spare_.back());
            spare_.pop_back();
        }
        const std::size_t kept = used_ > budget_ ? line_.size() / 8 : 0;
        if (spare_.size() > kept) spare_.resize(kept);
        return memory.size() < length ? Buffer<T>(length) : std::move(memory);
    }

    typename Line::iterator drop(typename Line::iterator it) {
        used_ -= it->length * sizeof(T);
        where_.erase(key(it->row, it->segment));
        return line_.erase(it);
    }

    std::size_t budget_, used_ = 0;
    std::vector<Buffer<T>> spare_;
    Line line_, disowned_;
    std::unordered_map<std::uint64_t, typename Line::iterator> where_;
};

}  // namespace mercer
