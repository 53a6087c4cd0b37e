// Which pair to move next: each policy is a small type.
#pragma once

#include <memory>
#include <string>

#include "core/smo/state.hpp"

namespace mercer::smo {

// A pair together with the kernel rows that were needed to choose it.
template <class T>
struct Choice {
    Pair pair;
    typename State<T>::Row up_row, down_row;
    bool has_up_row = false, has_down_row = false;
};

template <class T>
class Selection {
  public:
    virtual ~Selection() = default;
    // A violating pair among the active variables; no pair if there is none.
    virtual Choice<T> select(State<T>& state) = 0;
};

// requires: name is one of selection_names()
template <class T>
std::unique_ptr<Selection<T>> make_selection(const std::string& name);

}  // namespace mercer::smo
