#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>

#include "bind/bind.hpp"
#include "core/explain/shapley.hpp"

namespace mercer::bind {

namespace {

using explain::Matrix;

Matrix matrix(const Array2<double>& array) {
    return {array.data(), array.shape(0), array.shape(1)};
}

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

QuadratureRules quadrature_rules(const IndexArray& offsets, const Array2<double>& nodes,
                                 const Array2<double>& ellipses, std::int64_t multiple) {
    require(offsets.size() > 1 && nodes.shape(0) == 2 && ellipses.shape(0) == 3,
            "rules must have nodes and weights, ellipses their reach, offset and rate");
    const std::size_t n = offsets.size() - 1, n_nodes = nodes.shape(1), e = ellipses.shape(1);
    const std::int64_t* cuts = offsets.data();
    require(cuts[0] == 0 && cuts[n] == std::int64_t(n_nodes), "rules must be all nodes");
    for (std::size_t k = 0; k < n; ++k) {
        require(cuts[k + 1] > cuts[k] && (cuts[k + 1] - cuts[k]) % multiple == 0,
                "products must have rules of multiples of four nodes");
    }
    const double *at = nodes.data(), *c = ellipses.data();
    return {cuts, at, at + n_nodes, n, c, c + e, c + 2 * e, e};
}

nb::ndarray<nb::numpy, double> shapley_values(
    const Array2<double>& rows, const Array2<double>& background,
    const Array1<double>& background_weight, const Array2<double>& support,
    const Array2<double>& coef, const Array1<double>& square, const Array1<double>& absolute,
    const Array1<double>& coefficients, const IndexArray& offsets, const Array2<double>& nodes,
    const Array2<double>& ellipses, std::size_t n_threads) {
    const std::size_t d = rows.shape(1), n_outputs = coef.shape(1);
    require(background.shape(1) == d && support.shape(1) == d && square.size() == d &&
                absolute.size() == d,
            "rows must have the features of the kernel");
    require(background_weight.size() == background.shape(0) && coef.shape(0) == support.shape(0),
            "every background row must have a weight, every support vector coefficients");
    require(coefficients.size() > 0, "there must be a polynomial");
    const QuadratureRules rules =
        quadrature_rules(offsets, nodes, ellipses, coefficients.size() == 1 ? 4 : 1);
    const auto is_zero = [](double value) { return value == 0.0; };
    const bool is_flat = std::all_of(square.data(), square.data() + d, is_zero) &&
                         std::all_of(absolute.data(), absolute.data() + d, is_zero);
    require(!is_flat || (coefficients.size() > 1 && coefficients.size() <= most_degrees + 1),
            "a polynomial alone must have a degree of 1 to 15");
    const explain::Functions functions{
        {square.data(), absolute.data(), coefficients.data(), coefficients.size() - 1, is_flat},
        matrix(support),
        matrix(coef)};
    auto out = std::make_unique<double[]>(rows.shape(0) * d * n_outputs);
    {
        const nb::gil_scoped_release release;
        ThreadPool threads(n_threads);
        SignalPoll poll;
        explain::shapley_values(
            functions, matrix(rows), {matrix(background), background_weight.data()}, rules, threads,
            [&poll] { return poll(); }, out.get());
    }
    return new_array<double>(std::move(out), {rows.shape(0), d, n_outputs});
}

}  // namespace

void register_shapley(nb::module_& m) {
    m.def("shapley_values", &shapley_values, nb::arg("rows"), nb::arg("background"),
          nb::arg("background_weight"), nb::arg("support"), nb::arg("coef"), nb::arg("square"),
          nb::arg("absolute"), nb::arg("coefficients"), nb::arg("offsets"), nb::arg("nodes"),
          nb::arg("ellipses"), nb::arg("n_threads"));
}

}  // namespace mercer::bind
