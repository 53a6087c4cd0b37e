#include "core/chunked/polish.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/infinity.hpp"
#include "core/chunked/free_factor.hpp"
#include "core/chunked/symmetric_product.hpp"
#include "core/problem/extremes.hpp"
#include "core/problem/newton_direction.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::chunked {

namespace {

using Positions = std::vector<std::size_t>;

constexpr std::size_t no_place = std::size_t(-1);
constexpr int most_steps = 20;
constexpr double rounding = 1e-14;  // of a gradient, relative: less is not worth a step
constexpr double gain = 0.1;        // what must be left of the violation at most
constexpr double proximal = 1e-11;  // relative: the optimum is approached in a second step
constexpr std::size_t most_movable = 400;
constexpr double most_share = 0.25;  // of what the fit has cost: a fifth of all

class Polish {
  public:
    Polish(const ProblemView& problem, Gram<double>& gram, const double* beta,
           const SelectiveValues& known)
        : problem_(problem), gram_(gram), error_(known.bound),
          beta_(beta, beta + problem.n_variables), gradient_(exchanged(known.values)),
          corrections_(problem.n_variables, 0.0), is_exact_(problem.n_variables, false),
          column_(gram.size(), no_place) {}

    bool run(const Poll& poll) {
        const double before = violation();
        choose(2.0 * before + 4.0 * error_);
        if (movable_.empty() || movable_.size() > most_movable || !compute(poll)) return false;
        const std::vector<double> start = beta_;
        is_held_.assign(movable_.size(), false);
        gather_matrix();
        for (int k = 0; k < most_steps && step() && poll(); ++k) {
        }
        follow(start, poll);
        return are_others_far() && violation() <= gain * before;
    }

    void copy_out(double* beta, SelectiveValues& known) const {
        std::ranges::copy(beta_, beta);
        known.values = exchanged(gradient_);
        for (std::size_t v = 0; v < corrections_.size(); ++v) {
            known.corrections[v] += corrections_[v];
        }
        known.doubt = known.objective_doubt = 0.0;
    }

  private:
    // gradient = linear - K beta - ridge beta, from the values K beta and back
    std::vector<double> exchanged(const std::vector<double>& of) const {
        std::vector<double> out(of.size());
        for (std::size_t v = 0; v < of.size(); ++v) {
            out[v] = problem_.linear[v] - of[v] - problem_.ridge[v] * beta_[v];
        }
        return out;
    }
    bool can_grow(std::size_t v) const { return beta_[v] < problem_.upper[v]; }
    bool can_fall(std::size_t v) const { return beta_[v] > problem_.lower[v]; }
    std::size_t row(std::size_t v) const { return std::size_t(problem_.index[v]); }
    std::size_t slot(std::size_t v) const {
        return problem_.group[v] < 0 ? problem_.n_groups : std::size_t(problem_.group[v]);
    }

    // Of all variables, or of those whose gradients are exact.
    std::vector<Extremes> extremes(bool of_exact = false) const {
        std::vector<Extremes> found(problem_.n_groups + 1);
        const std::size_t count = of_exact ? exact_.size() : problem_.n_variables;
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t v = of_exact ? exact_[k] : k;
            Extremes& e = found[slot(v)];
            if (can_grow(v)) e.up = std::max(e.up, gradient_[v]);
            if (can_fall(v)) e.down = std::min(e.down, gradient_[v]);
        }
        // variables without a group are compared with zero
        found.back() = {std::max(found.back().up, 0.0), std::min(found.back().down, 0.0)};
        return found;
    }
    double violation(bool of_exact = false) const { return largest_violation(extremes(of_exact)); }

    // Whether a gradient may be an extreme, or become one, if all change by `band` at most.
    bool is_near(std::size_t v, const std::vector<Extremes>& found, double band) const {
        const Extremes& e = found[slot(v)];
        return (can_grow(v) && gradient_[v] >= std::min(e.up, e.down) - band) ||
               (can_fall(v) && gradient_[v] <= std::max(e.up, e.down) + band);
    }

    // movable_: what is free or near the extremes; exact_: these, first, and all with a
    // coefficient.
    void choose(double band) {
        const std::vector<Extremes> found = extremes();
        for (std::size_t v = 0; v < problem_.n_variables; ++v) {
            const bool may_move = problem_.lower[v] < problem_.upper[v] && is_near(v, found, band);
            if (may_move) movable_.push_back(v);
        }
        for (const std::size_t v : movable_) add_exact(v);
        n_rows_ = columns_.size();
        for (std::size_t v = 0; v < problem_.n_variables; ++v) {
            if (beta_[v] != 0.0 && !is_exact_[v]) add_exact(v);
        }
    }

