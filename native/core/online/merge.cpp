// Two examples of a class that become one between them (docs/theory/online.md#a-budget).

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/online/learner.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::online {

namespace {

// Coefficients p_f and q_f of two examples with the kernel value k, over functions f, merged into
// p_f + q_f at z = h a + (1 - h) b:
//
//     sum_f |p_f phi(a) + q_f phi(b) - (p_f + q_f) phi(z)|^2 = constant - 2 match(h),
//     match(h) = P k^((1 - h)^2) + Q k^(h^2),  P = sum_f (p_f + q_f) p_f,  Q = sum_f (p_f + q_f)
//     q_f
//
// (Wang et al. 2012, section 6.3, who let the coefficient of z differ from the sum: a machine with
// a bias may not.)
struct Match {
    double with_a, with_b;  // P, Q
    double constant, log_value;

    double at(double share) const {
        const double rest = 1.0 - share;
        return with_a * std::exp(rest * rest * log_value) +
               with_b * std::exp(share * share * log_value);
    }
    double error(double share) const { return constant - 2.0 * at(share); }
    // The largest match lies in the half nearer to the one that counts for more, where there is no
    // other. Golden section, to about 1e-5.
    double best_share() const {
        constexpr double ratio = 0.6180339887498949;
        double low = with_a < with_b ? 0.0 : 0.5, high = low + 0.5;
        double left = high - ratio * (high - low), right = low + ratio * (high - low);
        double at_left = at(left), at_right = at(right);
        for (int count = 0; count < 22; ++count) {
            if (at_left >= at_right) {
                high = right;
                right = left;
                at_right = at_left;
                left = high - ratio * (high - low);
                at_left = at(left);
            } else {
                low = left;
                left = right;
                at_left = at_right;
                right = low + ratio * (high - low);
                at_right = at(right);
            }
        }
        const double middle = 0.5 * (low + high), end = with_a < with_b ? 0.0 : 1.0;
        return at(middle) >= at(end) ? middle : end;
    }
};

template <class T>
Match match_of(const std::vector<Function<T>>& functions, std::size_t a, std::size_t b, T value) {
    double first = 0.0, second = 0.0, both = 0.0;
    for (const Function<T>& f : functions) {
        const double p = f.coef()[a], q = f.coef()[b];
        first += p * p;
        second += q * q;
        both += p * q;
    }
    // of examples too far apart for a value: no less than the smallest number
    const double k = std::max(double(value), std::numeric_limits<double>::min());
    return {first + both, second + both, 2.0 * (first + second + both + both * k), std::log(k)};
}

}  // namespace

// Each of the few that have the least of all functions with the nearest of its class: the pair that
// changes the functions least. That the mate is the nearest, and not the best of all, costs no
// accuracy (docs/online.md#what-was-measured).
template <class T>
void Learner<T>::merge(const Block<T>& block) {
    Victim best;
    double share = 0.0;
    for (const std::size_t slot : smallest(n_candidates)) {
        Victim pair = nearest(slot);
        if (pair.mate == Extremes::nowhere) continue;
        const Match match = match_of(functions_, slot, pair.mate, rows_.row(slot)[pair.mate]);
        const double at = match.best_share();
        pair.error = match.error(at);
        if (pair.error < best.error || best.slot == Extremes::nowhere) {
            best = pair;
            share = at;
        }
    }
    if (best.slot == Extremes::nowhere) return evict();
    merges_.push_back({merged_id(), ids_[best.slot], ids_[best.mate], share});
    if (block.joiner) join(*block.joiner);
}

template <class T>
void Learner<T>::join(Joiner<T>& joiner) {
    const std::size_t a = slot_of(merges_[0].first), b = slot_of(merges_[0].second);
    const std::size_t place = joiner.join(column_[a], column_[b], merges_[0].share);
    const T* values = joiner.values(place);
    const std::size_t n = rows_.n_slots();
    values_.resize(n + 1);
    for (std::size_t s = 0; s < n; ++s) values_[s] = values[column_[s]];
    replace_pair(values[place], place);
}

// The row that stands for both has come from outside.
template <class T>
void Learner<T>::take_merged(const Block<T>& block) {
    gather(block, 0);
    replace_pair(block.with_each_other[0], block.columns.size());
}

// The one that stands for both has the sum of their coefficients and boxes; `values_` holds its
// kernel values, `own` is that with itself.
template <class T>
void Learner<T>::replace_pair(T own, std::size_t place) {
    const Merge pair = merges_[0];
    const std::size_t a = slot_of(pair.first), b = slot_of(pair.second);
    std::vector<T> values(values_.begin(), values_.end() - 1);
    const double* wide = widened();
    const T *row_a = rows_.row(a), *row_b = rows_.row(b);
    std::vector<Terms> terms;
    std::vector<double> beta, gradient;
    for (Function<T>& function : functions_) {
        const Variables& these = function.variables()[0];
        const double p = these.beta[a], q = these.beta[b], sum = p + q;
        const double output =
            instruction_set().vectors->dot(function.coef().data(), wide, values.size());
        terms.push_back(
            {these.linear[a], these.lower[a] + these.lower[b], these.upper[a] + these.upper[b]});
        beta.push_back(sum);
        const double change = sum * double(own) - p * wide[a] - q * wide[b];
        gradient.push_back(these.linear[a] - (output + change));
        function.subtract(row_a, -p);
        function.subtract(row_b, -q);
        function.subtract(values.data(), sum);
    }
    forget(a);
    forget(b);
    values[a] = own;
    values[b] = T(0);
    load(a, pair.merged, values.data(), terms.data(), beta.data(), gradient.data());
    column_.resize(std::max(column_.size(), rows_.n_slots()));
    column_[a] = std::uint32_t(place);
    merges_.clear();
    ++n_merged_;
}

template void Learner<float>::merge(const Block<float>&);
template void Learner<double>::merge(const Block<double>&);
template void Learner<float>::take_merged(const Block<float>&);
template void Learner<double>::take_merged(const Block<double>&);

}  // namespace mercer::online
