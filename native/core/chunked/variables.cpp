#include "core/chunked/variables.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "core/base/none.hpp"

namespace mercer::chunked {

namespace {

// A change that loses up to this share of the objective does so by rounding.
constexpr double lost_share = 0.01;

// The rows whose coefficient differs, and by how much.
WeightedRows difference(const std::vector<double>& now, const std::vector<double>& then) {
    WeightedRows out;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const double change = now[i] - (then.empty() ? 0.0 : then[i]);
        if (change == 0.0) continue;
        out.rows.push_back(i);
        out.weights.push_back(change);
    }
    return out;
}

}  // namespace

template <class T>
Variables<T>::Variables(const ProblemView& view, Gram<T>& gram, const double* start,
                        const double* given_gradient, double gradient_error, std::size_t chunk_size,
                        RowPolicy kernel_rows, const Poll& poll)
    : beta(start, start + view.n_variables), gradient(view.n_variables), problem(view), gram_(gram),
      store_(gram, view, chunk_size, kernel_rows), in_place_(is_full_matrix_of_all()),
      own_rows_(have_own_rows()), is_active_(view.n_variables), extremes_(view.n_groups + 1),
      drift_(view, given_gradient ? gradient_error : 0.0) {
    if (store_.full_matrix()) {
        all_.resize(size());
        std::iota(all_.begin(), all_.end(), 0u);
    }
    for (std::size_t v = 0; v < size(); ++v) {
        is_active_[v] = problem.lower[v] < problem.upper[v];
        (is_active_[v] ? active_ : fixed_.variables).push_back(std::uint32_t(v));
    }
    if (given_gradient) {
        std::copy_n(given_gradient, size(), gradient.begin());
        anchor_ = beta;
        fixed_.row_coef = row_coef();
    } else if (!compute_gradient(poll)) {
        throw Interrupted();
    }
    // linear' beta - 1/2 beta' H beta = 1/2 beta' (linear + gradient)
    for (std::size_t v = 0; v < size(); ++v) {
        objective_ += 0.5 * beta[v] * (problem.linear[v] + gradient[v]);
        if (anchor_.empty()) add_distance(v, beta[v] * beta[v]);
    }
    first_objective_ = objective_;
    for (const double k : gram_.diagonal()) largest_ = std::max(largest_, std::abs(k));
    scan();
}

template <class T>
bool Variables<T>::has_gone_too_far() const {
    double slope = 0.0;
    for (std::size_t v = 0; v < size(); ++v) slope += beta[v] * gradient[v];
    return slope < 0.0;
}

template <class T>
void Variables<T>::go_to_zero() {
    std::ranges::fill(beta, 0.0);
    std::copy_n(problem.linear, size(), gradient.begin());
    anchor_.clear();
    drift_ = Drift<T>(problem, 0.0);
    objective_ = first_objective_ = squared_distance_ = weighted_distance_ = 0.0;
    fixed_.row_coef = row_coef();
    scan();
}

template <class T>
bool Variables<T>::is_full_matrix_of_all() const {
    if (!store_.full_matrix() || size() != gram_.size()) return false;
    for (std::size_t v = 0; v < size(); ++v) {
        const bool fits = row(v) == v && problem.ridge[v] == 0.0;
        if (!fits || problem.group[v] != problem.group[0]) return false;
    }
    return true;
}

template <class T>
std::vector<double> Variables<T>::row_coef() const {
    std::vector<double> coef(gram_.size(), 0.0);
    for (std::size_t v = 0; v < size(); ++v) coef[row(v)] += beta[v];
    return coef;
}

// Of the variables that can move; the others wait for `finish`.
template <class T>
bool Variables<T>::compute_gradient(const Poll& poll) {
    for (std::size_t v = 0; v < size(); ++v) {
        gradient[v] = problem.linear[v] - problem.ridge[v] * beta[v];
    }
    return subtract_product(difference(row_coef(), {}), active_, poll);
}

template <class T>
bool Variables<T>::have_own_rows() const {
    std::vector<std::uint8_t> is_taken(gram_.size(), false);
    for (std::size_t v = 0; v < size(); ++v) {
        if (is_taken[row(v)]) return false;
        is_taken[row(v)] = true;
    }
    return true;
}

