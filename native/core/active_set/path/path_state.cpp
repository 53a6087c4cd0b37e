// The numbers of a path: its start, its direction, and their upkeep against rounding.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/active_set/basis/vectors.hpp"
#include "core/active_set/path/path.hpp"

namespace mercer::active_set {

namespace {

std::vector<double> copied(const double* values, std::size_t count) {
    return std::vector<double>(values, values + count);
}

}  // namespace

Path::Path(std::shared_ptr<KernelRows> kernel, const ProblemView& problem, double sum,
           double sum_rate, const double* offset, const double* coef,
           const std::vector<std::size_t>& free, double parameter, const double* expansion)
    : kernel_(std::move(kernel)), linear_(copied(problem.linear, problem.n_variables)),
      offset_(offset ? copied(offset, problem.n_variables)
                     : std::vector<double>(problem.n_variables, 0.0)),
      lower_(copied(problem.lower, problem.n_variables)),
      upper_(copied(problem.upper, problem.n_variables)),
      ridge_(copied(problem.ridge, problem.n_variables)), coef_(copied(coef, problem.n_variables)),
      sum_(sum), sum_rate_(sum_rate), parameter_(parameter), side_(problem.n_variables, Side::free),
      basis_(kernel_, ridge_,
             std::vector<std::int8_t>(problem.n_variables, problem.n_groups > 0 ? 0 : -1),
             problem.n_groups),
      bounded_(kernel_->n_places()), value_rate_(kernel_->n_places()),
      towards_(problem.n_variables, 0.0), distance_(problem.n_variables),
      priority_(problem.n_variables) {
    scale_ = 0.0;
    for (const double x : linear_) scale_ = std::max(scale_, std::abs(x));
    if (scale_ == 0.0) scale_ = kernel_->largest_diagonal();
    for (const double x : offset_) offset_size_ = std::max(offset_size_, std::abs(x) / scale_);
    has_offset_ = offset != nullptr;
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        widest_ = std::max(widest_, upper_[v] - lower_[v]);
    }
    std::iota(priority_.begin(), priority_.end(), std::size_t(0));
    has_ridge_ = std::ranges::any_of(ridge_, [](double x) { return x != 0.0; });
    read_start(free, expansion);
}

void Path::read_start(const std::vector<std::size_t>& free, const double* expansion) {
    verified_ = {0, parameter_, bias_, coef_};
    for (const std::size_t v : free) include(v);
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        if (basis_.position(v) == none && coef_[v] != lower_[v] && coef_[v] != upper_[v]) {
            include(v);
        }
    }
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        if (basis_.position(v) != none) continue;
        const bool can_move = lower_[v] < upper_[v];
        side_[v] = can_move && coef_[v] == upper_[v] ? Side::upper : Side::lower;
        towards_[v] = can_move ? double(std::int8_t(side_[v])) : 0.0;
        if (can_move && coef_[v] != 0.0) ++n_loaded_;
    }
    sorted_ = basis_.members();
    std::ranges::sort(sorted_);
    log_.first_side = side_;
    if (!expansion) return expand_bounded();
    for (std::size_t v = 0; v < coef_.size(); ++v) bounded_[kernel_->place(v)] = expansion[v];
    std::vector<double> weights(basis_.size());
    for (std::size_t a = 0; a < weights.size(); ++a) weights[a] = -coef_[basis_.members()[a]];
    kernel_->add_rows(weights.data(), basis_.rows(), bounded_.data());
    largest_bounded_ = size_at_bounds();
}

// A free variable of the start becomes a member of the factor. One that depends on the members
// moves along the flat direction, where no value changes, until it is at a bound or does not depend
// on those that are left.
void Path::include(std::size_t variable) {
    const KernelRowPointer row = kernel_->fetch(variable);
    for (;;) {
        const Response response = basis_.respond(variable, *row);
        is_lost_ = is_lost_ || !response.is_finite();
        if (is_lost_) return;
        if (!response.is_flat()) return basis_.append(variable, row, response);
        const double low = coef_[variable] - lower_[variable];
        const double high = upper_[variable] - coef_[variable];
        if (low <= 0.0 || high <= 0.0) return;
        const std::size_t blocking = move_flat(variable, high < low ? 1.0 : -1.0, response);
        if (blocking == none) return;
        const std::size_t v = basis_.members()[blocking];
        coef_[v] = upper_[v] - coef_[v] < coef_[v] - lower_[v] ? upper_[v] : lower_[v];
        basis_.remove(blocking);
    }
}

// The expansion of what is at bounds, from scratch.
void Path::expand_bounded() {
    late_rows_.clear();
    late_coef_.clear();
    std::vector<double> at_bounds = coef_;
    for (const std::size_t v : basis_.members()) at_bounds[v] = 0.0;
    kernel_->expand(at_bounds.data(), bounded_.data(), nullptr);
    largest_bounded_ = size_at_bounds();
}

