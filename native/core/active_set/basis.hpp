// The free variables of a point, their kernel rows, and the linear system that moves them.
//
// With H = K + diag(ridge) over the free variables S:
//     H_SS h + eta 1 = u,   1'h = v        (one group: a bias eta)
//     H_SS h = u                           (no group: eta = 0, v is not looked at)
// (spec 002, 3.2, in signed variables: all labels of the constraint are 1). The factor holds
// differences to the first free variable, or, without a group, to the origin.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/active_set/factor.hpp"
#include "core/active_set/kernel_rows.hpp"

namespace mercer::active_set {

inline constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

// How the free variables answer when one more moves by +1: they move by h, the bias by eta, and
// the slope of the one that moves falls by `curvature` (spec 002, 4.1). The curvature is also the
// pivot of appending it; below `noise` it cannot be told from zero.
struct Response {
    std::vector<double> h;
    double eta = 0.0, curvature = 0.0, noise = 0.0;
    std::vector<double> projected;

    bool is_flat() const { return !(curvature > noise); }
};

class Basis {
  public:
    // `ridge` has an entry for each variable.
    Basis(std::shared_ptr<KernelRows> kernel, std::vector<double> ridge, bool has_group)
        : kernel_(std::move(kernel)), ridge_(std::move(ridge)), has_group_(has_group),
          position_(ridge_.size(), none) {}

    bool has_group() const { return has_group_; }
    std::size_t size() const { return members_.size(); }
    const std::vector<std::size_t>& members() const { return members_; }
    const std::vector<KernelRowPointer>& rows() const { return rows_; }
    std::size_t position(std::size_t variable) const { return position_[variable]; }
    double condition() const { return factor_.condition(); }
    const NullSpaceFactor& factor() const { return factor_; }

    // requires: `u` has size() entries; h gets as many
    void solve(const double* u, double v, std::vector<double>& h, double& eta) const;

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
    std::size_t first() const { return has_group_ ? 1 : 0; }
    double project(std::size_t variable, const KernelRow& row, std::vector<double>& column) const;
    void push(std::size_t variable, KernelRowPointer row);

    std::shared_ptr<KernelRows> kernel_;
    std::vector<double> ridge_;
    bool has_group_;
    std::vector<std::size_t> members_, position_;
    std::vector<KernelRowPointer> rows_;
    NullSpaceFactor factor_;
};

}  // namespace mercer::active_set
