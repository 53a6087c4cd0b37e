#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "bind/bind_problem.hpp"
#include "bind/bind_run.hpp"
#include "core/active_set/basis/null_space_factor.hpp"
#include "core/active_set/simplex/change.hpp"
#include "core/active_set/simplex/purify.hpp"
#include "core/active_set/simplex/simplex.hpp"

namespace mercer::bind {

namespace {

using active_set::Counters;
using active_set::NullSpaceFactor;
using active_set::Options;
using active_set::Simplex;
using Vector = Array1<double>;

void check_lengths(std::size_t n, std::initializer_list<std::size_t> sizes) {
    for (const std::size_t size : sizes) {
        if (size != n) throw std::invalid_argument("arrays of a problem must have equal lengths");
    }
}

void make_simplex(Simplex* self, const BoundProblem& problem, Gram<double>& gram,
                  const Vector& coef, const std::optional<Vector>& gradient) {
    const ProblemView& view = problem.view_on(gram.size());
    const double *start = problem.entries(coef), *known = problem.entries_or_null(gradient);
    nb::gil_scoped_release release;
    new (self) Simplex(gram, view, view.group_sum, start, known, SignalPoll());
}

// Signals first, then the callback, which returns whether to go on.
const char* run(Simplex& simplex, const Options& options, nb::object callback) {
    const std::size_t before = simplex.counters().iterations;
    const active_set::Monitor monitor = [&](double seconds) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (callback.is_none()) return true;
        return nb::cast<bool>(callback(simplex.counters().iterations - before, simplex.violation(),
                                       simplex.point().objective, simplex.n_active(), seconds));
    };
    nb::gil_scoped_release release;
    return status_name(simplex.run(options, monitor));
}

void rescale(Simplex& simplex, const Vector& lower, const Vector& upper, const Vector& group_sum,
             double factor) {
    active_set::Point& point = simplex.point();
    check_lengths(point.n_variables(), {lower.size(), upper.size()});
    check_lengths(point.group_sum.size(), {group_sum.size()});
    nb::gil_scoped_release release;
    active_set::rescale(point, lower.data(), upper.data(), group_sum.data(), factor);
}

std::size_t checked(const Simplex& simplex, std::size_t variable) {
    if (variable >= simplex.point().n_variables()) throw nb::index_error("variable out of range");
    return variable;
}

void register_simplex(nb::module_& m) {
    nb::class_<Options>(m, "SimplexOptions")
        .def(nb::init<>())
        .def_rw("tolerance", &Options::tolerance)
        .def_rw("max_iterations", &Options::max_iterations)
        .def_rw("max_seconds", &Options::max_seconds)
        .def_rw("sprint", &Options::sprint)
        .def_rw("shrinking", &Options::shrinking);
    nb::class_<Counters>(m, "SimplexCounters")
        .def_ro("iterations", &Counters::iterations)
        .def_ro("outer_iterations", &Counters::outer_iterations)
        .def_ro("flips", &Counters::flips)
        .def_ro("zero_steps", &Counters::zero_steps)
        .def_ro("bland_steps", &Counters::bland_steps)
        .def_ro("full_pricings", &Counters::full_pricings)
        .def_ro("priced", &Counters::priced)
        .def_ro("rebuilds", &Counters::rebuilds)
        .def_ro("largest_basis", &Counters::largest_basis);
    nb::class_<Simplex>(m, "Simplex", "The state of the revised simplex method.")
        .def("__init__", &make_simplex, nb::arg("problem"), nb::arg("gram"), nb::arg("coef"),
             nb::arg("gradient").none(), nb::keep_alive<1, 3>())
        .def("run", &run, nb::arg("options"), nb::arg("callback").none())
        .def("rescale", &rescale)
        .def("set_gradient",
             [](Simplex& s, const Vector& gradient) {
                 check_lengths(s.point().n_variables(), {gradient.size()});
                 active_set::set_gradient(s.point(), gradient.data());
             })
        .def("set_box",
             [](Simplex& s, std::size_t variable, double lower, double upper) {
                 s.point().lower[checked(s, variable)] = lower;
                 s.point().upper[variable] = upper;
             })
        .def("retire",
             [](Simplex& s, std::size_t variable, double value) {
                 return active_set::retire(s.point(), checked(s, variable), value);
             })
        // The copy shares kernel rows with the Gram, which must outlive it, whatever becomes of
        // `s`, which copies of copies would keep alive for nothing.
        .def(
            "copy", [](const Simplex& s, const Gram<double>&) { return Simplex(s); },
            nb::arg("gram"), nb::keep_alive<0, 2>())
        .def("gradient", [](const Simplex& s) { return as_array<double>(s.point().gradient()); })
        .def("coef", [](const Simplex& s) { return as_array<double>(s.point().coef); })
        .def("basic", [](const Simplex& s) { return s.point().basis.members(); })
        .def("multiplier", [](const Simplex& s) { return as_array<double>(s.point().multiplier); })
        .def_prop_ro("violation", &Simplex::violation)
        .def_prop_ro("counters", [](const Simplex& s) { return s.counters(); });
}

// For study and tests: the factor alone, fed with entries.
void register_factor(nb::module_& m) {
    const auto column = [](const NullSpaceFactor& factor, const Vector& values) {
        if (values.size() != factor.size()) throw std::invalid_argument("wrong number of entries");
        return std::vector<double>(values.data(), values.data() + values.size());
    };
    nb::class_<NullSpaceFactor>(m, "NullSpaceFactor")
        .def(nb::init<>())
        .def_prop_ro("size", &NullSpaceFactor::size)
        .def("append",
             [column](NullSpaceFactor& factor, const Vector& values, double diagonal) {
                 auto x = column(factor, values);
                 const double pivot = factor.project(x.data(), diagonal);
                 if (pivot > 0.0) factor.append(x.data(), pivot);
                 return pivot;
             })
        .def("remove",
             [](NullSpaceFactor& factor, std::size_t position) {
                 if (position >= factor.size()) throw nb::index_error("no such column");
                 factor.remove(position);
             })
        .def("remove_reference",
             [](NullSpaceFactor& factor, std::size_t successor,
                const std::vector<std::size_t>& others) {
                 if (successor >= factor.size()) throw nb::index_error("no such column");
                 for (const std::size_t column : others) {
                     if (column <= successor || column >= factor.size()) {
                         throw nb::index_error("other columns must stand behind the successor");
                     }
                 }
                 factor.remove_reference(successor, others);
             })
        .def("solve",
             [column](const NullSpaceFactor& factor, const Vector& values) {
                 auto x = column(factor, values);
                 factor.forward(x.data());
                 factor.backward(x.data());
                 return as_array<double>(x);
             })
        .def("matrix",
             [](const NullSpaceFactor& factor) {
                 const std::size_t n = factor.size();
                 auto out = std::make_unique<double[]>(n * n);
                 for (std::size_t j = 0; j < n; ++j) {
                     for (std::size_t i = 0; i <= j; ++i) out[i * n + j] = factor.entry(i, j);
                 }
                 return new_array<double>(std::move(out), {n, n});
             })
        .def_prop_ro("condition", &NullSpaceFactor::condition);
}

}  // namespace

void register_active_set(nb::module_& m) {
    register_factor(m);
    register_simplex(m);
}

}  // namespace mercer::bind