template <class T>
auto Variables<T>::right_rows(const std::vector<std::uint32_t>& variables) const -> RightRows {
    std::vector<std::size_t> rows(variables.size());
    std::ranges::transform(variables, rows.begin(), [&](auto v) { return row(v); });
    RightRows right;
    if (!own_rows_) {
        std::vector<std::size_t> place_of_row(gram_.size(), none), distinct;
        right.place.reserve(rows.size());
        for (const std::size_t row : rows) {
            if (place_of_row[row] == none) {
                place_of_row[row] = distinct.size();
                distinct.push_back(row);
            }
            right.place.push_back(place_of_row[row]);
        }
        std::swap(rows, distinct);
    }
    if (rows.size() < gram_.size()) {
        right.kernel = gram_.kernel().with_right(rows, &gram_.threads());
    } else {
        right.place.resize(variables.size());
        std::ranges::transform(variables, right.place.begin(), [&](auto v) { return row(v); });
    }
    return right;
}

template <class T>
bool Variables<T>::subtract_product(const WeightedRows& change,
                                    const std::vector<std::uint32_t>& variables, const Poll& poll) {
    if (change.rows.empty()) return true;
    if (store_.full_matrix()) return subtract_stored(change, all_, poll);
    if (variables.empty()) return true;
    if (store_.pays(change.rows, variables.size())) return subtract_stored(change, variables, poll);
    const bool is_active_set = &variables == &active_;
    if (is_active_set && !active_right_) active_right_ = right_rows(active_);
    const RightRows right = is_active_set ? RightRows() : right_rows(variables);
    const RightRows& use = is_active_set ? *active_right_ : right;
    const Kernel<T>& kernel = use.kernel ? *use.kernel : gram_.kernel();
    std::vector<double> product(kernel.n_right());
    const std::size_t n_values = change.rows.size() * product.size();
    gram_.count_evaluations(n_values);
    const auto began = std::chrono::steady_clock::now();
    if (!kernel_product(kernel, gram_.threads(), change.rows, change.weights.data(), 1,
                        product.data(), poll)) {
        return false;
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    store_.learn_cost(n_values, passed.count());
    gram_.threads().parallel_for(variables.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            gradient[variables[k]] -= product[use.place.empty() ? k : use.place[k]];
        }
    });
    return true;
}

template <class T>
bool Variables<T>::subtract_stored(const WeightedRows& change,
                                   const std::vector<std::uint32_t>& variables, const Poll& poll) {
    std::vector<double> product(gram_.size());
    if (!store_.product(change.rows, change.weights.data(), product.data(), poll)) return false;
    for (const std::uint32_t v : variables) gradient[v] -= product[row(v)];
    return true;
}

template <class T>
void Variables<T>::scan() {
    std::ranges::fill(extremes_, Extremes());
    std::mutex mutex;
    bool is_finite = true;
    gram_.threads().parallel_for(active_.size(), grain, [&](std::size_t begin, std::size_t end) {
        std::vector<Extremes> mine(extremes_.size());
        bool fits = true;
        for (std::size_t k = begin; k < end; ++k) {
            const std::uint32_t v = active_[k];
            const int group = problem.group[v];
            Extremes& e = mine[group < 0 ? problem.n_groups : std::size_t(group)];
            const double g = gradient[v];
            fits = fits && std::isfinite(g);
            if (g > e.up && can_grow(v)) e.up = g;
            if (g < e.down && can_fall(v)) e.down = g;
        }
        std::lock_guard lock(mutex);
        is_finite = is_finite && fits;
        for (std::size_t g = 0; g < mine.size(); ++g) {
            extremes_[g].up = std::max(extremes_[g].up, mine[g].up);
            extremes_[g].down = std::min(extremes_[g].down, mine[g].down);
        }
    });
    violation_ = is_finite ? largest_violation(extremes_) : infinity;
}

template <class T>
void Variables<T>::add_distance(std::size_t v, double square) {
    squared_distance_ += square;
    weighted_distance_ += square * std::abs(gram_.diagonal()[row(v)]);
}

template <class T>
double Variables<T>::rounding() const {
    return 0.5 * std::numeric_limits<T>::epsilon() * std::sqrt(std::max(squared_distance_, 0.0)) *
           largest_;
}

