#include "core/chunked/chunk.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/chunked/newton.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::chunked {

namespace {

template <class T>
const SubproblemFunctions<T>& subproblem_functions() {
    return instruction_set().subproblem.of<T>();
}

// A coefficient that is on its way to infinity.
bool may_be_unbounded(double beta) {
    return std::abs(beta) > 1e100;
}

// Each range is padded to whole vectors; there are at most a handful.
template <class T>
std::size_t most_positions(std::size_t most_variables) {
    return most_variables + 8 * subproblem_functions<T>().lanes;
}

}  // namespace

template <class T>
Chunk<T>::Chunk(std::size_t most_variables, Arena& arena)
    : matrix_(arena), diagonal_(arena), gradient_(arena), product_(arena), grow_bar_(arena),
      fall_bar_(arena), beta_(arena), start_(arena), lower_(arena), upper_(arena) {
    const std::size_t most = most_positions<T>(most_variables);
    for (auto* field : {&diagonal_, &gradient_, &product_, &grow_bar_, &fall_bar_}) {
        field->require(most);
    }
    for (auto* field : {&beta_, &start_, &lower_, &upper_}) field->require(most);
}

template <class T>
void Chunk<T>::place_members(const Variables<T>& variables,
                             const std::vector<std::uint32_t>& members) {
    const std::size_t lanes = subproblem_functions<T>().lanes;
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
    if (members != gathered_) {
        place_members(variables, members);
        matrix_.compute(variables, member_, ranges_, share_moved_);
        gathered_ = members;
    }
    copy_state(variables);
}

template <class T>
void Chunk<T>::take_all(const Variables<T>& variables) {
    const std::size_t lanes = subproblem_functions<T>().lanes;
    size_ = (variables.size() + lanes - 1) / lanes * lanes;
    member_.assign(size_, nowhere);
    std::iota(member_.begin(), member_.begin() + std::ptrdiff_t(variables.size()), 0u);
    ranges_.assign(1, {0, size_, variables.problem.group[0] < 0});
    matrix_.use_full_matrix(variables);
    gathered_.clear();
    copy_state(variables);
}

template <class T>
void Chunk<T>::copy_state(const Variables<T>& variables) {
    // As the working matrix has it: its own diagonal is spread over as many lines of memory.
    const std::vector<double>& kernel = variables.gram().diagonal();
    for (std::size_t p = 0; p < size_; ++p) {
        const std::uint32_t v = member_[p];
        const bool real = v != nowhere;
        gradient_[p] = real ? T(variables.gradient[v]) : T(0);
        beta_[p] = start_[p] = real ? variables.beta[v] : 0.0;
        lower_[p] = real ? variables.problem.lower[v] : 0.0;
        upper_[p] = real ? variables.problem.upper[v] : 0.0;
        diagonal_[p] = real ? T(kernel[variables.row(v)]) + T(variables.problem.ridge[v]) : T(0);
    }
}

template <class T>
Subproblem<T> Chunk<T>::view() {
    return {size_,          matrix_.row(0), matrix_.stride(), diagonal_.data(),  gradient_.data(),
            beta_.data(),   lower_.data(),  upper_.data(),    grow_bar_.data(),  fall_bar_.data(),
            ranges_.data(), ranges_.size(), product_.data(),  matrix_.has_row(), &matrix_};
}

// The gain of a change d is 1/2 d' (gradient before + gradient after).
template <class T>
bool Chunk<T>::has_drifted(const Variables<T>& variables) const {
    double squared = 0.0, weighted = 0.0, gain = 0.0;
    for (std::size_t p = 0; p < size_; ++p) {
        const double moved = beta_[p] - start_[p];
        if (moved == 0.0) continue;
        squared += moved * moved;
        weighted += moved * moved * std::abs(double(diagonal_[p]));
        gain += 0.5 * moved * (variables.gradient[member_[p]] + double(gradient_[p]));
    }
    return variables.would_drift(squared, weighted, variables.objective() + gain);
}

template <class T>
SubproblemResult Chunk<T>::solve(const Variables<T>& variables, const ChunkOptions& options,
                                 double tolerance, const Poll& poll) {
    const Subproblem<T> problem = view();
    Newton<T> newton(problem, options.tolerance);
    SubproblemResult total;
    // Converging takes some rounds, and fewer from nearer by.
    const auto newton_cost = [&] { return 2 * newton.cost_of_round(); };
    for (;;) {
        subproblem_functions<T>().refresh(problem);
        const std::size_t wait = total.iterations ? options.newton_again : options.newton_after;
        const std::size_t burst =
            std::min(std::max(wait, newton_cost()), options.max_iterations - total.iterations);
        const SubproblemResult part = subproblem_functions<T>().solve(problem, tolerance, burst);
        total.iterations += part.iterations;
        total.violation = part.violation;
        total.unbounded = part.unbounded;
        total.unbounded |= std::any_of(beta_.data(), beta_.data() + size_, may_be_unbounded);
        const bool done = total.unbounded || part.iterations < burst || part.violation <= tolerance;
        if (done || total.iterations >= options.max_iterations || !poll()) return total;
        if (has_drifted(variables)) return total;
        // Variables that became free meanwhile make a Newton step cost more pair steps than that.
        const std::size_t cost = newton_cost();
        if (cost > 2 * burst) continue;
        // A step that was cut short is followed by another only while those are cheap.
        std::size_t tries = 1 + std::min<std::size_t>(5, options.newton_after / (cost + 1));
        const std::size_t before = newton.n_steps();
        while (tries > 0 && !newton.step()) --tries;
        newton_steps_ += newton.n_steps() - before;
        if (newton.found_ray()) {
            total.unbounded = true;
            return total;
        }
    }
}

template <class T>
Change Chunk<T>::scatter(Variables<T>& variables) {
    Change change;
    const auto fits = [](double beta) { return std::isfinite(beta); };
    if (!std::all_of(beta_.data(), beta_.data() + size_, fits)) return change;  // nothing to keep
    for (std::size_t p = 0; p < size_; ++p) {
        if (member_[p] == nowhere || beta_[p] == start_[p]) continue;
        variables.beta[member_[p]] = beta_[p];
        change.variables.push_back(member_[p]);
        change.before.push_back(start_[p]);
        change.amounts.push_back(beta_[p] - start_[p]);
    }
    share_moved_ = double(change.variables.size()) / double(size_);
    return change;
}

template class Chunk<float>;
template class Chunk<double>;

}  // namespace mercer::chunked
