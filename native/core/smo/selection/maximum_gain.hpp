// Maximum gain: the best pair that shares a variable with a recent one, whose rows are at hand.
#pragma once

#include <vector>

#include "core/smo/selection.hpp"

namespace mercer::smo {

// Which rows are searched.
enum class Rows {
    newest,  // that of the variable the last pair brought in (Glasmachers & Igel 2006, section 2.5)
    pair,    // those of the last pair (section 2.3)
    recent,  // those of the last few variables (section 2.5)
    cached,  // all that are in the cache (section 2.5)
};

// Pure maximum gain stops where no related pair gains, optimal or not
// (Glasmachers & Igel 2006, theorem 7). The hybrid falls back to another policy where the last pair
// is in a corner of its box, and so converges (section 2.4). Each group has its own last pair, and
// the group of largest violation is served: a pair has no relative in another group.
template <class T>
class MaximumGain final : public Selection<T> {
  public:
    MaximumGain(Rows rows, bool is_hybrid, const Options& options);

    Choice<T> select(State<T>& state, const Hint& hint) override;
    void remember(const State<T>& state, Choice<T>&& choice) override;
    bool forget() override;

  private:
    // A row stays in the cache as long as it is held.
    struct Held {
        std::size_t position;
        typename State<T>::Row row;
    };
    struct Memory {
        Pair last;
        std::vector<Held> held;  // the most recent first
    };

    bool may_continue(const State<T>& state, const Memory& memory) const;
    Choice<T> related(State<T>& state, std::size_t group) const;
    void hold(Memory& memory, Choice<T>&& choice) const;

    Rows rows_;
    bool is_hybrid_, falls_back_to_second_order_;
    double eta_;
    std::size_t limit_;
    std::vector<Memory> memory_;  // of each group
};

}  // namespace mercer::smo
