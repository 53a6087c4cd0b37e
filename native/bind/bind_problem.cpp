#include "bind/bind_problem.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "bind/bind_run.hpp"
#include "core/problem/feasible.hpp"
#include "core/problem/point.hpp"

namespace mercer::bind {

namespace {

constexpr std::size_t beyond_all = std::numeric_limits<std::size_t>::max();

}  // namespace

BoundProblem::BoundProblem(IndexArray index, Array1<double> linear, Array1<double> lower,
                           Array1<double> upper, Array1<double> ridge, Array1<std::int8_t> group,
                           Array1<double> group_sum)
    : index_(std::move(index)), linear_(std::move(linear)), lower_(std::move(lower)),
      upper_(std::move(upper)), ridge_(std::move(ridge)), group_(std::move(group)),
      group_sum_(std::move(group_sum)),
      view_{linear_.size(), group_sum_.size(), index_.data(), linear_.data(),   lower_.data(),
            upper_.data(),  ridge_.data(),     group_.data(), group_sum_.data()} {
    for (const std::size_t n :
         {index_.size(), lower_.size(), upper_.size(), ridge_.size(), group_.size()}) {
        if (n != size()) throw std::invalid_argument("arrays of a problem must have equal lengths");
    }
    for (std::size_t i = 0; i < size(); ++i) {
        const std::int64_t row = view_.index[i];
        n_rows_ = std::max(n_rows_, row < 0 ? beyond_all : std::size_t(row) + 1);
    }
}

const ProblemView& BoundProblem::view_on(std::size_t n_rows) const {
    if (n_rows_ > n_rows) throw nb::index_error("row index out of range");
    return view_;
}

void register_problem(nb::module_& m) {
    nb::class_<BoundProblem>(m, "Problem", "The arrays of a problem, for all calls that take one.")
        .def(nb::init<IndexArray, Array1<double>, Array1<double>, Array1<double>, Array1<double>,
                      Array1<std::int8_t>, Array1<double>>(),
             nb::arg("index"), nb::arg("linear"), nb::arg("lower"), nb::arg("upper"),
             nb::arg("ridge"), nb::arg("group"), nb::arg("group_sum"))
        .def_prop_ro("n_rows", &BoundProblem::n_rows)
        .def("may_be_unbounded",
             [](const BoundProblem& problem) { return may_be_unbounded(problem.view()); })
        .def("linear_size", [](const BoundProblem& problem) { return linear_size(problem.view()); })
        .def("is_proper", [](const BoundProblem& problem) { return is_proper(problem.view()); })
        .def("is_zero_feasible",
             [](const BoundProblem& problem) { return is_zero_feasible(problem.view()); })
        .def("squared_norm",
             [](const BoundProblem& problem, const Array1<double>& beta,
                const Array1<double>& gradient) {
                 return squared_norm(problem.view(), problem.entries(beta),
                                     problem.entries(gradient));
             })
        .def("row_coef",
             [](const BoundProblem& problem, const Array1<double>& beta, std::size_t n_rows) {
                 const std::size_t n = std::max(n_rows, problem.n_rows());
                 return as_array<double>(row_coef(problem.view(), problem.entries(beta), n));
             })
        .def("is_feasible",
             [](const BoundProblem& problem, const Array1<double>& beta) {
                 return is_feasible(problem.view(), problem.entries(beta));
             })
        .def(
            "fill_sums",
            [](const BoundProblem& problem, OutArray beta) {
                fill_sums(problem.view(), problem.entries(beta));
            },
            nb::arg("beta").noconvert())
        .def(
            "restore_sums",
            [](const BoundProblem& problem, OutArray beta) {
                restore_sums(problem.view(), problem.entries(beta));
            },
            nb::arg("beta").noconvert());
}

}  // namespace mercer::bind
