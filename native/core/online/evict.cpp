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
    const std::size_t slot = least_slot();
    if (!is_zero(slot)) {
        if (options_.eviction == Eviction::merging && merge(block, i, slot)) return;
        const bool projects = options_.eviction == Eviction::projection;
        for (std::size_t f = 0; f < functions_.size(); ++f) {
            errors_[f] += functions_[f].vacate(slot, rows_, projects ? most_projection_steps : 0);
        }
    }
    forget(slot);
}

// The one with the least of all functions, in the norm of their space: often it has nothing.
template <class T>
std::size_t Learner<T>::least_slot() const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < rows_.n_slots(); ++s) {
        if (!rows_.is_kept(s)) continue;
        double size = 0.0;
        for (const Function<T>& f : functions_) {
            for (const Variables& sheet : f.sheets()) size += sheet.beta[s] * sheet.beta[s];
        }
        size *= std::abs(rows_.curvature()[s]);
        if (size < least) {
            least = size;
            best = s;
        }
    }
    return best;
}

// Both have the same class.
template <class T>
bool Learner<T>::are_alike(std::size_t a, std::size_t b) const {
    return std::ranges::all_of(functions_, [=](const Function<T>& f) {
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

template <class T>
std::size_t Learner<T>::best_mate(std::size_t slot, const T* row) const {
    std::size_t best = Extremes::nowhere;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < rows_.n_slots(); ++s) {
        if (s == slot || !rows_.is_kept(s) || !(row[s] > T(0)) || !are_alike(slot, s)) continue;
        double own = 0.0, other = 0.0;
        for (const Function<T>& f : functions_) {
            own += std::abs(f.coef()[slot]);
            other += std::abs(f.coef()[s]);
        }
        const double error = merging_error(slot, s, double(row[s]), own / (own + other));
        if (error < least) {
            least = error;
            best = s;
        }
    }
    return best;
}

// Two examples of one class become one between them, with the sum of their coefficients and boxes
// (Wang et al. 2012, section 5). false if there is no other one of the class.
template <class T>
bool Learner<T>::merge(const Block<T>& block, std::size_t i, std::size_t slot) {
    const T* row = rows_.row(slot);
    const std::size_t mate = best_mate(slot, row);
    if (mate == Extremes::nowhere) return false;
    const double value = double(row[mate]), apart = std::log(value);
    const double share =
        golden_section([&](double h) { return merging_error(slot, mate, value, h); });
    for (std::size_t later = i + 1; later < block.n_rows; ++later) {
        T& first = value_at(block, later, slot);
        first = between(first, value_at(block, later, mate), share, apart);
    }
    replace(slot, mate, share);
    return true;
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
    const std::size_t column = column_[a];
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
