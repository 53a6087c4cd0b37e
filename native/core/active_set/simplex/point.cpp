#include "core/active_set/simplex/point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mercer::active_set {

namespace {

template <typename T>
std::vector<T> copied(const T* values, std::size_t count) {
    return std::vector<T>(values, values + count);
}

}  // namespace

Point::Point(Gram<double>& gram, const ProblemView& problem, const double* sums,
             const double* given)
    : kernel(std::make_shared<KernelRows>(
          gram, std::span<const std::int64_t>(problem.index, problem.n_variables))),
      linear(copied(problem.linear, problem.n_variables)),
      lower(copied(problem.lower, problem.n_variables)),
      upper(copied(problem.upper, problem.n_variables)),
      ridge(copied(problem.ridge, problem.n_variables)), coef(copied(given, problem.n_variables)),
      group(copied(problem.group, problem.n_variables)), group_sum(copied(sums, problem.n_groups)),
      multiplier(problem.n_groups, 0.0), basis(kernel, ridge, group, problem.n_groups),
      nonbasic(kernel->n_places()) {}

std::vector<double> Point::expansion() const {
    std::vector<double> out = nonbasic, weights(basis.size());
    for (std::size_t a = 0; a < weights.size(); ++a) weights[a] = coef[basis.members()[a]];
    kernel->add_rows(weights.data(), basis.rows(), out.data());
    return out;
}

std::vector<double> Point::gradient(const std::vector<double>& expansion) const {
    std::vector<double> out(coef.size());
    for (std::size_t v = 0; v < out.size(); ++v) {
        out[v] = linear[v] - expansion[kernel->place(v)] - ridge[v] * coef[v];
    }
    return out;
}

// linear'b - b'(K + ridge)b / 2 = b'(linear + gradient) / 2
double Point::dual_value(const std::vector<double>& gradient) const {
    double sum = 0.0;
    for (std::size_t v = 0; v < coef.size(); ++v) sum += coef[v] * (linear[v] + gradient[v]);
    return 0.5 * sum;
}

double Point::squares() const {
    double sum = 0.0;
    for (std::size_t v = 0; v < coef.size(); ++v) {
        sum += coef[v] * coef[v] * std::abs(kernel->diagonal(v));
    }
    return sum;
}

double Point::noise() const {
    double largest = 0.0;
    for (const double x : linear) largest = std::max(largest, std::abs(x));
    const double expansion = std::sqrt(squares() * kernel->largest_diagonal());
    return 4.0 * std::numeric_limits<double>::epsilon() * (largest + expansion);
}

std::vector<double> Point::known_expansion(const double* gradient) const {
    std::vector<double> out(kernel->n_places());
    for (std::size_t v = 0; v < coef.size(); ++v) {
        out[kernel->place(v)] = linear[v] - gradient[v] - ridge[v] * coef[v];
    }
    return out;
}

void Point::set_nonbasic(std::vector<double> expansion) {
    nonbasic = std::move(expansion);
    std::vector<double> weights(basis.size());
    for (std::size_t a = 0; a < weights.size(); ++a) weights[a] = -coef[basis.members()[a]];
    kernel->add_rows(weights.data(), basis.rows(), nonbasic.data());
}

}  // namespace mercer::active_set
