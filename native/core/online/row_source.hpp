// Kernel rows of examples whose rows lie in several parts, computed where they are asked for.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/gram/kernel.hpp"

namespace mercer::online {

// Places count the rows of all parts, one part after another.
template <class T>
class RowSource {
  public:
    // kernels[p][q]: between the rows of part p and those of part q.
    explicit RowSource(std::vector<std::vector<KernelPointer<T>>> kernels)
        : kernels_(std::move(kernels)) {
        for (const auto& part : kernels_) n_places_ += part[0]->n_left();
    }

    std::size_t n_places() const { return n_places_; }

    // values[p] = k(place, p) of all places
    void compute(std::size_t place, T* values) const {
        assert(place < n_places_);
        std::size_t part = 0;
        for (; place >= kernels_[part][0]->n_left(); ++part) place -= kernels_[part][0]->n_left();
        const std::array<std::size_t, 1> row{place};
        for (const KernelPointer<T>& kernel : kernels_[part]) {
            kernel->values(row, 0, kernel->n_right(), values, kernel->n_right());
            values += kernel->n_right();
        }
    }

  private:
    std::vector<std::vector<KernelPointer<T>>> kernels_;
    std::size_t n_places_ = 0;
};

}  // namespace mercer::online