    void add_exact(std::size_t v) {
        exact_.push_back(v);
        is_exact_[v] = true;
        if (column_[row(v)] != no_place) return;
        column_[row(v)] = columns_.size();
        columns_.push_back(row(v));
    }

    // Kernel rows of what may move, and exact gradients. false if these are far from what is known.
    bool compute(const Poll& poll) {
        const std::size_t s = columns_.size();
        block_ = Buffer<double>(n_rows_ * s);
        std::vector<double> weights(s, 0.0), values(s);
        for (const std::size_t v : exact_) weights[column_[row(v)]] += beta_[v];
        if (!symmetric_product(gram_, columns_, weights.data(), n_rows_, block_.data(),
                               values.data(), poll)) {
            return false;
        }
        double largest = 0.0;
        for (const std::size_t v : exact_) {
            const double known = gradient_[v];
            gradient_[v] =
                problem_.linear[v] - values[column_[row(v)]] - problem_.ridge[v] * beta_[v];
            corrections_[v] = known - gradient_[v];
            if (!(std::abs(corrections_[v]) <= error_)) return false;
            largest = std::max(largest, std::abs(gradient_[v]) + std::abs(values[column_[row(v)]]));
        }
        target_ = rounding * largest;
        return true;
    }

    // What is free, or would leave its bound, of what has not met one before: steps come to an end.
    Positions free_positions() const {
        const std::vector<Extremes> found = extremes(true);
        Positions free;
        for (std::size_t k = 0; k < movable_.size(); ++k) {
            const std::size_t v = movable_[k];
            const bool grows = can_grow(v), falls = can_fall(v);
            const Extremes& e = found[slot(v)];
            const bool leaves =
                grows ? gradient_[v] > e.down + target_ : gradient_[v] < e.up - target_;
            if (!is_held_[k] && ((grows && falls) || leaves)) free.push_back(k);
        }
        return free;
    }

    // One Newton step, up to the first bound. false if there is no other to follow.
    bool step() {
        const Positions free = free_positions();
        std::vector<double> slopes(free.size());
        std::vector<int> group(free.size());
        for (std::size_t a = 0; a < free.size(); ++a) {
            slopes[a] = gradient_[movable_[free[a]]];
            group[a] = problem_.group[movable_[free[a]]];
        }
        if (free.empty() || !factor_->set(free, proximal_)) return false;
        const auto solve = [&](std::vector<double>& x) { return factor_->solve(x); };
        const auto d = newton_direction(solve, std::move(slopes), group, problem_.n_groups);
        const auto fits = [](double x) { return std::isfinite(x); };
        return d && std::ranges::all_of(*d, fits) && move(free, *d);
    }

    // K + ridge of what may move. A proximal term lets a factor of a singular matrix exist.
    void gather_matrix() {
        const std::size_t m = movable_.size();
        matrix_ = Buffer<double>(m * m);
        double scale = 0.0;
        for (std::size_t a = 0; a < m; ++a) {
            const double* values = &block_[column_[row(movable_[a])] * columns_.size()];
            for (std::size_t b = 0; b < m; ++b) {
                matrix_[a * m + b] = values[column_[row(movable_[b])]];
            }
            matrix_[a * m + a] += problem_.ridge[movable_[a]];
            scale = std::max(scale, matrix_[a * m + a]);
        }
        proximal_ = proximal * scale * double(m);
        factor_.emplace(matrix_.data(), m, m);
    }

    double bound(std::size_t v, double d) const {
        return d > 0.0 ? problem_.upper[v] : problem_.lower[v];
    }

    bool move(const Positions& free, const std::vector<double>& d) {
        double length = 1.0;
        std::size_t met = no_place;
        for (std::size_t a = 0; a < d.size(); ++a) {
            const std::size_t v = movable_[free[a]];
            if (d[a] == 0.0 || (bound(v, d[a]) - beta_[v]) / d[a] >= length) continue;
            length = (bound(v, d[a]) - beta_[v]) / d[a];
            met = a;
        }
        const double before = violation(true);
        std::vector<double> changes(n_rows_, 0.0);  // of each row
        for (std::size_t a = 0; a < d.size(); ++a) {
            const std::size_t v = movable_[free[a]];
            const double wanted = a == met ? bound(v, d[a]) : beta_[v] + length * d[a];
            const double next = std::clamp(wanted, problem_.lower[v], problem_.upper[v]);
            changes[column_[row(v)]] += next - beta_[v];
            gradient_[v] -= problem_.ridge[v] * (next - beta_[v]);
            beta_[v] = next;
        }
        follow_exactly(changes);
        if (met != no_place) {
            is_held_[free[met]] = true;
            return true;
        }
        const double now = violation(true);
        return now > target_ && now < 0.5 * before;
    }

