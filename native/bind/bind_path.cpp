#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <stdexcept>

#include "bind/bind_problem.hpp"
#include "core/active_set/path/path.hpp"

namespace mercer::bind {

namespace {

using active_set::KernelRows;
using active_set::Path;
using active_set::PathEnd;
using active_set::PathOptions;
using Vector = Array1<double>;

const char* end_name(PathEnd end) {
    switch (end) {
        case PathEnd::complete: return "complete";
        case PathEnd::reached: return "reached";
        case PathEnd::at_zero: return "at-zero";
        case PathEnd::max_events: return "max-events";
        case PathEnd::max_time: return "max-time";
        case PathEnd::stopped: return "callback";
        case PathEnd::drifted: return "drifted";
        case PathEnd::precision: return "precision-limit";
    }
    return "complete";
}

nb::dict as_dict(const Path& path, PathEnd end) {
    const active_set::PathLog& log = path.log();
    nb::dict out;
    out["end"] = end_name(end);
    out["parameter"] = as_array<double>(log.parameter);
    out["bias"] = as_array<double>(log.bias);
    out["bias_rate"] = as_array<double>(log.bias_rate);
    out["changes_end"] = as_array<std::int64_t>(log.changes_end);
    out["values_end"] = as_array<std::int64_t>(log.values_end);
    out["first_side"] = as_array<std::int8_t>(log.first_side);
    out["changed"] = as_array<std::int64_t>(log.changed);
    out["side"] = as_array<std::int8_t>(log.side);
    out["values"] = as_array<double>(log.values);
    out["rates"] = as_array<double>(log.rates);
    out["end_parameter"] = log.end;
    out["last_parameter"] = path.parameter();
    out["last_bias"] = path.bias();
    out["coef"] = as_array<double>(path.coef());
    out["free"] = as_array<std::int64_t>(path.free());
    out["violation"] = path.worst_violation();
    out["refactorised"] = path.n_refactorised();
    out["condition"] = path.condition();
    return out;
}

// A partial path comes back when time or the callback ends it; only exceptions lose it.
nb::dict follow_path(const BoundProblem& problem, Gram<double>& gram, double sum_rate,
                     const std::optional<Vector>& offset, const Vector& coef,
                     const IndexArray& free, double parameter,
                     const std::optional<Vector>& expansion, const std::optional<Vector>& extra,
                     const PathOptions& options, nb::object callback) {
    const std::size_t n = problem.size(), rows = gram.size();
    if (extra && extra->size() != rows + 1) throw std::invalid_argument("extra does not fit gram");
    const ProblemView& view = problem.view_on(rows + (extra ? 1 : 0));
    const double *start = problem.entries(coef), *known = problem.entries_or_null(expansion);
    const double sum = view.n_groups > 0 ? view.group_sum[0] : 0.0;
    const std::vector<std::size_t> members = to_indices(free, n);
    std::optional<Path> path;
    PathEnd end;
    const active_set::Monitor monitor = [&](double) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (callback.is_none()) return true;
        double size = 0.0;
        for (const double a : path->coef()) size += std::abs(a);
        return nb::cast<bool>(callback(path->n_events(), path->parameter(), path->n_free(), size));
    };
    {
        nb::gil_scoped_release release;
        std::span<const double> values;
        if (extra) values = {extra->data(), extra->size()};
        auto kernel = std::make_shared<KernelRows>(
            gram, std::span<const std::int64_t>(view.index, n), values);
        path.emplace(std::move(kernel), view, sum, sum_rate, problem.entries_or_null(offset), start,
                     members, parameter, known);
        end = path->follow(options, monitor);
    }
    return as_dict(*path, end);
}

}  // namespace

void register_path(nb::module_& m) {
    nb::class_<PathOptions>(m, "PathOptions")
        .def(nb::init<>())
        .def_rw("stop", &PathOptions::stop)
        .def_rw("max_events", &PathOptions::max_events)
        .def_rw("max_seconds", &PathOptions::max_seconds)
        .def_rw("bland_after", &PathOptions::bland_after)
        .def_rw("refresh_period", &PathOptions::refresh_period)
        .def_rw("until_zero", &PathOptions::until_zero)
        .def_rw("tie", &PathOptions::tie);
    m.def("follow_path", &follow_path, nb::arg("problem"), nb::arg("gram"), nb::arg("sum_rate"),
          nb::arg("offset").none(), nb::arg("coef"), nb::arg("free"), nb::arg("parameter"),
          nb::arg("expansion").none(), nb::arg("extra").none(), nb::arg("options"),
          nb::arg("callback").none());
}

}  // namespace mercer::bind
