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

// Until no more are kept than may be, or two are to merge.
template <class T>
void Learner<T>::make_room() {
    while (is_full() && merges_.empty()) evict();
}

template <class T>
void Learner<T>::evict() {
    const Victim victim = choose_victim();
    if (!is_zero(victim.slot)) {
        const bool has_mate = victim.mate != Extremes::nowhere;
        if (has_mate && options_.eviction == Eviction::merging) {
            return plan_merge(victim.slot, victim.mate);
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

// Two examples of one class become one between them (Wang et al. 2012). Its kernel values are
// computed from its row, as those of every other: they could be had from those of both, but not to
// the last bit, and then the result would depend on how the stream is cut.
template <class T>
void Learner<T>::plan_merge(std::size_t a, std::size_t b) {
    const double value = double(rows_.row(a)[b]);
    const double share = golden_section([&](double h) { return merging_error(a, b, value, h); });
    const std::int64_t merged = -2 - std::int64_t(n_merged_);
    merges_.push_back({merged, ids_[a], ids_[b], share});
}

// The one that stands for both has the sum of their coefficients and boxes.
template <class T>
void Learner<T>::merge(const Block<T>& block) {
    const std::size_t a = slot_of(merges_[0].first), b = slot_of(merges_[0].second);
    gather(block, 0);
    std::vector<T> values(values_.begin(), values_.end() - 1);
    const std::size_t n = values.size();
    const double* wide = widened();
    const T *row_a = rows_.row(a), *row_b = rows_.row(b);
    const double own = double(block.with_each_other[0]);
    std::vector<Terms> terms;
    std::vector<double> beta, gradient;
    for (std::size_t f = 0; f < functions_.size(); ++f) {
        Function<T>& function = functions_[f];
        const Variables& sheet = function.sheets()[0];
        const double p = sheet.beta[a], q = sheet.beta[b], sum = p + q;
        const double square = p * p * rows_.curvature()[a] + q * q * rows_.curvature()[b] +
                              2.0 * p * q * double(row_a[b]) + sum * sum * own -
                              2.0 * sum * (p * wide[a] + q * wide[b]);
        errors_[f] += std::sqrt(std::max(square, 0.0));
        const double output = instruction_set().vectors->dot(function.coef().data(), wide, n);
        terms.push_back(
            {sheet.linear[a], sheet.lower[a] + sheet.lower[b], sheet.upper[a] + sheet.upper[b]});
        beta.push_back(sum);
        gradient.push_back(sheet.linear[a] - (output - p * wide[a] - q * wide[b] + sum * own));
        function.subtract(row_a, -p);
        function.subtract(row_b, -q);
        function.subtract(values.data(), sum);
    }
    forget(a);
    forget(b);
    values[a] = block.with_each_other[0];
    values[b] = T(0);
    load(a, merges_[0].merged, values.data(), terms.data(), beta.data(), gradient.data());
    column_.resize(std::max(column_.size(), rows_.n_slots()));
    merges_.clear();
    ++n_merged_;
}

template void Learner<float>::make_room();
template void Learner<double>::make_room();
template void Learner<float>::merge(const Block<float>&);
template void Learner<double>::merge(const Block<double>&);

}  // namespace mercer::online