// A variable with its row comes to a bound (sign 1) or becomes free (-1).
void Path::load(std::size_t variable, const KernelRowPointer& row, int sign) {
    constexpr std::size_t together = 8;  // that many cost hardly more than one
    if (coef_[variable] == 0.0) return;
    n_loaded_ = std::size_t(std::int64_t(n_loaded_) + sign);
    late_coef_.push_back(sign * coef_[variable]);
    late_rows_.push_back(row);
    if (late_rows_.size() == together) complete_bounded();
}

void Path::complete_bounded() {
    kernel_->add_rows(late_coef_.data(), late_rows_, bounded_.data());
    late_rows_.clear();
    late_coef_.clear();
}

double Path::size_at_bounds() const {
    double size = 0.0;
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        if (basis_.position(v) == none) size += std::abs(coef_[v]);
    }
    return size;
}

// What was at a bound once left its rounding behind: when far less is at bounds now, and the slopes
// are so small that it shows, the expansion is computed afresh.
void Path::clean_bounded() {
    const double size = size_at_bounds();
    largest_bounded_ = std::max(largest_bounded_, size);
    const double rounding =
        std::numeric_limits<double>::epsilon() * largest_bounded_ * kernel_->largest_diagonal();
    if (size < 0.5 * largest_bounded_ && rounding > 1e-11 * linear_scale() * scale_)
        expand_bounded();
}

// H_F rate + bias_rate = linear_F, the rates adding up to sum_rate (Sentelle 2014, equation 6.33);
// then the rate of the expansion everywhere. The slopes of the free variables come with it: they
// must not move.
void Path::find_direction() {
    for (int attempt = 0; attempt < 2; ++attempt) {
        target_.resize(basis_.size());
        for (std::size_t a = 0; a < target_.size(); ++a) {
            target_[a] = linear_[basis_.members()[a]];
        }
        solve(target_, sum_rate_, rate_, bias_rate_);
        std::ranges::fill(value_rate_, 0.0);
        kernel_->add_rows(rate_.data(), basis_.rows(), value_rate_.data());
        noise_ = direction_residual(residual_);
        for (int pass = 0; pass < 2 && noise_ > 1e-11 * scale_; ++pass) {
            std::vector<double> correction;
            double shift = 0.0;
            solve(residual_, 0.0, correction, shift);
            for (std::size_t a = 0; a < rate_.size(); ++a) rate_[a] += correction[a];
            bias_rate_ += shift;
            kernel_->add_rows(correction.data(), basis_.rows(), value_rate_.data());
            noise_ = direction_residual(residual_);
        }
        if (noise_ <= 1e-9 * scale_ || attempt > 0) break;
        refactorise();
    }
    fastest_ = 0.0;
    for (const double x : rate_) fastest_ = std::max(fastest_, std::abs(x));
}

double Path::direction_residual(std::vector<double>& residual) const {
    double worst = 0.0;
    residual.resize(basis_.size());
    for (std::size_t a = 0; a < residual.size(); ++a) {
        const std::size_t v = basis_.members()[a];
        residual[a] = slope_rate(v) - ridge_[v] * rate_[a];
        worst = std::max(worst, magnitude(residual[a]));
    }
    return worst;
}

void Path::refactorise() {
    ++n_refactorised_;
    const auto rows = basis_.rows();
    const auto members = basis_.members();
    for (const std::size_t v : basis_.refactorise()) {
        drop(v, rows[std::size_t(std::ranges::find(members, v) - members.begin())]);
    }
}

// A variable that depends on the free ones leaves for the nearer bound.
void Path::drop(std::size_t variable, const KernelRowPointer& row) {
    const double low = lower_[variable], high = upper_[variable];
    const bool is_high = high - coef_[variable] < coef_[variable] - low;
    coef_[variable] = is_high ? high : low;
    load(variable, row, 1);
    change(variable, is_high ? Side::upper : Side::lower);
}

