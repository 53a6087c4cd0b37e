#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bind/bind_problem.hpp"
#include "bind/bind_run.hpp"
#include "core/chunked/free_factor.hpp"
#include "core/chunked/solve.hpp"
#include "core/plan/few_rows.hpp"

namespace mercer::bind {

namespace {

using chunked::Options;
using chunked::Result;

template <class T>
Result solve(const BoundProblem& problem, Gram<T>& gram, const Options& options, OutArray beta,
             const std::optional<Array1<double>>& gradient, OutArray gradient_out,
             nb::object callback) {
    const ProblemView& view = problem.view_on(gram.size());
    double *point = problem.entries(beta), *last = problem.entries(gradient_out);
    const double* known = problem.entries_or_null(gradient);
    const Monitor monitor = python_monitor(callback);
    nb::gil_scoped_release release;
    const auto run = options.few_rows_first ? plan::solve_few_rows_first<T> : chunked::solve<T>;
    return run(view, gram, options, point, known, last, monitor);
}

template <class T>
void register_solve(nb::module_& m) {
    m.def("chunked_solve", &solve<T>, nb::arg("problem"), nb::arg("gram"), nb::arg("options"),
          nb::arg("beta").noconvert(), nb::arg("gradient").none(),
          nb::arg("gradient_out").noconvert(), nb::arg("callback").none());
}

nb::dict counters(const Result& r) {
    nb::dict out;
    out["iterations"] = r.iterations;
    out["newton_steps"] = r.newton_steps;
    out["chunks"] = r.chunks;
    out["unshrinks"] = r.unshrinks;
    out["drifted"] = int(r.drifted);
    out["keeps_rows"] = int(r.keeps_rows);
    out["select_seconds"] = r.select_seconds;
    out["gather_seconds"] = r.gather_seconds;
    out["solve_seconds"] = r.solve_seconds;
    out["update_seconds"] = r.update_seconds;
    out["repair_seconds"] = r.repair_seconds;
    return out;
}

// For tests: (H_FF + proximal I)^-1 b_F for each set F; empty if not positive definite.
template <class T>
std::vector<std::vector<double>> solve_free(const Array2<T>& matrix, double proximal,
                                            const std::vector<std::vector<std::size_t>>& sets,
                                            const Array1<double>& b) {
    const std::size_t n = matrix.shape(0);
    if (matrix.shape(1) != n || b.size() != n) throw std::invalid_argument("sizes differ");
    chunked::FreeFactor<T> factor(matrix.data(), n, n);
    std::vector<std::vector<double>> out;
    for (const std::vector<std::size_t>& free : sets) {
        std::vector<double>& x = out.emplace_back();
        for (const std::size_t p : free) {
            if (p >= n) throw nb::index_error("no such position");
        }
        if (!factor.set(free, proximal)) continue;
        for (const std::size_t p : free) x.push_back(b.data()[p]);
        if (!factor.solve(x)) x.clear();
    }
    return out;
}

}  // namespace

void register_chunked(nb::module_& m) {
    m.def("solve_free", &solve_free<float>);
    m.def("solve_free", &solve_free<double>);
    nb::enum_<chunked::RowPolicy>(m, "RowPolicy")
        .value("automatic", chunked::RowPolicy::automatic)
        .value("kept", chunked::RowPolicy::kept)
        .value("computed", chunked::RowPolicy::computed)
        .value("full", chunked::RowPolicy::full);
    nb::class_<Options>(m, "ChunkedOptions")
        .def(nb::init<>())
        .def_rw("tolerance", &Options::tolerance)
        .def_rw("chunk_size", &Options::chunk_size)
        .def_rw("keep", &Options::keep)
        .def_rw("max_iterations", &Options::max_iterations)
        .def_rw("max_seconds", &Options::max_seconds)
        .def_rw("poll_seconds", &Options::poll_seconds)
        .def_rw("shrinking", &Options::shrinking)
        .def_rw("kernel_rows", &Options::kernel_rows)
        .def_rw("few_rows_first", &Options::few_rows_first)
        .def_rw("may_start_at_zero", &Options::may_start_at_zero)
        .def_rw("gradient_error", &Options::gradient_error);
    nb::class_<Result>(m, "ChunkedResult")
        .def_prop_ro("status", [](const Result& r) { return status_name(r.status); })
        .def_ro("iterations", &Result::iterations)
        .def_ro("violation", &Result::violation)
        .def_ro("seconds", &Result::seconds)
        .def_ro("objective", &Result::objective)
        .def_ro("drifted", &Result::drifted)
        .def_prop_ro("counters", &counters);
    register_solve<float>(m);
    register_solve<double>(m);
}

}  // namespace mercer::bind
