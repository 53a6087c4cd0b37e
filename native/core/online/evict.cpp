// Examples that leave because there are more than the budget allows
// (docs/theory/online.md#a-budget).

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/online/learner.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::online {

namespace {

constexpr std::size_t most_projection_steps = 50;
constexpr std::size_t n_candidates = 16;

// k(x, z) of z = share a + (1 - share) b, from k(x, a), k(x, b) and k(a, b) of a gaussian:
// |x - z|^2 = share |x - a|^2 + (1 - share) |x - b|^2 - share (1 - share) |a - b|^2
template <class T>
T between(T with_a, T with_b, double share, double apart) {
    if (!(with_a > T(0)) || !(with_b > T(0))) return T(0);
    const double exponent = share * std::log(double(with_a)) +
                            (1.0 - share) * std::log(double(with_b)) -
                            share * (1.0 - share) * apart;
    return T(std::exp(std::min(exponent, 0.0)));
}

// The minimum of a function of one variable in [0, 1] that has only one, to about 1e-5.
template <class Value>
double golden_section(const Value& value) {
    constexpr double ratio = 0.6180339887498949;
    double low = 0.0, high = 1.0;
    double left = high - ratio * (high - low), right = low + ratio * (high - low);
    double at_left = value(left), at_right = value(right);
    for (int count = 0; count < 24; ++count) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - ratio * (high - low);
            at_left = value(left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + ratio * (high - low);
            at_right = value(right);
        }
    }
    return 0.5 * (low + high);
}

}  // namespace

template <class T>
void Learner<T>::evict(const Block<T>& block, std::size_t i) {
    const Victim victim = choose_victim();
    if (!is_zero(victim.slot)) {
        const bool has_mate = victim.mate != Extremes::nowhere;
        if (has_mate && options_.eviction == Eviction::merging) {
            return merge(block, i, victim.slot, victim.mate);
        }
        const bool projects = options_.eviction == Eviction::projection;
        for (std::size_t f = 0; f < functions_.size(); ++f) {
            errors_[f] += functions_[f].vacate(victim.slot, victim.mate, rows_,
                                               projects ? most_projection_steps : 0);
        }
    }
    forget(victim.slot);
}

// Of the few that have the least of all functions the one that these miss least: an example
// without a coefficient if there is one.
template <class T>
auto Learner<T>::choose_victim() -> Victim {
    std::vector<std::pair<double, std::size_t>> sizes;
    for (std::size_t s = 0; s < rows_.n_slots(); ++s) {
        if (rows_.is_kept(s)) sizes.emplace_back(size_of(s), s);
    }
    const std::size_t count = std::min(n_candidates, sizes.size());
    const auto middle = sizes.begin() + std::ptrdiff_t(count);
    std::partial_sort(sizes.begin(), middle, sizes.end());
    if (sizes[0].first == 0.0) return {sizes[0].second, Extremes::nowhere, 0.0};
    Victim best;
    for (auto candidate = sizes.begin(); candidate != middle; ++candidate) {
        const Victim victim = judged(candidate->second);
        if (victim.error < best.error || best.slot == Extremes::nowhere) best = victim;
    }
    return best;
}

// |coefficient|^2 k(x, x), summed over functions.
template <class T>
double Learner<T>::size_of(std::size_t slot) const {
    double size = 0.0;
    for (const Function<T>& f : functions_) {
        for (const Variables& sheet : f.sheets()) size += sheet.beta[slot] * sheet.beta[slot];
    }
    return size * std::abs(rows_.curvature()[slot]);
}

// What is lost if one of its class takes its place, or is merged with it.
template <class T>
auto Learner<T>::judged(std::size_t slot) -> Victim {
    const T* row = rows_.row(slot);
    const double own = rows_.curvature()[slot], size = size_of(slot);
    const bool merges = options_.eviction == Eviction::merging;
    Victim found{slot};
    for (std::size_t s = 0; s < rows_.n_slots(); ++s) {
        if (s == slot || !rows_.is_kept(s) || !are_alike(slot, s)) continue;
        const double value = double(row[s]);
        double error = size / own * (own + rows_.curvature()[s] - 2.0 * value);
        if (merges) {
            if (!(value > 0.0)) continue;
            error = merging_error(slot, s, value, 1.0 / (1.0 + std::sqrt(size_of(s) / size)));
        }
        if (error < found.error) {
            found.error = error;
            found.mate = s;
        }
    }
    return found;
}

