// Shapley values of products of one-feature factors, some support vectors side by side.
//
// With factors a_l at a row and b_l at a background row, h_l = a_l - b_l
// (docs/theory/predictions.md#shapley-values; Lundberg & Lee 2017):
//
//     phi_j = h_j * integral over t in [0, 1] of the product over l != j of (b_l + t h_l)
#pragma once

#include <cstddef>
#include <cstdint>

namespace mercer {

// Support vectors in blocks: number l of the k-th one of a block stands at values[l * width + k].
constexpr std::size_t shapley_width = 8;

// Gauss-Legendre rules on [0, 1], the shortest first, and what tells how many nodes are enough:
// with an integrand of at most exp(g(c)) on the ellipse of number e, c = reach_e its half axis,
// those that are not fewer than (g(reach_e) + offset_e) / rate_e.
struct QuadratureRules {
    const std::int64_t* offsets;  // of the nodes of each rule, n_rules + 1 of them
    const double *nodes, *weights;
    std::size_t n_rules;
    const double *reach, *offset, *rate;
    std::size_t n_ellipses;
};

// A row, a background row, and the factors of a block at both.
struct FactorPair {
    const double *at_row, *at_background;  // n_features x width
    std::size_t n_features;
    // features whose factors may differ
    const std::uint32_t* moving;
    std::size_t n_moving;
};

// The factors are multiplied by exp(tau x_l s_l): the value of a kernel with a polynomial of x's is
// a sum of coefficients of tau^k.
struct PolynomialPart {
    const double *row, *background;  // n_features
    const double* block;             // n_features x width
    const double* coefficients;      // of tau^0, ..., tau^degree
    std::size_t degree;
};

// Of a polynomial alone: with e_l = (x_l - z_l) s_l, x of the row and z of the background, the
// product is a function of z's and the sums of powers of e_l, and the integral one of powers of
// e_j. At each node t the coefficients of u^0, ..., u^degree of log(1 + t (e^u - 1)) and of its
// derivative by t.
struct PowerRule {
    const double *weights, *logarithms, *slopes;
    std::size_t n_nodes;
};

struct ShapleyFunctions {
    // out = exp(-log 2 (square_l u^2 + absolute_l |u|)), u = x_l - s_l
    void (*factors)(const double* row, const double* block, const double* square,
                    const double* absolute, std::size_t n_features, double* out);
    // out += weight phi, n_features x width
    // requires: factors in [0, 1]; room for 7 n_moving width numbers;
    // numbers of nodes that are multiples of four
    void (*add_products)(const FactorPair& pair, const QuadratureRules& rules, double weight,
                         double* room, double* out);
    // The same with a polynomial, by `n_nodes` nodes of [0, 1].
    // requires: room for (3 n_features + 4) (degree + 1) width numbers
    void (*add_series)(const FactorPair& pair, const PolynomialPart& part, const double* nodes,
                       const double* weights, std::size_t n_nodes, double weight, double* room,
                       double* out);
    // The same without exponentials.
    // requires: room for n_features width numbers; a degree of at most most_degrees
    void (*add_powers)(const PolynomialPart& part, std::size_t n_features, const PowerRule& rule,
                       double weight, double* room, double* out);
};

constexpr std::size_t most_degrees = 15;

}  // namespace mercer
