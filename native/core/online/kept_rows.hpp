// Kernel rows of the examples that are kept, each in a slot of its own, within a bound of memory.
//
// A new row brings its values with all others. Those are copied into the rows of the others when
// these are next asked for: a whole column at once would touch a line of memory for each row. Rows
// grow one by one, too, so that no example makes all of them move.
//
// Beyond the bound the least recently used row goes, and is computed again when it is asked for. It
// leaves its values to the rows that have not copied them yet.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace mercer::online {

template <class T>
class KeptRows {
  public:
    // Fills in the kernel values of a slot with all slots.
    using Compute = std::function<void(std::size_t slot, T* values)>;

    // `max_bytes`: of all rows, 0: no bound. Two rows stay whatever it is.
    KeptRows(std::size_t max_bytes, Compute compute)
        : max_bytes_(max_bytes), compute_(std::move(compute)) {}

    // Slots are 0, ..., n_slots() - 1, some of them free, but not the last.
    std::size_t n_slots() const { return rows_.size(); }
    std::size_t n_kept() const { return rows_.size() - free_.size(); }
    bool is_kept(std::size_t slot) const { return filled_[slot] > 0; }
    // The slot of the next example: the first that is free.
    std::size_t next_slot() const { return free_.empty() ? n_slots() : *free_.begin(); }

    // Fills a slot; values[s] is the kernel value with slot s, its own among them.
    // requires: the slot is free or new
    void put(std::size_t slot, const T* values);
    // requires: the slot is kept
    void remove(std::size_t slot);

    // k(x, x) of each slot.
    const std::vector<double>& curvature() const { return curvature_; }

    // The kernel row of a kept slot, with the values of all kept ones; valid until it is removed,
    // slots are added or two other rows were asked for.
    const T* row(std::size_t slot);
    // One value of two kept slots, from a row that is held if there is one.
    T value(std::size_t a, std::size_t b) {
        return is_held(a) || !is_held(b) ? row(a)[b] : row(b)[a];
    }

    // Whether a row may have to be computed before `n_new` more slots are filled.
    bool may_lack(std::size_t n_new) const;

    // Closes the gaps: the slots that are kept, in ascending order, get the numbers 0, 1, ...
    // Returns where each was.
    std::vector<std::size_t> compact();

    std::size_t bytes() const { return bytes_; }
    std::size_t n_held() const { return n_held_; }
    std::size_t n_computed() const { return n_computed_; }

  private:
    // Not aligned: glibc 2.36 does not use aligned memory of the same length again.
    using Row = std::vector<T>;

    // A slot, and when it was filled.
    struct Fill {
        std::uint64_t time;
        std::size_t slot;
    };
    bool is_held(std::size_t slot) const { return !rows_[slot].empty(); }
    void hold(std::size_t slot, Row row);
    void compute(std::size_t slot);
    void complete(std::size_t slot);
    void lengthen(std::size_t slot);
    void keep_bound();
    void drop_oldest();
    void trim_log();
    bool is_current(const Fill& fill) const {
        return fill.slot < n_slots() && filled_[fill.slot] == fill.time;
    }

    std::size_t max_bytes_;
    Compute compute_;
    std::vector<Row> rows_;              // empty: not held
    std::vector<std::uint64_t> used_;    // when a row was last asked for, in calls
    std::vector<std::uint64_t> filled_;  // when; 0: free
    std::vector<std::uint64_t> fresh_;   // rows have the values of all slots filled until then
    std::vector<double> curvature_;
    std::set<std::size_t> free_;
    std::vector<Fill> log_;  // ascending in time
    std::uint64_t now_ = 0, n_calls_ = 0;
    std::size_t bytes_ = 0, n_held_ = 0, n_computed_ = 0;
};

}  // namespace mercer::online
