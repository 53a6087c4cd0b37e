// Maximum gain with working sets of more than two variables.
#pragma once

#include <vector>

#include "core/smo/restricted.hpp"
#include "core/smo/selection.hpp"

namespace mercer::smo {

// All but one variable of the last set, and one new variable: the combination of largest gain
// (Glasmachers & Igel 2006, section 2.5). The set grows from a pair to its size. Falls back to the
// second-order pair where every variable of the last set in the group of largest violation is at a
// bound. For study: one small problem is solved for each combination.
template <class T>
class LargeMaximumGain final : public Selection<T> {
  public:
    explicit LargeMaximumGain(const Options& options)
        : set_size_(options.set_size), eta_(options.eta) {}

    Choice<T> select(State<T>& state, const Hint& hint) override;
    void remember(const State<T>& state, Choice<T>&& choice) override;
    bool forget() override;

  private:
    using Row = typename State<T>::Row;
    struct Best {
        double gain = 0.0;
        std::vector<std::size_t> set;
    };

    bool may_continue(const State<T>& state, std::size_t group) const;
    void search(const State<T>& state, std::size_t group, std::size_t left_out, Best& best) const;

    std::size_t set_size_;
    double eta_;
    std::vector<std::size_t> last_;
    std::vector<Row> rows_;
};

// The problem of the variables `set` at the present point. requires: rows[k] is the row of set[k];
// the last row may be missing
template <class T>
Restricted restrict_to(const State<T>& state, const std::vector<std::size_t>& set,
                       const std::vector<const typename State<T>::Row*>& rows);

}  // namespace mercer::smo
