// The passes of shapley.hpp, compiled once per instruction set.

#include "simd/shapley.hpp"

#include <cmath>

#include "simd/exponential.hpp"
#include "simd/vector.hpp"

namespace mercer {
namespace MERCER_ISA {

static constexpr std::size_t width = shapley_width;
static constexpr std::size_t lanes = Lanes<double>::count;
static constexpr std::size_t n_vectors = width / lanes;
static constexpr double negligible = 1e-30;  // next to factors of at most 1

typedef Vector<double> Numbers;

// Several vectors side by side, which powers_of_two asks for.
static void factors(const double* row, const double* block, const double* square,
                    const double* absolute_rate, std::size_t n_features, double* out) {
    constexpr std::size_t at_once = 4;
    const std::size_t size = n_features * width;
    for (std::size_t begin = 0; begin < size; begin += at_once * lanes) {
        Numbers power[at_once] = {};
        const std::size_t left = (size - begin) / lanes, count = left < at_once ? left : at_once;
        for (std::size_t v = 0; v < count; ++v) {
            const std::size_t at = begin + v * lanes, l = at / width;
            const Numbers u = splat<double>(row[l]) - load<double>(block + at);
            power[v] = -(splat<double>(square[l]) * u * u) -
                       splat<double>(absolute_rate[l]) * absolute<double>(u);
        }
        powers_of_two<double, int(at_once)>(power);
        for (std::size_t v = 0; v < count; ++v) store<double>(out + begin + v * lanes, power[v]);
    }
}

static inline Numbers larger(Numbers a, Numbers b) {
    return a > b ? a : b;
}

static inline Numbers smaller(Numbers a, Numbers b) {
    return a > b ? b : a;
}

// The factors of the features that move, and what bounds their products.
struct Gathered {
    Numbers fixed, at_row, at_background;     // products
    Numbers squares, largest_step, smallest;  // sum and maximum of the |h|, least b + a
};

static inline Gathered gather(const FactorPair& pair, std::size_t first, double* base,
                              double* step) {
    const Numbers one = splat<double>(1.0);
    Gathered found{one, one, one, Numbers{}, Numbers{}, splat<double>(2.0)};
    for (std::size_t k = 0; k < pair.n_moving; ++k) {
        const std::size_t at = pair.moving[k] * width + first;
        const Numbers a = load<double>(pair.at_row + at), b = load<double>(pair.at_background + at);
        const Numbers h = a - b;
        store<double>(base + k * lanes, b);
        store<double>(step + k * lanes, h);
        found.at_row *= a;
        found.at_background *= b;
        found.squares += h * h;
        found.largest_step = larger(found.largest_step, absolute<double>(h));
        found.smallest = smaller(found.smallest, a + b);
    }
    if (pair.n_moving == pair.n_features) return found;
    for (std::size_t l = 0, k = 0; l < pair.n_features; ++l) {
        if (k < pair.n_moving && pair.moving[k] == l) ++k;
        else found.fixed *= load<double>(pair.at_row + l * width + first);
    }
    return found;
}

// How fast a product may grow off the interval: with c the half axis of an ellipse it is at most
// exp(slope c + bend c^2 / 2), and exp(spread (c - 1)), times its value or the largest one
// (docs/theory/predictions.md#how-many-nodes).
struct Growth {
    double slope, bend, spread;
};

// `credit`: the logarithm of what the error may be next to rounding.
static double nodes_needed(const Growth& growth, const QuadratureRules& rules, double credit) {
    double least = 1e300;
    for (std::size_t e = 0; e < rules.n_ellipses; ++e) {
        const double c = rules.reach[e];
        const double by_signs = c * (growth.slope + 0.5 * c * growth.bend);
        const double by_sizes = (c - 1.0) * growth.spread;
        const double exponent = by_signs < by_sizes ? by_signs : by_sizes;
        const double needed = (exponent + rules.offset[e] - credit) / rules.rate[e];
        least = needed < least ? needed : least;
    }
    return least;
}

static inline double largest_of(Numbers values) {
    double largest = values[0];
    for (std::size_t i = 1; i < lanes; ++i) largest = values[i] > largest ? values[i] : largest;
    return largest;
}

// Sums of k_l = h_l / (a_l + b_l) from products and extremes, the largest of all lanes: atanh k_l
// is half the logarithm of a_l / b_l, and not farther from k_l than |k_l|^3 / (3 (1 - k_l^2)).
static inline Growth growth_by_signs(const Gathered& sizes) {
    const Numbers inverse = splat<double>(1.0) / sizes.smallest;
    const double k = largest_of(sizes.largest_step * inverse);
    const double ratio =
        largest_of(larger(sizes.at_row / sizes.at_background, sizes.at_background / sizes.at_row));
    // NaN where factors are 0
    if (!(k < 0.9) || !(ratio < 1e300)) return {1e300, 1e300, 1e300};
    const double bend = largest_of(sizes.squares * inverse * inverse);
    const double sum = 0.5 * std::log(ratio) + bend * k / (3.0 * (1.0 - k * k));
    return {sum + k, bend, 1e300};
}

// Products of the larger and of the smaller factors.
struct Extremes {
    Numbers high, low;
};

static Extremes extreme_products(const double* base, const double* step, std::size_t count) {
    Extremes found{splat<double>(1.0), splat<double>(1.0)};
    for (std::size_t k = 0; k < count; ++k) {
        const Numbers b = load<double>(base + k * lanes), a = b + load<double>(step + k * lanes);
        found.high *= larger(a, b);
        found.low *= smaller(a, b);
    }
    return found;
}

// Bound of sum_l (1 - low_l / high_l) / 2 from the products: of all ratios with this product equal
// ones have the largest sum.
static inline double spread_of(const Extremes& products, std::size_t count) {
    const double n = double(count);
    double least = 1.0;
    for (std::size_t i = 0; i < lanes; ++i) {
        const double ratio = products.high[i] > 0.0 ? products.low[i] / products.high[i] : 0.0;
        least = ratio < least ? ratio : least;
    }
    return 0.5 * n * (1.0 - std::pow(least, 1.0 / n));
}

// The shortest rule for some support vectors: exact for the degree, or accurate to rounding.
// n_rules: nothing of the products is left.
static std::size_t rule_for(const Gathered& sizes, const double* base, const double* step,
                            std::size_t count, const QuadratureRules& rules) {
    constexpr double many = 12.0;  // nodes that are worth a closer look
    Growth growth = growth_by_signs(sizes);
    double needed = nodes_needed(growth, rules, 0.0);
    if (needed > many) {
        const Extremes products = extreme_products(base, step, count);
        const double size = largest_of(sizes.fixed * products.high);
        if (size < negligible) return rules.n_rules;
        growth.spread = spread_of(products, count);
        // small products are allowed the root of their size instead of all of it
        needed = nodes_needed(growth, rules, -0.5 * std::log(size < 1.0 ? size : 1.0));
    }
    const auto nodes_of = [&](std::size_t rule) {
        return std::size_t(rules.offsets[rule + 1] - rules.offsets[rule]);
    };
    std::size_t rule = 0;
    while (rule + 1 < rules.n_rules && double(nodes_of(rule)) < needed &&
           2 * nodes_of(rule) < count) {
        ++rule;
    }
    return rule;
}

// integrals[k] += weights' products of all (base_l + t step_l) but number k, at four nodes at a
// time: products of those before, kept on the way up, times products of those behind.
static inline void add_four_nodes(const double* base, const double* step, std::size_t count,
                                  const double* nodes, const double* weights, Numbers start,
                                  double* before, double* integrals) {
    const Numbers t0 = splat<double>(nodes[0]), t1 = splat<double>(nodes[1]),
                  t2 = splat<double>(nodes[2]), t3 = splat<double>(nodes[3]);
    Numbers p0 = splat<double>(1.0), p1 = p0, p2 = p0, p3 = p0;
    for (std::size_t k = 0; k < count; ++k) {
        double* at = before + 4 * k * lanes;
        store<double>(at, p0);
        store<double>(at + lanes, p1);
        store<double>(at + 2 * lanes, p2);
        store<double>(at + 3 * lanes, p3);
        const Numbers b = load<double>(base + k * lanes), h = load<double>(step + k * lanes);
        p0 *= b + t0 * h;
        p1 *= b + t1 * h;
        p2 *= b + t2 * h;
        p3 *= b + t3 * h;
    }
    p0 = splat<double>(weights[0]) * start;
    p1 = splat<double>(weights[1]) * start;
    p2 = splat<double>(weights[2]) * start;
    p3 = splat<double>(weights[3]) * start;
    for (std::size_t k = count; k-- > 0;) {
        const double* at = before + 4 * k * lanes;
        const Numbers b = load<double>(base + k * lanes), h = load<double>(step + k * lanes);
        const Numbers left = p0 * load<double>(at) + p1 * load<double>(at + lanes);
        const Numbers right = p2 * load<double>(at + 2 * lanes) + p3 * load<double>(at + 3 * lanes);
        store<double>(integrals + k * lanes, load<double>(integrals + k * lanes) + (left + right));
        p0 *= b + t0 * h;
        p1 *= b + t1 * h;
        p2 *= b + t2 * h;
        p3 *= b + t3 * h;
    }
}

static void add_products(const FactorPair& pair, const QuadratureRules& rules, double weight,
                         double* room, double* out) {
    const std::size_t m = pair.n_moving;
    if (m == 0) return;
    double *base = room, *step = base + m * lanes, *integrals = step + m * lanes,
           *before = integrals + m * lanes;
    for (std::size_t first = 0; first < width; first += lanes) {
        const Gathered sizes = gather(pair, first, base, step);
        const std::size_t rule = rule_for(sizes, base, step, m, rules);
        if (rule == rules.n_rules) continue;
        for (std::size_t k = 0; k < m; ++k) store<double>(integrals + k * lanes, Numbers{});
        const Numbers start = splat<double>(weight) * sizes.fixed;
        for (std::int64_t n = rules.offsets[rule]; n < rules.offsets[rule + 1]; n += 4) {
            add_four_nodes(base, step, m, rules.nodes + n, rules.weights + n, start, before,
                           integrals);
        }
        for (std::size_t k = 0; k < m; ++k) {
            double* to = out + pair.moving[k] * width + first;
            add_to(to, load<double>(step + k * lanes) * load<double>(integrals + k * lanes));
        }
    }
}

// A series in tau of a block: the coefficient of tau^k of each support vector.
// out = factor exp(tau x s), without the powers beyond the degree
static inline void write_series(const double* factor, double x, const double* s, std::size_t degree,
                                double* out) {
    for (std::size_t i = 0; i < width; ++i) out[i] = factor[i];
    for (std::size_t k = 1; k <= degree; ++k) {
        for (std::size_t i = 0; i < width; ++i) {
            out[k * width + i] = out[(k - 1) * width + i] * (x * s[i]) / double(k);
        }
    }
}

// out_k = sum_m a_m b_(k - m)
static inline void multiply(const double* __restrict a, const double* __restrict b,
                            std::size_t degree, double* __restrict out) {
    for (std::size_t k = 0; k <= degree; ++k) {
        double sums[width] = {};
        for (std::size_t m = 0; m <= k; ++m) {
            const double *left = a + m * width, *right = b + (k - m) * width;
            for (std::size_t i = 0; i < width; ++i) sums[i] += left[i] * right[i];
        }
        for (std::size_t i = 0; i < width; ++i) out[k * width + i] = sums[i];
    }
}

// out_k = sum_m a_m slope_(k + m): the slope by a factor from that by its product with a
static inline void pull_back(const double* __restrict a, const double* __restrict slope,
                             std::size_t degree, double* __restrict out) {
    for (std::size_t k = 0; k <= degree; ++k) {
        double sums[width] = {};
        for (std::size_t m = 0; k + m <= degree; ++m) {
            const double *left = a + m * width, *right = slope + (k + m) * width;
            for (std::size_t i = 0; i < width; ++i) sums[i] += left[i] * right[i];
        }
        for (std::size_t i = 0; i < width; ++i) out[k * width + i] = sums[i];
    }
}

// The integrand is the slope of the coefficients' sum by the factor of a feature, times h_j.
// N: the degree, 0 if it is known at run time only.
template <std::size_t N>
static void add_series_of(const FactorPair& pair, const PolynomialPart& part, const double* nodes,
                          const double* weights, std::size_t n_nodes, double weight, double* room,
                          double* out) {
    const std::size_t d = pair.n_features, degree = N ? N : part.degree,
                      size = (degree + 1) * width;
    double *base = room, *step = base + d * size, *before = step + d * size;
    double *factor = before + (d + 1) * size, *slope = factor + size, *next = slope + size;
    for (std::size_t l = 0; l < d; ++l) {
        const double* s = part.block + l * width;
        double *b = base + l * size, *h = step + l * size;
        write_series(pair.at_background + l * width, part.background[l], s, degree, b);
        write_series(pair.at_row + l * width, part.row[l], s, degree, h);
        for (std::size_t i = 0; i < size; ++i) h[i] -= b[i];
    }
    const auto write_factor = [&](std::size_t l, double t) {
        const double *b = base + l * size, *h = step + l * size;
        for (std::size_t i = 0; i < size; ++i) factor[i] = b[i] + t * h[i];
    };
    for (std::size_t n = 0; n < n_nodes; ++n) {
        for (std::size_t i = 0; i < size; ++i) before[i] = i < width ? 1.0 : 0.0;
        for (std::size_t l = 0; l < d; ++l) {
            write_factor(l, nodes[n]);
            multiply(before + l * size, factor, degree, before + (l + 1) * size);
        }
        for (std::size_t i = 0; i < size; ++i) {
            slope[i] = weight * weights[n] * part.coefficients[i / width];
        }
        for (std::size_t l = d; l-- > 0;) {
            pull_back(before + l * size, slope, degree, next);
            const double* h = step + l * size;
            for (std::size_t k = 0; k <= degree; ++k) {
                for (std::size_t i = 0; i < width; ++i) {
                    out[l * width + i] += h[k * width + i] * next[k * width + i];
                }
            }
            write_factor(l, nodes[n]);
            pull_back(factor, slope, degree, next);
            for (std::size_t i = 0; i < size; ++i) slope[i] = next[i];
        }
    }
}

static void add_series(const FactorPair& pair, const PolynomialPart& part, const double* nodes,
                       const double* weights, std::size_t n_nodes, double weight, double* room,
                       double* out) {
    const auto pass = part.degree == 1   ? &add_series_of<1>
                      : part.degree == 2 ? &add_series_of<2>
                      : part.degree == 3 ? &add_series_of<3>
                      : part.degree == 4 ? &add_series_of<4>
                                         : &add_series_of<0>;
    pass(pair, part, nodes, weights, n_nodes, weight, room, out);
}

// The coefficients of exp(sum_k series_k u^k), series_0 = 0: m P_m = sum_k k series_k P_(m - k).
static inline void exponential_series(const Numbers* series, std::size_t degree, Numbers* out) {
    out[0] = splat<double>(1.0);
    for (std::size_t m = 1; m <= degree; ++m) {
        Numbers sum{};
        for (std::size_t k = 1; k <= m; ++k)
            sum += splat<double>(double(k)) * series[k] * out[m - k];
        out[m] = sum / splat<double>(double(m));
    }
}

// gains[k] = the integral that e_j^k is multiplied by, from z's and the sums of powers
static inline void power_gains(const PolynomialPart& part, const PowerRule& rule, Numbers base,
                               const Numbers* sums, Numbers* gains) {
    const std::size_t degree = part.degree;
    for (std::size_t k = 0; k <= degree; ++k) gains[k] = Numbers{};
    for (std::size_t n = 0; n < rule.n_nodes; ++n) {
        const double *logarithms = rule.logarithms + n * (degree + 1),
                     *slopes = rule.slopes + n * (degree + 1);
        Numbers series[most_degrees + 1], product[most_degrees + 1];
        for (std::size_t k = 1; k <= degree; ++k)
            series[k] = splat<double>(logarithms[k]) * sums[k];
        series[1] += base;
        exponential_series(series, degree, product);
        for (std::size_t k = 1; k <= degree; ++k) {
            Numbers sum{};
            for (std::size_t m = 0; k + m <= degree; ++m) {
                sum += splat<double>(part.coefficients[k + m]) * product[m];
            }
            gains[k] += splat<double>(rule.weights[n] * slopes[k]) * sum;
        }
    }
}

static void add_powers(const PolynomialPart& part, std::size_t n_features, const PowerRule& rule,
                       double weight, double* room, double* out) {
    const std::size_t degree = part.degree;
    for (std::size_t first = 0; first < width; first += lanes) {
        Numbers base{}, sums[most_degrees + 1] = {}, gains[most_degrees + 1];
        for (std::size_t l = 0; l < n_features; ++l) {
            const Numbers s = load<double>(part.block + l * width + first);
            const Numbers e = splat<double>(part.row[l] - part.background[l]) * s;
            base += splat<double>(part.background[l]) * s;
            store<double>(room + l * lanes, e);
            Numbers power = e;
            for (std::size_t k = 1; k <= degree; ++k, power *= e) sums[k] += power;
        }
        power_gains(part, rule, base, sums, gains);
        for (std::size_t l = 0; l < n_features; ++l) {
            const Numbers e = load<double>(room + l * lanes);
            Numbers value = gains[degree];
            for (std::size_t k = degree; k-- > 1;) value = value * e + gains[k];
            add_to(out + l * width + first, splat<double>(weight) * e * value);
        }
    }
}

extern const ShapleyFunctions shapley_functions;
const ShapleyFunctions shapley_functions = {&factors, &add_products, &add_series, &add_powers};

}  // namespace MERCER_ISA
}  // namespace mercer
