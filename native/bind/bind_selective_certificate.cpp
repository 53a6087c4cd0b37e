#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bind/bind_point.hpp"
#include "bind/bind_problem.hpp"
#include "bind/bind_run.hpp"
#include "core/chunked/polish.hpp"
#include "core/problem/selective_certificate.hpp"

namespace mercer::bind {

namespace {

using Steps = std::optional<std::pair<std::size_t, std::size_t>>;

// (values, their corrections, bound of their errors, report of the point), or None. With the steps
// of the fit the point is polished.
nb::object selective_certificate(const BoundProblem& problem, Gram<double>& gram, OutArray beta,
                                 const Array1<double>& gradient,
                                 const std::optional<Array1<double>>& anchor, double anchor_error,
                                 const std::optional<Array1<double>>& corrections,
                                 const std::optional<Array1<double>>& lengths,
                                 const SelectiveOptions& options, const Steps& steps) {
    const ProblemView& view = problem.view_on(gram.size());
    double* point = problem.entries(beta);
    const double* followed = problem.entries(gradient);
    const Anchor from{problem.entries_or_null(anchor), anchor_error,
                      problem.entries_or_null(corrections)};
    if (lengths && lengths->size() != gram.size()) {
        throw std::invalid_argument("there must be one length per row");
    }
    std::optional<SelectiveValues> found;
    PointReport report;
    {
        nb::gil_scoped_release release;
        found = recompute_selected(view, gram, point, followed, from,
                                   lengths ? lengths->data() : nullptr, options, SignalPoll());
        if (found) {
            if (steps) {
                chunked::polish(view, gram, point, *found, {steps->first, steps->second},
                                SignalPoll());
            }
            report = report_point(view, point, found->values.data());
        }
    }
    if (!found) return nb::none();
    report.violation += found->doubt;
    report.gap += 2.0 * found->objective_doubt;  // so that the primal value is a bound
    return nb::make_tuple(as_array<double>(found->values), as_array<double>(found->corrections),
                          found->bound, report_tuple(report));
}

}  // namespace

void register_selective_certificate(nb::module_& m) {
    nb::class_<SelectiveOptions>(m, "SelectiveOptions")
        .def("__init__", [](SelectiveOptions* self, std::size_t sample, double error_per_norm,
                            double enough, bool keeps_sample) {
            new (self) SelectiveOptions{std::max<std::size_t>(sample, 2), error_per_norm, enough,
                                        keeps_sample};
        });
    m.def("selective_certificate", &selective_certificate, nb::arg("problem"), nb::arg("gram"),
          nb::arg("beta").noconvert(), nb::arg("gradient"), nb::arg("anchor").none(),
          nb::arg("anchor_error"), nb::arg("corrections").none(), nb::arg("lengths").none(),
          nb::arg("options"), nb::arg("steps").none());
}

}  // namespace mercer::bind
