#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "bind/bind.hpp"
#include "core/active_set/path/path.hpp"

namespace mercer::bind {

namespace {

using active_set::KernelRows;
using active_set::Path;
using active_set::PathEnd;
using active_set::PathOptions;
using Vector = Array1<double>;

template <class T, class S>
nb::ndarray<nb::numpy, T> as_array(const std::vector<S>& values) {
    auto out = std::make_unique<T[]>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = T(values[i]);
    return new_array<T>(std::move(out), {values.size()});
}

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
    out["changed"] = as_array<std::int64_t>(log.changed);
    out["side"] = as_array<std::int8_t>(log.side);
    out["values"] = as_array<double>(log.values);
    out["rates"] = as_array<double>(log.rates);
    out["end_parameter"] = log.end;
    out["last_parameter"] = path.parameter();
    out["coef"] = as_array<double>(path.coef());
    out["free"] = as_array<std::int64_t>(path.free());
    out["violation"] = path.worst_violation();
    out["refactorised"] = path.n_refactorised();
    out["condition"] = path.condition();
    return out;
}

// A partial path comes back when time or the callback ends it; only exceptions lose it.
nb::dict follow_path(Gram<double>& gram, const IndexArray& index, const Vector& linear,
                     const Vector& lower, const Vector& upper, const Vector& ridge, bool has_group,
                     double sum, double sum_rate, const std::optional<Vector>& offset,
                     const Vector& coef, const IndexArray& free, double parameter,
                     const std::optional<Vector>& expansion, const std::optional<Vector>& extra,
                     const PathOptions& options, nb::object callback) {
    const std::size_t n = linear.size(), rows = gram.size();
    for (std::size_t size : {index.size(), lower.size(), upper.size(), ridge.size(), coef.size(),
                             offset ? offset->size() : n, expansion ? expansion->size() : n}) {
        if (size != n) throw std::invalid_argument("arrays of a path must have equal lengths");
    }
    if (extra && extra->size() != rows + 1) throw std::invalid_argument("extra does not fit gram");
    to_indices(index, rows + (extra ? 1 : 0));
    const ProblemView problem{n,            has_group,    index.data(), linear.data(),
                              lower.data(), upper.data(), ridge.data(), nullptr};
    const std::vector<std::size_t> members = to_indices(free, n);
    std::optional<Path> path;
    PathEnd end;
    const active_set::Monitor monitor = [&](double seconds) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return callback.is_none() || nb::cast<bool>(callback(path->n_events(), path->parameter(),
                                                             path->n_free(), seconds));
    };
    {
        nb::gil_scoped_release release;
        std::span<const double> values;
        if (extra) values = {extra->data(), extra->size()};
        auto kernel = std::make_shared<KernelRows>(
            gram, std::span<const std::int64_t>(index.data(), n), values);
        path.emplace(std::move(kernel), problem, sum, sum_rate, offset ? offset->data() : nullptr,
                     coef.data(), members, parameter, expansion ? expansion->data() : nullptr);
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
    m.def("follow_path", &follow_path, nb::arg("gram"), nb::arg("index"), nb::arg("linear"),
          nb::arg("lower"), nb::arg("upper"), nb::arg("ridge"), nb::arg("has_group"),
          nb::arg("sum"), nb::arg("sum_rate"), nb::arg("offset").none(), nb::arg("coef"),
          nb::arg("free"), nb::arg("parameter"), nb::arg("expansion").none(),
          nb::arg("extra").none(), nb::arg("options"), nb::arg("callback").none());
}

}  // namespace mercer::bind
