#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "bind/bind_problem.hpp"
#include "bind/bind_run.hpp"
#include "core/smo/solve.hpp"

namespace mercer::bind {

namespace {

using smo::Options;
using smo::Result;

template <class T>
Result solve(const BoundProblem& problem, Gram<T>& gram, const Options& options, OutArray beta,
             const std::optional<Array1<double>>& gradient, nb::object callback) {
    const ProblemView& view = problem.view_on(gram.size());
    double* point = problem.entries(beta);
    const double* known = problem.entries_or_null(gradient);
    const Monitor monitor = python_monitor(callback);
    nb::gil_scoped_release release;
    return smo::solve<T>(view, gram, options, point, known, monitor);
}

template <class T>
void register_solve(nb::module_& m) {
    m.def("smo_solve", &solve<T>, nb::arg("problem"), nb::arg("gram"), nb::arg("options"),
          nb::arg("beta").noconvert(), nb::arg("gradient").none(), nb::arg("callback").none());
}

nb::dict counters(const Result& result) {
    const smo::Counters& c = result.counters;
    nb::dict out;
    out["free_steps"] = c.free_steps;
    out["clipped_steps"] = c.clipped_steps;
    out["planned_steps"] = c.planned_steps;
    out["joint_steps"] = c.joint_steps;
    out["newton_steps"] = c.newton_steps;
    out["related_pairs"] = c.related_pairs;
    out["unshrinks"] = c.unshrinks;
    out["rows_computed"] = c.rows_computed;
    out["rows_hit"] = c.rows_hit;
    return out;
}

const char* kind_name(smo::StepKind kind) {
    switch (kind) {
        case smo::StepKind::free: return "free";
        case smo::StepKind::clipped: return "clipped";
        case smo::StepKind::planned: return "planned";
        case smo::StepKind::joint: return "joint";
        case smo::StepKind::refined: return "refined";
    }
    return "free";
}

// A missing variable is -1; the point without a step is the last.
nb::list trace(const Result& result) {
    const auto variable = [](std::size_t v) { return v == none ? -1 : std::int64_t(v); };
    nb::list out;
    for (const smo::TracePoint& p : result.trace) {
        out.append(nb::make_tuple(p.iteration, p.seconds, p.violation, p.objective, p.gap,
                                  variable(p.up), variable(p.down), p.length, p.ratio,
                                  kind_name(p.kind), p.is_related, p.rows_computed));
    }
    return out;
}

}  // namespace

void register_smo(nb::module_& m) {
    nb::class_<Options>(m, "SmoOptions")
        .def(nb::init<>())
        .def(nb::init<const Options&>())
        .def_rw("selection", &Options::selection)
        .def_rw("fallback", &Options::fallback)
        .def_rw("eta", &Options::eta)
        .def_rw("recent_rows", &Options::recent_rows)
        .def_rw("set_size", &Options::set_size)
        .def_rw("step", &Options::step)
        .def_rw("factor", &Options::factor)
        .def_rw("recent_sets", &Options::recent_sets)
        .def_rw("window", &Options::window)
        .def_rw("tolerance", &Options::tolerance)
        .def_rw("stop_by_step", &Options::stop_by_step)
        .def_rw("stop_by_change", &Options::stop_by_change)
        .def_rw("max_iterations", &Options::max_iterations)
        .def_rw("max_seconds", &Options::max_seconds)
        .def_rw("shrinking", &Options::shrinking)
        .def_rw("newton_limit", &Options::newton_limit)
        .def_rw("gradient_error", &Options::gradient_error)
        .def_rw("trace_stride", &Options::trace_stride);
    nb::class_<Result>(m, "SmoResult")
        .def_prop_ro("status", [](const Result& r) { return status_name(r.status); })
        .def_ro("iterations", &Result::iterations)
        .def_ro("violation", &Result::violation)
        .def_ro("seconds", &Result::seconds)
        .def_ro("drifted", &Result::drifted)
        .def_prop_ro("counters", &counters)
        .def_prop_ro(
            "planning_ratios",
            [](const Result& r) {
                const auto& counts = r.counters.planning_ratios;
                return as_array<std::int64_t>(std::vector(counts.begin(), counts.end()));
            },
            nb::rv_policy::automatic)
        .def_prop_ro("trace", &trace);
    m.attr("planning_ratio_edges") = smo::ratio_edges;
    register_solve<float>(m);
    register_solve<double>(m);
}

}  // namespace mercer::bind
