// Shared by the bindings, which hold no logic: they turn arrays into spans and exceptions around.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/gram/gram.hpp"

namespace mercer::bind {

namespace nb = nanobind;

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array3 = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using IndexArray = Array1<std::int64_t>;

inline std::vector<std::size_t> to_indices(const IndexArray& array, std::size_t limit) {
    std::vector<std::size_t> out(array.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::int64_t value = array.data()[i];
        if (value < 0 || std::size_t(value) >= limit) {
            throw nb::index_error("row index out of range");
        }
        out[i] = std::size_t(value);
    }
    return out;
}

// A new NumPy array that owns its memory.
template <class T>
nb::ndarray<nb::numpy, T> new_array(std::unique_ptr<T[]> values,
                                    std::initializer_list<std::size_t> shape) {
    T* data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, T>(data, shape, owner);
}

// A copy of the values, as numbers of type T.
template <class T, class S>
nb::ndarray<nb::numpy, T> as_array(const std::vector<S>& values) {
    auto out = std::make_unique<T[]>(values.size());
    std::ranges::transform(values, out.get(), [](const S& value) { return T(value); });
    return new_array<T>(std::move(out), {values.size()});
}

// Takes the GIL every 50 ms to let Python handle signals; a pending exception ends the work.
class SignalPoll {
  public:
    bool operator()() {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return true;
        next_ = now + std::chrono::milliseconds(50);
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return true;
    }

  private:
    std::chrono::steady_clock::time_point next_ =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
};

void register_dense_moments(nb::module_& m);
void register_kernel(nb::module_& m);
void register_byte_kernel(nb::module_& m);
void register_gram(nb::module_& m);
void register_problem(nb::module_& m);
void register_point(nb::module_& m);
void register_selective_certificate(nb::module_& m);
void register_smo(nb::module_& m);
void register_plan(nb::module_& m);
void register_acceptance(nb::module_& m);
void register_pair_votes(nb::module_& m);
void register_chunked(nb::module_& m);
void register_active_set(nb::module_& m);
void register_path(nb::module_& m);
void register_hull(nb::module_& m);
void register_online(nb::module_& m);
void register_multiclass(nb::module_& m);
void register_shapley(nb::module_& m);

}  // namespace mercer::bind
