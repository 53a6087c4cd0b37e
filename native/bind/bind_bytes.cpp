#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bind/bind_kernel.hpp"

namespace mercer::bind {

namespace {

template <class S>
using HeldRows = std::shared_ptr<ByteRows<S>>;

template <class S>
HeldRows<S> byte_rows(const Array2<S>& x) {
    if (x.shape(1) > most_byte_features) {
        throw std::invalid_argument("rows of bytes may have at most " +
                                    std::to_string(most_byte_features) + " features, got " +
                                    std::to_string(x.shape(1)));
    }
    nb::gil_scoped_release release;
    return std::make_shared<ByteRows<S>>(x.data(), x.shape(0), x.shape(1));
}

template <class T, class S>
Held<T> byte_leaf(const std::string& kind, double gamma, double coef0, int degree, HeldRows<S> left,
                  HeldRows<S> right) {
    check_features(*left, *right);
    if (kind == "laplacian")
        throw std::invalid_argument("laplacian is no kernel of inner products");
    return hold(make_byte_leaf<T, S>({leaf_kind(kind), gamma, coef0, degree}, left, right));
}

// Among the kernels of the precision T.
template <class T, class S>
void register_leaf() {
    nb::borrow<nb::class_<Kernel<T>>>(nb::type<Kernel<T>>())
        .def_static("byte_leaf", &byte_leaf<T, S>, nb::arg("kind"), nb::arg("gamma"),
                    nb::arg("coef0"), nb::arg("degree"), nb::arg("left"), nb::arg("right"));
}

template <class S>
void register_bytes(nb::module_& m, const char* name) {
    nb::class_<ByteRows<S>>(m, name, "Rows of bytes packed for the micro-kernels.")
        .def_prop_ro("size", &ByteRows<S>::size)
        .def_prop_ro("n_features", &ByteRows<S>::n_features);
    m.def("byte_rows", &byte_rows<S>, nb::arg("x").noconvert());
    register_leaf<float, S>();
    register_leaf<double, S>();
}

}  // namespace

void register_byte_kernel(nb::module_& m) {
    register_bytes<std::uint8_t>(m, "UnsignedByteRows");
    register_bytes<std::int8_t>(m, "SignedByteRows");
    m.attr("most_byte_features") = most_byte_features;
}

}  // namespace mercer::bind
