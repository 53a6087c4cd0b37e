// Which pair to move next: each policy is a small type in selection/.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/smo/options.hpp"
#include "core/smo/state.hpp"

namespace mercer::smo {

// A pair together with the kernel rows that are known of it so far.
template <class T>
struct Choice {
    Pair pair;
    typename State<T>::Row up_row, down_row;
    bool is_related = false;   // shares a variable with a recent pair, found by maximum gain
    double newton = infinity;  // length of the step without the box, if the selection knows it
    // Working sets larger than a pair: all their variables; `pair` is the worst pair of them.
    std::vector<std::size_t> set;
    std::vector<typename State<T>::Row> set_rows;
};

// A pair that was moved before, with its curvature.
struct Candidate {
    Pair pair;
    double curvature;
};

// What the step policy asks of the next selection.
struct Hint {
    std::span<const Candidate> candidates;  // to be considered, too
    bool clipped = false;                   // compare by the gain within the box
    const Direction* conjugate = nullptr;   // the step will be made conjugate to this
};

template <class T>
class Selection {
  public:
    virtual ~Selection() = default;
    // A violating pair among the active variables; no pair if there is none.
    virtual Choice<T> select(State<T>& state, const Hint& hint) = 0;
    // The choice was moved along; its rows may be kept.
    virtual void remember(const State<T>&, Choice<T>&&) {}
    // Forgets what was remembered; false if there was nothing.
    virtual bool forget() { return false; }
};

template <class T>
std::unique_ptr<Selection<T>> make_selection(const Options& options);

// Replaces the choice by the candidate of largest gain, turned so that it is violating, if that
// gain is larger and the box allows a step (Glasmachers 2008, algorithm 7.2, corrected).
template <class T>
void consider(State<T>& state, std::span<const Candidate> candidates, bool clipped,
              Choice<T>& choice);

// The group of largest violation; n_groups for the variables without one.
template <class T>
std::size_t worst_group(State<T>& state);

template <class T>
Choice<T> most_violating_in(State<T>& state, std::size_t group);
template <class T>
Choice<T> second_order_in(State<T>& state, std::size_t group, const Hint& hint);

}  // namespace mercer::smo