    // Exact gradients after a change of the coefficients.
    void follow_exactly(const std::vector<double>& changes) {
        const std::size_t s = columns_.size();
        std::vector<const double*> rows(n_rows_);
        for (std::size_t k = 0; k < n_rows_; ++k) rows[k] = &block_[k * s];
        std::vector<double> product(s, 0.0);
        instruction_set().micro_kernels.of<double>().add_product(
            rows.data(), n_rows_, s, changes.data(), 1, product.data(), s);
        for (const std::size_t v : exact_) gradient_[v] -= product[column_[row(v)]];
    }

    // Gradients of all others, by the change of the coefficients: their errors stay what they were.
    void follow(const std::vector<double>& start, const Poll& poll) {
        Positions moved, others, rows;
        std::vector<double> weights;
        for (const std::size_t v : movable_) {
            if (beta_[v] == start[v]) continue;
            moved.push_back(row(v));
            weights.push_back(beta_[v] - start[v]);
        }
        for (std::size_t v = 0; v < problem_.n_variables; ++v) {
            if (is_exact_[v]) continue;
            others.push_back(v);
            rows.push_back(row(v));
        }
        if (moved.empty() || others.empty()) return;
        std::vector<double> product(others.size());
        gram_.product(moved, weights.data(), 1, product.data(), poll, &rows);
        for (std::size_t k = 0; k < others.size(); ++k) gradient_[others[k]] -= product[k];
    }

    // Whether no gradient that is not exact may be an extreme.
    bool are_others_far() const {
        const std::vector<Extremes> found = extremes(true);
        for (std::size_t v = 0; v < problem_.n_variables; ++v) {
            if (is_exact_[v] || problem_.lower[v] == problem_.upper[v]) continue;
            if (is_near(v, found, 2.0 * error_)) return false;
        }
        return true;
    }

    const ProblemView& problem_;
    Gram<double>& gram_;
    double error_, target_ = 0.0;
    std::vector<double> beta_, gradient_, corrections_;
    std::vector<std::uint8_t> is_exact_, is_held_;  // of each variable; of each that is movable
    Positions movable_, exact_, columns_, column_;  // columns: rows of exact_; column of each row
    std::size_t n_rows_ = 0;                        // of movable_: the first columns
    Buffer<double> block_;                          // kernel values of these and all columns
    Buffer<double> matrix_;                         // H of movable_
    double proximal_ = 0.0;
    std::optional<FreeFactor<double>> factor_;
};

// Whether it takes at most a fifth of the fit. In nanoseconds on one core, of counts alone, so that
// results do not depend on the machine. With w multiplications a kernel value takes 0.35 + 0.022 w
// in single and 1.5 + 0.07 w in double precision, a pair step 150 + n / 2, a Newton step on m
// variables m^3 / 60, and what is not kernel values and steps 0.6 milliseconds.
bool is_cheap(const ProblemView& problem, const Gram<double>& gram, const double* beta,
              const StepCounts& steps) {
    std::size_t n_used = 0, n_free = 0;
    for (std::size_t v = 0; v < problem.n_variables; ++v) {
        n_used += beta[v] != 0.0;
        n_free += beta[v] > problem.lower[v] && beta[v] < problem.upper[v];
    }
    const double n = double(gram.size()), s = double(n_used), m = double(n_free);
    const double work = gram.kernel().work();
    const double newton = 4.0 * (m * m * m / 120.0 + 0.25 * m * n);  // some rounds
    const double fit = 0.5 * n * n * (0.35 + 0.022 * work) +
                       double(steps.pair) * (150.0 + 0.5 * n) + double(steps.newton) * newton +
                       0.6e6;
    const double values = 0.5 * (s - m) * (s - m) + n * m;
    const double polish = values * (1.5 + 0.07 * work) + 2.0 * m * m * m / 60.0 + 1e4;
    return n_free > 0 && n_free <= most_movable && polish <= most_share * fit;
}

}  // namespace

bool polish(const ProblemView& problem, Gram<double>& gram, double* beta, SelectiveValues& known,
            const StepCounts& steps, const Poll& poll) {
    if (!is_cheap(problem, gram, beta, steps)) return false;
    const ThreadPool::Client client(gram.threads());
    Polish work(problem, gram, beta, known);
    if (!work.run(poll)) return false;
    work.copy_out(beta, known);
    return true;
}

}  // namespace mercer::chunked
