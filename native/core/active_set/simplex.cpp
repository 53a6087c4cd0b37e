#include "core/active_set/simplex.hpp"

#include <algorithm>
#include <cmath>

#include "core/active_set/vectors.hpp"

namespace mercer::active_set {

namespace {

template <typename T>
std::vector<T> copied(const T* values, std::size_t count) {
    return std::vector<T>(values, values + count);
}

// Rates of change that cannot be told from zero.
constexpr double negligible = 1e-13;

// Whether the coefficients after a step along h are numbers.
bool can_go(double step, const std::vector<double>& h) {
    constexpr double overflow = 1e300;
    double fastest = 1.0;
    for (const double x : h) fastest = std::max(fastest, magnitude(x));
    return step * fastest <= overflow;
}

}  // namespace

Simplex::Simplex(Gram<double>& gram, const ProblemView& problem, const double* group_sum,
                 const double* coef, const double* gradient, const Poll& poll)
    : kernel_(std::make_shared<KernelRows>(
          gram, std::span<const std::int64_t>(problem.index, problem.n_variables))),
      linear_(copied(problem.linear, problem.n_variables)),
      lower_(copied(problem.lower, problem.n_variables)),
      upper_(copied(problem.upper, problem.n_variables)),
      ridge_(copied(problem.ridge, problem.n_variables)), coef_(copied(coef, problem.n_variables)),
      group_(copied(problem.group, problem.n_variables)),
      group_sum_(copied(group_sum, problem.n_groups)), multiplier_(problem.n_groups, 0.0),
      basis_(kernel_, ridge_, group_, problem.n_groups), resting_(kernel_->n_places()),
      pricing_(problem.n_variables) {
    if (gradient) {
        purify(known_expansion(gradient));
    } else {
        std::vector<double> expansion(kernel_->n_places());
        if (!kernel_->expand(coef_.data(), expansion.data(), poll)) throw Interrupted();
        purify(expansion);
    }
    restore();
}

Status Simplex::run(const Options& options, const Monitor& monitor) {
    options_ = options;
    Watch watch(options.max_seconds, monitor);
    const std::size_t limit = counters_.iterations + options.max_iterations;
    const std::size_t patience = 1000 + 10 * coef_.size();
    std::size_t rebuilds = 0, look_again = counters_.iterations + patience;
    double before = objective_, at_rebuild = -infinity;
    pricing_.unshrink();
    pricing_.candidates().clear();
    violation_ = infinity;
    while (watch.go_on()) {
        Priced choice;
        if (!select(choice)) {
            return std::isfinite(violation_) ? Status::converged : Status::stalled;
        }
        if (counters_.iterations >= limit) return Status::max_iterations;
        ++counters_.outer_iterations;
        const Outcome outcome = enter(choice.variable, choice.slope);
        if (outcome == Outcome::unbounded) return Status::unbounded;
        if (outcome == Outcome::stuck) {
            if (++rebuilds > 20 || !has_gained(at_rebuild)) return Status::stalled;
            at_rebuild = objective_;
            rebuild();
        }
        if (counters_.iterations < look_again) continue;
        // Long without gain: what is left of the violation is rounding.
        if (!has_gained(before)) return Status::stalled;
        look_again = counters_.iterations + patience;
        before = objective_;
    }
    return watch.status();
}

// Whether the objective, computed afresh, has grown by more than the rounding of its terms. Where
// the hulls of two groups overlap they cancel, and rounding is all that is left.
bool Simplex::has_gained(double since) {
    objective_ = dual_value(gradient());
    return objective_ - since >
           std::numeric_limits<double>::epsilon() * (4.0 * std::abs(objective_) + squares());
}

// sum of coef^2 K_vv
double Simplex::squares() const {
    double sum = 0.0;
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        sum += coef_[v] * coef_[v] * std::abs(kernel_->diagonal(v));
    }
    return sum;
}

// Rounding of a slope, were its terms independent: no violation below it means anything.
double Simplex::noise() const {
    double largest = 0.0;
    for (const double x : linear_) largest = std::max(largest, std::abs(x));
    const double expansion = std::sqrt(squares() * kernel_->largest_diagonal());
    return 4.0 * std::numeric_limits<double>::epsilon() * (largest + expansion);
}

Simplex::Outcome Simplex::enter(std::size_t variable, double slope) {
    const KernelRowPointer row = kernel_->fetch(variable);
    if (coef_[variable] != 0.0) kernel_->add_row(-coef_[variable], *row, resting_.data());
    std::erase(pricing_.candidates(), variable);
    const Outcome outcome = advance(variable, slope, row);
    if (outcome != Outcome::done) kernel_->add_row(coef_[variable], *row, resting_.data());
    counters_.largest_basis = std::max(counters_.largest_basis, basis_.size());
    return outcome;
}