// The gain of a change is 1/2 change' (gradient before + gradient after), which are both exact:
// only active variables change.
template <class T>
bool Variables<T>::apply(const Change& change, const Poll& poll) {
    WeightedRows rows{std::vector<std::size_t>(change.variables.size()), change.amounts};
    slope_before_ = slope_after_ = 0.0;
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
        const std::size_t v = change.variables[k];
        rows.rows[k] = row(v);
        const double moved = beta[v] - (anchor_.empty() ? 0.0 : anchor_[v]);
        const double before = moved - change.amounts[k];
        add_distance(v, moved * moved - before * before);
        slope_before_ += change.amounts[k] * gradient[v];
        gradient[v] -= problem.ridge[v] * change.amounts[k];
    }
    store_.notice(rows.rows);
    if (!subtract_product(rows, active_, poll)) return false;
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
        slope_after_ += change.amounts[k] * gradient[change.variables[k]];
    }
    objective_ += 0.5 * (slope_before_ + slope_after_);
    return true;
}

// Along the change the slope falls evenly from `slope_before_` to `slope_after_`: the objective is
// largest where it is zero.
template <class T>
bool Variables<T>::take_back_loss(Change change, const Poll& poll) {
    const double gain = 0.5 * (slope_before_ + slope_after_);
    if (drift_.may_be_unbounded() || !(gain < -lost_share * std::abs(objective_ - gain)))
        return false;
    const double kept = std::max(slope_before_, 0.0) / (slope_before_ - slope_after_);
    for (std::size_t k = 0; k < change.variables.size(); ++k) {
        const std::size_t v = change.variables[k];
        const double wanted = change.before[k] + kept * change.amounts[k];
        const double now = std::clamp(wanted, problem.lower[v], problem.upper[v]);
        change.amounts[k] = now - beta[v];
        beta[v] = now;
    }
    return apply(change, poll);
}

// A variable at its upper bound with a gradient above all that may grow (or at its lower bound,
// below all that may fall) is in no violating pair (docs/theory/smo.md#shrinking).
template <class T>
bool Variables<T>::shrink(double least_share) {
    const auto can_leave = [&](std::uint32_t v) {
        const bool grows = can_grow(v), falls = can_fall(v);
        if (grows && falls) return false;
        const int group = problem.group[v];
        const double high = group < 0 ? violation_ : extremes_[std::size_t(group)].up;
        const double low = group < 0 ? -violation_ : extremes_[std::size_t(group)].down;
        return grows ? gradient[v] < low : gradient[v] > high;
    };
    std::vector<std::uint8_t> is_shrinkable(active_.size());
    gram_.threads().parallel_for(active_.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) is_shrinkable[k] = can_leave(active_[k]);
    });
    Level level;
    for (std::size_t k = 0; k < active_.size(); ++k) {
        if (is_shrinkable[k]) level.variables.push_back(active_[k]);
    }
    if (double(level.variables.size()) < least_share * double(active_.size()) + 64.0) return false;
    if (!store_.full_matrix()) level.row_coef = row_coef();
    for (const std::uint32_t v : level.variables) is_active_[v] = false;
    std::erase_if(active_, [&](std::uint32_t v) { return !is_active_[v]; });
    levels_.push_back(std::move(level));
    active_right_.reset();
    return true;
}

template <class T>
bool Variables<T>::unshrink(const Poll& poll) {
    const std::vector<double> now = row_coef();
    while (!levels_.empty()) {
        if (!repair(levels_.back(), now, poll)) return false;
        for (const std::uint32_t v : levels_.back().variables) is_active_[v] = true;
        levels_.pop_back();
    }
    active_.clear();
    for (std::size_t v = 0; v < size(); ++v) {
        if (is_active_[v]) active_.push_back(std::uint32_t(v));
    }
    active_right_.reset();
    return true;
}

template <class T>
bool Variables<T>::finish(const Poll& poll) {
    return unshrink(poll) && repair(fixed_, row_coef(), poll);
}

template <class T>
bool Variables<T>::repair(const Level& level, const std::vector<double>& now, const Poll& poll) {
    if (store_.full_matrix()) return true;
    return subtract_product(difference(now, level.row_coef), level.variables, poll);
}

template class Variables<float>;
template class Variables<double>;

}  // namespace mercer::chunked
