#include "bind/bind_point.hpp"

#include <stdexcept>

#include "bind/bind_problem.hpp"
#include "core/problem/duality.hpp"

namespace mercer::bind {

namespace {

using Vector = Array1<double>;

bool is_point_of(const BoundProblem& problem, const Vector& beta, std::size_t n_rows) {
    const double* values = problem.entries(beta);
    return is_point(values, problem.view().index, problem.size(), n_rows);
}

nb::tuple carried(const BoundProblem& problem, const BoundProblem& last, const Vector& last_beta,
                  const Vector& last_gradient, bool may_scale) {
    if (last.size() != problem.size()) throw std::invalid_argument("sizes of problems differ");
    const CarriedPoint point = carry(problem.view(), last.view(), problem.entries(last_beta),
                                     problem.entries(last_gradient), may_scale);
    return nb::make_tuple(as_array<double>(point.beta), as_array<double>(point.gradient),
                          point.scale);
}

double gap(const BoundProblem& problem, const Vector& beta, const Vector& values,
           const Vector& gradient, const Vector& multiplier) {
    if (multiplier.size() != problem.view().n_groups) {
        throw std::invalid_argument("there must be one multiplier per group");
    }
    const PointView point{problem.entries(beta), problem.entries(values),
                          problem.entries(gradient)};
    return duality_gap(problem.view(), point, multiplier.data());
}

nb::tuple report(const BoundProblem& problem, const Vector& beta, const Vector& values) {
    return report_tuple(
        report_point(problem.view(), problem.entries(beta), problem.entries(values)));
}

}  // namespace

void register_point(nb::module_& m) {
    m.def("is_point", &is_point_of, nb::arg("problem"), nb::arg("beta"), nb::arg("n_rows"));
    m.def("carry", &carried, nb::arg("problem"), nb::arg("last"), nb::arg("last_beta"),
          nb::arg("last_gradient"), nb::arg("may_scale"));
    m.def("duality_gap", &gap, nb::arg("problem"), nb::arg("beta"), nb::arg("values"),
          nb::arg("gradient"), nb::arg("multiplier"));
    m.def("report_point", &report, nb::arg("problem"), nb::arg("beta"), nb::arg("values"));
    m.def("count_classes", [](const IndexArray& labels) -> nb::object {
        const auto found = count_classes(labels.data(), labels.size());
        if (!found) return nb::none();
        return nb::make_tuple(as_array<std::int64_t>(found->labels),
                              as_array<std::int64_t>(found->position));
    });
    m.def("box_sizes", [](const Vector& weight, double C) {
        return as_array<double>(box_sizes(weight.data(), weight.size(), C));
    });
    m.def("are_weighted_signs", [](const Vector& sign, const Vector& weight) {
        const bool fits = sign.size() == weight.size();
        return fits && are_weighted_signs(sign.data(), weight.data(), sign.size());
    });
}

}  // namespace mercer::bind
