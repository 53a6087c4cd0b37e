#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "bind/bind_kernel.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::bind {

namespace {

template <class T>
using HeldRows = std::shared_ptr<Rows<T>>;

using Vector = std::optional<Array1<double>>;

// requires: a length of `count`, if there is a vector
const double* data_or_null(const Vector& v, std::size_t count) {
    if (v && v->size() != count) {
        throw std::invalid_argument("rows have " + std::to_string(count) +
                                    " features, but shift or scale " + std::to_string(v->size()));
    }
    return v ? v->data() : nullptr;
}

template <class T, class S>
HeldRows<T> dense_rows(const Array2<S>& x, const Vector& shift, const Vector& scale,
                       bool store_sparse) {
    const std::size_t d = x.shape(1);
    const DenseInput<S> input{
        x.data(), d, x.shape(0), d, data_or_null(shift, d), data_or_null(scale, d)};
    nb::gil_scoped_release release;
    return std::make_shared<Rows<T>>(input, store_sparse ? Storage::sparse : Storage::dense);
}

template <class T, class S, class I>
HeldRows<T> sparse_rows(const Array1<I>& start, const Array1<I>& feature, const Array1<S>& values,
                        std::size_t n_features, const Vector& scale) {
    const SparseInput<S, I> input{start.data(),  feature.data(),
                                  values.data(), start.size() - 1,
                                  n_features,    data_or_null(scale, n_features)};
    nb::gil_scoped_release release;
    return std::make_shared<Rows<T>>(input);
}

// Most entries a row has; those of dense rows are all features.
template <class T>
std::size_t longest(const Rows<T>& rows) {
    if (!rows.is_sparse()) return rows.n_features();
    const std::int64_t* start = rows.sparse(false).start;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) most = std::max(most, start[i + 1] - start[i]);
    return std::size_t(most);
}

template <class T>
nb::ndarray<nb::numpy, double> squared_norms(const Rows<T>& rows) {
    auto out = std::make_unique<double[]>(rows.size());
    std::copy_n(rows.squared_norms(), rows.size(), out.get());
    return new_array<double>(std::move(out), {rows.size()});
}

// The largest of them; NaN if one is.
template <class T>
double largest_norm(const Rows<T>& rows) {
    double largest = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double norm = double(rows.squared_norms()[i]);
        if (std::isnan(norm)) return norm;
        largest = std::max(largest, norm);
    }
    return largest;
}

// The matrix is read in place, with any strides; it stays alive with the kernel.
template <class T, class S>
Held<T> stored(nb::ndarray<const S, nb::ndim<2>, nb::device::cpu> matrix, bool left_is_first,
               const std::vector<double>& left_diagonal,
               const std::vector<double>& right_diagonal) {
    const std::size_t left = left_is_first ? 0 : 1, right = 1 - left;
    auto owner = std::make_shared<decltype(matrix)>(matrix);
    return hold(make_stored<T, S>(matrix.data(), matrix.shape(left), matrix.shape(right),
                                  matrix.stride(left), matrix.stride(right), left_diagonal,
                                  right_diagonal, owner));
}

// The function is asked under the GIL: block(left, right) returns a (left, right) float64 array.
BlockFunction python_block(nb::callable function) {
    // Released under the GIL, wherever the last kernel that uses it goes.
    std::shared_ptr<nb::callable> held(new nb::callable(std::move(function)), [](nb::callable* f) {
        nb::gil_scoped_acquire gil;
        delete f;
    });
    return [held](Indices left, Indices right, double* out) {
        nb::gil_scoped_acquire gil;
        const auto index_array = [](Indices index) {
            auto copy = std::make_unique<std::int64_t[]>(index.size());
            std::copy(index.begin(), index.end(), copy.get());
            return new_array<std::int64_t>(std::move(copy), {index.size()});
        };
        const nb::object result = (*held)(index_array(left), index_array(right));
        const auto block = nb::cast<Array2<double>>(result);
        if (block.shape(0) != left.size() || block.shape(1) != right.size()) {
            throw std::invalid_argument("kernel function returned a block of the wrong shape");
        }
        std::copy_n(block.data(), block.size(), out);
    };
}

