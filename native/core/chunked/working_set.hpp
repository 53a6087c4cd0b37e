// Which variables the next chunk holds: violators from both ends of the gradient (Joachims 1999),
// and some of the last chunk (docs/theory/chunked.md#which-variables).
#pragma once

#include <vector>

#include "core/chunked/variables.hpp"

namespace mercer::chunked {

// The most violating variables, from both ends of the gradient in turn, and the newest members of
// the last chunk, free ones first: variables that were just released or bound are the likeliest to
// move again (keeping the oldest instead takes several times as many chunks).
class WorkingSet {
  public:
    // `size`: variables of a chunk; `keep`: how many may stay from the last one
    WorkingSet(std::size_t size, std::size_t keep)
        : start_size_(size), start_keep_(keep), size_(size), keep_(keep) {}

    // Variables of the largest chunk.
    static std::size_t most(std::size_t size) { return 4 * size; }
    // If few variables are active, all are chosen: one larger chunk replaces several. The limit is
    // somewhat higher if all variables have stayed active for some chunks.
    bool takes_all(std::size_t n_active) const {
        return n_active <= 2 * size_ || (n_alike_ > 4 && n_active <= 3 * start_size_);
    }
    // Many free variables in many chunks undo each other's steps: from now on fewer, larger ones.
    void grow() {
        size_ = 2 * start_size_;
        keep_ = 2 * start_keep_;
    }
    bool has_grown() const { return size_ > start_size_; }

    template <class T>
    const std::vector<std::uint32_t>& choose(const Variables<T>& variables);

  private:
    struct Candidate {
        double key;         // how far towards the other end, larger first
        std::uint32_t tie;  // scrambled variable: ties must not follow the order of the data
        std::uint32_t variable;
        bool operator<(const Candidate& other) const {
            return key != other.key ? key > other.key : tie < other.tie;
        }
    };
    // Violators at one end of a group: keys are the gradients of variables that may grow, or the
    // negated gradients of those that may fall.
    struct End {
        double threshold;  // the other end: violators lie above
        double floor;      // others are not worth looking at
        std::vector<Candidate> found;
        std::size_t n_taken = 0;  // of these, into the chunk
        bool admits(double key) const { return key > threshold && key >= floor; }
        bool is_short_of(std::size_t count) const {
            return floor > -infinity && found.size() < count;
        }
    };
    // Two ends for each group; first[group + 1] is the upper one.
    struct Ends {
        std::vector<End> all;
        std::vector<std::size_t> first;
    };

    static Ends ends_of(const std::vector<Extremes>& extremes);
    template <class T, class Found>
    static void look_at(const Variables<T>& variables, std::uint32_t v, const Ends& ends,
                        const Found& found);
    template <class T>
    static void raise_floors(const Variables<T>& variables, std::size_t most, Ends& ends);
    template <class T>
    static void collect(const Variables<T>& variables, std::size_t most, Ends& ends);
    static void keep_best(std::vector<Candidate>& candidates, std::size_t most);
    static std::vector<int> groups_by_violation(const std::vector<Extremes>& extremes);
    template <class T>
    static Ends violators(const Variables<T>& variables, std::size_t most);
    void take_in_turn(std::vector<End>& ends, std::size_t until);
    template <class T>
    void take_last(const Variables<T>& variables, std::size_t until);
    void add(std::uint32_t v);

    std::size_t start_size_, start_keep_, size_, keep_;
    std::size_t n_active_ = 0, n_alike_ = 0;  // of the last chunk; chunks in a row that had so many
    std::vector<std::uint32_t> members_, last_;
    std::vector<std::uint8_t> is_member_;
};

}  // namespace mercer::chunked
