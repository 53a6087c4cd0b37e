// Second order while the rows it touches fit into the cache, hybrid maximum gain when they do not.
#pragma once

#include <cstdint>
#include <vector>

#include "core/smo/selection/maximum_gain.hpp"
#include "core/smo/selection/policies.hpp"

namespace mercer::smo {

// Maximum gain computes one row where second order computes two, but takes more iterations, and
// each looks at two rows (docs/theory/smo.md#automatic-selection). That pays if three things come
// together: the touched rows do not fit, most requests of second order are misses, and a row costs
// much more than a look at it (docs/policies.md has the measurements). All three are counted, not
// timed: a run can be repeated.
template <class T>
class Automatic final : public Selection<T> {
  public:
    explicit Automatic(const Options& options) : hybrid_(Rows::pair, true, options) {}

    Choice<T> select(State<T>& state, const Hint& hint) override;
    void remember(const State<T>& state, Choice<T>&& choice) override;
    bool forget() override { return hybrid_.forget(); }

  private:
    void touch(const State<T>& state, Pair pair);
    void decide(const State<T>& state);

    SecondOrder<T> second_order_;
    MaximumGain<T> hybrid_;
    std::vector<std::uint8_t> touched_;  // by data row
    std::size_t n_touched_ = 0;
    std::size_t iterations_ = 0, rows_before_ = 0;  // of the window, and before it
    bool uses_hybrid_ = false;
};

}  // namespace mercer::smo
