// The selection policies. Those of maximum gain stand in files of their own.
#pragma once

#include <vector>

#include "core/smo/selection.hpp"

namespace mercer::smo {

// The pair that violates optimality most.
template <class T>
class MostViolating final : public Selection<T> {
  public:
    Choice<T> select(State<T>& state, const Hint& hint) override;
};

// In each group i = argmax of the gradient over what may grow, and j the violating partner with the
// largest gain of an unclipped step, (G_i - G_j)^2 / (2 Q_ij) (Fan et al. 2005). Among
// groups, and variables without one, the largest gain wins.
template <class T>
class SecondOrder final : public Selection<T> {
  public:
    Choice<T> select(State<T>& state, const Hint& hint) override;
};

// The pair of largest gain of all (Glasmachers & Igel 2006, section 2.3).
template <class T>
class Greedy final : public Selection<T> {
  public:
    Choice<T> select(State<T>& state, const Hint& hint) override;
};

// Second order, or the pair before the last if that gains more: what planning ahead selects,
// without the planning (Glasmachers 2008, section 7.2.2).
template <class T>
class Recall final : public Selection<T> {
  public:
    Choice<T> select(State<T>& state, const Hint& hint) override;
    void remember(const State<T>& state, Choice<T>&& choice) override;

  private:
    SecondOrder<T> second_order_;
    std::vector<Candidate> last_;  // at most two, the older first
};

}  // namespace mercer::smo
