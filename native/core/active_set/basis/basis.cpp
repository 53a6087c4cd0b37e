#include "core/active_set/basis/basis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/active_set/basis/vectors.hpp"

namespace mercer::active_set {

namespace {

// Rounding of a squared length, relative to the squared sum of the lengths it is made of.
constexpr double rounding = 32.0 * std::numeric_limits<double>::epsilon();

}  // namespace

std::size_t Basis::n_members(int group) const {
    return std::size_t(std::ranges::count_if(
        members_, [&](std::size_t variable) { return group_[variable] == group; }));
}

// With r the reference of group g: h_r = v_g - sum of the others of g, so that
//     Z'HZ h_Z = Z'(u - sum_g H[:, r] v_g),   eta_g = u_r - H[r, :] h.
void Basis::solve(const double* u, std::span<const double> v, std::vector<double>& h,
                  std::span<double> eta) const {
    const std::size_t m = size(), r = n_references_;
    h.assign(u, u + m);
    std::ranges::fill(eta, 0.0);
    const auto group = [&](std::size_t a) { return std::size_t(group_at(a)); };
    for (std::size_t b = 0; b < r; ++b) {
        if (v[group(b)] == 0.0) continue;
        for (std::size_t a = 0; a < m; ++a) {
            h[a] -= v[group(b)] * entry(*rows_[b], members_[b], members_[a]);
        }
    }
    for (std::size_t a = r; a < m; ++a) {
        if (group_at(a) >= 0) h[a] -= h[reference(group_at(a))];
    }
    if (m > 0) {
        factor_.forward(h.data() + r);
        factor_.backward(h.data() + r);
    }
    for (std::size_t b = 0; b < r; ++b) h[b] = v[group(b)];
    for (std::size_t a = r; a < m; ++a) {
        if (group_at(a) >= 0) h[reference(group_at(a))] -= h[a];
    }
    for (std::size_t b = 0; b < r; ++b) {
        double& sum_of_b = eta[group(b)] = u[b];
        for (std::size_t a = 0; a < m; ++a) {
            sum_of_b -= entry(*rows_[b], members_[b], members_[a]) * h[a];
        }
    }
}

// The column of a variable in Z'HZ, projected on the factor; returns the pivot
// (Sentelle 2014, equation 5.60). With r and s the references of the variable v and of the member
// a:
//     <phi_v - phi_r, phi_a - phi_s> = (H_va - H_vs) - (H_ra - H_rs).
double Basis::project(std::size_t variable, const KernelRow& row,
                      std::vector<double>& column) const {
    const std::size_t m = size(), r = n_references_, own = reference(group_[variable]);
    // H_vs and H_rs for each group, the first entry for no group
    std::vector<double> across(reference_.size() + 1, 0.0), corner(reference_.size() + 1, 0.0);
    for (std::size_t b = 0; b < r; ++b) {
        const std::size_t g = std::size_t(group_at(b) + 1);
        across[g] = kernel_->value(row, members_[b]);
        if (own != none) corner[g] = entry(*rows_[own], members_[own], members_[b]);
    }
    column.resize(factor_.size());
    for (std::size_t a = r; a < m; ++a) {
        const std::size_t g = std::size_t(group_at(a) + 1);
        column[a - r] = kernel_->value(row, members_[a]) - across[g];
        if (own != none) column[a - r] -= kernel_->value(*rows_[own], members_[a]) - corner[g];
    }
    const std::size_t g = std::size_t(group_[variable] + 1);
    const double diagonal = kernel_->diagonal(variable) + ridge_[variable];
    return factor_.project(column.data(), (corner[g] - across[g]) + (diagonal - across[g]));
}

Response Basis::respond(std::size_t variable, const KernelRow& row) const {
    const std::size_t m = size(), r = n_references_;
    Response out;
    out.h.assign(m, 0.0);
    out.eta.assign(reference_.size(), 0.0);
    if (lacks(group_[variable])) {
        out.curvature = infinity;
        return out;
    }
    out.curvature = project(variable, row, out.projected);
    std::ranges::copy(out.projected, out.h.begin() + long(r));
    if (m > 0) factor_.backward(out.h.data() + r);
    std::vector<double> sum(reference_.size() + 1, 0.0);
    for (std::size_t a = r; a < m; ++a) {
        out.h[a] = -out.h[a];
        sum[std::size_t(group_at(a) + 1)] += out.h[a];
    }
    for (std::size_t b = 0; b < r; ++b) {
        const double moved = group_at(b) == group_[variable] ? 1.0 : 0.0;
        out.h[b] = -moved - sum[std::size_t(group_at(b) + 1)];
    }
    for (std::size_t b = 0; b < r; ++b) {
        double& sum_of_b = out.eta[std::size_t(group_at(b))] = -kernel_->value(row, members_[b]);
        for (std::size_t a = 0; a < m; ++a) {
            sum_of_b -= entry(*rows_[b], members_[b], members_[a]) * out.h[a];
        }
    }
    out.noise = noise(variable, out.h);
    return out;
}

// Rounding of a pivot, from the lengths of the differences to the references, at most.
double Basis::noise(std::size_t variable, const std::vector<double>& h) const {
    std::vector<double> shift(reference_.size() + 1, 0.0);
    for (std::size_t b = 0; b < n_references_; ++b) {
        shift[std::size_t(group_at(b) + 1)] = length(members_[b]);
    }
    double total = length(variable) + shift[std::size_t(group_[variable] + 1)];
    for (std::size_t a = 0; a < size(); ++a) {
        total += std::abs(h[a]) * (length(members_[a]) + shift[std::size_t(group_at(a) + 1)]);
    }
    return rounding * total * total;
}

bool Basis::append(std::size_t variable, KernelRowPointer row) {
    const Response response = respond(variable, *row);
    if (response.is_flat() || !response.is_finite()) return false;
    append(variable, std::move(row), response);
    return true;
}

void Basis::append(std::size_t variable, KernelRowPointer row, const Response& response) {
    if (lacks(group_[variable])) return insert(n_references_++, variable, std::move(row));
    factor_.append(response.projected.data(), response.curvature);
    insert(size(), variable, std::move(row));
}

void Basis::remove(std::size_t position) {
    if (position < n_references_) return take_out_reference(position);
    factor_.remove(position - n_references_);
    erase(position);
}

// The first of the other members of its group becomes the reference.
void Basis::take_out_reference(std::size_t position) {
    std::vector<std::size_t> columns;
    for (std::size_t a = n_references_; a < size(); ++a) {
        if (group_at(a) == group_at(position)) columns.push_back(a - n_references_);
    }
    if (columns.empty()) {
        reference_[std::size_t(group_at(position))] = none;
        --n_references_;
        return erase(position);
    }
    const std::size_t successor = columns.front();
    columns.erase(columns.begin());
    factor_.remove_reference(successor, columns);
    std::swap(members_[position], members_[successor + n_references_]);
    std::swap(rows_[position], rows_[successor + n_references_]);
    erase(successor + n_references_);
    renumber(position);
}

void Basis::insert(std::size_t position, std::size_t variable, KernelRowPointer row) {
    members_.insert(members_.begin() + long(position), variable);
    rows_.insert(rows_.begin() + long(position), std::move(row));
    renumber(position);
}

void Basis::erase(std::size_t position) {
    position_[members_[position]] = none;
    members_.erase(members_.begin() + long(position));
    rows_.erase(rows_.begin() + long(position));
    renumber(position);
}

void Basis::renumber(std::size_t from) {
    for (std::size_t a = from; a < size(); ++a) position_[members_[a]] = a;
    for (std::size_t b = 0; b < n_references_; ++b) reference_[std::size_t(group_at(b))] = b;
}

void Basis::clear() {
    for (const std::size_t variable : members_) position_[variable] = none;
    std::ranges::fill(reference_, none);
    n_references_ = 0;
    members_.clear();
    rows_.clear();
    factor_.clear();
}

std::vector<std::size_t> Basis::refactorise() {
    const auto members = members_;
    const auto rows = rows_;
    clear();
    std::vector<std::size_t> dropped;
    for (std::size_t a = 0; a < members.size(); ++a) {
        if (!append(members[a], rows[a])) dropped.push_back(members[a]);
    }
    return dropped;
}

}  // namespace mercer::active_set
