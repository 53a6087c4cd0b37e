#include "core/chunked/chunk.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cholesky.hpp"
#include "simd/leaf.hpp"

namespace mercer::chunked {

namespace {

template <class T>
const SquareFunctions<T>& functions() {
    return square_functions<T>(instruction_set());
}

// Each range is padded to whole vectors; there are at most a handful.
template <class T>
std::size_t most_positions(std::size_t most_variables) {
    return most_variables + 8 * functions<T>().lanes;
}

}  // namespace

template <class T>
Chunk<T>::Chunk(std::size_t most_variables, Arena& arena)
    : matrix_(arena), diagonal_(arena), gradient_(arena), product_(arena), can_grow_(arena), can_fall_(arena),
      beta_(arena), start_(arena), lower_(arena), upper_(arena) {
    const std::size_t most = most_positions<T>(most_variables);
    for (auto* field : {&diagonal_, &gradient_, &product_, &can_grow_, &can_fall_}) field->require(most);
    for (auto* field : {&beta_, &start_, &lower_, &upper_}) field->require(most);
}

template <class T>
void Chunk<T>::place_members(const Variables<T>& variables,
                             const std::vector<std::uint32_t>& members) {
    const std::size_t lanes = functions<T>().lanes;
    member_.clear();
    ranges_.clear();
    for (int group = -1; group < int(variables.problem.n_groups); ++group) {
        const std::size_t begin = member_.size();
        for (const bool fresh : {true, false}) {
            std::ranges::copy_if(members, std::back_inserter(member_), [&](std::uint32_t v) {
                return variables.problem.group[v] == group && matrix_.knows(v) != fresh;
            });
        }
        if (member_.size() == begin) continue;
        while (member_.size() % lanes) member_.push_back(nowhere);
        ranges_.push_back({begin, member_.size(), group < 0});
    }
    size_ = member_.size();
}

template <class T>
void Chunk<T>::gather(Variables<T>& variables, const std::vector<std::uint32_t>& members) {
    place_members(variables, members);
    matrix_.compute(variables, member_, ranges_);
    copy_state(variables);
}

template <class T>
void Chunk<T>::take_whole(const Variables<T>& variables) {
    const std::size_t lanes = functions<T>().lanes;
    size_ = (variables.size() + lanes - 1) / lanes * lanes;
    member_.assign(size_, nowhere);
    std::iota(member_.begin(), member_.begin() + std::ptrdiff_t(variables.size()), 0u);
    ranges_.assign(1, {0, size_, variables.problem.group[0] < 0});
    matrix_.use_whole(variables);
    copy_state(variables);
}

template <class T>
void Chunk<T>::copy_state(const Variables<T>& variables) {
    for (std::size_t p = 0; p < size_; ++p) {
        const std::uint32_t v = member_[p];
        const bool real = v != nowhere;
        gradient_[p] = real ? T(variables.gradient[v]) : T(0);
        beta_[p] = start_[p] = real ? variables.beta[v] : 0.0;
        lower_[p] = real ? variables.problem.lower[v] : 0.0;
        upper_[p] = real ? variables.problem.upper[v] : 0.0;
        diagonal_[p] = matrix_.row(p)[p];
    }
}

template <class T>
Square<T> Chunk<T>::view() {
    return {size_,          matrix_.row(0), matrix_.stride(), diagonal_.data(),
            gradient_.data(), beta_.data(),   lower_.data(),   upper_.data(),
            can_grow_.data(), can_fall_.data(), ranges_.data(), ranges_.size(),
            product_.data()};
}

template <class T>
SquareResult Chunk<T>::solve(const ChunkOptions& options, double tolerance, const Poll& poll) {
    const Square<T> square = view();
    functions<T>().refresh(square);
    SquareResult total;
    for (;;) {
        const std::size_t cost = newton_cost();
        const std::size_t burst = std::min(std::max(options.newton_after, cost),
                                           options.max_iterations - total.iterations);
        const SquareResult part = functions<T>().solve(square, tolerance, burst);
        total.iterations += part.iterations;
        total.violation = part.violation;
        total.unbounded = part.unbounded;
        const bool done = part.iterations < burst || part.violation <= tolerance;
        if (done || total.iterations >= options.max_iterations || !poll()) return total;
        // A step that a box cuts short is followed by another only while those are cheap.
        const std::size_t rounds = 1 + std::min<std::size_t>(5, options.newton_after / (cost + 1));
        for (std::size_t round = 0; round < rounds; ++round) {
            if (newton_step(options)) break;
        }
        functions<T>().refresh(square);
    }
}

// What a Newton step costs, in pair steps: m^3 / 3 multiplications against a few for each position.
template <class T>
std::size_t Chunk<T>::newton_cost() const {
    std::size_t m = 0;
    for (std::size_t p = 0; p < size_; ++p) m += beta_[p] > lower_[p] && beta_[p] < upper_[p];
    return m * m / 12 * m / (size_ + 1);
}

template <class T>
std::vector<double> Chunk<T>::newton_direction(const std::vector<std::size_t>& free,
                                               double proximal) const {
    const std::size_t m = free.size();
    std::vector<double> matrix(m * m), d(m);
    for (std::size_t a = 0; a < m; ++a) {
        const T* row = matrix_.row(free[a]);
        for (std::size_t b = 0; b <= a; ++b) matrix[a * m + b] = row[free[b]];
        matrix[a * m + a] += proximal;
        d[a] = gradient_[free[a]];
    }
    const Cholesky factor(std::move(matrix), m);
    if (!factor.is_positive()) return {};
    factor.solve(d);
    // Ranges have no position in common; d loses its sum over each along H^-1 1. Two ranges couple
    // through H, so this is repeated; what remains is taken out evenly.
    for (int sweep = 0; sweep < (ranges_.size() > 1 ? 8 : 1); ++sweep) {
        for (const SquareRange& range : ranges_) {
            if (range.alone) continue;
            std::vector<double> ones(m);
            double sum = 0.0;
            for (std::size_t k = 0; k < m; ++k) {
                ones[k] = free[k] >= range.begin && free[k] < range.end;
                sum += ones[k] * d[k];
            }
            std::vector<double> solved = ones;
            factor.solve(solved);
            double weight = 0.0;
            for (std::size_t k = 0; k < m; ++k) weight += ones[k] * solved[k];
            if (weight <= 0.0) continue;
            for (std::size_t k = 0; k < m; ++k) d[k] -= sum / weight * solved[k];
        }
    }
    for (const SquareRange& range : ranges_) {
        if (range.alone) continue;
        double sum = 0.0, count = 0.0;
        for (std::size_t k = 0; k < m; ++k) {
            if (free[k] >= range.begin && free[k] < range.end) sum += d[k], count += 1.0;
        }
        for (std::size_t k = 0; k < m; ++k) {
            if (free[k] >= range.begin && free[k] < range.end) d[k] -= sum / count;
        }
    }
    return d;
}

// The proximal term leaves a violation of at most its product with the coefficients.
template <class T>
bool Chunk<T>::newton_step(const ChunkOptions& options) {
    std::vector<std::size_t> free;
    double largest = 0.0, scale = 0.0;
    for (std::size_t p = 0; p < size_; ++p) {
        if (!(beta_[p] > lower_[p] && beta_[p] < upper_[p])) continue;
        free.push_back(p);
        largest = std::max(largest, std::abs(beta_[p]));
        scale = std::max(scale, double(diagonal_[p]));
    }
    if (free.size() < 2) return true;
    const double rounding = std::numeric_limits<T>::epsilon() * scale * double(free.size());
    const double proximal = std::max(rounding, 0.1 * options.tolerance / (largest + 1e-300));
    std::vector<double> d = newton_direction(free, proximal);
    if (d.empty() || !std::ranges::all_of(d, [](double x) { return std::isfinite(x); })) return true;
    double step = 1.0;
    std::size_t stopped_at = free.size();
    for (std::size_t k = 0; k < d.size(); ++k) {
        const double bound = d[k] > 0.0 ? upper_[free[k]] : lower_[free[k]];
        const double room = d[k] == 0.0 ? infinity : (bound - beta_[free[k]]) / d[k];
        if (room < step) step = room, stopped_at = k;
    }
    ++newton_steps_;
    for (std::size_t k = 0; k < d.size(); ++k) {
        const std::size_t p = free[k];
        const double bound = d[k] > 0.0 ? upper_[p] : lower_[p];
        const double moved = beta_[p] + step * d[k];
        const double to = k == stopped_at ? bound : std::clamp(moved, lower_[p], upper_[p]);
        const T change = T(to - beta_[p]);
        beta_[p] = to;
        const T* row = matrix_.row(p);
        for (std::size_t j = 0; j < size_; ++j) gradient_[j] -= change * row[j];
    }
    return stopped_at == free.size();
}

template <class T>
Change Chunk<T>::scatter(Variables<T>& variables) const {
    Change change;
    for (std::size_t p = 0; p < size_; ++p) {
        if (member_[p] == nowhere || beta_[p] == start_[p]) continue;
        variables.beta[member_[p]] = beta_[p];
        change.variables.push_back(member_[p]);
        change.amounts.push_back(beta_[p] - start_[p]);
    }
    return change;
}

template class Chunk<float>;
template class Chunk<double>;

}  // namespace mercer::chunked
