// Shared by the bindings of kernels.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "bind/bind.hpp"
#include "core/gram/kernel.hpp"

namespace mercer::bind {

// nanobind holds mutable pointers; kernels and rows are immutable all the same.
template <class T>
using Held = std::shared_ptr<Kernel<T>>;

template <class T>
Held<T> hold(KernelPointer<T> kernel) {
    return std::const_pointer_cast<Kernel<T>>(std::move(kernel));
}

template <class R>
void check_features(const R& left, const R& right) {
    if (left.n_features() != right.n_features()) {
        throw std::invalid_argument("rows must have as many features as each other, got " +
                                    std::to_string(left.n_features()) + " and " +
                                    std::to_string(right.n_features()));
    }
}

LeafKind leaf_kind(const std::string& name);

}  // namespace mercer::bind
