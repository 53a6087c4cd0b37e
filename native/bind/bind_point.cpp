#include "bind/bind_point.hpp"

#include <stdexcept>

#include "core/base/cholesky.hpp"
#include "core/problem/duality.hpp"

namespace mercer::bind {

namespace {

ProblemView view(const IndexArray& index, const Array1<double>& linear, const Array1<double>& lower,
                 const Array1<double>& upper, const Array1<double>& ridge,
                 const Array1<std::int8_t>& group, const Array1<double>& group_sum) {
    const std::size_t n = linear.size();
    if (index.size() != n || lower.size() != n || upper.size() != n || ridge.size() != n ||
        group.size() != n) {
        throw std::invalid_argument("arrays of a problem must have equal lengths");
    }
    return {n,           group_sum.size(), index.data(), linear.data(),
            lower.data(), upper.data(),     ridge.data(), group.data()};
}

}  // namespace

void register_point(nb::module_& m) {
    m.def("is_proper",
          [](const IndexArray& index, const Array1<double>& linear, const Array1<double>& lower,
             const Array1<double>& upper, const Array1<double>& ridge,
             const Array1<std::int8_t>& group, const Array1<double>& group_sum) {
              return is_proper(view(index, linear, lower, upper, ridge, group, group_sum),
                               group_sum.data());
          });
    m.def("is_point", [](const Array1<double>& beta, const IndexArray& index, std::size_t n_rows) {
        const bool fits = beta.size() == index.size();
        return fits && is_point(beta.data(), index.data(), beta.size(), n_rows);
    });
    m.def("has_cholesky_factor", [](const Array2<double>& matrix) {
        const std::size_t n = matrix.shape(0);
        if (matrix.shape(1) != n) throw std::invalid_argument("matrix must be square");
        nb::gil_scoped_release release;
        return Cholesky<double>({matrix.data(), matrix.data() + n * n}, n).is_positive();
    });
    m.def("are_weighted_signs", [](const Array1<double>& sign, const Array1<double>& weight) {
        const bool fits = sign.size() == weight.size();
        return fits && are_weighted_signs(sign.data(), weight.data(), sign.size());
    });
    m.def("is_zero_feasible", [](const Array1<double>& lower, const Array1<double>& upper,
                                 const Array1<double>& group_sum) {
        if (lower.size() != upper.size()) throw std::invalid_argument("bounds of unequal lengths");
        return is_zero_feasible(lower.data(), upper.data(), lower.size(), group_sum.data(),
                                group_sum.size());
    });
    m.def("is_feasible",
          [](const Array1<double>& beta, const IndexArray& index, const Array1<double>& linear,
             const Array1<double>& lower, const Array1<double>& upper, const Array1<double>& ridge,
             const Array1<std::int8_t>& group, const Array1<double>& group_sum) {
              const ProblemView problem = view(index, linear, lower, upper, ridge, group, group_sum);
              return beta.size() == problem.n_variables &&
                     is_feasible(problem, group_sum.data(), beta.data());
          });
    m.def("carry",
          [](const Array1<double>& beta, const Array1<double>& last_linear,
             const Array1<double>& last_gradient, bool may_scale, const IndexArray& index,
             const Array1<double>& linear, const Array1<double>& lower, const Array1<double>& upper,
             const Array1<double>& ridge, const Array1<std::int8_t>& group,
             const Array1<double>& group_sum) {
              const ProblemView problem = view(index, linear, lower, upper, ridge, group, group_sum);
              const std::size_t n = problem.n_variables;
              if (beta.size() != n || last_linear.size() != n || last_gradient.size() != n) {
                  throw std::invalid_argument("a point must have one entry per variable");
              }
              const CarriedPoint point =
                  carry(problem, beta.data(), last_linear.data(), last_gradient.data(), may_scale);
              return nb::make_tuple(copied(point.beta), copied(point.gradient), point.scale);
          });
    m.def("duality_gap",
          [](const Array1<double>& beta, const Array1<double>& values,
             const Array1<double>& gradient, const Array1<double>& multiplier,
             const IndexArray& index, const Array1<double>& linear, const Array1<double>& lower,
             const Array1<double>& upper, const Array1<double>& ridge,
             const Array1<std::int8_t>& group, const Array1<double>& group_sum) {
              const ProblemView problem = view(index, linear, lower, upper, ridge, group, group_sum);
              const std::size_t n = problem.n_variables;
              if (beta.size() != n || values.size() != n || gradient.size() != n ||
                  multiplier.size() != problem.n_groups) {
                  throw std::invalid_argument("a point must have one entry per variable");
              }
              return duality_gap(problem, group_sum.data(),
                                 {beta.data(), values.data(), gradient.data()}, multiplier.data());
          });
    m.def("report_point",
          [](const Array1<double>& beta, const Array1<double>& values, const IndexArray& index,
             const Array1<double>& linear, const Array1<double>& lower, const Array1<double>& upper,
             const Array1<double>& ridge, const Array1<std::int8_t>& group,
             const Array1<double>& group_sum) {
              const ProblemView problem = view(index, linear, lower, upper, ridge, group, group_sum);
              if (beta.size() != problem.n_variables || values.size() != problem.n_variables) {
                  throw std::invalid_argument("a point must have one entry per variable");
              }
              return report_tuple(
                  report_point(problem, group_sum.data(), beta.data(), values.data()));
          });
}

}  // namespace mercer::bind