// Steps along the response of the basic variables until the slope of the entering variable has
// vanished or it has met its other bound (Sentelle 2014, algorithm 1). Blocking variables leave on
// the way, the first one before the entering variable joins.
Simplex::Outcome Simplex::advance(std::size_t variable, double slope, const KernelRowPointer& row) {
    const double sign = slope > 0.0 ? 1.0 : -1.0;
    const Response response = basis_.respond(variable, *row);
    if (!response.is_finite()) return Outcome::stuck;
    std::vector<double> h = response.h, eta = response.eta, u;
    for (double& x : h) x *= sign;
    for (double& x : eta) x *= sign;
    double left = std::abs(slope);
    double rate = response.is_flat() ? 0.0 : response.curvature;
    for (bool is_basic = false;;) {
        const std::size_t entering = is_basic ? none : variable;
        const Block block = ratio_test(entering, sign, h);
        const double full = rate > 0.0 ? left / rate : infinity;
        const double step = std::min(block.step, full);
        if (step == infinity) return Outcome::unbounded;
        if (!can_go(step, h)) {
            if (is_basic) basis_.remove(basis_.position(variable));
            return Outcome::stuck;
        }
        const double speed = is_basic ? std::abs(h[basis_.position(variable)]) : 1.0;
        move(entering, sign, step, h, eta);
        objective_ += speed * step * (left - 0.5 * step * rate);
        note_step(step);
        if (block.step >= full) {
            if (!is_basic) basis_.append(variable, row, response);
            return Outcome::done;
        }
        left -= step * rate;
        if (block.position == basis_.size() || basis_.members()[block.position] == variable) {
            if (is_basic) basis_.remove(block.position);
            settle(variable, block.at_upper, *row);
            ++counters_.flips;
            return Outcome::done;
        }
        leave(block);
        if (!is_basic && !basis_.append(variable, row)) return Outcome::stuck;
        is_basic = true;
        if (left <= negligible * std::abs(slope)) return Outcome::done;
        u.assign(basis_.size(), 0.0);
        u[basis_.position(variable)] = sign;
        basis_.solve(u.data(), std::vector<double>(eta.size(), 0.0), h, eta);
        rate = 1.0;
    }
}

// The first bound met if basic variables move by h per unit step, the entering one by `sign`.
// Among those met together the one that moves fastest leaves the best factor behind; after many
// steps of length zero the smallest index ends every cycle (Bland).
Simplex::Block Simplex::ratio_test(std::size_t entering, double sign,
                                   const std::vector<double>& h) const {
    double fastest = entering == none ? 0.0 : 1.0;
    for (const double x : h) fastest = std::max(fastest, std::abs(x));
    const double cut = negligible * fastest;
    const std::size_t m = basis_.size(), count = m + (entering == none ? 0 : 1);
    const auto variable = [&](std::size_t a) { return a < m ? basis_.members()[a] : entering; };
    const auto rate = [&](std::size_t a) { return a < m ? h[a] : sign; };
    const auto room = [&](std::size_t a) {
        const std::size_t v = variable(a);
        const double left = rate(a) > 0.0 ? upper_[v] - coef_[v] : coef_[v] - lower_[v];
        return std::max(left, 0.0) / std::abs(rate(a));
    };
    double first = infinity;
    for (std::size_t a = 0; a < count; ++a) {
        if (std::abs(rate(a)) > cut) first = std::min(first, room(a));
    }
    Block block;
    if (first == infinity) return block;
    const double together = first * (1.0 + 1e-12);
    for (std::size_t a = 0; a < count; ++a) {
        if (!(std::abs(rate(a)) > cut && room(a) <= together)) continue;
        const bool better = block.position == none ||
                            (is_cycling() ? variable(a) < variable(block.position)
                                          : std::abs(rate(a)) > std::abs(rate(block.position)));
        if (better) block.position = a;
    }
    if (block.position == none) return block;
    block.step = first;
    block.at_upper = rate(block.position) > 0.0;
    return block;
}

void Simplex::move(std::size_t entering, double sign, double step, const std::vector<double>& h,
                   const std::vector<double>& eta) {
    const auto shift = [&](std::size_t v, double by) {
        coef_[v] = std::clamp(coef_[v] + by, lower_[v], upper_[v]);
    };
    for (std::size_t a = 0; a < basis_.size(); ++a) shift(basis_.members()[a], step * h[a]);
    if (entering != none) shift(entering, step * sign);
    for (std::size_t g = 0; g < eta.size(); ++g) multiplier_[g] += step * eta[g];
}

void Simplex::leave(const Block& block) {
    const std::size_t variable = basis_.members()[block.position];
    const KernelRowPointer row = basis_.rows()[block.position];
    basis_.remove(block.position);
    settle(variable, block.at_upper, *row);
}

// Puts a variable that is not in `resting_` exactly on a bound and into it.
void Simplex::settle(std::size_t variable, bool at_upper, const KernelRow& row) {
    coef_[variable] = at_upper ? upper_[variable] : lower_[variable];
    if (coef_[variable] != 0.0) kernel_->add_row(coef_[variable], row, resting_.data());
}

void Simplex::note_step(double step) {
    ++counters_.iterations;
    if (step > 0.0) {
        idle_steps_ = 0;
        return;
    }
    ++counters_.zero_steps;
    ++idle_steps_;
    if (is_cycling()) ++counters_.bland_steps;
}

}  // namespace mercer::active_set