// The solution at the present t for the free variables as they are, from scratch
// (docs/theory/paths.md#rounding-on-a-path):
//     H_F a_F + bias = offset_F + t linear_F - bounded_F,   the sum as it has to be.
// false if it is not optimal.
bool Path::refresh() {
    since_refresh_ = 0;
    complete_bounded();
    clean_bounded();
    std::vector<double> u(basis_.size()), values, residual;
    double sum = sum_ + parameter_ * sum_rate_;
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        if (basis_.position(v) == none) sum -= coef_[v];
    }
    for (std::size_t a = 0; a < u.size(); ++a) {
        const std::size_t v = basis_.members()[a];
        u[a] = parameter_ * linear_[v] + offset_[v] - bounded_[kernel_->place(v)];
    }
    solve(u, sum, values, bias_);
    for (std::size_t a = 0; a < values.size(); ++a) coef_[basis_.members()[a]] = values[a];
    value_ = bounded_;
    kernel_->add_rows(values.data(), basis_.rows(), value_.data());
    if (solution_residual(residual) > 1e-14 * linear_scale() * scale_) {
        std::vector<double> correction;
        double shift = 0.0;
        solve(residual, 0.0, correction, shift);
        bias_ += shift;
        for (std::size_t a = 0; a < values.size(); ++a) coef_[basis_.members()[a]] += correction[a];
        kernel_->add_rows(correction.data(), basis_.rows(), value_.data());
    }
    const double found = violation();
    worst_violation_ = std::max(worst_violation_, found);
    pull_inside();
    if (found > 1e-6 * scale_ || (has_offset_ && relative_gap() > 1e-9)) return false;
    verified_ = {log_.parameter.size(), parameter_, bias_, coef_};
    return true;
}

// Rounding may leave free variables just outside their boxes. Each is put on its bound while the
// others answer, so that no slope but its own changes.
void Path::pull_inside() {
    std::vector<double> moved(basis_.size(), 0.0), unit, answer;
    for (std::size_t round = 0; round < 10; ++round) {
        std::size_t worst = none;
        double far = 0.0;
        for (std::size_t a = 0; a < basis_.size(); ++a) {
            const std::size_t v = basis_.members()[a];
            const double by = std::clamp(coef_[v], lower_[v], upper_[v]) - coef_[v];
            if (std::abs(by) > std::abs(far)) far = by, worst = a;
        }
        if (worst == none && round == 0) return;
        if (worst == none) break;
        double shift = 0.0;
        unit.assign(basis_.size(), 0.0);
        unit[worst] = 1.0;
        solve(unit, 0.0, answer, shift);
        const double by = answer[worst] > 0.0 ? far / answer[worst] : 0.0;
        for (std::size_t a = 0; a < answer.size(); ++a) {
            coef_[basis_.members()[a]] += by * answer[a];
            moved[a] += by * answer[a];
        }
        bias_ += by * shift;
        const std::size_t v = basis_.members()[worst];
        coef_[v] = far > 0.0 ? lower_[v] : upper_[v];
    }
    for (std::size_t a = 0; a < basis_.size(); ++a) {
        const std::size_t v = basis_.members()[a];
        const double inside = std::clamp(coef_[v], lower_[v], upper_[v]);
        moved[a] += inside - coef_[v];
        coef_[v] = inside;
    }
    kernel_->add_rows(moved.data(), basis_.rows(), value_.data());
}

double Path::solution_residual(std::vector<double>& residual) const {
    double worst = 0.0;
    residual.resize(basis_.size());
    for (std::size_t a = 0; a < residual.size(); ++a) {
        residual[a] = slope(basis_.members()[a]);
        worst = std::max(worst, magnitude(residual[a]));
    }
    return worst;
}

// The largest KKT violation of the present point: of a slope on its scale, or how far a free
// variable is outside its box, relative to its width.
double Path::violation() const {
    double worst = 0.0;
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        const double s = slope(v) / linear_scale();
        if (!std::isfinite(s)) return infinity;
        if (basis_.position(v) == none) {
            if (lower_[v] < upper_[v]) worst = std::max(worst, side_[v] == Side::upper ? -s : s);
            continue;
        }
        const double outside = std::max(lower_[v] - coef_[v], coef_[v] - upper_[v]);
        const double width = upper_[v] - lower_[v];
        worst = std::max({worst, std::abs(s), magnitude(std::max(outside, 0.0) / width * scale_)});
    }
    return worst;
}

// The duality gap of the present point, next to the part of its objective that depends on t.
double Path::relative_gap() const {
    double gap = 0.0, size = 0.0;
    for (std::size_t v = 0; v < coef_.size(); ++v) {
        const double s = slope(v);
        gap += s > 0.0 ? (upper_[v] - coef_[v]) * s : (lower_[v] - coef_[v]) * s;
        size += std::abs(linear_[v] * coef_[v]);
    }
    return size > 0.0 ? gap / (linear_scale() * size) : 0.0;
}

void Path::record() {
    log_.parameter.push_back(parameter_);
    log_.bias.push_back(bias_);
    log_.bias_rate.push_back(bias_rate_);
    log_.changes_end.push_back(std::int64_t(log_.changed.size()));
    for (const std::size_t v : sorted_) {
        log_.values.push_back(coef_[v]);
        log_.rates.push_back(rate_[basis_.position(v)]);
    }
    log_.values_end.push_back(std::int64_t(log_.values.size()));
}

}  // namespace mercer::active_set
