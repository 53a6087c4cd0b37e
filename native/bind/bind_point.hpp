// What is known of a point, as Python gets it.
#pragma once

#include "bind/bind.hpp"
#include "core/problem/point.hpp"

namespace mercer::bind {

inline nb::tuple report_tuple(const PointReport& report) {
    return nb::make_tuple(as_array<double>(report.gradient), as_array<double>(report.multiplier),
                          report.objective, report.violation, report.infeasibility, report.gap);
}

}  // namespace mercer::bind
