#include "core/chunked/free_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/none.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::chunked {

namespace {

// Rows start at whole vectors of every instruction set.
constexpr std::size_t vector = 16;

std::size_t whole_vectors_below(std::size_t k) {
    return k / vector * vector;
}

// A fifth of a factor may enter or leave before it is computed anew; a third is as good.
constexpr std::size_t bordered_part = 5;

// Each takes the share of rounding times condition off what is wrong: one is the rule.
constexpr int most_repairs = 3;

template <class T>
const FactorFunctions<T>& factor_functions() {
    return instruction_set().factor.of<T>();
}

}  // namespace

template <class T>
FreeFactor<T>::FreeFactor(const T* matrix, std::size_t stride, std::size_t size)
    : matrix_(matrix), matrix_stride_(stride), slot_(size, none) {}

template <class T>
bool FreeFactor<T>::set(const std::vector<std::size_t>& free, double proximal) {
    const bool is_same_matrix = proximal == proximal_;
    free_ = free;
    proximal_ = proximal;
    return (is_same_matrix && border()) || factorize();
}

// H + proximal I in rows [begin, end) of the lower triangle.
template <class T>
void FreeFactor<T>::gather(std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
        const T* values = matrix_ + position_[a] * matrix_stride_;
        T* lower = row(a);
        for (std::size_t b = 0; b <= a; ++b) lower[b] = values[position_[b]];
        lower[a] += T(proximal_);
    }
}

template <class T>
void FreeFactor<T>::forget() {
    for (const std::size_t p : position_) slot_[p] = none;
    position_.clear();
    away_.clear();
}

template <class T>
bool FreeFactor<T>::factorize() {
    forget();
    position_ = free_;
    const std::size_t m = position_.size();
    for (std::size_t a = 0; a < m; ++a) slot_[position_[a]] = a;
    room_ = m + m / bordered_part;
    stride_ = whole_vectors_below(room_ + vector);
    factor_.require(room_ * stride_);
    packed_.require(factor_functions<T>().block * m);
    gather(0, m);
    if (factor_functions<T>().cholesky(factor_.data(), stride_, m, packed_.data())) return true;
    forget();
    return false;
}

template <class T>
bool FreeFactor<T>::border() {
    if (position_.empty()) return false;
    std::vector<char> stays(position_.size());
    std::vector<std::size_t> entered, away;
    for (const std::size_t p : free_) {
        if (slot_[p] == none) entered.push_back(p);
        else stays[slot_[p]] = 1;
    }
    for (std::size_t a = 0; a < stays.size(); ++a) {
        if (!stays[a]) away.push_back(a);
    }
    if (position_.size() + entered.size() > room_) return false;
    if (away.size() > position_.size() / bordered_part) return false;
    if (entered.empty() && away == away_) return true;
    return append(entered) && leave(std::move(away));
}

template <class T>
bool FreeFactor<T>::append(const std::vector<std::size_t>& entered) {
    const std::size_t from = position_.size();
    for (const std::size_t p : entered) {
        slot_[p] = position_.size();
        position_.push_back(p);
    }
    gather(from, position_.size());
    return factor_functions<T>().append(factor_.data(), stride_, from, position_.size());
}

template <class T>
bool FreeFactor<T>::leave(std::vector<std::size_t> slots) {
    away_ = std::move(slots);
    const std::size_t n = position_.size(), k = away_.size();
    away_rows_.require(k * stride_);
    std::fill_n(away_rows_.data(), k * stride_, T(0));
    for (std::size_t r = 0; r < k; ++r) away_row(r)[away_[r]] = T(1);
    for (std::size_t r = 0; r < k; r += vector) {
        const std::size_t first = whole_vectors_below(away_[r]);
        factor_functions<T>().solve_rows(factor_.data(), stride_, first, first, n, away_row(r),
                                         stride_, std::min(vector, k - r));
    }
    std::vector<double> products(k * k);
    for (std::size_t r = 0; r < k; ++r) {
        const std::size_t first = away_[r];
        for (std::size_t s = 0; s <= r; ++s) {
            products[r * k + s] = double(factor_functions<T>().inner_product(
                away_row(r) + first, away_row(s) + first, n - first));
        }
    }
    coupling_.emplace(std::move(products), k);
    return coupling_->is_positive();
}

// x <- x - V weights
template <class T>
void FreeFactor<T>::subtract_away(const std::vector<double>& weights, std::vector<T>& x) const {
    for (std::size_t r = 0; r < away_.size(); ++r) {
        const T weight = T(weights[r]);
        const T* values = away_row(r);
        for (std::size_t j = away_[r]; j < x.size(); ++j) x[j] -= weight * values[j];
    }
}

// x <- (I - V (V'V)^-1 V') x
template <class T>
void FreeFactor<T>::project(std::vector<T>& x) const {
    std::vector<double> weights(away_.size());
    for (std::size_t r = 0; r < away_.size(); ++r) {
        weights[r] = double(factor_functions<T>().inner_product(away_row(r), x.data(), x.size()));
    }
    coupling_->solve(weights);
    subtract_away(weights, x);
}

template <class T>
bool FreeFactor<T>::is_away_zero(const std::vector<T>& x) const {
    T most = 0, left = 0;
    for (const T value : x) most = std::max(most, std::abs(value));
    for (const std::size_t slot : away_) left = std::max(left, std::abs(x[slot]));
    return left <= std::numeric_limits<T>::epsilon() * most;
}

// Rounding leaves something of x_R, the more so the worse the condition:
//
//     x <- x - L'^-1 V (V'V)^-1 x_R
template <class T>
void FreeFactor<T>::repair(std::vector<T>& x) const {
    std::vector<double> weights(away_.size());
    for (std::size_t r = 0; r < away_.size(); ++r) weights[r] = double(x[away_[r]]);
    coupling_->solve(weights);
    std::vector<T> change(x.size());
    subtract_away(weights, change);
    factor_functions<T>().solve_upper(factor_.data(), stride_, x.size(), change.data());
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += change[j];
}

template <class T>
bool FreeFactor<T>::solve_ordered(std::vector<T>& x) const {
    factor_functions<T>().solve_lower(factor_.data(), stride_, x.size(), x.data());
    if (!away_.empty()) project(x);
    factor_functions<T>().solve_upper(factor_.data(), stride_, x.size(), x.data());
    if (away_.empty()) return true;
    for (int n_repairs = 0; n_repairs < most_repairs; ++n_repairs) {
        if (is_away_zero(x)) return true;
        repair(x);
    }
    return is_away_zero(x);
}

template <class T>
bool FreeFactor<T>::solve(std::vector<double>& x) {
    for (;;) {
        std::vector<T> ordered(position_.size());
        for (std::size_t k = 0; k < x.size(); ++k) ordered[slot_[free_[k]]] = T(x[k]);
        if (solve_ordered(ordered)) {
            for (std::size_t k = 0; k < x.size(); ++k) x[k] = double(ordered[slot_[free_[k]]]);
            return true;
        }
        if (!factorize()) return false;
    }
}

template class FreeFactor<float>;
template class FreeFactor<double>;

}  // namespace mercer::chunked
