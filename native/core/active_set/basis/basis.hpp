// The free variables of a point, their kernel rows, and the linear system that moves them.
//
// With H = K + diag(ridge) over the free variables S, and 1_g the indicator of those in group g:
//     H_SS h + sum_g eta_g 1_g = u,   1_g'h = v_g for every group
// (Sentelle 2014, equation 5.54, in signed variables: all labels of the constraints are 1). The
// factor holds differences to one free variable of the same group, its *reference*, or, without a
// group, to the origin. References come first among the members.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/active_set/basis/kernel_rows.hpp"
#include "core/active_set/basis/null_space_factor.hpp"
#include "core/active_set/basis/vectors.hpp"
#include "core/base/none.hpp"

namespace mercer::active_set {

// How the free variables answer when one more moves by +1: they move by h, the multipliers by eta,
// and the slope of the one that moves falls by `curvature`
// (docs/theory/active_set.md#the-response). The curvature is also the pivot of appending it; below
// `noise` it cannot be told from zero. It is infinite for the first of a group, which cannot move.
struct Response {
    std::vector<double> h, eta;
    double curvature = 0.0, noise = 0.0;
    std::vector<double> projected;

    bool is_flat() const { return !(curvature > noise); }
    // Whether nothing overflowed. `noise` sums all of h, so it is finite only if h is.
    bool is_finite() const {
        return std::isfinite(noise) && !std::isnan(curvature) && are_finite(eta);
    }
};

class Basis {
  public:
    // `ridge` and `group` have an entry for each variable; -1 means no group.
    Basis(std::shared_ptr<KernelRows> kernel, std::vector<double> ridge,
          std::vector<std::int8_t> group, std::size_t n_groups)
        : kernel_(std::move(kernel)), ridge_(std::move(ridge)), group_(std::move(group)),
          position_(ridge_.size(), none), reference_(n_groups, none) {}

    bool has_group() const { return !reference_.empty(); }
    std::size_t size() const { return members_.size(); }
    // Position of the reference of a group; none if it has no member, or for group -1.
    std::size_t reference(int group) const {
        return group < 0 ? none : reference_[std::size_t(group)];
    }
    // Whether a group has no member: its variables cannot move.
    bool lacks(int group) const { return group >= 0 && reference(group) == none; }
    std::size_t n_members(int group) const;
    const std::vector<std::size_t>& members() const { return members_; }
    const std::vector<KernelRowPointer>& rows() const { return rows_; }
    std::size_t position(std::size_t variable) const { return position_[variable]; }
    double condition() const { return factor_.condition(); }
    const NullSpaceFactor& factor() const { return factor_; }

    // requires: `u` has size() entries, h gets as many; v and eta have one for each group
    void solve(const double* u, std::span<const double> v, std::vector<double>& h,
               std::span<double> eta) const;

    // requires: variable is not a member
    Response respond(std::size_t variable, const KernelRow& row) const;
    // false, and nothing happens, if the variable depends on the members as far as one can tell
    bool append(std::size_t variable, KernelRowPointer row);
    // requires: `response` is of this variable and of these members, and is not flat
    void append(std::size_t variable, KernelRowPointer row, const Response& response);
    void remove(std::size_t position);
    void clear();
    // The factor from scratch; members that depend on earlier ones are dropped and returned.
    std::vector<std::size_t> refactorise();

  private:
    double entry(const KernelRow& row, std::size_t of, std::size_t variable) const {
        return kernel_->value(row, variable) + (of == variable ? ridge_[variable] : 0.0);
    }
    double length(std::size_t variable) const {
        return std::sqrt(std::abs(kernel_->diagonal(variable)) + ridge_[variable]);
    }
    int group_at(std::size_t position) const { return group_[members_[position]]; }
    double project(std::size_t variable, const KernelRow& row, std::vector<double>& column) const;
    double noise(std::size_t variable, const std::vector<double>& h) const;
    void take_out_reference(std::size_t position);
    void insert(std::size_t position, std::size_t variable, KernelRowPointer row);
    void erase(std::size_t position);
    void renumber(std::size_t from);

    std::shared_ptr<KernelRows> kernel_;
    std::vector<double> ridge_;
    std::vector<std::int8_t> group_;
    std::vector<std::size_t> members_, position_;
    std::vector<std::size_t> reference_;  // by group: its position
    std::size_t n_references_ = 0;
    std::vector<KernelRowPointer> rows_;
    NullSpaceFactor factor_;
};

}  // namespace mercer::active_set
