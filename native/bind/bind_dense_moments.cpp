#include <algorithm>
#include <stdexcept>

#include "bind/bind.hpp"
#include "core/gram/dense_moments.hpp"
#include "core/gram/matrix_facts.hpp"

namespace mercer::bind {

namespace {

template <class S>
using AnyArray = nb::ndarray<const S, nb::c_contig, nb::device::cpu>;

template <class S>
DenseRows<S> dense(const Array2<S>& rows) {
    if (rows.size() == 0) throw std::invalid_argument("there must be rows and features");
    return {rows.data(), rows.shape(0), rows.shape(1)};
}

template <class S>
double variance(const Array2<S>& rows, const Array1<double>& weight) {
    const DenseRows<S> given = dense(rows);
    if (weight.size() != given.n_rows) throw std::invalid_argument("there must be a weight a row");
    nb::gil_scoped_release release;
    return weighted_variance(given, weight.data());
}

// The matrix is read in place, with any strides.
template <class S>
nb::tuple facts(const nb::ndarray<const S, nb::ndim<2>, nb::device::cpu>& matrix,
                const Array1<double>& size) {
    const std::size_t n = matrix.shape(0);
    if (matrix.shape(1) != n || size.size() != n) {
        throw std::invalid_argument("the matrix must be square, with a size a row");
    }
    MatrixFacts found;
    {
        nb::gil_scoped_release release;
        found = matrix_facts(matrix.data(), n, matrix.stride(0), matrix.stride(1), size.data());
    }
    return nb::make_tuple(found.is_finite, found.largest, found.skew, found.excess);
}

bool nearly_definite(const Array2<double>& matrix, double scale, double shift) {
    const std::size_t n = matrix.shape(0);
    if (matrix.shape(1) != n) throw std::invalid_argument("matrix must be square");
    nb::gil_scoped_release release;
    return is_nearly_definite(matrix.data(), n, scale, shift);
}

template <class S>
void register_type(nb::module_& m) {
    m.def("matrix_facts", &facts<S>, nb::arg("matrix").noconvert(), nb::arg("size"));
    m.def(
        "is_finite", [](const AnyArray<S>& array) { return is_finite(array.data(), array.size()); },
        nb::arg("array").noconvert());
    m.def(
        "mean_row",
        [](const Array2<S>& rows, std::size_t step) {
            return as_array<double>(mean_row(dense(rows), std::max<std::size_t>(step, 1)));
        },
        nb::arg("rows").noconvert(), nb::arg("step"));
    m.def("weighted_variance", &variance<S>, nb::arg("rows").noconvert(), nb::arg("weight"));
}

}  // namespace

void register_dense_moments(nb::module_& m) {
    register_type<float>(m);
    register_type<double>(m);
    m.def("is_nearly_definite", &nearly_definite, nb::arg("matrix"), nb::arg("scale"),
          nb::arg("shift"));
    m.def("extent", [](const Array1<double>& values) {
        if (values.size() == 0) throw std::invalid_argument("there must be values");
        const Extent found = extent(values.data(), values.size());
        return nb::make_tuple(found.least, found.largest);
    });
    m.def("absolute_sum",
          [](const Array1<double>& values) { return absolute_sum(values.data(), values.size()); });
}

}  // namespace mercer::bind