template <class T>
void register_rows(nb::module_& m, const char* name) {
    auto rows = nb::class_<Rows<T>>(m, name, "Rows packed for the micro-kernels.")
                    .def_prop_ro("size", &Rows<T>::size)
                    .def_prop_ro("n_features", &Rows<T>::n_features)
                    .def_prop_ro("longest", &longest<T>)
                    .def("largest_norm", &largest_norm<T>)
                    .def("squared_norms", &squared_norms<T>);
    const auto dense = [&](auto function) {
        rows.def_static("dense", function, nb::arg("x").noconvert(), nb::arg("shift").none(),
                        nb::arg("scale").none(), nb::arg("store_sparse") = false);
    };
    dense(&dense_rows<T, float>);
    dense(&dense_rows<T, double>);
    dense(&dense_rows<T, std::uint8_t>);
    const auto sparse = [&](auto function) {
        rows.def_static("sparse", function, nb::arg("start").noconvert(),
                        nb::arg("feature").noconvert(), nb::arg("values").noconvert(),
                        nb::arg("n_features"), nb::arg("scale").none());
    };
    sparse(&sparse_rows<T, float, std::int32_t>);
    sparse(&sparse_rows<T, double, std::int32_t>);
    sparse(&sparse_rows<T, float, std::int64_t>);
    sparse(&sparse_rows<T, double, std::int64_t>);
}

template <class T>
Held<T> leaf(const std::string& kind, double gamma, double coef0, int degree, HeldRows<T> left,
             HeldRows<T> right, bool by_differences) {
    check_features(*left, *right);
    return hold(make_leaf<T>({leaf_kind(kind), gamma, coef0, degree}, left, right, by_differences));
}

template <class T>
Held<T> opaque(nb::callable function, std::vector<double> left_diagonal,
               std::vector<double> right_diagonal) {
    return hold(make_opaque<T>(python_block(std::move(function)), std::move(left_diagonal),
                               std::move(right_diagonal)));
}

template <class T>
std::vector<KernelPointer<T>> parts(const std::vector<Held<T>>& held) {
    return {held.begin(), held.end()};
}

template <class T>
void register_kernels(nb::module_& m, const char* name) {
    auto kernel = nb::class_<Kernel<T>>(m, name, "Kernel values between two sets of rows.")
                      .def_prop_ro("n_left", &Kernel<T>::n_left)
                      .def_prop_ro("n_right", &Kernel<T>::n_right);
    kernel.def_static("leaf", &leaf<T>, nb::arg("kind"), nb::arg("gamma"), nb::arg("coef0"),
                      nb::arg("degree"), nb::arg("left"), nb::arg("right"),
                      nb::arg("by_differences"));
    const auto of_matrix = [&](auto function) {
        kernel.def_static("stored", function, nb::arg("matrix").noconvert(),
                          nb::arg("left_is_first"), nb::arg("left_diagonal"),
                          nb::arg("right_diagonal"));
    };
    of_matrix(&stored<T, float>);
    of_matrix(&stored<T, double>);
    kernel.def_static("opaque", &opaque<T>, nb::arg("function"), nb::arg("left_diagonal"),
                      nb::arg("right_diagonal"));
    kernel.def_static(
        "constant",
        [](double value, std::size_t n_left, std::size_t n_right) {
            return hold(make_constant<T>(value, n_left, n_right));
        },
        nb::arg("value"), nb::arg("n_left"), nb::arg("n_right"));
    kernel.def_static(
        "sum", [](const std::vector<Held<T>>& held) { return hold(make_sum<T>(parts<T>(held))); },
        nb::arg("parts"));
    kernel.def_static(
        "product",
        [](const std::vector<Held<T>>& held) { return hold(make_product<T>(parts<T>(held))); },
        nb::arg("parts"));
    kernel.def_static(
        "normalized", [](Held<T> part) { return hold(make_normalized<T>(std::move(part))); },
        nb::arg("part"));
    if constexpr (std::is_same_v<T, float>) {
        kernel.def_static(
            "rounded", [](Held<double> part) { return hold(make_rounded(std::move(part))); },
            nb::arg("part"));
    }
}

template <class T>
void register_power_of_two(nb::module_& m) {
    m.def(
        "power_of_two",
        [](const Array1<T>& x) {
            auto out = std::make_unique<T[]>(x.size());
            instruction_set().micro_kernels.of<T>().power_of_two(x.data(), out.get(), x.size());
            return new_array<T>(std::move(out), {x.size()});
        },
        nb::arg("x").noconvert());
}

}  // namespace

LeafKind leaf_kind(const std::string& name) {
    if (name == "linear") return LeafKind::linear;
    if (name == "polynomial") return LeafKind::polynomial;
    if (name == "gaussian") return LeafKind::gaussian;
    if (name == "laplacian") return LeafKind::laplacian;
    if (name == "sigmoid") return LeafKind::sigmoid;
    throw std::invalid_argument("unknown leaf kernel " + name);
}

void register_kernel(nb::module_& m) {
    register_rows<float>(m, "RowsSingle");
    register_rows<double>(m, "RowsDouble");
    register_kernels<double>(m, "KernelDouble");
    register_kernels<float>(m, "KernelSingle");
    register_power_of_two<float>(m);
    register_power_of_two<double>(m);
}

}  // namespace mercer::bind
