// The iteration: Sentelle 2014, algorithm 1 (docs/theory/active_set.md#the-iteration).
#include "core/active_set/simplex/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/active_set/basis/vectors.hpp"
#include "core/active_set/simplex/purify.hpp"

namespace mercer::active_set {

namespace {

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
    : point_(gram, problem, group_sum, coef), pricing_(problem.n_variables) {
    if (gradient) {
        purify(point_, point_.known_expansion(gradient));
    } else {
        std::vector<double> expansion(point_.kernel->n_places());
        if (!point_.kernel->expand(coef, expansion.data(), poll)) throw Interrupted();
        purify(point_, expansion);
    }
    counters_.largest_basis = point_.basis.size();
    restore(point_);
}

Status Simplex::run(const Options& options, const Monitor& monitor) {
    Watch watch(options.max_seconds, monitor);
    const std::size_t limit = counters_.iterations + options.max_iterations;
    const std::size_t patience = 1000 + 10 * point_.n_variables();
    std::size_t rebuilds = 0, look_again = counters_.iterations + patience;
    double before = point_.objective, at_rebuild = -infinity;
    pricing_.begin(options);
    while (watch.go_on()) {
        Priced choice;
        if (!pricing_.select(point_, is_cycling(), counters_, choice)) {
            return std::isfinite(violation()) ? Status::converged : Status::stalled;
        }
        if (counters_.iterations >= limit) return Status::max_iterations;
        ++counters_.outer_iterations;
        const Outcome outcome = enter(choice.variable, choice.slope);
        if (outcome == Outcome::unbounded) return Status::unbounded;
        if (outcome == Outcome::stuck) {
            if (++rebuilds > 20 || !has_gained(at_rebuild)) return Status::stalled;
            at_rebuild = point_.objective;
            rebuild();
        }
        if (counters_.iterations < look_again) continue;
        // Long without gain: what is left of the violation is rounding.
        if (!has_gained(before)) return Status::stalled;
        look_again = counters_.iterations + patience;
        before = point_.objective;
    }
    return watch.status();
}

// Whether the objective, computed afresh, has grown by more than the rounding of its terms. Where
// the hulls of two groups overlap they cancel, and rounding is all that is left.
bool Simplex::has_gained(double since) {
    point_.objective = point_.dual_value(point_.gradient());
    const double size = 4.0 * std::abs(point_.objective) + point_.squares();
    return point_.objective - since > std::numeric_limits<double>::epsilon() * size;
}

// The basis anew, after rounding has spoiled it.
void Simplex::rebuild() {
    ++counters_.rebuilds;
    purify(point_, point_.known_expansion(point_.gradient().data()));
    counters_.largest_basis = std::max(counters_.largest_basis, point_.basis.size());
    restore(point_);
}

Simplex::Outcome Simplex::enter(std::size_t variable, double slope) {
    const KernelRowPointer row = point_.kernel->fetch(variable);
    const double before = point_.coef[variable];
    if (before != 0.0) point_.kernel->add_row(-before, *row, point_.nonbasic.data());
    pricing_.entered(variable);
    const Outcome outcome = advance(variable, slope, row);
    if (outcome != Outcome::done) {
        point_.kernel->add_row(point_.coef[variable], *row, point_.nonbasic.data());
    }
    counters_.largest_basis = std::max(counters_.largest_basis, point_.basis.size());
    return outcome;
}

// Steps along the response of the basic variables until the slope of the entering variable has
// vanished or it has met its other bound (Sentelle 2014, algorithm 1). Blocking variables leave on
// the way, the first one before the entering variable joins.
Simplex::Outcome Simplex::advance(std::size_t variable, double slope, const KernelRowPointer& row) {
    Basis& basis = point_.basis;
    const Response response = basis.respond(variable, *row);
    if (!response.is_finite()) return Outcome::stuck;
    Course course{slope > 0.0 ? 1.0 : -1.0, std::abs(slope),
                  response.is_flat() ? 0.0 : response.curvature, response.h, response.eta};
    for (double& x : course.h) x *= course.sign;
    for (double& x : course.eta) x *= course.sign;
    Block block;
    const Outcome outcome = step_along(course, variable, 1.0, block);
    if (outcome == Outcome::done) basis.append(variable, row, response);
    if (outcome != Outcome::blocked) return outcome;
    if (block.position == basis.size()) return flip(variable, block, *row);
    leave(point_, block);
    if (!basis.append(variable, row)) return Outcome::stuck;
    return advance_basic(variable, negligible * std::abs(slope), *row, course);
}

// The same once the entering variable is basic, until no more than `least` of its slope is left.
Simplex::Outcome Simplex::advance_basic(std::size_t variable, double least, const KernelRow& row,
                                        Course& course) {
    Basis& basis = point_.basis;
    const std::vector<double> no_sums(course.eta.size(), 0.0);
    std::vector<double> u;
    course.rate = 1.0;
    while (!(course.left <= least)) {
        const std::size_t own = basis.position(variable);
        u.assign(basis.size(), 0.0);
        u[own] = course.sign;
        basis.solve(u.data(), no_sums, course.h, course.eta);
        Block block;
        const Outcome outcome = step_along(course, none, std::abs(course.h[own]), block);
        if (outcome == Outcome::stuck) basis.remove(own);
        if (outcome != Outcome::blocked) return outcome;
        if (block.position == own) {
            basis.remove(own);
            return flip(variable, block, row);
        }
        leave(point_, block);
    }
    return Outcome::done;
}

// To the end of the course, or to the first bound met, which is then `block`.
Simplex::Outcome Simplex::step_along(Course& course, std::size_t entering, double speed,
                                     Block& block) {
    block = ratio_test(point_, entering, course.sign, course.h, is_cycling());
    const double full = course.rate > 0.0 ? course.left / course.rate : infinity;
    const double step = std::min(block.step, full);
    if (step == infinity) return Outcome::unbounded;
    if (!can_go(step, course.h)) return Outcome::stuck;
    move(point_, entering, course.sign, step, course.h, course.eta);
    point_.objective += speed * step * (course.left - 0.5 * step * course.rate);
    note_step(step);
    if (block.step >= full) return Outcome::done;
    course.left -= step * course.rate;
    return Outcome::blocked;
}

// The entering variable has met its own other bound.
Simplex::Outcome Simplex::flip(std::size_t variable, const Block& block, const KernelRow& row) {
    snap(point_, variable, block.at_upper, row);
    ++counters_.flips;
    return Outcome::done;
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
