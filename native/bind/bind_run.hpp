// What the bindings of iterative solvers share: a problem from arrays, statuses, callbacks.
#pragma once

#include "bind/bind.hpp"
#include "core/problem/problem.hpp"
#include "core/smo/solve.hpp"

namespace mercer::bind {

inline const char* status_name(smo::Status status) {
    switch (status) {
        case smo::Status::converged: return "converged";
        case smo::Status::max_iterations: return "max-iter";
        case smo::Status::max_time: return "max-time";
        case smo::Status::stopped: return "callback";
        case smo::Status::unbounded: return "unbounded";
        case smo::Status::stalled: return "precision-limit";
        case smo::Status::stuck: return "stuck";
    }
    return "converged";
}

// Signals first, then the callback, which returns whether to go on.
inline smo::Monitor python_monitor(const nb::object& callback) {
    return [&callback](const smo::Progress& progress) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (callback.is_none()) return true;
        return nb::cast<bool>(callback(progress.iteration, progress.violation, progress.objective,
                                       progress.n_active, progress.seconds, progress.error));
    };
}

inline ProblemView problem_view(std::size_t n_rows, const IndexArray& index,
                                const Array1<double>& linear, const Array1<double>& lower,
                                const Array1<double>& upper, const Array1<double>& ridge,
                                const Array1<std::int8_t>& group, std::size_t n_groups) {
    const std::size_t n = linear.size();
    for (std::size_t size :
         {index.size(), lower.size(), upper.size(), ridge.size(), group.size()}) {
        if (size != n) throw std::invalid_argument("arrays of a problem must have equal lengths");
    }
    to_indices(index, n_rows);
    return {n,           n_groups,     index.data(), linear.data(),
            lower.data(), upper.data(), ridge.data(), group.data()};
}

}  // namespace mercer::bind