// Whether both have the same class; targets of a regression never are the same, and need not be.
template <class T>
bool Learner<T>::are_alike(std::size_t a, std::size_t b) const {
    return options_.n_sheets > 1 || std::ranges::all_of(functions_, [=](const Function<T>& f) {
               const Variables& sheet = f.sheets()[0];
               return sheet.linear[a] == sheet.linear[b];
           });
}

// |a phi(x_a) + b phi(x_b) - (a + b) phi(z)|^2, summed over functions; `value` = k(x_a, x_b).
// k(x_a, z) = value^((1 - share)^2) and k(x_b, z) = value^(share^2).
template <class T>
double Learner<T>::merging_error(std::size_t a, std::size_t b, double value, double share) const {
    const double apart = std::log(value);
    const double with_a = std::exp((1.0 - share) * (1.0 - share) * apart);
    const double with_b = std::exp(share * share * apart);
    double square = 0.0;
    for (const Function<T>& f : functions_) {
        const double p = f.coef()[a], q = f.coef()[b], sum = p + q;
        square +=
            p * p + q * q + 2.0 * p * q * value + sum * sum - 2.0 * sum * (p * with_a + q * with_b);
    }
    return square;
}

// Two examples of one class become one between them, with the sum of their coefficients and boxes
// (Wang et al. 2012).
template <class T>
void Learner<T>::merge(const Block<T>& block, std::size_t i, std::size_t a, std::size_t b) {
    const double value = double(rows_.row(a)[b]), apart = std::log(value);
    const double share = golden_section([&](double h) { return merging_error(a, b, value, h); });
    for (std::size_t later = i + 1; later < block.n_rows; ++later) {
        T& first = value_at(block, later, a);
        first = between(first, value_at(block, later, b), share, apart);
    }
    replace(a, b, share);
}

template <class T>
void Learner<T>::replace(std::size_t a, std::size_t b, double share) {
    const T *row_a = rows_.row(a), *row_b = rows_.row(b);
    const double apart = std::log(double(row_a[b]));
    const std::size_t n = rows_.n_slots();
    std::vector<T> values(n, T(0));
    std::vector<double> wide(n);
    for (std::size_t s = 0; s < n; ++s) {
        if (rows_.is_kept(s)) values[s] = between(row_a[s], row_b[s], share, apart);
        wide[s] = double(values[s]);
    }
    std::vector<Terms> terms;
    std::vector<double> beta, gradient;
    for (std::size_t f = 0; f < functions_.size(); ++f) {
        Function<T>& function = functions_[f];
        const Variables& sheet = function.sheets()[0];
        const double p = sheet.beta[a], q = sheet.beta[b];
        const double square = p * p + q * q + 2.0 * p * q * double(row_a[b]) + (p + q) * (p + q) -
                              2.0 * (p + q) * (p * wide[a] + q * wide[b]);
        errors_[f] += std::sqrt(std::max(square, 0.0));
        const double output =
            instruction_set().vectors->dot(function.coef().data(), wide.data(), n);
        terms.push_back(
            {sheet.linear[a], sheet.lower[a] + sheet.lower[b], sheet.upper[a] + sheet.upper[b]});
        beta.push_back(p + q);
        gradient.push_back(sheet.linear[a] - (output - p * wide[a] - q * wide[b] + p + q));
        function.subtract(row_a, -p);
        function.subtract(row_b, -q);
        function.subtract(values.data(), p + q);
    }
    const std::int64_t merged = -2 - std::int64_t(n_merged_++);
    merges_.push_back({merged, ids_[a], ids_[b], share});
    const std::uint32_t column = column_[a];
    forget(a);
    forget(b);
    values[a] = T(1);
    values[b] = T(0);
    load(a, merged, values.data(), terms.data(), beta.data(), gradient.data());
    column_[a] = column;
}

template void Learner<float>::evict(const Block<float>&, std::size_t);
template void Learner<double>::evict(const Block<double>&, std::size_t);

}  // namespace mercer::online
