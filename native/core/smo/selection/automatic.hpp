// Second order while the rows it touches fit into the cache, hybrid maximum gain when they do not.
#pragma once

#include <cstdint>
#include <vector>

#include "core/smo/selection/maximum_gain.hpp"
#include "core/smo/selection/policies.hpp"

namespace mercer::smo {

// A row that is computed for the second time shows that the rows do not fit. Second order asks for
// two rows where maximum gain asks for one; once most of its requests are met by the cache it is
// better, since it needs fewer iterations (spec 001, 2.15; docs/policies.md has the measurements).
template <class T>
class Automatic final : public Selection<T> {
  public:
    explicit Automatic(const Options& options) : hybrid_(Rows::pair, true, options) {}

    Choice<T> select(State<T>& state, const Hint& hint) override;
    void remember(const State<T>& state, Choice<T>&& choice) override;
    bool forget() override { return hybrid_.forget(); }

  private:
    SecondOrder<T> second_order_;
    MaximumGain<T> hybrid_;
    std::vector<std::uint8_t> touched_;  // by data row
    std::size_t n_touched_ = 0;
    bool fits_ = true;
};

}  // namespace mercer::smo
