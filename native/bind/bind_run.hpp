// What the bindings of iterative solvers share: statuses and callbacks.
#pragma once

#include "bind/bind.hpp"
#include "core/base/run.hpp"

namespace mercer::bind {

// An array of doubles that is written to.
using OutArray = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline const char* status_name(Status status) {
    switch (status) {
        case Status::converged: return "converged";
        case Status::max_iterations: return "max-iter";
        case Status::max_time: return "max-time";
        case Status::stopped: return "callback";
        case Status::unbounded: return "unbounded";
        case Status::stalled: return "precision-limit";
        case Status::stuck: return "stuck";
    }
    return "converged";
}

// Signals first, then the callback, which returns whether to go on.
inline Monitor python_monitor(const nb::object& callback) {
    return [&callback](const Progress& progress) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (callback.is_none()) return true;
        return nb::cast<bool>(callback(progress.iteration, progress.violation, progress.objective,
                                       progress.n_active, progress.seconds, progress.error));
    };
}

}  // namespace mercer::bind
