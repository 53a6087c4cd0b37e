#include <stdexcept>

#include "bind/bind_run.hpp"
#include "core/multiclass/chunk.hpp"

namespace mercer::bind {

namespace {

using multiclass::Chunk;
using multiclass::Loss;
using multiclass::Options;
using multiclass::Result;

using OutMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool condition, const char* fault) {
    if (!condition) throw std::invalid_argument(fault);
}

Result solve(const Loss& loss, const Options& options, const Array2<double>& kernel,
             const IndexArray& label, const Array1<double>& upper, OutMatrix alpha,
             OutMatrix values, nb::object callback) {
    const std::size_t n = kernel.shape(0);
    require(kernel.shape(1) == n && label.size() == n && upper.size() == n,
            "kernel, label and upper must have one entry per row");
    require(alpha.shape(0) == n && alpha.shape(1) == loss.n_classes, "alpha does not fit");
    require(values.shape(0) == loss.n_classes && values.shape(1) == n, "values do not fit");
    to_indices(label, loss.n_classes);
    const Chunk chunk{n, kernel.data(), label.data(), upper.data(), alpha.data(), values.data()};
    const Monitor monitor = python_monitor(callback);
    nb::gil_scoped_release release;
    return multiclass::solve(loss, chunk, options, monitor);
}

}  // namespace

void register_multiclass(nb::module_& m) {
    nb::class_<Loss>(m, "MulticlassLoss")
        .def(
            "__init__",
            [](Loss* self, std::size_t n_classes, double margin, bool is_relative,
               bool has_one_slack) {
                require(n_classes > 1, "there must be two classes");
                new (self) Loss{n_classes, margin, is_relative, has_one_slack};
            },
            nb::arg("n_classes"), nb::arg("margin"), nb::arg("is_relative"),
            nb::arg("has_one_slack"));
    nb::class_<Options>(m, "MulticlassOptions")
        .def(nb::init<>())
        .def_rw("tolerance", &Options::tolerance)
        .def_rw("max_steps", &Options::max_steps)
        .def_rw("max_seconds", &Options::max_seconds)
        .def_rw("objective", &Options::objective);
    nb::class_<Result>(m, "MulticlassResult")
        .def_prop_ro("status", [](const Result& r) { return status_name(r.status); })
        .def_ro("steps", &Result::steps)
        .def_ro("violation", &Result::violation)
        .def_ro("gain", &Result::gain);
    m.def("multiclass_solve", &solve, nb::arg("loss"), nb::arg("options"), nb::arg("kernel"),
          nb::arg("label"), nb::arg("upper"), nb::arg("alpha").noconvert(),
          nb::arg("values").noconvert(), nb::arg("callback").none());
}

}  // namespace mercer::bind
