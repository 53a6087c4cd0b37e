// What is known of a point, as Python gets it.
#pragma once

#include <algorithm>

#include "bind/bind.hpp"
#include "core/problem/point.hpp"

namespace mercer::bind {

inline nb::ndarray<nb::numpy, double> copied(const std::vector<double>& values) {
    auto out = std::make_unique<double[]>(values.size());
    std::ranges::copy(values, out.get());
    return new_array<double>(std::move(out), {values.size()});
}

inline nb::tuple report_tuple(const PointReport& report) {
    return nb::make_tuple(copied(report.gradient), copied(report.multiplier), report.objective,
                          report.violation, report.infeasibility, report.gap);
}

}  // namespace mercer::bind
