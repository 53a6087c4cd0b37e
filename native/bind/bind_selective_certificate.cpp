#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/bind_point.hpp"
#include "bind/bind_run.hpp"
#include "core/problem/selective_certificate.hpp"

namespace mercer::bind {

namespace {

const double* data_or_null(const std::optional<Array1<double>>& array) {
    return array ? array->data() : nullptr;
}

// (values, their corrections, bound of their errors, report of the point), or None.
nb::object selective_certificate(Gram<double>& gram, const Array1<double>& beta, const Array1<double>& gradient,
                    const std::optional<Array1<double>>& origin, double origin_error,
                    const std::optional<Array1<double>>& corrections,
                    const std::optional<Array1<double>>& lengths, const SelectiveOptions& options,
                    const IndexArray& index, const Array1<double>& linear,
                    const Array1<double>& lower, const Array1<double>& upper,
                    const Array1<double>& ridge, const Array1<std::int8_t>& group,
                    const Array1<double>& group_sum) {
    const ProblemView problem = problem_view(gram.size(), index, linear, lower, upper, ridge, group,
                                             group_sum.size());
    const std::size_t n = problem.n_variables;
    if (beta.size() != n || gradient.size() != n || (origin && origin->size() != n) ||
        (corrections && corrections->size() != n) || (lengths && lengths->size() != gram.size())) {
        throw std::invalid_argument("arrays of a point must have equal lengths");
    }
    std::optional<SelectiveValues> found;
    PointReport report;
    {
        nb::gil_scoped_release release;
        found = recompute_selected(problem, gram, beta.data(), gradient.data(),
                       {data_or_null(origin), origin_error, data_or_null(corrections)},
                       data_or_null(lengths), options, SignalPoll());
        if (found) report = report_point(problem, group_sum.data(), beta.data(), found->values.data());
    }
    if (!found) return nb::none();
    report.violation += found->doubt;
    return nb::make_tuple(copied(found->values), copied(found->corrections), found->bound,
                          report_tuple(report));
}

}  // namespace

void register_selective_certificate(nb::module_& m) {
    nb::class_<SelectiveOptions>(m, "SelectiveOptions")
        .def("__init__",
             [](SelectiveOptions* self, std::size_t sample, double error_per_norm, double enough,
                bool keeps_sample) {
                 new (self) SelectiveOptions{std::max<std::size_t>(sample, 2), error_per_norm,
                                             enough, keeps_sample};
             });
    m.def("selective_certificate", &selective_certificate, nb::arg("gram"), nb::arg("beta"), nb::arg("gradient"),
          nb::arg("origin").none(), nb::arg("origin_error"),
          nb::arg("corrections").none(), nb::arg("lengths").none(), nb::arg("options"),
          nb::arg("index"), nb::arg("linear"), nb::arg("lower"),
          nb::arg("upper"), nb::arg("ridge"), nb::arg("group"), nb::arg("group_sum"));
}

}  // namespace mercer::bind
